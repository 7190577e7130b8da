from collections.abc import AsyncIterator

import pytest
from tests.support.clusters import a_cluster

from penstock.broker.handlers.api_versions import api_versions
from penstock.broker.registry import REGISTRY, RequestContext
from penstock.cluster import Cluster, FeatureUpdate
from penstock.cluster.commands import UpgradeType
from penstock.wire.api import BROKER_APIS, ApiKey
from penstock.wire.messages.api_versions_request import ApiVersionsRequest
from penstock.wire.messages.api_versions_response import ApiVersionsResponse


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with a_cluster() as one:
        yield one


def ask(cluster: Cluster, version: int = 4) -> ApiVersionsResponse:
    context = RequestContext(api_version=version, client_id=None, listener="PLAINTEXT", peer="")
    response = api_versions(ApiVersionsRequest("client", "1.0"), context, cluster.image)
    return ApiVersionsResponse.decode(response.encode(version), version)


async def test_what_is_built_is_advertised_and_nothing_else(cluster: Cluster) -> None:
    """RULES 44: a client that is told of an API uses it."""
    advertised = {one.api_key: (one.min_version, one.max_version) for one in ask(cluster).api_keys}
    assert advertised.keys() == {int(key) for key in REGISTRY} <= {int(key) for key in BROKER_APIS}
    assert not advertised.keys() & {ApiKey.ADD_RAFT_VOTER, ApiKey.REMOVE_RAFT_VOTER, ApiKey.UPDATE_RAFT_VOTER}
    assert all(advertised[key] == (answer.advertised_from, answer.versions[1]) for key, answer in REGISTRY.items())


async def test_features_are_told_with_an_epoch_that_rises_when_one_changes(cluster: Cluster) -> None:
    """RULES 38: of two answers a client believes the newer."""
    before = ask(cluster)
    assert {one.name: one.max_version_level for one in before.finalized_features} == {
        "metadata.version": 30,
        "group.version": 1,
        "transaction.version": 2,
        "share.version": 2,
    }
    lower = FeatureUpdate("transaction.version", 1, UpgradeType.SAFE_DOWNGRADE)
    await cluster.controller.update_features([lower])
    after = ask(cluster)
    assert after.finalized_features_epoch > before.finalized_features_epoch
    assert {one.name: one.max_version_level for one in after.finalized_features}["transaction.version"] == 1


async def test_features_that_may_be_off_are_left_out_for_older_clients(cluster: Cluster) -> None:
    assert [one.name for one in ask(cluster, 3).supported_features] == ["metadata.version"]
    assert [(one.name, one.min_version, one.max_version) for one in ask(cluster, 4).supported_features] == [
        ("group.version", 0, 1),
        ("metadata.version", 7, 30),
        ("share.version", 0, 2),
        ("transaction.version", 0, 2),
    ]
