"""Transactions as partitions see them: transactional batches, markers, and what readers of either level are given."""

from __future__ import annotations

from typing import Any

from tests.conformance.situations.produce import produce
from tests.conformance.table import Ask, Body, Made, Saved, Situation, Step, Topic, Until, situation
from tests.support.batches import TRANSACTIONAL, Rec, batch

COMMITTED = 1
TX = "$tx"


# The transaction's own requests -----------------------------------------------------------------------------------


def begin(transactional_id: str = TX) -> Ask:
    """A producer with a transactional id: its number and epoch are what batches below carry."""
    return Ask(
        {"transactional_id": transactional_id, "transaction_timeout_ms": 600_000},
        api="InitProducerId",
        version=5,
        save={"producer_id": "producer_id", "epoch": "producer_epoch"},
    )


def add(topic: str = "orders", *partitions: int) -> Ask:
    """What clients before version 2 of transactions do first."""
    body = {
        "v3_and_below_transactional_id": TX,
        "v3_and_below_producer_id": Saved("producer_id"),
        "v3_and_below_producer_epoch": Saved("epoch"),
        "v3_and_below_topics": [{"name": f"${topic}", "partitions": list(partitions or (0,))}],
    }
    return Ask(body, api="AddPartitionsToTxn", version=3)


def end(*, commits: bool, version: int = 5) -> Ask:
    body = {
        "transactional_id": TX,
        "producer_id": Saved("producer_id"),
        "producer_epoch": Saved("epoch"),
        "committed": commits,
    }
    save = {"producer_id": "producer_id", "epoch": "producer_epoch"} if version >= 5 else {}
    return Ask(body, api="EndTxn", version=version, save=save)


def decided_to(offset: int, topic: str = "orders") -> Until:
    return Until(
        "ListOffsets",
        5,
        latest(topic=topic),
        lambda answer: bool(answer["topics"][0]["partitions"][0]["offset"] == offset),
    )


COMPLETED = Until(
    "DescribeTransactions",
    0,
    {"transactional_ids": [TX]},
    lambda answer: answer["transaction_states"][0]["transaction_state"].startswith("Complete"),
)
"""The coordinator has heard that all markers are written."""


def within(
    sequence: int, *, count: int = 1, epoch: int = 0, producer_id: int | None = None, attributes: int = TRANSACTIONAL
) -> Made:
    """A batch of the producer that `begin` named; `epoch` is added to its own."""

    def make(saved: Any) -> bytes:
        records = [Rec(b"sequence %d" % (sequence + number)) for number in range(count)]
        return batch(
            records,
            attributes=attributes,
            producer_id=saved["producer_id"] if producer_id is None else producer_id,
            producer_epoch=saved["epoch"] + epoch,
            sequence=sequence,
        )

    return Made(make)


def send(*records: Any, transactional_id: str | None = TX, version: int | None = None, **more: Any) -> Ask:
    return Ask(produce(*records, transactional_id=transactional_id, **more), api="Produce", version=version)


def open_one(*sequences: int) -> list[Step]:
    """A transaction with a record for each sequence, left open."""
    return [begin(), *(send(within(sequence), version=12) for sequence in sequences)]


def latest(isolation_level: int = COMMITTED, timestamp: int = -1, topic: str = "orders") -> Body:
    wanted = {"partition_index": 0, "timestamp": timestamp, "current_leader_epoch": -1}
    return {
        "replica_id": -1,
        "isolation_level": isolation_level,
        "topics": [{"name": f"${topic}", "partitions": [wanted]}],
    }


def fetch(offset: int = 0, isolation_level: int = COMMITTED, bytes_max: int = 1 << 20, partition: int = 0) -> Body:
    wanted = {"partition": partition, "fetch_offset": offset, "partition_max_bytes": bytes_max}
    topics = [{"topic": "$orders", "partitions": [wanted]}]
    return {"max_wait_ms": 0, "isolation_level": isolation_level, "topics": topics}


