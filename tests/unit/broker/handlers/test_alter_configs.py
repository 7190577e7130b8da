from collections.abc import AsyncIterator

import pytest
from tests.support.callers import a_context
from tests.support.clusters import a_cluster

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.alter_configs import alter_configs
from penstock.cluster import Cluster, CreateTopic, Resource, ResourceType
from penstock.wire.messages.alter_configs_request import AlterableConfig, AlterConfigsRequest, AlterConfigsResource
from penstock.wire.messages.alter_configs_response import AlterConfigsResponse

TOPIC, BROKER, LOGGER, GROUP = 2, 4, 8, 32


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with a_cluster() as one:
        settings = (("retention.ms", "111"), ("flush.ms", "5"))
        await one.controller.create_topics([CreateTopic("orders", settings=settings)], timeout_ms=60_000)
        yield one


def resource(type_: int, name: str, *settings: tuple[str, str | None]) -> AlterConfigsResource:
    configs = [AlterableConfig(name=key, value=value) for key, value in settings]
    return AlterConfigsResource(resource_type=type_, resource_name=name, configs=configs)


async def ask(
    cluster: Cluster, *resources: AlterConfigsResource, version: int = 2, validate_only: bool = False
) -> list[int]:
    request = AlterConfigsRequest(resources=list(resources), validate_only=validate_only)
    asked = AlterConfigsRequest.decode(request.encode(version), version)
    response = await alter_configs(asked, a_context(), cluster.controller, Authorizer(), cluster.image)
    answers = AlterConfigsResponse.decode(response.encode(version), version).responses
    assert [(one.resource_type, one.resource_name) for one in answers] == [
        (one.resource_type, one.resource_name) for one in resources
    ]
    return [one.error_code for one in answers]


@pytest.mark.parametrize("version", [0, 1, 2])
async def test_what_is_not_named_goes_back_to_its_default(cluster: Cluster, version: int) -> None:
    assert await ask(cluster, resource(TOPIC, "orders", ("flush.ms", "6")), version=version) == [0]
    assert cluster.image.topics["orders"].overrides == {"flush.ms": "6"}


async def test_nothing_named_forgets_all(cluster: Cluster) -> None:
    assert await ask(cluster, resource(TOPIC, "orders")) == [0]
    assert cluster.image.topics["orders"].overrides == {}


async def test_to_validate_only_changes_nothing(cluster: Cluster) -> None:
    assert await ask(cluster, resource(TOPIC, "orders", ("flush.ms", "x")), validate_only=True) == [40]
    assert await ask(cluster, resource(TOPIC, "orders", ("flush.ms", "6")), validate_only=True) == [0]
    assert cluster.image.topics["orders"].overrides["flush.ms"] == "5"


async def test_a_broker_keeps_its_own(cluster: Cluster) -> None:
    assert await ask(cluster, resource(BROKER, "1", ("log.flush.interval.ms", "99"))) == [0]
    own = Resource(ResourceType.BROKER, "1")
    assert cluster.image.settings[own] == {"log.flush.interval.ms": "99"}
    assert await ask(cluster, resource(BROKER, "1")) == [0]
    assert own not in cluster.image.settings


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (resource(TOPIC, "orders", ("flush.ms", None)), 42),
        (resource(TOPIC, "orders", ("flush.ms", "6"), ("flush.ms", "7")), 42),
        (resource(TOPIC, "nope", ("flush.ms", "6")), 3),
        (resource(LOGGER, "1", ("root", "INFO")), 42),
        (resource(99, "1", ("root", "INFO")), 42),
        (resource(BROKER, "1", ("node.id", "9")), 42),
        (resource(BROKER, "7", ("log.flush.interval.ms", "9")), 42),
        (resource(GROUP, "g"), 0),
    ],
)
async def test_each_situation_has_kafkas_code(cluster: Cluster, asked: AlterConfigsResource, error: int) -> None:
    assert await ask(cluster, asked) == [error]


async def test_a_resource_that_appears_twice_is_refused_both_times(cluster: Cluster) -> None:
    assert await ask(cluster, resource(TOPIC, "orders"), resource(TOPIC, "orders")) == [42, 42]
