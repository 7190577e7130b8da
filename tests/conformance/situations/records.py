"""DeleteRecords, DescribeLogDirs, DescribeProducers, InitProducerId, UpdateFeatures."""

from __future__ import annotations

from typing import Any

from tests.conformance.situations.fetch import fetch, wanted
from tests.conformance.situations.list_offsets import offsets
from tests.conformance.situations.produce import FIVE, from_producer
from tests.conformance.table import Ask, Body, Records, Situation, Step, Topic, situation
from tests.support.batches import batch

TWO_BATCHES = Records("orders", [batch(FIVE), batch(FIVE)])


def before(offset: int, *, topic: str = "$orders", partition: int = 0, timeout_ms: int = 60_000) -> Body:
    partitions = [{"partition_index": partition, "offset": offset}]
    return {"topics": [{"name": topic, "partitions": partitions}], "timeout_ms": timeout_ms}


def left() -> Ask:
    return Ask(offsets(-2), api="ListOffsets", version=5)


def trimming(name: str, *steps: Step | Body, **configs: str) -> Situation:
    settings = {key.replace("_", "."): value for key, value in configs.items()}
    return situation("DeleteRecords", name, Topic("orders", 1, settings), TWO_BATCHES, *steps)


DELETE_RECORDS = [
    trimming("within a batch", before(3), left(), Ask(fetch(wanted(3)), api="Fetch", version=11)),
    trimming("at a batch", before(5), left()),
    trimming("all by number", before(10), left()),
    trimming("all by minus one", before(-1), left()),
    trimming("beyond the end", before(11), left()),
    trimming("minus two", before(-2), left()),
    trimming("to zero", before(0), left()),
    trimming("backwards", before(7), before(3), left()),
    trimming("unknown topic", before(1, topic="$missing")),
    trimming("unknown partition", before(1, partition=9)),
    trimming("a topic name that is not valid", before(1, topic="a b")),
    trimming("a compacted topic", before(3), left(), cleanup_policy="compact"),
    trimming("an internal topic", before(0, topic="__consumer_offsets")),
    trimming("a compacted and deleted topic", before(3), left(), cleanup_policy="compact,delete"),
    trimming("no topics", {"topics": [], "timeout_ms": 100}),
    trimming("a timeout of nothing", before(3, timeout_ms=0), left()),
    trimming(
        "one partition twice",
        {
            "topics": [
                {
                    "name": "$orders",
                    "partitions": [{"partition_index": 0, "offset": 2}, {"partition_index": 0, "offset": 4}],
                }
            ],
            "timeout_ms": 900,
        },
        left(),
    ),
]


def folders(*partitions: int, topic: str = "$orders") -> Body:
    return {"topics": [{"topic": topic, "partitions": list(partitions)}]}


def looking(name: str, *steps: Step | Body) -> Situation:
    return situation("DescribeLogDirs", name, Topic("orders", 2), TWO_BATCHES, *steps)


DESCRIBE_LOG_DIRS = [
    looking("everything", {"topics": None}),
    looking("a topic", folders(0, 1)),
    looking("a partition", folders(1)),
    looking("unknown topic", folders(0, topic="$missing")),
    looking("unknown partition", folders(9)),
    looking("a topic without partitions", folders()),
    looking("no topics", {"topics": []}),
]


def producers(*partitions: int, topic: str = "$orders") -> Body:
    return {"topics": [{"name": topic, "partition_indexes": list(partitions)}]}


def asking(name: str, *steps: Step | Body) -> Situation:
    return situation("DescribeProducers", name, Topic("orders", 2), *steps)


DESCRIBE_PRODUCERS = [
    asking("nobody", producers(0)),
    asking("a producer", Records("orders", [from_producer(0, count=3), from_producer(3)]), producers(0, 1)),
    asking(
        "two producers", Records("orders", [from_producer(0), from_producer(0, producer_id=12, epoch=3)]), producers(0)
    ),
    asking("a producer without an id", TWO_BATCHES, producers(0)),
    asking("unknown topic", producers(0, topic="$missing")),
    asking("unknown partition", producers(9)),
    asking("a topic name that is not valid", producers(0, topic="a b")),
    asking("a topic without partitions", producers()),
    asking("no topics", {"topics": []}),
]


def init(**more: Any) -> Body:
    return {"transactional_id": None, "transaction_timeout_ms": 60_000, **more}


INIT_PRODUCER_ID = [
    situation("InitProducerId", "a producer id", init()),
    situation("InitProducerId", "two producer ids", init(), init()),
    situation("InitProducerId", "a timeout of nothing", init(transaction_timeout_ms=0)),
    situation("InitProducerId", "a negative timeout", init(transaction_timeout_ms=-1)),
    situation("InitProducerId", "an empty transactional id", init(transactional_id="")),
    situation("InitProducerId", "a next epoch", init(producer_id=4711, producer_epoch=3), versions=(3, 5)),
    situation("InitProducerId", "an id without an epoch", init(producer_id=4711), versions=(3, 5)),
    situation("InitProducerId", "an epoch without an id", init(producer_epoch=3), versions=(3, 5)),
    situation("InitProducerId", "an exhausted epoch", init(producer_id=4711, producer_epoch=32767), versions=(3, 5)),
]


def features(*updates: Body, **more: Any) -> Body:
    return {"timeout_ms": 30_000, "feature_updates": list(updates), **more}


def level(feature: str, to: int, upgrade_type: int = 1, allow_downgrade: bool = False) -> Body:
    return {
        "feature": feature,
        "max_version_level": to,
        "upgrade_type": upgrade_type,
        "allow_downgrade": allow_downgrade,
    }


def updating(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None) -> Situation:
    return situation("UpdateFeatures", name, *steps, versions=versions)


UPDATE_FEATURES = [
    updating("nothing", features()),
    updating("an unknown feature", features(level("no.such.feature", 1))),
    updating(
        "an unknown feature is removed", features(level("no.such.feature", 0, upgrade_type=2, allow_downgrade=True))
    ),
    updating("an empty name", features(level("", 1))),
    updating("a level nobody supports", features(level("metadata.version", 30_000))),
    updating("a negative level", features(level("metadata.version", -1))),
    updating("a feature twice", features(level("no.such.feature", 1), level("no.such.feature", 2))),
    updating(
        "an upgrade type that does not exist",
        features(level("metadata.version", 30_000, upgrade_type=9)),
        versions=(1, 2),
    ),
    updating("a downgrade that is not allowed", features(level("metadata.version", 7))),
    updating(
        "validate only of what is unknown", features(level("no.such.feature", 1), validate_only=True), versions=(1, 2)
    ),
    updating("two unknown features", features(level("no.such.feature", 1), level("nor.this", 1))),
]

SITUATIONS = [*DELETE_RECORDS, *DESCRIBE_LOG_DIRS, *DESCRIBE_PRODUCERS, *INIT_PRODUCER_ID, *UPDATE_FEATURES]
