"""CreateTopics, DeleteTopics, CreatePartitions."""

from __future__ import annotations

from typing import Any

from tests.conformance.table import Ask, Body, Given, Id, Situation, Step, Topic, situation


def wanted(name: str = "$new", partitions: int = 2, replicas: int = 1, **more: Any) -> Body:
    return {"name": name, "num_partitions": partitions, "replication_factor": replicas, **more}


def create(*topics: Body, **more: Any) -> Body:
    return {"topics": list(topics), "timeout_ms": 30_000, **more}


def configs(**settings: str | None) -> list[Body]:
    return [{"name": name.replace("_", "."), "value": value} for name, value in settings.items()]


def assigned(*replicas: tuple[int, list[int]]) -> Body:
    assignments = [{"partition_index": index, "broker_ids": brokers} for index, brokers in replicas]
    return wanted(partitions=-1, replicas=-1, assignments=assignments)


def creating(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("CreateTopics", name, *steps, versions=versions)


def seen(*names: str) -> Ask:
    """What Metadata says afterwards."""
    return Ask(
        {"topics": [{"name": name} for name in names], "allow_auto_topic_creation": False}, api="Metadata", version=9
    )


CREATE_TOPICS = [
    creating("a topic", create(wanted()), seen("$new")),
    creating("two topics", create(wanted("$one"), wanted("$two", 1)), seen("$one", "$two")),
    creating("validate only", create(wanted(), validate_only=True), seen("$new")),
    creating("validate only of what exists", Topic("orders"), create(wanted("$orders"), validate_only=True)),
    creating("an existing topic", Topic("orders"), create(wanted("$orders")), seen("$orders")),
    creating("a topic twice in a request", create(wanted(), wanted(partitions=3)), seen("$new")),
    creating("a good and a bad topic", create(wanted("$one"), wanted("$two", 0)), seen("$one", "$two")),
    creating("no topics", create()),
    creating("the broker's number of partitions", create(wanted(partitions=-1)), seen("$new")),
    creating("the broker's number of replicas", create(wanted(replicas=-1)), seen("$new")),
    creating("no partitions", create(wanted(partitions=0)), seen("$new")),
    creating("minus two partitions", create(wanted(partitions=-2))),
    creating("no replicas", create(wanted(replicas=0))),
    creating("minus two replicas", create(wanted(replicas=-2))),
    creating("more replicas than brokers", create(wanted(replicas=3)), seen("$new")),
    creating("a timeout of nothing", create(wanted(), timeout_ms=0), versions=(7, 7)),
    *(
        creating(f"a name that is not valid: {name[:10]!r}", create(wanted(name)))
        for name in ("a b", "..", ".", "", "a/b", "x" * 250, "ü")
    ),
    creating(
        "a name of 249 characters",
        Given("DeleteTopics", 5, {"topic_names": ["y" * 249], "timeout_ms": 60_000}),
        create(wanted("y" * 249), validate_only=True),
    ),
    creating("a name that collides", Topic("a.b"), create(wanted("$a_b"))),
    creating("names that collide in a request", create(wanted("$c.d"), wanted("$c_d"))),
    creating("replicas assigned", create(assigned((0, [1]), (1, [1]))), seen("$new")),
    creating("replicas assigned to an unknown broker", create(assigned((0, [7])))),
    creating("replicas assigned twice to a broker", create(assigned((0, [1, 1])))),
    creating("replicas assigned to nobody", create(assigned((0, [])))),
    creating("partitions assigned twice", create(assigned((0, [1]), (0, [1])))),
    creating("partitions assigned with a gap", create(assigned((0, [1]), (2, [1])))),
    creating("partitions assigned from one on", create(assigned((1, [1])))),
    creating(
        "replicas assigned and counted", create({**assigned((0, [1])), "num_partitions": 1, "replication_factor": 1})
    ),
    creating("settings", create(wanted(configs=configs(retention_ms="60000", cleanup_policy="compact,delete")))),
    creating("a setting of its default value", create(wanted(configs=configs(retention_ms="604800000")))),
    creating("a setting that does not exist", create(wanted(configs=configs(no_such_setting="1")))),
    creating("a setting without a value", create(wanted(configs=configs(retention_ms=None)))),
    creating("a setting that is no number", create(wanted(configs=configs(retention_ms="soon")))),
    creating("a setting out of range", create(wanted(configs=configs(retention_ms="-2")))),
    creating("a setting that is no choice", create(wanted(configs=configs(cleanup_policy="shred")))),
    creating("an empty choice", create(wanted(configs=configs(cleanup_policy="")))),
    creating("a setting twice", create(wanted(configs=[*configs(retention_ms="1000"), *configs(retention_ms="2000")]))),
    creating(
        "settings that contradict",
        create(wanted(configs=configs(min_compaction_lag_ms="5000", max_compaction_lag_ms="1000"))),
    ),
    creating("a setting checked only", create(wanted(configs=configs(retention_ms="soon")), validate_only=True)),
]


def delete(*names: str, **more: Any) -> Body:
    """By name, in both the old form and the one of version 6."""
    topics = [{"name": name} for name in names]
    return {"topic_names": list(names), "topics": topics, "timeout_ms": 30_000, **more}


def deleting(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("DeleteTopics", name, Topic("orders"), Topic("bills"), *steps, versions=versions)


DELETE_TOPICS = [
    deleting("a topic", delete("$orders"), seen("$orders", "$bills")),
    deleting("two topics", delete("$orders", "$bills"), seen("$orders", "$bills")),
    deleting("unknown topic", delete("$missing")),
    deleting("unknown and known topic", delete("$missing", "$orders"), seen("$orders")),
    deleting("a topic deleted before", delete("$orders"), delete("$orders")),
    deleting("a topic twice in a request", delete("$orders", "$orders"), seen("$orders")),
    deleting("no topics", delete()),
    deleting("a name that is not valid", delete("a b")),
    deleting("by id", delete(topics=[{"topic_id": Id("orders")}]), seen("$orders"), versions=(6, 6)),
    deleting("by an unknown id", delete(topics=[{"topic_id": Id("missing")}]), versions=(6, 6)),
    deleting(
        "by id and name",
        delete(topics=[{"topic_id": Id("orders"), "name": "$orders"}]),
        seen("$orders"),
        versions=(6, 6),
    ),
    deleting("by neither", delete(topics=[{}]), versions=(6, 6)),
    deleting(
        "one by id and again by name",
        delete(topics=[{"topic_id": Id("orders")}, {"name": "$orders"}]),
        seen("$orders"),
        versions=(6, 6),
    ),
    deleting(
        "a topic made again", delete("$orders"), Given("CreateTopics", 7, create(wanted("$orders", 1))), seen("$orders")
    ),
]


def grow(count: int, topic: str = "$orders", assignments: list[list[int]] | None = None) -> Body:
    named = None if assignments is None else [{"broker_ids": brokers} for brokers in assignments]
    return {"name": topic, "count": count, "assignments": named}


def partitions(*topics: Body, validate_only: bool = False) -> Body:
    return {"topics": list(topics), "timeout_ms": 30_000, "validate_only": validate_only}


def growing(name: str, *topics: Body, validate_only: bool = False) -> Situation:
    asked = partitions(*topics, validate_only=validate_only)
    return situation("CreatePartitions", name, Topic("orders", 2), asked, seen("$orders"))


CREATE_PARTITIONS = [
    growing("two more", grow(4)),
    growing("validate only", grow(4), validate_only=True),
    growing("as many as there are", grow(2)),
    growing("fewer than there are", grow(1)),
    growing("none", grow(0)),
    growing("minus one", grow(-1)),
    growing("unknown topic", grow(3, "$missing")),
    growing("a name that is not valid", grow(3, "a b")),
    growing("a topic twice", grow(3), grow(4)),
    growing("no topics"),
    growing("replicas assigned", grow(4, assignments=[[1], [1]])),
    growing("too few assignments", grow(4, assignments=[[1]])),
    growing("too many assignments", grow(3, assignments=[[1], [1]])),
    growing("assigned to an unknown broker", grow(3, assignments=[[7]])),
    growing("assigned to nobody", grow(3, assignments=[[]])),
    growing("assigned twice to a broker", grow(3, assignments=[[1, 1]])),
    growing("an empty list of assignments", grow(3, assignments=[])),
    growing("too many to be meant", grow(200_000), validate_only=True),
]

SITUATIONS = [*CREATE_TOPICS, *DELETE_TOPICS, *CREATE_PARTITIONS]
