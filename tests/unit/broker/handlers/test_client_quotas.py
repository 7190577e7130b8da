from collections.abc import AsyncIterator, Iterable, Mapping

import pytest
from tests.support.clusters import a_cluster

from penstock.access.authorizer import CLUSTER_NAME, Authorizer
from penstock.access.rights import Right
from penstock.access.subject import Subject
from penstock.broker.handlers.alter_client_quotas import alter_client_quotas
from penstock.broker.handlers.describe_client_quotas import describe_client_quotas
from penstock.broker.registry import RequestContext
from penstock.cluster import Cluster
from penstock.wire.messages import alter_client_quotas_request as altering
from penstock.wire.messages.alter_client_quotas_response import AlterClientQuotasResponse
from penstock.wire.messages.describe_client_quotas_request import ComponentData, DescribeClientQuotasRequest
from penstock.wire.messages.describe_client_quotas_response import DescribeClientQuotasResponse

CONTEXT = RequestContext(api_version=1, client_id=None, listener="PLAINTEXT", peer="")
RATE = {"producer_byte_rate": 1000.0}


class Nobody(Authorizer):
    def allows(self, subject: Subject, right: Right, name: str = CLUSTER_NAME) -> bool:
        return False


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with a_cluster() as one:
        yield one


async def alter(
    cluster: Cluster,
    quotas: Iterable[tuple[Mapping[str, str | None], Mapping[str, float | None]]],
    *,
    validate_only: bool = False,
    authorizer: Authorizer | None = None,
) -> list[int]:
    entries = [
        altering.EntryData(
            [altering.EntityData(type_, name) for type_, name in whom.items()],
            [altering.OpData(key, limit or 0.0, limit is None) for key, limit in limits.items()],
        )
        for whom, limits in quotas
    ]
    request = altering.AlterClientQuotasRequest(entries, validate_only)
    answer = await alter_client_quotas(request, CONTEXT, cluster.image, cluster.controller, authorizer or Authorizer())
    return [each.error_code for each in AlterClientQuotasResponse.decode(answer.encode(1), 1).entries]


def described(cluster: Cluster, *wanted: ComponentData, authorizer: Authorizer | None = None) -> object:
    request = DescribeClientQuotasRequest(list(wanted), False)
    response = describe_client_quotas(request, CONTEXT, cluster.image, authorizer or Authorizer())
    answer = DescribeClientQuotasResponse.decode(response.encode(1), 1)
    if answer.entries is None:
        return answer.error_code
    return {
        tuple((part.entity_type, part.entity_name) for part in each.entity): {
            value.key: value.value for value in each.values
        }
        for each in answer.entries
    }


async def test_what_is_set_is_told_and_can_be_taken_away(cluster: Cluster) -> None:
    assert await alter(cluster, [({"user": "anna", "client-id": None}, RATE), ({"ip": "::1"}, RATE)]) == [0, 42]
    assert described(cluster) == {(("client-id", None), ("user", "anna")): RATE}
    assert await alter(cluster, [({"user": "anna", "client-id": None}, {"producer_byte_rate": None})]) == [0]
    assert described(cluster) == {}


async def test_to_see_whether_it_could_be_done_changes_nothing(cluster: Cluster) -> None:
    assert await alter(cluster, [({"user": "anna"}, RATE), ({"team": "x"}, RATE)], validate_only=True) == [0, 42]
    assert described(cluster) == {}


async def test_who_has_no_right_is_refused(cluster: Cluster) -> None:
    assert await alter(cluster, [({"user": "anna"}, RATE)], authorizer=Nobody()) == [31]
    assert described(cluster) == {}
    assert described(cluster, authorizer=Nobody()) == 31


async def test_a_wrong_filter_is_refused(cluster: Cluster) -> None:
    assert described(cluster, ComponentData("team", 2, None)) == 35
