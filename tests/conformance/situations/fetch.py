"""Fetch: offsets, limits, sessions, epochs, isolation."""

from __future__ import annotations

from typing import Any

from tests.conformance.situations.produce import FIVE, from_producer
from tests.conformance.table import Ask, Body, Given, Id, Reconnect, Records, Saved, Situation, Step, Topic, situation
from tests.support.batches import Rec, batch

THREE_BATCHES = Records("orders", [batch(FIVE), batch(FIVE), batch(FIVE)])
ONE_BIG = batch([Rec(b"x" * 3_000)])


def wanted(offset: int = 0, *, partition: int = 0, at_most: int = 1 << 20, **more: Any) -> Body:
    return {"partition": partition, "fetch_offset": offset, "partition_max_bytes": at_most, **more}


def fetch(*partitions: Body, topic: str = "orders", **more: Any) -> Body:
    topics = [{"topic": f"${topic}", "topic_id": Id(topic), "partitions": list(partitions)}]
    return {"max_wait_ms": 0, "min_bytes": 0, "max_bytes": 10 << 20, "topics": topics, **more}


def case(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None, **configs: str) -> Situation:
    settings = {key.replace("_", "."): value for key, value in configs.items()}
    return situation("Fetch", name, Topic("orders", 2, settings), THREE_BATCHES, *steps, versions=versions)


def delete_before(offset: int) -> Given:
    partition = {"partition_index": 0, "offset": offset}
    return Given("DeleteRecords", 2, {"topics": [{"name": "$orders", "partitions": [partition]}], "timeout_ms": 60_000})


OFFSETS = [
    case("from the start", fetch(wanted(0))),
    case("from the middle of a batch", fetch(wanted(7))),
    case("from the last record", fetch(wanted(14))),
    case("at the end", fetch(wanted(15))),
    case("beyond the end", fetch(wanted(16))),
    case("a negative offset", fetch(wanted(-1))),
    case("an empty partition", fetch(wanted(0, partition=1))),
    case("below the start", delete_before(7), fetch(wanted(3))),
    case("at a start within a batch", delete_before(7), fetch(wanted(7))),
    case("at the end with everything deleted", delete_before(15), fetch(wanted(15))),
    case("two partitions, one out of range", fetch(wanted(0), wanted(1, partition=1))),
]

ABSENT = [
    case("unknown topic", fetch(wanted(), topic="missing"), versions=(4, 12)),
    case("unknown topic id", fetch(wanted(), topic="missing"), versions=(13, 18)),
    case(
        "unknown and known topic",
        {**fetch(), "topics": [*fetch(wanted())["topics"], *fetch(wanted(), topic="missing")["topics"]]},
    ),
    case("unknown partition", fetch(wanted(partition=9))),
    case("negative partition", fetch(wanted(partition=-1))),
    case("no topics", fetch(topics=[])),
    case("a topic without partitions", fetch()),
    case("one partition twice", fetch(wanted(0), wanted(5))),
    case(
        "a zero topic id",
        fetch(wanted(), topics=[{"topic_id": bytes(16), "partitions": [wanted()]}]),
        versions=(13, 18),
    ),
]

