"""Replicas of a partition put elsewhere."""

from penstock.processes.raw_requests import ask
from penstock.testing.running_cluster import RunningCluster
from penstock.wire.messages.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from penstock.wire.messages.alter_partition_reassignments_response import AlterPartitionReassignmentsResponse


def reassign(cluster: RunningCluster, topic: str, replicas: list[int]) -> None:
    """Of its first partition; begun, not done."""
    wanted = ReassignableTopic(topic, [ReassignablePartition(0, replicas)])
    request = AlterPartitionReassignmentsRequest(60_000, topics=[wanted])
    answer = ask(cluster[1].bootstrap, request, AlterPartitionReassignmentsResponse, version=0, timeout_s=60)
    assert not answer.error_code and not answer.responses[0].partitions[0].error_code, answer
