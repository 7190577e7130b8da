"""A partition on a real log: appends, the high watermark, who waits for it, and what readers see."""

import asyncio
import errno
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.logs import ORDERS_0, TOPIC_ID, StillClock
from tests.support.partitions import GatedFlusher

from penstock.errors import (
    FencedLeaderEpoch,
    InvalidRecord,
    InvalidTopic,
    KafkaStorageError,
    NotEnoughReplicas,
    NotLeaderOrFollower,
    OffsetNotAvailable,
    OffsetOutOfRange,
    OutOfOrderSequence,
    PolicyViolation,
    UnknownLeaderEpoch,
)
from penstock.log import FilePool, FileSlice
from penstock.log.recovery import KnownLog, open_log
from penstock.model import BrokerId, LeaderEpoch, PartitionIndex
from penstock.replication import ALL, Partition
from penstock.replication.machine import Leader
from penstock.replication.metrics import TopicMetrics
from penstock.settings import Config, TopicConfig
from penstock.wire.batch import BatchHeader
from penstock.wire.records import Record, build_batch, iterate

ME, OTHER = BrokerId(1), BrokerId(2)


class Watcher:
    def __init__(self) -> None:
        self.calls = 0

    def partition_moved(self) -> None:
        self.calls += 1


class Bench:
    """A partition with everything around it."""

    def __init__(
        self, folder: Path, overrides: dict[str, str], *, topic: str = "orders", is_clean: bool = True
    ) -> None:
        self.clock = StillClock()
        self.config: TopicConfig = Config.for_broker().for_topic(overrides)
        self.pool = FilePool(16)
        self.log = open_log(
            folder,
            ORDERS_0,
            TOPIC_ID,
            KnownLog(is_clean=is_clean),
            config=self.config,
            pool=self.pool,
            clock=self.clock,
        )
        self.flusher = GatedFlusher()
        self.tasks: list[asyncio.Task[Any]] = []
        self.partition = Partition(
            topic=topic,
            topic_id=TOPIC_ID,
            index=PartitionIndex(0),
            broker_id=ME,
            log=self.log,
            config=self.config,
            clock=self.clock,
            flusher=self.flusher,
            metrics=TopicMetrics(),
            spawn=self.spawn,
        )
        self.lead(epoch=3)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(work))

    def lead(self, *, epoch: int, leader: BrokerId = ME, replicas: tuple[BrokerId, ...] = (ME,)) -> None:
        self.partition.leadership.lead(epoch=LeaderEpoch(epoch), leader=leader, replicas=replicas, in_sync=(leader,))

    def batch(self, count: int = 1, *, producer: int = -1, sequence: int = -1, epoch: int = 0) -> memoryview:
        records = [Record(i, self.clock.now(), b"k%d" % i, b"v%d" % i) for i in range(count)]
        return memoryview(
            build_batch(
                records, producer_id=producer, producer_epoch=epoch if producer >= 0 else -1, base_sequence=sequence
            )
        )

    def values(self, offset: int = 0) -> list[bytes | None]:
        readable = self.partition.reader.read(offset, bytes_max=1 << 20, committed_only=False, at_least_one=True)
        if readable.records is None:
            return []
        assert isinstance(readable.records, FileSlice)
        data = readable.records.read()
        readable.records.release()
        found, position = [], 0
        while position < len(data):
            size = BatchHeader.peek(data, position).size
            found += [record.value for record in iterate(data[position : position + size]) if record.offset >= offset]
            position += size
        return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "orders-0"
    made.mkdir()
    return made


@pytest.fixture
def bench(folder: Path) -> Iterator[Bench]:
    made = Bench(folder, {})
    yield made
    made.pool.close_all()


def test_offsets_rise_and_the_epoch_is_written_into_the_batch(bench: Bench) -> None:
    first = bench.partition.append(bench.batch(3), acks=ALL)
    view = bench.batch(2)
    second = bench.partition.append(view, acks=1)
    assert (first.base_offset, first.next_offset, second.base_offset, second.next_offset) == (0, 3, 3, 5)
    assert (BatchHeader.peek(view).base_offset, BatchHeader.peek(view).leader_epoch) == (3, 3)
    assert bench.values() == [b"v0", b"v1", b"v2", b"v0", b"v1"]
    assert bench.values(4) == [b"v1"]