LIMITS = [
    case("a limit of nothing for the partition", fetch(wanted(at_most=0))),
    case("a limit of one byte for the partition", fetch(wanted(at_most=1))),
    case("a limit of one byte for the request", fetch(wanted(), max_bytes=1), versions=(4, 18)),
    case("a limit of nothing for the request", fetch(wanted(), max_bytes=0)),
    case("a negative limit", fetch(wanted(at_most=-1))),
    case("room for one batch and a half", fetch(wanted(at_most=len(batch(FIVE)) * 3 // 2))),
    case("room for exactly two batches", fetch(wanted(at_most=len(batch(FIVE)) * 2))),
    case(
        "two partitions, room for the first",
        Records("orders", [batch(FIVE)], 1),
        fetch(wanted(), wanted(partition=1), max_bytes=len(batch(FIVE)) * 3),
    ),
    case(
        "a batch above the limit behind one below",
        Records("orders", [ONE_BIG], 1),
        fetch(wanted(10, at_most=1 << 20), wanted(partition=1, at_most=500)),
    ),
    case("waiting for more than there is", fetch(wanted(15), max_wait_ms=60, min_bytes=1)),
    case("waiting for more bytes than there are", fetch(wanted(), max_wait_ms=60, min_bytes=1 << 20)),
    case("an error does not wait", fetch(wanted(99), max_wait_ms=20_000, min_bytes=1)),
]

EPOCHS = [
    case("the right leader epoch", fetch(wanted(current_leader_epoch=0)), versions=(9, 18)),
    case("a leader epoch from the future", fetch(wanted(current_leader_epoch=5)), versions=(9, 18)),
    case("a leader epoch from the past", fetch(wanted(current_leader_epoch=-2)), versions=(9, 18)),
    case("the last fetched epoch fits", fetch(wanted(5, last_fetched_epoch=0)), versions=(12, 18)),
    case("the last fetched epoch is unknown", fetch(wanted(5, last_fetched_epoch=3)), versions=(12, 18)),
    case("the last fetched epoch at the end", fetch(wanted(15, last_fetched_epoch=0)), versions=(12, 18)),
    case("the last fetched epoch beyond the end", fetch(wanted(20, last_fetched_epoch=0)), versions=(12, 18)),
]

ISOLATION = [
    case("read committed without transactions", fetch(wanted(), isolation_level=1)),
    case("an isolation level that does not exist", fetch(wanted(), isolation_level=7)),
    case("a negative isolation level", fetch(wanted(), isolation_level=-1)),
    case(
        "records of an idempotent producer",
        Records("orders", [from_producer(0, count=2)], 1),
        fetch(wanted(partition=1), isolation_level=1),
    ),
    *(
        case(
            f"records compressed with {codec}",
            Records("orders", [batch(FIVE, codec=codec)], 1),
            fetch(wanted(partition=1)),
        )
        for codec in ("gzip", "zstd")
    ),
]

SESSION = {"session": "session_id"}


def incremental(epoch: int, *partitions: Body, **more: Any) -> Body:
    return fetch(*partitions, session_id=Saved("session"), session_epoch=epoch, **more)


def session(name: str, *steps: Step | Body) -> Situation:
    opening = Ask(fetch(wanted(0), wanted(0, partition=1), session_epoch=0), save=SESSION)
    return case(name, opening, *steps, versions=(7, 18))


def without_topics(body: Body) -> Body:
    return body | {"topics": []}


SESSIONS = [
    session("a session begins"),
    session("nothing new in a session", incremental(1, wanted(15)), without_topics(incremental(2))),
    session("a session repeats what has data", without_topics(incremental(1))),
    session(
        "new records in a session",
        incremental(1, wanted(15)),
        Records("orders", [batch(FIVE)]),
        without_topics(incremental(2)),
    ),
    session(
        "a session moves on", incremental(1, wanted(5)), incremental(2, wanted(15)), without_topics(incremental(3))
    ),
    session(
        "a partition is forgotten",
        incremental(
            1, topics=[], forgotten_topics_data=[{"topic": "$orders", "topic_id": Id("orders"), "partitions": [0]}]
        ),
        Records("orders", [batch()], 1),
        without_topics(incremental(2)),
    ),
    session("a partition is added", incremental(1, wanted(0, partition=9))),
    session("an epoch too high", without_topics(incremental(5))),
    session("an epoch repeated", incremental(1, wanted(15)), without_topics(incremental(1))),
    session("a session over another connection", Reconnect(), without_topics(incremental(1))),
    session("a session is closed", without_topics(incremental(-1)), without_topics(incremental(1))),
    session(
        "a session is closed and replaced", Ask(incremental(0, wanted(0)), save=SESSION), without_topics(incremental(1))
    ),
    session("an error stays in a session", incremental(1, wanted(99)), without_topics(incremental(2))),
    case("an unknown session", fetch(wanted(), session_id=123_456_789, session_epoch=1), versions=(7, 18)),
    case("an unknown session is closed", fetch(wanted(), session_id=123_456_789, session_epoch=-1), versions=(7, 18)),
    case(
        "a session of an unknown topic",
        Ask(fetch(wanted(), topic="missing", session_epoch=0), save=SESSION),
        without_topics(incremental(1)),
        versions=(7, 18),
    ),
    case("a negative session epoch", fetch(wanted(), session_epoch=-2), versions=(7, 18)),
]

REPLICAS = [
    case("a debugging consumer", fetch(wanted(), replica_id=-2), versions=(4, 14)),
    case("a rack", fetch(wanted(), rack_id="a"), versions=(11, 18)),
    case("a cluster id", fetch(wanted(), cluster_id="nobody's"), versions=(12, 18)),
]

SITUATIONS = [*OFFSETS, *ABSENT, *LIMITS, *EPOCHS, *ISOLATION, *SESSIONS, *REPLICAS]