def read_back(partition: int = 0) -> Ask:
    return Ask(fetch(isolation_level=0, partition=partition), api="Fetch", version=11)


DESCRIBED = Ask(
    {"topics": [{"name": "$orders", "partition_indexes": [0, 1]}]},
    api="DescribeProducers",
    version=0,
)


def case(api: str, name: str, *steps: Step | Body, versions: tuple[int, int] | None = None, **more: Any) -> Situation:
    given = Topic("orders", 2)
    return situation(api, f"transactions: {name}", given, *steps, versions=versions, changes=True, **more)


# Produce ----------------------------------------------------------------------------------------------------------

OLDER, NEWER = (3, 11), (12, 13)


def produced(name: str, *steps: Step | Body, versions: tuple[int, int] | None = None, alone: bool = False) -> Situation:
    """Kafka asks for several transactions at once, and then answers all of them in the version of the first: situations
    in which a coordinator refuses are played `alone`.
    """
    return case("Produce", name, *steps, read_back(), versions=versions, alone=alone)


PRODUCE = [
    produced("added before", begin(), add(), send(within(0)), send(within(1, count=2)), DESCRIBED),
    produced("added by producing", begin(), send(within(0)), send(within(1)), DESCRIBED, versions=NEWER),
    produced("not added", begin(), send(within(0)), DESCRIBED, versions=OLDER, alone=True),
    produced("added for another partition", begin(), add("orders", 1), send(within(0)), versions=OLDER, alone=True),
    produced("two partitions", begin(), add("orders", 0, 1), send(within(0), within(0)), read_back(1)),
    produced("one partition of two added", begin(), add(), send(within(0), within(0)), read_back(1), versions=OLDER,
             alone=True),
    produced("sent again", begin(), add(), send(within(0)), send(within(0))),
    produced("sent again after the end", begin(), add(), send(within(0)), end(commits=True, version=3),
             decided_to(2), COMPLETED, send(within(0)), versions=OLDER, alone=True),
    produced("the next transaction", begin(), send(within(0)), end(commits=True), decided_to(2), COMPLETED,
             send(within(0)), end(commits=False), decided_to(4), versions=NEWER),
    produced("the next transaction of an older client", begin(), add(), send(within(0)), end(commits=True, version=3),
             decided_to(2), COMPLETED, add(), send(within(1)), versions=OLDER),
    produced("the epoch of the transaction before", begin(), send(within(0)), end(commits=True), decided_to(2),
             COMPLETED, send(within(1, epoch=-1)), versions=NEWER),
    produced("an unknown transactional id", send(batch(attributes=TRANSACTIONAL, producer_id=5, producer_epoch=0,
             sequence=0), transactional_id="$nobody")),
    produced("another producer id", begin(), add(), send(within(0, producer_id=999_999_999))),
    produced("another transactional id", begin(), add(), send(within(0), transactional_id="$other")),
    produced("an older epoch", begin(), begin(), send(within(0, epoch=-1))),
    produced("an epoch that nobody gave", begin(), add(), send(within(0, epoch=3))),
    produced("an older epoch where a newer one wrote", begin(), begin(), add(), send(within(0)),
             send(within(0, epoch=-1))),
    produced("a first sequence that is not 0", begin(), add(), send(within(3))),
    produced("a sequence left out", begin(), add(), send(within(0)), send(within(2))),
    produced("no transactional id", begin(), add(), send(within(0), transactional_id=None)),
    produced("no transactional id within an open one", begin(), add(), send(within(0)),
             send(within(1), transactional_id=None)),
    produced("an empty transactional id", begin(), add(), send(within(0), transactional_id=""), alone=True),
    produced("two producers", begin(), add("orders", 0, 1), send(within(0), within(0, producer_id=999_999_999)),
             read_back(1)),
    produced("a batch outside it", begin(), add(), send(within(0)), send(within(1, attributes=0))),
    produced("a batch outside it on another partition", begin(), add(), send(within(0), within(0, attributes=0)),
             read_back(1)),
    produced("plain records under a transactional id", begin(), send(batch())),
    produced("a batch that names no producer", begin(), send(batch(attributes=TRANSACTIONAL))),
    produced("a topic that does not exist", begin(), send(within(0), topic="missing")),
    produced("a partition that does not exist", begin(), send(within(0), partition=7)),
    produced("acks 1", begin(), add(), send(within(0), acks=1)),
    produced("a wrong checksum", begin(), add(),
             send(Made(lambda saved: batch(attributes=TRANSACTIONAL, producer_id=saved["producer_id"],
                                           producer_epoch=saved["epoch"], sequence=0, crc=1)))),
]  # fmt: skip


