"""One partition's log on a simulated disk: batches in memory, some of them flushed.

It does for a `Partition` what a `PartitionLog` does. What it knows of leader epochs and producers is kept by the real
classes. A killed process leaves all of it to the next one (the page cache is the kernel's); a machine that loses power
leaves what was flushed, and of the rest as much as happened to be written.
"""

import asyncio
import errno
import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from penstock.errors import Fatal, KafkaStorageError, OffsetOutOfRange
from penstock.log.epochs import LeaderEpochs
from penstock.log.health import Trouble
from penstock.log.producers.producer import ProducerState
from penstock.log.producers.producers import ProducerStates
from penstock.log.producers.snapshots import decode_snapshot, encode_snapshot
from penstock.log.segments.transaction_index import AbortedTransaction
from penstock.model import Clock, TopicId, TopicPartition
from penstock.settings import TopicConfig
from penstock.wire.batch import BatchHeader

SNAPSHOT_BATCHES = 7
"""As if a segment were rolled each time."""

NOWHERE = Path("/nonexistent")
DAMAGED = Trouble("damaged", stops_reads=True, may_pass=False)


class Place(NamedTuple):
    """A partition of one topic: another of that name, made when the first was deleted, is somewhere else."""

    topic_id: TopicId
    at: TopicPartition

    def __str__(self) -> str:
        return str(self.at)


class Stored(NamedTuple):
    header: BatchHeader
    data: bytes


class Snapshots:
    """Producer snapshots, in the bytes that their files would have."""

    def __init__(self, kept: dict[int, bytes]) -> None:
        self._kept = kept

    @property
    def offsets(self) -> list[int]:
        return sorted(self._kept)

    def find(self) -> None:
        """They are at hand."""

    def write(self, at_offset: int, states: Iterable[ProducerState], *, flush: bool) -> None:
        self._kept[at_offset] = encode_snapshot(states)

    def read_newest(self) -> tuple[int, list[ProducerState]] | None:
        if not self._kept:
            return None
        newest = max(self._kept)
        return newest, decode_snapshot(self._kept[newest])

    def delete(self, offsets: Iterable[int]) -> None:
        for offset in list(offsets):
            del self._kept[offset]


class Disk:
    """What outlives a process."""

    begins = 0

    def __init__(self, topic_id: TopicId) -> None:
        self.topic_id = topic_id
        self.batches: list[Stored] = []
        self.flushed = 0
        """Batches that a loss of power leaves."""
        self.high_watermark = 0
        """As last checkpointed."""
        self.snapshots: dict[int, bytes] = {}
        self.is_flush_noted = False
        """That nothing counted before it was flushed."""
        self.is_damaged = False
        """What was on it cannot be read any more, by this process or the next."""

    def lose_power(self, dice: random.Random) -> int:
        """How many batches were lost."""
        kept = self.flushed + int((len(self.batches) - self.flushed) * dice.random())
        lost = len(self.batches) - kept
        del self.batches[kept:]
        self.flushed = kept
        if dice.random() < 0.3:
            self.high_watermark = 0
        return lost


