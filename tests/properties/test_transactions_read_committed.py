"""Interleaved transactions on a partition, against a model that knows the outcome of each record.

Whatever the order of batches, markers, rolls, deletions and restarts: a read_committed reader gets all committed
records below the last stable offset and none that was aborted, from every offset and with every size of answer; and the
last stable offset is the first record that is undecided.
"""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.support.logs import TOPIC_ID, StillClock
from tests.support.partitions import ME, TOPIC

from penstock.errors import InvalidProducerEpoch, InvalidTxnState
from penstock.log import FilePool, FileSlice, Flusher
from penstock.log.recovery import KnownLog, open_log
from penstock.model import LeaderEpoch, PartitionIndex, TopicPartition
from penstock.replication import ALL, Partition, VerificationGuard
from penstock.replication.log_port import on_disk
from penstock.replication.metrics import TopicMetrics
from penstock.replication.verification import Verifications
from penstock.settings import Config
from penstock.wire.batch import BatchHeader
from penstock.wire.markers import Marker, MarkerType, read_marker
from penstock.wire.records import Record, build_batch, iterate

PRODUCERS = st.integers(0, 3)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), PRODUCERS, st.integers(1, 3)),
        st.tuples(st.just("write"), PRODUCERS, st.integers(1, 3)),
        st.tuples(st.just("commit"), PRODUCERS),
        st.tuples(st.just("abort"), PRODUCERS),
        st.tuples(st.just("late"), PRODUCERS),
        st.tuples(st.just("plain"), st.integers(1, 2)),
        st.tuples(st.just("roll")),
        st.tuples(st.just("delete"), st.floats(0, 1)),
        st.tuples(st.just("restart"), st.booleans()),
    ),
    max_size=40,
)


