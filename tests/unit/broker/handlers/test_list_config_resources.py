from collections.abc import AsyncIterator

import pytest
from tests.support.clusters import a_cluster

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.list_config_resources import list_config_resources
from penstock.broker.registry import RequestContext
from penstock.cluster import AlterSettings, Cluster, CreateTopic, Operation, Resource, ResourceType, SettingChange
from penstock.errors import UnsupportedVersion
from penstock.wire.messages.list_config_resources_request import ListConfigResourcesRequest
from penstock.wire.messages.list_config_resources_response import ListConfigResourcesResponse


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    """Two topics, a group and a subscription with settings, and a cluster default, which is no resource to list."""
    async with a_cluster() as one:
        await one.controller.create_topics([CreateTopic("b"), CreateTopic("a")], timeout_ms=60_000)
        await one.controller.alter_settings(
            [
                _set(ResourceType.GROUP, "g", "share.auto.offset.reset", "earliest"),
                _set(ResourceType.CLIENT_METRICS, "m", "interval.ms", "1000"),
            ]
        )
        yield one


def _set(type_: ResourceType, name: str, setting: str, value: str) -> AlterSettings:
    return AlterSettings(Resource(type_, name), (SettingChange(setting, Operation.SET, value),))


def ask(cluster: Cluster, *types: int, version: int = 1) -> list[tuple[int, str]]:
    context = RequestContext(api_version=version, client_id=None, listener="PLAINTEXT", peer="")
    response = list_config_resources(
        ListConfigResourcesRequest(resource_types=list(types)), context, cluster.image, Authorizer()
    )
    resources = ListConfigResourcesResponse.decode(response.encode(version), version).config_resources
    return [(resource.resource_type, resource.resource_name) for resource in resources]


async def test_no_types_asks_for_all(cluster: Cluster) -> None:
    everything = [(2, "a"), (2, "b"), (4, "1"), (8, "1"), (16, "m"), (32, "g")]
    assert sorted(ask(cluster)) == everything
    assert sorted(ask(cluster, 2, 4, 8, 16, 32)) == everything


async def test_some_types_are_listed_alone(cluster: Cluster) -> None:
    assert ask(cluster, 2) == [(2, "a"), (2, "b")]
    assert ask(cluster, 32, 4, 32) == [(32, "g"), (4, "1")]


async def test_version_0_knows_subscriptions_only(cluster: Cluster) -> None:
    assert ask(cluster, version=0) == [(16, "m")]


@pytest.mark.parametrize("types", [(99,), (2, 99), (0,)])
async def test_a_type_that_nobody_knows_is_refused(cluster: Cluster, types: tuple[int, ...]) -> None:
    with pytest.raises(UnsupportedVersion):
        ask(cluster, *types)