class MemorySlice:
    """Whole batches, as a `FileSlice` has them in a file."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)

    def read(self) -> bytes:
        return self._data

    def release(self) -> None:
        """There is no file."""


class SimulatedLog:
    begins = 0

    def __init__(
        self,
        disk: Disk,
        partition: TopicPartition,
        topic_id: TopicId,
        *,
        config: TopicConfig,
        clock: Clock,
        is_full: Callable[[], bool],
    ) -> None:
        self._is_full = is_full
        self.disk = disk
        self.partition = partition
        self.topic_id = topic_id
        self.config = config
        self.clock = clock
        self.start_offset = 0
        self.batches = disk.batches
        self.ends = [stored.header.next_offset for stored in self.batches]
        self.end_offset = self.ends[-1] if self.ends else 0
        self.high_watermark = min(disk.high_watermark, self.end_offset)
        self.recovery_point = self.ends[disk.flushed - 1] if disk.flushed else 0
        self.trouble: Trouble | None = DAMAGED if disk.is_damaged else None
        self.health = SimulatedHealth(self, is_full)
        self.is_flush_noted = disk.is_flush_noted
        self.cuts = 0
        self.size = 0
        self.segments = ()
        self.aborted: list[AbortedTransaction] = []
        self.truncation = SimulatedTruncation(self)
        self.on_gap: Callable[[str], None] = lambda _: None
        """Told of what no log here may be asked for: none is compacted."""
        self.retention = SimulatedRetention()
        self.epochs = LeaderEpochs("", self)
        for stored in self.batches:
            self.epochs.assign(stored.header.leader_epoch, stored.header.base_offset)
        self.producers = ProducerStates(NOWHERE, config)
        self.producers.history.files = Snapshots(disk.snapshots)  # type: ignore[assignment]
        self.restore_producers(0)  # all that was aborted, which the transaction indexes on disk tell
        aborted = self.aborted
        self.restore_producers(self.producers.history.restore(self.end_offset))
        self.aborted = aborted

    @property
    def local_start_offset(self) -> int:
        return self.start_offset

    def damage(self) -> None:
        self.disk.is_damaged = True
        self.trouble = DAMAGED

    # Writing ----------------------------------------------------------------------------------------------------

    def append(
        self, batches: Sequence[tuple[BatchHeader, memoryview]], expected_from: ProducerState | None = None
    ) -> None:
        if self.trouble is not None:
            raise self.trouble.refusal()
        if self._is_full():
            raise self.health.fail("not appended", OSError(errno.ENOSPC, "no space left"))
        for header, view in batches:
            if header.base_offset != self.end_offset:
                self.on_gap(f"{self.partition}: append at {header.base_offset}, the log ends at {self.end_offset}")
                raise Fatal(f"append at {header.base_offset}, the log ends at {self.end_offset}")
            data = bytes(view)
            self.batches.append(Stored(header, data))
            self.end_offset = header.next_offset
            self.ends.append(self.end_offset)
            if header.leader_epoch != self.epochs.latest:
                self.epochs.assign(header.leader_epoch, header.base_offset)
            self._note(header, data)
            if len(self.batches) % SNAPSHOT_BATCHES == 0:
                self.producers.history.take_snapshot(self.end_offset)

    def keep(self, kept: int) -> None:
        self.cuts += 1
        del self.batches[kept:], self.ends[kept:]
        self.end_offset = self.ends[-1] if self.ends else 0
        self.disk.flushed = min(self.disk.flushed, kept)
        self.disk.high_watermark = min(self.disk.high_watermark, self.end_offset)
        self.recovery_point = min(self.recovery_point, self.end_offset)
        self.high_watermark = min(self.high_watermark, self.end_offset)
        self.epochs.cut_end(self.end_offset)
        self.aborted = [entry for entry in self.aborted if entry.last_offset < self.end_offset]

    def restore_producers(self, replay_from: int) -> None:
        self.aborted = [entry for entry in self.aborted if entry.last_offset < replay_from]
        for stored in self.batches[bisect_right(self.ends, replay_from) :]:
            self._note(stored.header, stored.data)

    def _note(self, header: BatchHeader, data: bytes) -> None:
        ended = self.producers.update(header, data)
        if ended is not None and ended.is_aborted:
            entry = AbortedTransaction(
                ended.producer_id, ended.first_offset, ended.last_offset, ended.last_stable_offset
            )
            self.aborted.append(entry)

    def mark_flushed(self, upto: int) -> None:
        self.disk.flushed = max(self.disk.flushed, bisect_right(self.ends, upto))
        self.recovery_point = max(self.recovery_point, min(upto, self.end_offset))

    def checkpoint(self) -> None:
        self.disk.high_watermark = self.high_watermark

    # Reading ----------------------------------------------------------------------------------------------------

    def read(self, offset: int, at_most: int) -> bytes:
        """Whole batches from `offset` on, as coordinators load them."""
        self.health.ensure_readable()
        return b"".join(stored.data for stored in self.stored(offset, batches_max=8, before=self.end_offset))

    def slice(self, start: int, *, at_most: int, before: int, at_least_one: bool = True) -> MemorySlice | None:
        self.health.ensure_readable()
        if start < 0 or start > self.end_offset:
            raise OffsetOutOfRange(f"{start} is not within 0 and {self.end_offset}")
        data = bytearray()
        for stored in self.stored(start, batches_max=len(self.batches), before=before):
            if len(data) + len(stored.data) > at_most and (data or not at_least_one):
                break
            data += stored.data
        return MemorySlice(bytes(data)) if data else None

    def is_near(self, _start: int) -> bool:
        return True

    def warm(self, _start: int) -> None:
        """It is."""

    def stored(self, offset: int, *, batches_max: int, before: int) -> list[Stored]:
        first = bisect_right(self.ends, offset)
        last = min(bisect_left(self.ends, before) + 1, first + batches_max)
        return [stored for stored in self.batches[first:last] if stored.header.next_offset <= before]


class SimulatedHealth:
    open_again = None

    def __init__(self, log: SimulatedLog, is_full: Callable[[], bool]) -> None:
        self._log = log
        self._is_full = is_full

    @property
    def offline_reason(self) -> str | None:
        trouble = self._log.trouble
        return None if trouble is None else trouble.reason

    @property
    def is_readable(self) -> bool:
        trouble = self._log.trouble
        return trouble is None or not trouble.stops_reads

    def ensure_readable(self) -> None:
        trouble = self._log.trouble
        if trouble is not None and trouble.stops_reads:
            raise trouble.refusal()

    def fail(self, what: str, error: OSError) -> KafkaStorageError:
        trouble = Trouble(f"{what}: {error}", stops_reads=False, may_pass=error.errno == errno.ENOSPC)
        self._log.trouble = trouble
        return trouble.refusal()

    def try_again(self) -> None:
        """As housekeeping does with a log that a full disk stopped."""
        trouble = self._log.trouble
        if trouble is not None and trouble.may_pass and not self._is_full():
            self._log.trouble = None


class SimulatedTruncation:
    def __init__(self, log: SimulatedLog) -> None:
        self._log = log
        self.on_cut: Callable[[], None] = lambda: None

    def cut_ahead(self, *, to: int) -> None:
        """Nothing need be said first."""

    def start_ahead(self, offset: int) -> None:
        """As above."""

    def cut(self, *, to: int) -> None:
        log = self._log
        if to < log.end_offset:
            self.on_cut()
            log.keep(bisect_right(log.ends, to))
            log.restore_producers(log.producers.history.truncate_to(log.end_offset))

    def start_anew(self, offset: int) -> None:
        assert offset == 0, "no log here is ever cut at its head"
        self._log.keep(0)
        self._log.producers.reset()


class SimulatedRetention:
    def advance_start(self, start: int) -> None:
        raise AssertionError("no log here is ever cut at its head")


class SimulatedPool:
    open_max = 64


class SimulatedFolder:
    """A data folder, as far as `Partitions` needs one."""

    def __init__(self, disks: dict[TopicPartition, Disk], clock: Clock, *, is_full: Callable[[], bool]) -> None:
        self._disks = disks
        self._clock = clock
        self._is_full = is_full
        self.pool = SimulatedPool()
        self.on_cut: Callable[[], None] = lambda: None
        self.on_gap: Callable[[str], None] = lambda _: None
        self.on_set_aside: Callable[[TopicPartition], None] = lambda _: None
        self.logs: dict[TopicPartition, SimulatedLog] = {}
        self.lost: dict[TopicPartition, object] = {}

    def has_namesake(self, _partition: TopicPartition, _topic_id: TopicId) -> bool:
        return False  # what is deleted is gone

    def stand_in(self, partition: TopicPartition, topic_id: TopicId, config: TopicConfig, reason: str) -> SimulatedLog:
        log = SimulatedLog(Disk(topic_id), partition, topic_id, config=config, clock=self._clock, is_full=self._is_full)
        log.trouble = Trouble(reason, stops_reads=True, may_pass=False, is_unmade=True)
        return log

    def create(self, partition: TopicPartition, topic_id: TopicId, config: TopicConfig) -> SimulatedLog:
        if partition not in self._disks and self._is_full():
            raise KafkaStorageError(f"{partition} could not be created: no room")
        disk = self._disks.setdefault(partition, Disk(topic_id))
        log = self.logs[partition] = SimulatedLog(
            disk, partition, topic_id, config=config, clock=self._clock, is_full=self._is_full
        )
        log.truncation.on_cut, log.on_gap = self.on_cut, self.on_gap
        return log

    def set_aside(self, partition: TopicPartition) -> None:
        """What is left of a damaged log: here it is gone."""
        self.delete(partition)
        self.on_set_aside(partition)

    def __iter__(self) -> Iterator[SimulatedLog]:
        return iter(list(self.logs.values()))

    def delete(self, partition: TopicPartition) -> None:
        del self.logs[partition], self._disks[partition]


class SimulatedFlusher:
    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self.flushes = 0

    async def note(self, log: SimulatedLog, *, holds: bool) -> None:
        log.is_flush_noted = True
        await asyncio.sleep(0.0005 + self._dice.random() * 0.004)
        log.is_flush_noted = log.disk.is_flush_noted = holds

    async def durable(self, log: SimulatedLog, upto: int) -> None:
        """As the real one: whoever waits for records that were cut meanwhile is told so."""
        while log.recovery_point < upto:
            if log.trouble is not None and not log.trouble.may_pass:
                raise log.trouble.refusal()
            if log.end_offset < upto:
                raise KafkaStorageError(f"{log.partition} was cut to {log.end_offset}, {upto} is gone")
            reach, cuts = log.end_offset, log.cuts
            await asyncio.sleep(0.0005 + self._dice.random() * 0.004)
            self.flushes += 1
            if log.cuts == cuts:
                log.mark_flushed(reach)
