"""Markers for partitions led here: each has its own outcome, and counts when the high watermark has passed it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
from tests.support.callers import a_context, a_lone_authenticator, an_authenticator
from tests.support.partitions import TOPIC, SomePartitions

from penstock.access.authorizer import Authorizer
from penstock.broker.handlers.write_txn_markers import write_txn_markers
from penstock.broker.peer_authentication import Caller
from penstock.coordinators.transactions.marker_writer import AT_ONCE, MarkerEntry, MarkerWriter
from penstock.errors import (
    ClusterAuthorizationFailed,
    InvalidProducerEpoch,
    InvalidRequest,
    InvalidTxnState,
    NotLeaderOrFollower,
    Refusal,
    RequestTimedOut,
    TransactionCoordinatorFenced,
    UnknownServerError,
    UnknownTopicOrPartition,
)
from penstock.model import BrokerId, LeaderEpoch, PartitionIndex, TopicPartition
from penstock.replication import ALL, Partition
from penstock.settings import Config
from penstock.wire.markers import Marker, MarkerType
from penstock.wire.messages.write_txn_markers_request import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)

OFFSETS = "__consumer_offsets"
COMMIT = Marker(MarkerType.COMMIT, 5)


class Offsets:
    """The group coordinator."""

    def __init__(self) -> None:
        self.completed: list[tuple[int, Marker, int]] = []
        self.refusal: Exception | None = None

    async def complete_transaction(
        self, index: int, marker: Marker, *, producer_id: int, producer_epoch: int, transaction_version: int
    ) -> None:
        self.completed.append((index, marker, producer_id))
        if self.refusal is not None:
            raise self.refusal


class Stage:
    def __init__(self, folder: Path, **settings: str) -> None:
        named = {name.replace("_", "."): value for name, value in settings.items()}
        self.local = SomePartitions(folder, 2, named)
        self.offsets = Offsets()
        config = Config.for_broker({"request.timeout.ms": "50"})
        self.writer = MarkerWriter(cast(Any, self), self.offsets, config)

    def get(self, topic: str, index: int) -> Partition | None:
        return self.local[index] if topic == TOPIC and index in self.local else None


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    made = Stage(tmp_path)
    yield made
    await made.local.close()


def at(index: int, topic: str = TOPIC) -> TopicPartition:
    return TopicPartition(topic, PartitionIndex(index))


def entry(*partitions: TopicPartition, marker: Marker = COMMIT, epoch: int = 0, version: int = 0) -> MarkerEntry:
    return MarkerEntry(marker, producer_id=7, producer_epoch=epoch, transaction_version=version, partitions=partitions)


async def written(stage: Stage, *entries: MarkerEntry) -> list[list[type[Refusal] | None]]:
    outcomes = await stage.writer.write(entries)
    return [[None if each is None else type(each) for each in found.values()] for found in outcomes]


async def test_a_partition_that_is_named_twice_is_told_once(stage: Stage) -> None:
    offsets = at(0, OFFSETS)
    assert await written(stage, entry(at(0), at(0), offsets, offsets)) == [[None, None]]
    assert stage.local[0].log.end_offset == 1 and len(stage.offsets.completed) == 1


async def test_each_partition_has_its_own_outcome(stage: Stage) -> None:
    stage.local[1].leadership.lead(epoch=LeaderEpoch(9), leader=BrokerId(2), replicas=(), in_sync=())
    assert await written(stage, entry(at(0), at(1), at(5), at(0, "missing"))) == [
        [None, NotLeaderOrFollower, UnknownTopicOrPartition, UnknownTopicOrPartition]
    ]
    assert stage.local[0].log.end_offset == 1


async def test_markers_for_one_partition_keep_their_order(stage: Stage) -> None:
    assert await written(stage, entry(at(0), epoch=1), entry(at(0), epoch=0)) == [[None], [InvalidProducerEpoch]]


async def test_others_have_their_turn_while_many_markers_are_written(stage: Stage) -> None:
    ends_seen: list[int] = []

    async def watch() -> None:
        while True:
            ends_seen.append(stage.local[0].log.end_offset)
            await asyncio.sleep(0)

    watching = asyncio.ensure_future(watch())
    outcomes = await written(stage, *(entry(at(0)) for _ in range(3 * AT_ONCE)))
    watching.cancel()
    assert outcomes == [[None]] * (3 * AT_ONCE)
    assert {AT_ONCE, 2 * AT_ONCE} <= set(ends_seen)


async def test_what_is_wrong_with_a_marker_is_told(stage: Stage) -> None:
    older = Marker(MarkerType.COMMIT, 4)
    assert await written(stage, entry(at(0)), entry(at(0), marker=older), entry(at(1), epoch=-1)) == [
        [None],
        [TransactionCoordinatorFenced],
        [InvalidRequest],
    ]


async def test_markers_of_committed_offsets_are_the_group_coordinators(stage: Stage) -> None:
    assert await written(stage, entry(at(3, OFFSETS), at(0))) == [[None, None]]
    assert stage.offsets.completed == [(3, COMMIT, 7)]
    stage.offsets.refusal = NotLeaderOrFollower()
    assert await written(stage, entry(at(3, OFFSETS))) == [[NotLeaderOrFollower]]
    stage.offsets.refusal = ZeroDivisionError()
    assert await written(stage, entry(at(3, OFFSETS))) == [[UnknownServerError]]


async def test_a_marker_counts_when_the_high_watermark_has_passed_it(tmp_path: Path) -> None:
    stage = Stage(tmp_path, penstock_flush_before_ack="true")
    writing = asyncio.ensure_future(written(stage, entry(at(0))))
    while not stage.local.flusher.gates:
        await asyncio.sleep(0)
    assert not writing.done()
    stage.local.flusher.gates[0].set_result(None)
    assert await writing == [[None]]
    assert await written(stage, entry(at(0))) == [[RequestTimedOut]], "the next flush never ends"
    await stage.local.close()


async def test_one_answer_holds_one_row_a_producer(stage: Stage) -> None:
    def marker(producer_id: int, *indexes: int) -> WritableTxnMarker:
        topics = [WritableTxnMarkerTopic(name=TOPIC, partition_indexes=list(indexes))] if indexes else []
        return WritableTxnMarker(producer_id=producer_id, transaction_result=True, topics=topics)

    request = WriteTxnMarkersRequest(markers=[marker(7, 0), marker(8, 9), marker(7, 1), marker(9)])
    answer = await write_txn_markers(
        request, a_context(), stage.writer, cast(Any, stage), a_lone_authenticator(), Authorizer()
    )
    rows = {
        row.producer_id: [(part.partition_index, part.error_code) for part in topic.partitions]
        for row in answer.markers
        for topic in row.topics
    }
    assert rows == {7: [(0, 0), (1, 0)], 8: [(9, UnknownTopicOrPartition.code)]}
    assert len(answer.markers) == 2


async def abort(stage: Stage, caller: Caller) -> int:
    """The error code of a marker that aborts what producer 7 has open, by a coordinator of epoch 5."""
    marker = WritableTxnMarker(
        producer_id=7,
        producer_epoch=0,
        transaction_result=False,
        topics=[WritableTxnMarkerTopic(name=TOPIC, partition_indexes=[0])],
        coordinator_epoch=COMMIT.coordinator_epoch,
    )
    context, authenticator = a_context(version=2, caller=caller), an_authenticator((2, 20))
    request = WriteTxnMarkersRequest(markers=[marker])
    answer = await write_txn_markers(request, context, stage.writer, cast(Any, stage), authenticator, Authorizer())
    code: int = answer.markers[0].topics[0].partitions[0].error_code
    return code


async def test_a_coordinator_that_was_replaced_does_not_abort_the_transaction_after_its_own(stage: Stage) -> None:
    """It hung while its successor ended that one, under a higher epoch, and has lost its registration. A transaction of
    version 0 has the epoch of the one before.
    """
    partition = stage.local[0]

    def append(sequence: int) -> None:
        guard = partition.transactions.begin_check(7, 0, sequence)
        batch = stage.local.batch(producer=7, sequence=sequence, transactional=True)
        partition.append(memoryview(batch), acks=ALL, guard=guard)

    append(0)
    assert await written(stage, entry(at(0), marker=Marker(MarkerType.ABORT, 6))) == [[None]]
    append(1)
    assert await abort(stage, Caller(broker_id=2, broker_epoch=10)) == ClusterAuthorizationFailed.code
    assert await abort(stage, Caller(broker_id=2, broker_epoch=20)) == TransactionCoordinatorFenced.code
    assert partition.log.producers.is_in_transaction(7, 0)
    assert await abort(stage, Caller()) == 0, "an operator may"
    assert not partition.log.producers.is_in_transaction(7, 0)


async def test_a_later_epoch_is_let_in_from_anybody_but_not_while_a_transaction_is_open(stage: Stage) -> None:
    """So a marker that is refused for one has nothing to end: whoever sends it may leave it at that."""
    partition = stage.local[0]
    guard = partition.transactions.begin_check(7, 0, 0)
    first = stage.local.batch(producer=7, sequence=0, transactional=True)
    partition.append(memoryview(first), acks=ALL, guard=guard)
    later = stage.local.batch(producer=7, sequence=0, epoch=9)
    with pytest.raises(InvalidTxnState):
        partition.append(memoryview(bytearray(later)), acks=ALL)
    assert await written(stage, entry(at(0))) == [[None]]
    partition.append(memoryview(later), acks=ALL)
    assert await written(stage, entry(at(0))) == [[InvalidProducerEpoch]]
    assert partition.last_stable_offset == partition.high_watermark == 3


async def test_a_later_epoch_is_told_when_all_that_came_before_it_is_replicated(tmp_path: Path) -> None:
    """So is the marker that ended the transaction: a leader lost now leaves it open, and nobody would end it."""
    stage = Stage(tmp_path, penstock_flush_before_ack="true")
    partition, flushed = stage.local[0], stage.local.flusher.gates
    guard = partition.transactions.begin_check(7, 0, 0)
    first = stage.local.batch(producer=7, sequence=0, transactional=True)
    partition.append(memoryview(first), acks=ALL, guard=guard)
    assert await written(stage, entry(at(0))) == [[RequestTimedOut]]
    partition.append(memoryview(stage.local.batch(producer=7, sequence=0, epoch=9)), acks=ALL)
    assert await written(stage, entry(at(0))) == [[RequestTimedOut]], "nothing of it is flushed"
    writing = asyncio.ensure_future(written(stage, entry(at(0))))
    while partition.high_watermark < 3:
        for gate in flushed:
            if not gate.done():
                gate.set_result(None)
        await asyncio.sleep(0)
    assert await writing == [[InvalidProducerEpoch]]
    await stage.local.close()
