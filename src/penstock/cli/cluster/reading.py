"""What a cluster says of itself, in the few requests that every Kafka answers: brokers, partitions, sizes, moves."""

import msgspec

from penstock.cli.client import Cluster
from penstock.cli.cluster.planning.facts import ClusterFacts, Key, PartitionFacts, Place
from penstock.cli.exits import NotFound
from penstock.cli.output import note
from penstock.client import ClusterInfo, PartitionInfo
from penstock.errors import InvalidTopic, Refusal, UnknownTopicOrPartition, error_name
from penstock.wire.messages.describe_log_dirs_response import DescribeLogDirsResult
from penstock.wire.messages.list_partition_reassignments_response import OngoingPartitionReassignment


class Disks(msgspec.Struct):
    folders: dict[int, list[DescribeLogDirsResult]] = {}
    """By broker; one that did not answer is not in it."""
    problems: dict[int, str] = {}
    """Why not, or what is wrong with a folder."""


def described(cluster: Cluster, *, with_fenced: bool = False) -> ClusterInfo:
    """`with_fenced`: also brokers that belong to the cluster and are away, where the cluster can tell."""
    with cluster.doing("describe the cluster") as client:
        return client.describe_cluster(include_fenced=with_fenced)


def disks(cluster: Cluster) -> Disks:
    found = Disks()
    with cluster.doing("find the brokers") as client:
        answers = client.describe_log_dirs()
    for broker_id, answer in answers.items():
        if isinstance(answer, Refusal):
            found.problems[broker_id] = answer.message
            continue
        found.folders[broker_id] = list(answer.values())
        if bad := [f"{path} ({error_name(each.error_code)})" for path, each in answer.items() if each.error_code]:
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


def ongoing(cluster: Cluster) -> dict[Key, OngoingPartitionReassignment]:
    """Moves under way."""
    with cluster.doing("list the moves under way") as client:
        return {(topic, index): move for (topic, index), move in client.list_reassignments().items()}


def partitions(cluster: Cluster, names: list[str] | None = None) -> list[PartitionFacts]:
    """Of these topics, or of all, without sizes."""
    moving = ongoing(cluster)
    with cluster.doing("describe topics") as client:
        topics = client.list_topics() if names is None else client.describe_topics(names)
    found = []
    for name, topic in topics.items():
        if isinstance(topic, (UnknownTopicOrPartition, InvalidTopic)):
            raise NotFound(f"there is no topic {name!r}", hint="`penstock topic list` shows what exists.")
        known = cluster.value(topic, doing=f"describe {name}").partitions
        found += [_partition(name, each, moving.get((name, each.index))) for each in known.values()]
    return sorted(found, key=lambda each: each.key)


def _partition(topic: str, partition: PartitionInfo, move: OngoingPartitionReassignment | None) -> PartitionFacts:
    replicas = partition.replicas if move is None else move.replicas
    removing = () if move is None else tuple(move.removing_replicas)
    return PartitionFacts(
        topic=topic,
        index=partition.index,
        replicas=tuple(broker for broker in replicas if broker not in removing),
        leader=partition.leader,
        in_sync=partition.in_sync,
        adding=() if move is None else tuple(move.adding_replicas),
        removing=removing,
    )


def facts(cluster: Cluster, names: list[str] | None = None) -> ClusterFacts:
    """All that a plan needs. Brokers that are fenced or gone are left out: nothing is moved to them."""
    alive = {each.id: Place(each.id, each.host, each.rack) for each in described(cluster).brokers.values()}
    found = disks(cluster)
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
            for each in partitions(cluster, names)
        ],
    )
