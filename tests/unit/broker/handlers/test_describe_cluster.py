from collections.abc import AsyncIterator

import pytest
from tests.support.clusters import a_cluster

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.describe_cluster import describe_cluster
from penstock.broker.registry import RequestContext
from penstock.cluster import Cluster
from penstock.errors import InvalidRequest, MismatchedEndpointType, Refusal, UnsupportedEndpointType
from penstock.wire.messages.describe_cluster_request import DescribeClusterRequest
from penstock.wire.messages.describe_cluster_response import DescribeClusterResponse


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with a_cluster() as one:
        yield one


def ask(
    cluster: Cluster, version: int, *, ops: bool = False, endpoint_type: int = 1, listener: str = "PLAINTEXT"
) -> DescribeClusterResponse:
    context = RequestContext(api_version=version, client_id=None, listener=listener, peer="")
    request = DescribeClusterRequest(include_cluster_authorized_operations=ops, endpoint_type=endpoint_type)
    response = describe_cluster(request, context, cluster.image, Authorizer())
    return DescribeClusterResponse.decode(response.encode(version), version)


@pytest.mark.parametrize("version", [0, 1, 2])
async def test_every_version_tells_the_brokers_and_the_controller(cluster: Cluster, version: int) -> None:
    response = ask(cluster, version)
    assert (response.error_code, response.error_message, response.endpoint_type) == (0, None, 1)
    assert (response.cluster_id, response.controller_id) == (cluster.image.cluster_id, 1)
    assert [(one.broker_id, one.host, one.port, one.rack, one.is_fenced) for one in response.brokers] == [
        (1, "127.0.0.1", 9092, None, False)
    ]


async def test_addresses_are_those_of_the_listener(cluster: Cluster) -> None:
    assert [(one.host, one.port) for one in ask(cluster, 2, listener="OUTSIDE").brokers] == [("broker.example", 19092)]
    elsewhere = ask(cluster, 2, listener="ELSEWHERE")
    assert (elsewhere.brokers, elsewhere.controller_id) == ([], -1)


async def test_authorized_operations_are_told_when_asked_for(cluster: Cluster) -> None:
    assert ask(cluster, 1, ops=True).cluster_authorized_operations == 8096
    assert ask(cluster, 1).cluster_authorized_operations == -(2**31)


@pytest.mark.parametrize(
    ("version", "endpoint_type", "refusal"),
    [
        (1, 2, MismatchedEndpointType),
        (1, 7, UnsupportedEndpointType),
        (0, 2, InvalidRequest),
        (0, 7, InvalidRequest),
    ],
)
async def test_other_kinds_of_endpoint_are_refused(
    cluster: Cluster, version: int, endpoint_type: int, refusal: type[Refusal]
) -> None:
    with pytest.raises(refusal):
        ask(cluster, version, endpoint_type=endpoint_type)
