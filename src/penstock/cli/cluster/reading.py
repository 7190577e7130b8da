"""What a cluster says of itself, in the few requests that every Kafka answers: brokers, partitions, sizes, moves."""

import msgspec

from penstock.cli.asking import Brokers, require_ok
from penstock.cli.cluster.planning.facts import ClusterFacts, Key, PartitionFacts, Place
from penstock.cli.exits import Failure, NotFound
from penstock.cli.output import note
from penstock.errors import error_name
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_cluster_request import DescribeClusterRequest
from penstock.wire.messages.describe_cluster_response import DescribeClusterResponse
from penstock.wire.messages.describe_log_dirs_request import DescribeLogDirsRequest
from penstock.wire.messages.describe_log_dirs_response import DescribeLogDirsResponse, DescribeLogDirsResult
from penstock.wire.messages.list_partition_reassignments_request import ListPartitionReassignmentsRequest
from penstock.wire.messages.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
)
from penstock.wire.messages.metadata_response import MetadataResponsePartition

FENCED_FROM = 2


class Disks(msgspec.Struct):
    folders: dict[int, list[DescribeLogDirsResult]] = {}
    """By broker; one that did not answer is not in it."""
    problems: dict[int, str] = {}
    """Why not, or what is wrong with a folder."""


def described(brokers: Brokers, *, with_fenced: bool = False) -> DescribeClusterResponse:
    """`with_fenced`: also brokers that belong to the cluster and are away, where the cluster can tell."""
    request = DescribeClusterRequest(include_fenced_brokers=with_fenced and can_tell_of_fenced(brokers))
    answer = brokers.ask(request, DescribeClusterResponse)
    require_ok(answer.error_code, answer.error_message, doing="describe the cluster")
    return answer


def can_tell_of_fenced(brokers: Brokers) -> bool:
    return brokers.newest(ApiKey.DESCRIBE_CLUSTER) >= FENCED_FROM


def disks(brokers: Brokers) -> Disks:
    found = Disks()
    for broker_id in brokers.ids():
        try:
            answer = brokers.at(broker_id).ask(DescribeLogDirsRequest(topics=None), DescribeLogDirsResponse)
            require_ok(answer.error_code, None, doing=f"ask broker {broker_id} for its folders")
        except Failure as failure:
            found.problems[broker_id] = failure.message
            continue
        found.folders[broker_id] = answer.results
        if bad := [f"{each.log_dir} ({error_name(each.error_code)})" for each in answer.results if each.error_code]:
            found.problems[broker_id] = f"cannot read {', '.join(bad)}"
    return found


def sizes(found: Disks) -> dict[Key, int]:
    """A partition's bytes: those of its largest replica, since others may still be copying."""
    result: dict[Key, int] = {}
    for folders in found.folders.values():
        for folder in folders:
            for topic in folder.topics:
                for partition in topic.partitions:
                    key = topic.name, partition.partition_index
                    result[key] = max(result.get(key, 0), partition.partition_size)
    return result


def ongoing(brokers: Brokers) -> dict[Key, OngoingPartitionReassignment]:
    """Moves under way."""
    request = ListPartitionReassignmentsRequest(topics=None)
    answer = brokers.ask(request, ListPartitionReassignmentsResponse)
    require_ok(answer.error_code, answer.error_message, doing="list the moves under way")
    return {(topic.name, each.partition_index): each for topic in answer.topics for each in topic.partitions}


def partitions(brokers: Brokers, names: list[str] | None = None) -> list[PartitionFacts]:
    """Of these topics, or of all, without sizes."""
    moving = ongoing(brokers)
    found = []
    for topic in brokers.topics(names).topics:
        name = topic.name or ""
        if topic.error_code and names is not None:
            raise NotFound(f"there is no topic {name!r}", hint="`penstock topic list` shows what exists.")
        found += [_partition(name, each, moving.get((name, each.partition_index))) for each in topic.partitions]
    return sorted(found, key=lambda each: each.key)


def _partition(
    topic: str, partition: MetadataResponsePartition, move: OngoingPartitionReassignment | None
) -> PartitionFacts:
    replicas = partition.replica_nodes if move is None else move.replicas
    removing = () if move is None else tuple(move.removing_replicas)
    return PartitionFacts(
        topic=topic,
        index=partition.partition_index,
        replicas=tuple(broker for broker in replicas if broker not in removing),
        leader=partition.leader_id,
        in_sync=tuple(partition.isr_nodes),
        adding=() if move is None else tuple(move.adding_replicas),
        removing=removing,
    )


def facts(brokers: Brokers, names: list[str] | None = None) -> ClusterFacts:
    """All that a plan needs. Brokers that are fenced or gone are left out: nothing is moved to them."""
    alive = {
        each.broker_id: Place(each.broker_id, each.host, each.rack)
        for each in described(brokers).brokers
        if not each.is_fenced
    }
    found = disks(brokers)
    for broker, problem in found.problems.items():
        note(f"broker {broker} did not tell the sizes of its replicas: {problem}")
    size_of = sizes(found)
    return ClusterFacts(
        alive,
        [
            PartitionFacts(
                each.topic,
                each.index,
                each.replicas,
                each.leader,
                each.in_sync,
                size_of.get(each.key),
                each.adding,
                each.removing,
            )
            for each in partitions(brokers, names)
        ],
    )
