"""What only a cluster can be asked: partitions led elsewhere, replicas of several brokers, settings of another one.

Broker 1 is asked unless a situation says otherwise. Groups are left out: which broker coordinates one is chance. Reads
are those of one broker again, in their newest version, on topics that all three keep.
"""

from __future__ import annotations

from dataclasses import replace

from tests.conformance.situations.cluster import elected, listed, moved
from tests.conformance.situations.fetch import SITUATIONS as FETCH
from tests.conformance.situations.fetch import fetch, wanted
from tests.conformance.situations.list_offsets import LIST_OFFSETS, OFFSET_FOR_LEADER_EPOCH, epochs, offsets
from tests.conformance.situations.produce import FIVE, produce, read_back
from tests.conformance.situations.topics import assigned, create, seen
from tests.conformance.situations.topics import wanted as topic
from tests.conformance.table import At, Body, Records, Situation, Step, Topic, situation
from tests.support.batches import batch

HERE, THERE, ELSEWHERE = (1, 2, 3), (2, 3, 1), (2, 3)
"""Led by the broker that is asked, kept by it, not kept by it."""
RECORDS = Records("orders", [batch(FIVE)])


def metadata(*names: str) -> Body:
    return {"topics": [{"name": name} for name in names], "allow_auto_topic_creation": False}


def of_each_place(api: str, what: str, *asked: Step | Body, versions: tuple[int, int] | None = None) -> list[Situation]:
    """The same question to the leader, to a follower, to a broker that keeps nothing of it."""
    return [
        situation(api, f"{what} {where}", Topic("orders", 2, replicas=kept), *asked, versions=versions)
        for where, kept in (
            ("of the leader", HERE),
            ("of a follower", THERE),
            ("of a broker without a replica", ELSEWHERE),
        )
    ]


def resource(name: str) -> Body:
    return {"resource_type": 4, "resource_name": name, "configuration_keys": ["log.retention.ms"]}


def change(name: str) -> Body:
    config = {"name": "log.retention.ms", "config_operation": 0, "value": "1000000"}
    return {"resources": [{"resource_type": 4, "resource_name": name, "configs": [config]}], "validate_only": True}


DELETED: Body = {
    "topics": [{"name": "$orders", "partitions": [{"partition_index": 0, "offset": 0}]}],
    "timeout_ms": 60_000,
}

SITUATIONS = [
    *of_each_place("Metadata", "asked", metadata("$orders"), versions=(1, 13)),
    situation(
        "Metadata",
        "asked of all three",
        Topic("orders", replicas=HERE),
        metadata("$orders"),
        At(2),
        metadata("$orders"),
        At(3),
        metadata("$orders"),
        versions=(1, 13),
    ),
    situation("DescribeCluster", "of three", {}),
    *of_each_place(
        "DescribeTopicPartitions", "asked", {"topics": [{"name": "$orders"}], "response_partition_limit": 9}
    ),
    *of_each_place("Produce", "asked", produce(batch(FIVE), batch(FIVE))),
    *of_each_place("Produce", "asked with acks=1", produce(batch(FIVE), acks=1)),
    situation(
        "Produce",
        "to its leader, read there",
        Topic("orders", replicas=THERE),
        At(2),
        produce(batch(FIVE)),
        read_back(),
    ),
    situation(
        "Produce",
        "with more in sync asked for than there are replicas",
        Topic("orders", 1, {"min.insync.replicas": "3"}, replicas=(1, 2)),
        produce(batch(FIVE)),
    ),
    *of_each_place("Fetch", "asked in an old version", fetch(wanted()), versions=(4, 10)),
    *(each for each in of_each_place("Fetch", "asked", fetch(wanted())) if "follower" not in each.name),
    situation(
        "Fetch",
        "records of a leader elsewhere",
        Topic("orders", replicas=ELSEWHERE),
        At(2),
        RECORDS,
        At(1),
        fetch(wanted()),
        At(2),
        fetch(wanted()),
    ),
    *of_each_place("ListOffsets", "asked", offsets(-1, -2)),
    *of_each_place("OffsetForLeaderEpoch", "asked", epochs(0)),
    *of_each_place("DeleteRecords", "asked", DELETED),
    *of_each_place("DescribeProducers", "asked", {"topics": [{"name": "$orders", "partition_indexes": [0, 7]}]}),
    situation("CreateTopics", "three replicas", create(topic(partitions=1, replicas=3))),
    situation("CreateTopics", "four replicas of three brokers", create(topic(replicas=4)), seen("$new")),
    situation("CreateTopics", "replicas by number", create(assigned((0, [3, 1]), (1, [1, 2]))), seen("$new")),
    situation("CreateTopics", "a broker that is not there", create(assigned((0, [1, 9]))), seen("$new")),
    situation("CreateTopics", "a broker twice", create(assigned((0, [1, 1]))), seen("$new")),
    situation("CreateTopics", "as many replicas here and fewer there", create(assigned((0, [1, 2]), (1, [3])))),
    situation("CreateTopics", "a gap in the partitions", create(assigned((0, [1]), (2, [3])))),
    *(
        situation(
            "CreatePartitions",
            f"by number: {name}",
            Topic("orders", replicas=(1, 2)),
            {
                "topics": [{"name": "$orders", "count": 2, "assignments": [{"broker_ids": brokers}]}],
                "timeout_ms": 60_000,
            },
            seen("$orders"),
        )
        for name, brokers in {
            "good": [3, 1],
            "too few": [3],
            "too many": [1, 2, 3],
            "twice": [3, 3],
            "unknown": [1, 9],
        }.items()
    ),
    situation(
        "ElectLeaders", "preferred already, of three", Topic("orders", 2, replicas=THERE), elected(("$orders", [0, 1]))
    ),
    situation(
        "AlterPartitionReassignments",
        "to where they are",
        Topic("orders", replicas=HERE),
        moved("$orders", (0, [1, 2, 3])),
    ),
    situation(
        "AlterPartitionReassignments",
        "to one of them unknown",
        Topic("orders", replicas=HERE),
        moved("$orders", (0, [1, 9])),
    ),
    situation(
        "AlterPartitionReassignments",
        "twice to one of them",
        Topic("orders", replicas=HERE),
        moved("$orders", (0, [2, 2, 3])),
    ),
    situation(
        "ListPartitionReassignments",
        "of three, where nothing moves",
        Topic("orders", replicas=HERE),
        listed(("$orders", [0])),
    ),
    situation("DescribeConfigs", "of another broker", {"resources": [resource("2")]}),
    situation("DescribeConfigs", "of that broker itself", At(2), {"resources": [resource("2")]}),
    situation("IncrementalAlterConfigs", "of another broker", change("2")),
    situation("IncrementalAlterConfigs", "of that broker itself", At(2), change("2")),
    *(
        replace(each, versions=(each.runs()[-1], each.runs()[-1]))
        for each in (*FETCH, *LIST_OFFSETS, *OFFSET_FOR_LEADER_EPOCH)
    ),
]