def test_without_followers_and_flushes_an_append_is_committed_at_once(bench: Bench) -> None:
    appended = bench.partition.append(bench.batch(), acks=ALL)
    assert bench.partition.high_watermark == 1 == bench.log.high_watermark
    assert bench.partition.acknowledged(appended, acks=ALL) is None


def test_a_leader_that_stands_aside_refuses_whoever_asks_and_goes_on_in_its_epoch(bench: Bench) -> None:
    """It cannot know who leads; where nobody was elected after all, it is as if nothing had been."""
    bench.lead(epoch=4, replicas=(ME, OTHER))
    bench.partition.leadership.lead(epoch=LeaderEpoch(5), leader=ME, replicas=(ME, OTHER), in_sync=(ME, OTHER))
    waiting = bench.partition.acknowledged(bench.partition.append(bench.batch(3), acks=ALL), acks=ALL)
    assert waiting is not None
    bench.partition.leadership.stand_aside()
    assert isinstance(waiting.exception(), NotLeaderOrFollower)
    assert bench.partition.leader == -1, "no answer names it"
    for refused in (
        lambda: bench.partition.append(bench.batch(), acks=1),
        lambda: bench.partition.require_reader(-1),
        lambda: bench.partition.require_leader(5),
    ):
        with pytest.raises(NotLeaderOrFollower):
            refused()
    assert not bench.partition.is_idle_at(0, 5, committed_only=False)
    bench.partition.leadership.lead(epoch=LeaderEpoch(5), leader=ME, replicas=(ME, OTHER), in_sync=(ME,))
    assert bench.partition.append(bench.batch(), acks=ALL).base_offset == 3
    assert (bench.partition.high_watermark, bench.log.epochs.latest) == (4, 5)


def test_a_follower_that_stands_aside_is_not_read_from(bench: Bench) -> None:
    bench.lead(epoch=4, leader=OTHER, replicas=(ME, OTHER))
    bench.partition.require_reader(4)
    bench.partition.leadership.stand_aside()
    with pytest.raises(NotLeaderOrFollower):
        bench.partition.require_reader(4)
    bench.lead(epoch=4, leader=OTHER, replicas=(ME, OTHER))
    bench.partition.require_reader(4)


def test_a_log_that_was_not_read_keeps_its_latest_leader_epoch_while_another_leads(bench: Bench) -> None:
    """A store that was taken back in time is told of it when the broker registers; where the log ends is a guess."""
    bench.log.epochs.assign(7, 150)
    bench.log.health.leave_unread(OSError(errno.EMFILE, "Too many open files"), lambda: bench.log)
    bench.lead(epoch=4, leader=OTHER, replicas=(ME, OTHER))
    assert bench.log.epochs.latest == 7


def test_a_broker_that_does_not_lead_refuses(bench: Bench) -> None:
    bench.lead(epoch=4, leader=OTHER, replicas=(ME, OTHER))
    with pytest.raises(NotLeaderOrFollower):
        bench.partition.append(bench.batch(), acks=1)


def test_leader_epochs_older_and_newer_are_told_apart(bench: Bench) -> None:
    bench.partition.require_leader(-1)
    bench.partition.require_leader(3)
    with pytest.raises(FencedLeaderEpoch):
        bench.partition.require_leader(2)
    with pytest.raises(UnknownLeaderEpoch):
        bench.partition.require_leader(4)


def test_a_duplicate_is_answered_with_its_first_offset_and_appended_once(bench: Bench) -> None:
    first = bench.partition.append(bench.batch(2, producer=7, sequence=0), acks=ALL)
    bench.partition.append(bench.batch(1, producer=7, sequence=2), acks=ALL)
    again = bench.partition.append(bench.batch(2, producer=7, sequence=0), acks=ALL)
    assert (again.base_offset, again.next_offset) == (first.base_offset, first.next_offset) == (0, 2)
    assert bench.log.end_offset == 3


def test_a_gap_in_a_producers_sequence_is_refused(bench: Bench) -> None:
    bench.partition.append(bench.batch(1, producer=7, sequence=0), acks=ALL)
    with pytest.raises(OutOfOrderSequence):
        bench.partition.append(bench.batch(1, producer=7, sequence=5), acks=ALL)


@pytest.mark.parametrize(("epoch", "sequence"), [(0, -1), (-1, 0)])
@pytest.mark.parametrize("is_known", [True, False])
def test_a_producer_that_counts_from_below_0_is_refused(
    bench: Bench, epoch: int, sequence: int, is_known: bool
) -> None:
    if is_known:
        bench.partition.append(bench.batch(1, producer=7, sequence=0), acks=ALL)
    with pytest.raises(InvalidRecord, match="begin at 0"):
        bench.partition.append(bench.batch(1, producer=7, epoch=epoch, sequence=sequence), acks=ALL)


