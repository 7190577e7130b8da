"""ElectLeaders, Alter- and ListPartitionReassignments, UnregisterBroker and DescribeQuorum, at every version."""

from collections.abc import AsyncIterator

import pytest
from tests.support.callers import a_context
from tests.support.clocks import ManualClock
from tests.support.clusters import a_cluster

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.alter_partition_reassignments import alter_partition_reassignments
from penstock.broker.handlers.describe_quorum import describe_quorum
from penstock.broker.handlers.elect_leaders import elect_leaders
from penstock.broker.handlers.list_partition_reassignments import list_partition_reassignments
from penstock.broker.handlers.unregister_broker import unregister_broker
from penstock.broker.registry import RequestContext
from penstock.cluster import Cluster, CreateTopic
from penstock.errors import BrokerIdNotRegistered, InvalidRequest
from penstock.wire.messages.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from penstock.wire.messages.alter_partition_reassignments_response import AlterPartitionReassignmentsResponse
from penstock.wire.messages.describe_quorum_request import DescribeQuorumRequest, PartitionData, TopicData
from penstock.wire.messages.describe_quorum_response import DescribeQuorumResponse
from penstock.wire.messages.elect_leaders_request import ElectLeadersRequest, TopicPartitions
from penstock.wire.messages.elect_leaders_response import ElectLeadersResponse
from penstock.wire.messages.list_partition_reassignments_request import ListPartitionReassignmentsRequest
from penstock.wire.messages.unregister_broker_request import UnregisterBrokerRequest


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with a_cluster() as one:
        await one.controller.create_topics([CreateTopic("a", partitions=2)], timeout_ms=60_000)
        yield one


def context(version: int) -> RequestContext:
    return RequestContext(api_version=version, client_id=None, listener="PLAINTEXT", peer="")


@pytest.mark.parametrize("version", [0, 1, 2])
async def test_every_version_elects_leaders(cluster: Cluster, version: int) -> None:
    async def ask(*partitions: TopicPartitions, everything: bool = False) -> list[tuple[str, list[tuple[int, int]]]]:
        asked = None if everything else list(partitions)
        request = ElectLeadersRequest(topic_partitions=asked, timeout_ms=60_000)
        request = ElectLeadersRequest.decode(request.encode(version), version)
        response = await elect_leaders(request, context(version), cluster.image, cluster.controller, Authorizer())
        response = ElectLeadersResponse.decode(response.encode(version), version)
        return [
            (result.topic, [(one.partition_id, one.error_code) for one in result.partition_result])
            for result in response.replica_election_results
        ]

    assert await ask(TopicPartitions("a", [0, 7]), TopicPartitions("b", [0])) == [
        ("a", [(0, 84), (7, 3)]),
        ("b", [(0, 3)]),
    ]
    assert await ask(everything=True) == [("a", [])], "partitions that need no election are left out"


async def test_an_unknown_kind_of_election_is_refused(cluster: Cluster) -> None:
    request = ElectLeadersRequest(election_type=7, topic_partitions=[TopicPartitions("a", [0])])
    response = await elect_leaders(request, context(2), cluster.image, cluster.controller, Authorizer())
    assert response.replica_election_results[0].partition_result[0].error_code == InvalidRequest.code


@pytest.mark.parametrize("version", [0, 1])
async def test_every_version_moves_partitions(cluster: Cluster, version: int) -> None:
    moves = [ReassignablePartition(0, [1]), ReassignablePartition(1, [7]), ReassignablePartition(9, [1])]
    request = AlterPartitionReassignmentsRequest(
        timeout_ms=60_000,
        topics=[ReassignableTopic("a", [*moves, ReassignablePartition(0, None)]), ReassignableTopic("b", moves[:1])],
    )
    request = AlterPartitionReassignmentsRequest.decode(request.encode(version), version)
    response = await alter_partition_reassignments(request, context(version), cluster.controller, Authorizer())
    response = AlterPartitionReassignmentsResponse.decode(response.encode(version), version)
    assert [
        (topic.name, [(one.partition_index, one.error_code) for one in topic.partitions])
        for topic in response.responses
    ] == [("a", [(0, 0), (1, 39), (9, 3), (0, 85)]), ("b", [(0, 3)])]


async def test_where_nothing_moves_nothing_is_listed(cluster: Cluster) -> None:
    request = ListPartitionReassignmentsRequest.decode(ListPartitionReassignmentsRequest(topics=None).encode(0), 0)
    assert list_partition_reassignments(request, a_context(), cluster.image, Authorizer()).topics == []


async def test_a_broker_that_runs_or_that_nobody_knows_is_not_unregistered(cluster: Cluster) -> None:
    with pytest.raises(InvalidRequest):
        await unregister_broker(UnregisterBrokerRequest(broker_id=1), a_context(), cluster.controller, Authorizer())
    with pytest.raises(BrokerIdNotRegistered):
        await unregister_broker(UnregisterBrokerRequest(broker_id=2), a_context(), cluster.controller, Authorizer())


@pytest.mark.parametrize("version", [0, 1, 2])
async def test_every_version_tells_the_quorum(cluster: Cluster, version: int) -> None:
    topics = [TopicData("__cluster_metadata", [PartitionData(0), PartitionData(1)]), TopicData("a", [PartitionData(0)])]
    response = describe_quorum(
        DescribeQuorumRequest(topics=topics), context(version), cluster.image, ManualClock(), Authorizer()
    )
    response = DescribeQuorumResponse.decode(response.encode(version), version)
    (metadata, beyond), (other,) = (topic.partitions for topic in response.topics)
    assert (metadata.error_code, metadata.leader_id, metadata.high_watermark) == (0, 1, cluster.image.revision)
    assert [(voter.replica_id, voter.log_end_offset) for voter in metadata.current_voters] == [
        (1, cluster.image.revision)
    ]
    assert (beyond.error_code, other.error_code) == (3, 3)
    assert [node.node_id for node in response.nodes] == ([1] if version >= 2 else [])
