"""ElectLeaders, AlterPartitionReassignments, ListPartitionReassignments, UnregisterBroker, DescribeQuorum."""

from __future__ import annotations

from typing import Any

from tests.conformance.table import Body, Situation, Step, Topic, situation

METADATA = "__cluster_metadata"


def elected(*partitions: tuple[str, list[int]], **more: Any) -> Body:
    asked = [{"topic": topic, "partitions": indexes} for topic, indexes in partitions]
    return {"topic_partitions": asked, "timeout_ms": 60_000, **more}


def moved(topic: str, *partitions: tuple[int, list[int] | None], **more: Any) -> Body:
    moves = [{"partition_index": index, "replicas": replicas} for index, replicas in partitions]
    return {"topics": [{"name": topic, "partitions": moves}], "timeout_ms": 60_000, **more}


def listed(*topics: tuple[str, list[int]]) -> Body:
    return {"topics": [{"name": name, "partition_indexes": indexes} for name, indexes in topics], "timeout_ms": 60_000}


def quorum(topic: str, *indexes: int) -> Body:
    return {"topics": [{"topic_name": topic, "partitions": [{"partition_index": index} for index in indexes]}]}


def electing(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("ElectLeaders", name, *steps, versions=versions)


def moving(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("AlterPartitionReassignments", name, *steps, versions=versions)


SITUATIONS = [
    electing("a leader that is preferred already", Topic("orders", 2), elected(("$orders", [0, 1]))),
    electing(
        "an unclean election where there is a leader",
        Topic("orders"),
        elected(("$orders", [0]), election_type=1),
        versions=(1, 2),
    ),
    electing("a partition that is not there", Topic("orders"), elected(("$orders", [0, 7]))),
    electing("a topic that is not there", elected(("$nothing", [0]))),
    electing("no partitions", elected()),
    electing(
        "a kind that does not exist", Topic("orders"), elected(("$orders", [0]), election_type=7), versions=(1, 2)
    ),
    moving("to where it is", Topic("orders", 2), moved("$orders", (0, [1]), (1, [1]))),
    moving("to an unknown broker", Topic("orders"), moved("$orders", (0, [7]))),
    moving("to nobody", Topic("orders"), moved("$orders", (0, []))),
    moving("twice to a broker", Topic("orders"), moved("$orders", (0, [1, 1]))),
    moving("back, though nothing moves", Topic("orders"), moved("$orders", (0, None))),
    moving("of a partition that is not there", Topic("orders"), moved("$orders", (7, [1]))),
    moving("of a topic that is not there", moved("$nothing", (0, [1]))),
    moving("of nothing", {"topics": [], "timeout_ms": 60_000}),
    situation("ListPartitionReassignments", "where nothing moves", Topic("orders"), listed(("$orders", [0, 7]))),
    situation("ListPartitionReassignments", "of a topic that is not there", listed(("$nothing", [0]))),
    situation("UnregisterBroker", "a broker that is not there", {"broker_id": 7}),
    situation("DescribeQuorum", "of the metadata", quorum(METADATA, 0)),
    situation("DescribeQuorum", "of a topic", Topic("orders"), quorum("$orders", 0)),
    situation("DescribeQuorum", "of another partition", quorum(METADATA, 1)),
]