def test_acks_all_needs_the_in_sync_minimum_but_no_more_than_there_are_replicas(folder: Path) -> None:
    bench = Bench(folder, {"min.insync.replicas": "2"})
    bench.partition.append(bench.batch(), acks=ALL)
    bench.lead(epoch=4, replicas=(ME, OTHER))
    with pytest.raises(NotEnoughReplicas):
        bench.partition.append(bench.batch(), acks=ALL)
    bench.partition.append(bench.batch(), acks=1)
    bench.pool.close_all()


@pytest.mark.parametrize(
    ("in_sync", "minimum", "can"),
    [((1,), "1", False), ((1, 2), "1", True), ((1, 2), "2", True), ((1, 2), "3", False), ((1, 2, 3), "3", True)],
)
def test_a_record_proves_who_leads_where_another_in_sync_must_take_it_and_enough_are(
    folder: Path, in_sync: tuple[int, ...], minimum: str, can: bool
) -> None:
    bench = Bench(folder, {"min.insync.replicas": minimum})
    replicas, others = tuple(map(BrokerId, (1, 2, 3))), tuple(map(BrokerId, in_sync))
    bench.partition.leadership.lead(epoch=LeaderEpoch(4), leader=ME, replicas=replicas, in_sync=others)
    assert bench.partition.followers.can_prove_lead is can
    bench.pool.close_all()


async def test_flushing_before_the_acknowledgement_holds_the_high_watermark_and_shares_flushes(folder: Path) -> None:
    bench = Bench(folder, {"penstock.flush.before.ack": "true"})
    waits = []
    for acks in (ALL, 1, ALL):
        appended = bench.partition.append(bench.batch(), acks=acks)
        waits.append(bench.partition.acknowledged(appended, acks=acks))
    assert bench.partition.high_watermark == 0 and bench.values() == []
    await asyncio.sleep(0)
    assert len(bench.flusher.gates) == 1 and all(wait is not None and not wait.done() for wait in waits)
    bench.flusher.gates[0].set_result(None)
    await asyncio.gather(*bench.tasks)
    assert bench.partition.high_watermark == 3 and all(wait is not None and wait.done() for wait in waits)
    bench.pool.close_all()


async def test_a_duplicate_of_an_uncommitted_batch_waits_for_the_original(folder: Path) -> None:
    bench = Bench(folder, {"penstock.flush.before.ack": "true"})
    bench.partition.append(bench.batch(producer=7, sequence=0), acks=ALL)
    again = bench.partition.append(bench.batch(producer=7, sequence=0), acks=ALL)
    wait = bench.partition.acknowledged(again, acks=ALL)
    assert wait is not None and not wait.done()
    await asyncio.sleep(0)
    bench.flusher.gates[0].set_result(None)
    await wait
    bench.pool.close_all()


def test_a_log_that_takes_no_more_says_so_whatever_comes_and_knows_what_it_has(bench: Bench) -> None:
    """A producer that is told that its batch is out of order begins a new epoch, and sends again what another leader,
    of which this one has not heard yet, has taken meanwhile.
    """
    first = bench.partition.append(bench.batch(producer=7, sequence=0), acks=ALL)
    bench.log.health.take_offline("No space left on device", stops_reads=False, may_pass=True)
    for sequence in (1, 2, 9):
        with pytest.raises(KafkaStorageError, match="No space left"):
            bench.partition.append(bench.batch(producer=7, sequence=sequence), acks=ALL)
    again = bench.partition.append(bench.batch(producer=7, sequence=0), acks=ALL)
    assert again.base_offset == first.base_offset and bench.log.end_offset == 1


async def test_a_failed_flush_refuses_whoever_waits(folder: Path) -> None:
    bench = Bench(folder, {"penstock.flush.before.ack": "true"})
    appended = bench.partition.append(bench.batch(), acks=ALL)
    wait = bench.partition.acknowledged(appended, acks=ALL)
    assert wait is not None
    await asyncio.sleep(0)
    bench.flusher.gates[0].set_exception(KafkaStorageError("the disk is gone"))
    with pytest.raises(KafkaStorageError, match="the disk is gone"):
        await wait
    assert bench.partition.high_watermark == 0
    bench.pool.close_all()


