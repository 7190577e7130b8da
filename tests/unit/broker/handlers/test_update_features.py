from collections.abc import AsyncIterator

import pytest
from tests.support.clusters import a_cluster

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.update_features import update_features
from penstock.broker.registry import RequestContext
from penstock.cluster import Cluster
from penstock.errors import InvalidUpdateVersion
from penstock.wire.messages.update_features_request import FeatureUpdateKey, UpdateFeaturesRequest
from penstock.wire.messages.update_features_response import UpdateFeaturesResponse


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with a_cluster() as one:
        yield one


async def ask(
    cluster: Cluster, *updates: FeatureUpdateKey, version: int = 2, validate_only: bool = False
) -> UpdateFeaturesResponse:
    context = RequestContext(api_version=version, client_id=None, listener="PLAINTEXT", peer="")
    request = UpdateFeaturesRequest(feature_updates=list(updates), validate_only=validate_only)
    response = await update_features(request, context, cluster.controller, Authorizer())
    return UpdateFeaturesResponse.decode(response.encode(version), version)


@pytest.mark.parametrize("version", [0, 1])
async def test_older_versions_list_an_outcome_for_each_feature(cluster: Cluster, version: int) -> None:
    response = await ask(cluster, FeatureUpdateKey("metadata.version", 30), version=version)
    assert (response.error_code, response.error_message) == (0, None)
    assert [(one.feature, one.error_code) for one in response.results] == [("metadata.version", 0)]


async def test_version_2_has_one_outcome_for_all(cluster: Cluster) -> None:
    response = await ask(cluster, FeatureUpdateKey("metadata.version", 30))
    assert (response.error_code, response.error_message, response.results) == (0, None, [])


@pytest.mark.parametrize("validate_only", [False, True])
async def test_an_update_that_cannot_be_is_refused_and_changes_nothing(cluster: Cluster, validate_only: bool) -> None:
    before = cluster.image.features
    with pytest.raises(InvalidUpdateVersion):
        await ask(cluster, FeatureUpdateKey("transaction.version", 3), validate_only=validate_only)
    assert cluster.image.features == before


@pytest.mark.parametrize("allowed", [False, True])
async def test_version_0_may_allow_a_downgrade_but_not_one_that_loses_metadata(cluster: Cluster, allowed: bool) -> None:
    with pytest.raises(InvalidUpdateVersion):
        await ask(cluster, FeatureUpdateKey("metadata.version", 29, allow_downgrade=allowed), version=0)


async def test_nothing_to_update_is_fine(cluster: Cluster) -> None:
    assert (await ask(cluster)).error_code == 0