class Bench:
    """One partition, and beside it what became of every record."""

    def __init__(self, folder: Path, version: int) -> None:
        self.folder, self.version = folder, version
        self.clock, self.pool, self.config = StillClock(), FilePool(50), Config.for_broker().for_topic({})
        self.fates: dict[int, str] = {}
        self.open: dict[int, list[int]] = {}
        self.epochs: dict[int, int] = {}
        self.sequences: dict[int, int] = {}
        self.leader_epoch = 0
        self.partition = self._start(KnownLog(is_clean=True))

    def _start(self, known: KnownLog) -> Partition:
        log = open_log(
            self.folder,
            TopicPartition(TOPIC, PartitionIndex(0)),
            TOPIC_ID,
            known,
            config=self.config,
            pool=self.pool,
            clock=self.clock,
        )
        partition = Partition(
            topic=TOPIC,
            topic_id=TOPIC_ID,
            index=PartitionIndex(0),
            broker_id=ME,
            log=log,
            config=self.config,
            clock=self.clock,
            flusher=Flusher(threads=1),
            metrics=TopicMetrics(),
            spawn=lambda work: work.close(),
        )
        self.leader_epoch += 1
        partition.leadership.lead(epoch=LeaderEpoch(self.leader_epoch), leader=ME, replicas=(ME,), in_sync=(ME,))
        return partition

    def write(self, producer: int, count: int) -> None:
        epoch = self.epochs.setdefault(producer, 0)
        sequence = self.sequences.setdefault(producer, 0)
        guard = self.partition.transactions.begin_check(producer, epoch, sequence)
        assert (guard is None) == (producer in self.open)
        appended = self._append(producer, epoch, sequence, count, guard)
        self.sequences[producer] = sequence + count
        self.open.setdefault(producer, []).extend(range(appended, appended + count))
        self.fates.update((offset, "open") for offset in range(appended, appended + count))

    def _append(self, producer: int, epoch: int, sequence: int, count: int, guard: VerificationGuard | None) -> int:
        records = [Record(at, self.clock.now(), b"k", b"v") for at in range(count)]
        data = build_batch(
            records, producer_id=producer, producer_epoch=epoch, base_sequence=sequence, transactional=True
        )
        return self.partition.append(memoryview(data), acks=ALL, guard=guard).base_offset

    def end(self, producer: int, how: MarkerType, fate: str) -> None:
        epoch = self.epochs.setdefault(producer, 0)
        if self.version >= 2:  # the epoch goes up with every end, and sequences start anew
            epoch = self.epochs[producer] = epoch + 1
            self.sequences[producer] = 0
        self.partition.transactions.append_marker(
            Marker(how, 1), producer_id=producer, producer_epoch=epoch, transaction_version=self.version
        )
        self.fates.update((offset, fate) for offset in self.open.pop(producer, []))

    def late(self, producer: int) -> None:
        """A batch whose guard was taken before the marker that ended its transaction."""
        if producer in self.open:
            return
        epoch = self.epochs.setdefault(producer, 0)
        sequence = self.sequences.setdefault(producer, 0)
        guard = self.partition.transactions.begin_check(producer, epoch, sequence)
        self.end(producer, MarkerType.ABORT, "aborted")
        try:
            self._append(producer, epoch, sequence, 1, guard)
        except (InvalidTxnState, InvalidProducerEpoch):
            return
        raise AssertionError("a guard outlived the marker")

    def plain(self, count: int) -> None:
        data = build_batch([Record(at, self.clock.now(), b"k", b"v") for at in range(count)])
        base = self.partition.append(memoryview(data), acks=ALL).base_offset
        self.fates.update((offset, "committed") for offset in range(base, base + count))

    def roll(self) -> None:
        on_disk(self.partition.log).rolling.roll()

    def delete(self, part: float) -> None:
        log = self.partition.log
        self.partition.delete_records(log.start_offset + int(part * (self.partition.high_watermark - log.start_offset)))

    def restart(self, *, is_clean: bool) -> None:
        """Stopped, or killed: then what is known of producers is the last snapshot and what the log holds after it."""
        log = on_disk(self.partition.log)
        known = KnownLog(is_clean=is_clean, start_offset=log.start_offset, high_watermark=log.high_watermark)
        if is_clean:
            log.flushing.close()
            known = KnownLog(
                is_clean=True,
                start_offset=log.start_offset,
                high_watermark=log.high_watermark,
                recovery_point=log.recovery_point,
            )
        self.pool.close_all()
        self.pool = FilePool(50)
        self.partition = self._start(known)

    # What readers see -----------------------------------------------------------------------------------------

    def check(self) -> None:
        partition, start = self.partition, self.partition.log.start_offset
        undecided = [offset for offset, fate in self.fates.items() if fate == "open"]
        firsts = [min(offsets) for offsets in self.open.values()]
        assert partition.last_stable_offset == max(min([*firsts, partition.high_watermark]), start), undecided
        stable = partition.last_stable_offset
        visible = [offset for offset, fate in sorted(self.fates.items()) if fate == "committed" and offset < stable]
        for at in {start, (start + stable) // 2, max(stable - 1, start), stable}:
            for bytes_max in (1, 300, 1 << 20):
                assert self.read_committed(at, bytes_max) == [offset for offset in visible if offset >= at]

    def read_committed(self, at: int, bytes_max: int) -> list[int]:
        """As a consumer reads: answer by answer, dropping what the answers say was aborted."""
        seen: list[int] = []
        while True:
            readable = self.partition.reader.read(at, bytes_max=bytes_max, committed_only=True, at_least_one=True)
            if readable.records is None:
                return seen
            assert isinstance(readable.records, FileSlice)
            data = readable.records.read()
            readable.records.release()
            assert readable.aborted is not None
            aborted = sorted(readable.aborted, key=lambda each: each[1])
            within: set[int] = set()
            position = 0
            while position < len(data):
                header = BatchHeader.peek(data, position)
                batch = data[position : position + header.size]
                position += header.size
                while aborted and aborted[0][1] <= header.last_offset:
                    within.add(aborted.pop(0)[0])
                if header.is_control:
                    marker = read_marker(batch)
                    if marker is not None and marker.type is MarkerType.ABORT:
                        within.discard(header.producer_id)
                elif not (header.is_transactional and header.producer_id in within):
                    seen += [record.offset for record in iterate(batch) if record.offset >= at]
                last = header.next_offset
            at = last


def _do(bench: Bench, step: tuple[Any, ...]) -> None:
    match step:
        case ("write", producer, count):
            bench.write(producer, count)
        case ("commit", producer):
            bench.end(producer, MarkerType.COMMIT, "committed")
        case ("abort", producer):
            bench.end(producer, MarkerType.ABORT, "aborted")
        case ("late", producer):
            bench.late(producer)
        case ("plain", count):
            bench.plain(count)
        case ("roll",):
            bench.roll()
        case ("delete", part):
            bench.delete(part)
        case ("restart", is_clean):
            bench.restart(is_clean=is_clean)


def _run(steps: list[Any], version: int, *, bug: bool = False) -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder), version)
        try:
            for step in steps:
                if bug:
                    bench.partition.transactions.guards = _Forgetful()
                _do(bench, step)
                bench.check()
        finally:
            bench.pool.close_all()


class _Forgetful(Verifications):
    """A planted bug (RULES 30): guards outlive the markers that end their transactions."""

    def end(self, producer_id: int) -> None:
        pass


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS, st.sampled_from([0, 2]))
def test_readers_of_committed_records_see_all_of_them_and_nothing_else(steps: list[Any], version: int) -> None:
    _run(steps, version)


def test_guards_that_outlive_their_markers_are_found() -> None:
    @settings(max_examples=200, deadline=None, database=None, phases=[Phase.generate], derandomize=True)
    @given(STEPS)
    def search(steps: list[Any]) -> None:
        _run(steps, 0, bug=True)

    with pytest.raises(AssertionError, match="a guard outlived the marker"):
        search()