# WriteTxnMarkers --------------------------------------------------------------------------------------------------


def marker(
    producer_id: Any = 4711,
    *,
    epoch: Any = 0,
    commits: bool = True,
    coordinator_epoch: int = 0,
    version: int = 0,
    topics: dict[str, list[int]] | None = None,
) -> Body:
    named = {"$orders": [0]} if topics is None else topics
    return {
        "producer_id": producer_id,
        "producer_epoch": epoch,
        "transaction_result": commits,
        "topics": [{"name": name, "partition_indexes": indexes} for name, indexes in named.items()],
        "coordinator_epoch": coordinator_epoch,
        "transaction_version": version,
    }


def markers(*each: Body) -> Body:
    return {"markers": list(each)}


def marked(name: str, *steps: Step | Body, **more: Any) -> Situation:
    return case("WriteTxnMarkers", name, *steps, read_back(), DESCRIBED, **more)


def later(by: int) -> Made:
    return Made(lambda saved: saved["epoch"] + by)


PID = Saved("producer_id")
MARKERS = [
    marked("nothing", markers()),
    marked("no topics", markers(marker(topics={}))),
    marked("a producer nobody knows", markers(marker())),
    marked("two partitions", markers(marker(topics={"$orders": [0, 1]})), read_back(1)),
    marked("a topic that does not exist", markers(marker(topics={"$missing": [0]}))),
    marked("a partition that does not exist", markers(marker(topics={"$orders": [7, 0]}))),
    marked("one partition twice", markers(marker(topics={"$orders": [0, 0]})), patience_s=8.0),
    marked("two producers", markers(marker(), marker(4712, commits=False))),
    marked("one producer twice", markers(marker(), marker(epoch=1, commits=False))),
    marked("one producer twice on two partitions", markers(marker(), marker(topics={"$orders": [1]}))),
    marked("sent again", markers(marker()), markers(marker())),
    marked("an older epoch", markers(marker(epoch=3)), markers(marker(epoch=2))),
    marked("a newer epoch", markers(marker(epoch=3)), markers(marker(epoch=5))),
    marked("an older coordinator", markers(marker(coordinator_epoch=3)), markers(marker(coordinator_epoch=2))),
    marked("a newer coordinator", markers(marker(coordinator_epoch=3)), markers(marker(coordinator_epoch=4))),
    marked("an open transaction", *open_one(0, 1), markers(marker(PID, epoch=Saved("epoch")))),
    marked("an open transaction aborted", *open_one(0, 1), markers(marker(PID, epoch=Saved("epoch"), commits=False))),
    marked("an open transaction by an older epoch", begin(), *open_one(0), markers(marker(PID, epoch=later(-1)))),
    marked("an open transaction by a newer epoch", *open_one(0), markers(marker(PID, epoch=later(1)))),
    marked("an open transaction of version 2", *open_one(0), markers(marker(PID, epoch=later(1), version=2))),
    marked("an open transaction of version 2 by its own epoch", *open_one(0),
           markers(marker(PID, epoch=Saved("epoch"), version=2))),
    marked("version 2 sent again", *open_one(0), markers(marker(PID, epoch=later(1), version=2)),
           markers(marker(PID, epoch=later(1), version=2))),
    marked("version 2 of an older epoch", *open_one(0), markers(marker(PID, epoch=later(2), version=2)),
           markers(marker(PID, epoch=later(1), version=2))),
    marked("records after a marker that came too early", begin(), markers(marker(PID, epoch=later(1), version=2)),
           send(within(0), version=12)),
    marked("a version that is not known", markers(marker(version=9))),
    marked("the topic of offsets", markers(marker(topics={"__consumer_offsets": [0]}))),
    marked("a negative producer id", markers(marker(-5))),
    marked("a negative epoch", markers(marker(epoch=-1))),
    marked("a negative coordinator epoch", markers(marker(coordinator_epoch=-1))),
]  # fmt: skip