async def test_a_flush_that_cannot_begin_refuses_whoever_waits_and_harms_nobody_else(folder: Path) -> None:
    bench = Bench(folder, {"penstock.flush.before.ack": "true"})
    appended = bench.partition.append(bench.batch(), acks=ALL)
    wait = bench.partition.acknowledged(appended, acks=ALL)
    assert wait is not None
    await asyncio.sleep(0)
    bench.flusher.gates[0].set_exception(OSError(errno.EMFILE, "Too many open files"))
    with pytest.raises(KafkaStorageError, match="Too many open files"):
        await wait
    await asyncio.gather(*bench.tasks)
    assert bench.log.health.offline_reason is not None
    bench.pool.close_all()


async def test_what_a_killed_process_left_unflushed_is_flushed_before_it_counts(folder: Path) -> None:
    killed = Bench(folder, {"penstock.flush.before.ack": "true"})
    killed.partition.append(killed.batch(producer=7, sequence=0), acks=ALL)
    killed.pool.close_all()

    bench = Bench(folder, {"penstock.flush.before.ack": "true"}, is_clean=False)
    assert (bench.log.end_offset, bench.log.recovery_point, bench.partition.high_watermark) == (1, 0, 0)
    again = bench.partition.append(bench.batch(producer=7, sequence=0), acks=ALL)
    wait = bench.partition.acknowledged(again, acks=ALL)
    assert again.base_offset == 0 and wait is not None and bench.values() == []
    await asyncio.sleep(0)
    bench.flusher.gates[0].set_result(None)
    await wait
    assert bench.partition.high_watermark == 1 and bench.values() == [b"v0"]
    for task in killed.tasks:
        task.cancel()
    bench.pool.close_all()


async def test_a_flush_from_before_does_not_take_the_high_watermark_back_where_flushing_is_asked_for_meanwhile(
    folder: Path,
) -> None:
    bench = Bench(folder, {"flush.messages": "2"})
    for _ in range(2):
        bench.partition.append(bench.batch(), acks=ALL)
    await asyncio.sleep(0)
    bench.partition.append(bench.batch(), acks=ALL)
    assert bench.partition.high_watermark == 3 and len(bench.flusher.gates) == 1
    bench.partition.config.replace_overrides({"penstock.flush.before.ack": "true"})
    bench.partition.current_rules()
    bench.log.recovery_point = 2  # as the flush would
    bench.flusher.gates[0].set_result(None)
    while len(bench.flusher.gates) < 2:
        await asyncio.sleep(0)
    assert isinstance(bench.partition.role, Leader) and bench.partition.role.high_watermark == 3
    bench.flusher.gates[1].set_result(None)
    await asyncio.gather(*bench.tasks)
    assert bench.partition.follower_log.is_flushed and bench.partition.high_watermark == 3
    bench.pool.close_all()


async def test_flush_messages_begins_a_flush_that_nobody_waits_for(folder: Path) -> None:
    bench = Bench(folder, {"flush.messages": "3"})
    for _ in range(2):
        bench.partition.append(bench.batch(), acks=ALL)
    await asyncio.sleep(0)
    assert bench.flusher.gates == []
    appended = bench.partition.append(bench.batch(), acks=ALL)
    await asyncio.sleep(0)
    assert len(bench.flusher.gates) == 1 and bench.partition.acknowledged(appended, acks=ALL) is None
    bench.log.recovery_point = 3  # as the flush would
    bench.flusher.gates[0].set_result(None)
    await asyncio.gather(*bench.tasks)
    assert len(bench.flusher.gates) == 1
    bench.pool.close_all()


async def test_flushing_every_record_is_flushing_before_the_acknowledgement(folder: Path) -> None:
    bench = Bench(folder, {"flush.messages": "1"})
    appended = bench.partition.append(bench.batch(), acks=1)
    wait = bench.partition.acknowledged(appended, acks=1)
    assert wait is not None and not wait.done()
    await asyncio.sleep(0)
    bench.flusher.gates[0].set_result(None)
    await wait
    bench.pool.close_all()


def test_watchers_hear_of_every_move_until_they_stop_watching(bench: Bench) -> None:
    watcher = Watcher()
    bench.partition.waiters.watch(watcher)
    bench.partition.append(bench.batch(), acks=1)
    bench.partition.append(bench.batch(), acks=1)
    assert watcher.calls == 2
    bench.partition.waiters.unwatch(watcher)
    bench.partition.append(bench.batch(), acks=1)
    assert watcher.calls == 2