# Readers ----------------------------------------------------------------------------------------------------------


def listed(name: str, *steps: Step | Body) -> Situation:
    return case("ListOffsets", name, *steps, versions=(2, 11))


FETCH = [
    case("Fetch", "open", *open_one(0, 1), fetch(), fetch(1), fetch(2), fetch(isolation_level=0), versions=(4, 12)),
    case("Fetch", "beyond the end", *open_one(0), fetch(2), versions=(4, 12)),
    case("Fetch", "committed", *open_one(0, 1), end(commits=True), decided_to(3), fetch(), fetch(2), versions=(4, 12)),
    case("Fetch", "aborted", *open_one(0, 1), end(commits=False), decided_to(3), fetch(), fetch(1), fetch(2), fetch(3),
         versions=(4, 12)),
    case("Fetch", "aborted and read uncommitted", *open_one(0), end(commits=False), decided_to(2),
         fetch(isolation_level=0), versions=(4, 12)),
    case("Fetch", "plain records after an open one", *open_one(0), send(batch(), transactional_id=None, version=12),
         fetch(), fetch(isolation_level=0), versions=(4, 12)),
    case("Fetch", "plain records before an open one", send(batch(), transactional_id=None, version=12), *open_one(0),
         fetch(), versions=(4, 12)),
    case("Fetch", "aborted before an open one", *open_one(0), end(commits=False), decided_to(2), COMPLETED,
         send(within(0), version=12), fetch(), versions=(4, 12)),
    case("Fetch", "two aborted, the first fits", *open_one(0), end(commits=False), decided_to(2), COMPLETED,
         send(within(0), version=12), end(commits=False), decided_to(4), fetch(bytes_max=100), versions=(4, 12)),
    case("Fetch", "records deleted from under it", *open_one(0, 1, 2),
         Ask({"topics": [{"name": "$orders", "partitions": [{"partition_index": 0, "offset": 2}]}],
              "timeout_ms": 60_000}, api="DeleteRecords", version=2),
         fetch(2), Ask(latest(), api="ListOffsets", version=5), versions=(4, 12)),
]  # fmt: skip

LIST_OFFSETS = [
    listed("open", *open_one(0, 1), latest(), latest(0), latest(timestamp=-2), latest(timestamp=0), latest(0, 0)),
    listed("decided", *open_one(0, 1), end(commits=False), decided_to(3), latest(), latest(0), latest(timestamp=0)),
    case("ListOffsets", "the largest timestamp while open", *open_one(0), latest(timestamp=-3), latest(0, -3),
         versions=(7, 11)),
]  # fmt: skip

DESCRIBE = [
    case("DescribeProducers", "open", *open_one(0, 1), DESCRIBED),
    case("DescribeProducers", "decided", *open_one(0, 1), end(commits=True), decided_to(3), DESCRIBED),
    case("DescribeProducers", "of an older client", begin(), add(), send(within(0), version=11),
         end(commits=True, version=3), decided_to(2), DESCRIBED),
]  # fmt: skip

SITUATIONS = [*PRODUCE, *MARKERS, *FETCH, *LIST_OFFSETS, *DESCRIBE]