def test_reading_at_the_end_is_empty_and_beyond_it_out_of_range(bench: Bench) -> None:
    bench.partition.append(bench.batch(2), acks=1)
    assert bench.values(2) == []
    for offset in (-1, 3):
        with pytest.raises(OffsetOutOfRange):
            bench.values(offset)


async def test_the_latest_offset_is_unknown_until_this_epoch_has_a_high_watermark(folder: Path) -> None:
    bench = Bench(folder, {"penstock.flush.before.ack": "true"})
    bench.partition.append(bench.batch(), acks=1)
    bench.lead(epoch=4)
    with pytest.raises(OffsetNotAvailable):
        bench.partition.reader.latest_offset(committed_only=False)
    await asyncio.sleep(0)
    bench.flusher.gates[0].set_result(None)
    await asyncio.gather(*bench.tasks)
    assert bench.partition.reader.latest_offset(committed_only=False) == 1
    bench.pool.close_all()


def test_a_fetcher_of_a_lost_epoch_is_told_where_it_parted(bench: Bench) -> None:
    bench.partition.append(bench.batch(5), acks=1)
    bench.lead(epoch=6)
    bench.partition.append(bench.batch(2), acks=1)
    assert bench.partition.reader.diverging_epoch(6, 7) is None
    assert bench.partition.reader.diverging_epoch(3, 5) is None
    assert bench.partition.reader.diverging_epoch(3, 6) == (3, 5)
    assert bench.partition.reader.diverging_epoch(5, 5) == (3, 5)
    with pytest.raises(OffsetOutOfRange):
        bench.partition.reader.diverging_epoch(9, 0)


def test_a_log_does_not_forget_epochs_that_are_later_than_the_one_its_broker_is_told_to_lead_in(folder: Path) -> None:
    """As a process is at its start, where the metadata store was put back from a backup."""
    before = Bench(folder, {})
    before.partition.append(before.batch(5), acks=1)
    before.lead(epoch=6)
    before.partition.append(before.batch(2), acks=1)
    before.log.flushing.flush()
    before.pool.close_all()
    bench = Bench(folder, {})  # which leads in epoch 3
    assert bench.log.epochs.snapshot() == [(3, 0), (6, 5)]
    bench.lead(epoch=7)
    assert bench.log.epochs.snapshot() == [(3, 0), (6, 5), (7, 7)]
    bench.pool.close_all()


def test_deleting_records_moves_the_start_up_to_the_high_watermark_only(bench: Bench) -> None:
    bench.partition.append(bench.batch(3), acks=1)
    assert bench.partition.delete_records(2) == 2
    assert bench.partition.delete_records(1) == 2
    assert bench.partition.delete_records(-1) == 3
    with pytest.raises(OffsetOutOfRange):
        bench.partition.delete_records(4)
    with pytest.raises(OffsetOutOfRange):
        bench.partition.delete_records(-2)


def test_records_can_be_deleted_while_the_disk_is_full(bench: Bench) -> None:
    bench.partition.append(bench.batch(3), acks=1)
    log = bench.partition.log
    log.health.take_offline("No space left on device", stops_reads=False, may_pass=True)
    assert bench.partition.delete_records(2) == 2
    log.health.take_offline("Input/output error", stops_reads=False)
    with pytest.raises(KafkaStorageError, match="Input/output"):
        bench.partition.delete_records(3)


def test_records_of_a_compacted_topic_are_not_deleted(folder: Path) -> None:
    bench = Bench(folder, {"cleanup.policy": "compact"})
    with pytest.raises(PolicyViolation):
        bench.partition.delete_records(-1)
    bench.pool.close_all()


def test_records_of_an_internal_topic_are_not_deleted_whatever_its_policy(folder: Path) -> None:
    bench = Bench(folder, {"cleanup.policy": "delete"}, topic="__consumer_offsets")
    with pytest.raises(InvalidTopic):
        bench.partition.delete_records(-1)
    bench.pool.close_all()


def test_a_live_change_of_a_setting_holds_for_the_next_append(bench: Bench) -> None:
    bench.partition.append(bench.batch(), acks=1)
    bench.config.replace_overrides({"message.timestamp.type": "LogAppendTime"})
    appended = bench.partition.append(bench.batch(), acks=1)
    assert appended.log_append_time_ms == bench.clock.now()
