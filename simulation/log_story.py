"""One data folder of real logs on a simulated disk, from one seed: written to, cut, compacted, and crashed in between.

    LogStory(seed).run()

A life of the folder is what one process does with it: a writer that appends, cuts and begins anew, somebody who waits
for flushes, housekeeping and the cleaner. Calls may fail on the way: there is no room for a while, or a write or an
fsync fails, which stops that log until the next start. A life ends with power lost or the process killed in the middle
of whatever system call comes next, or with a clean stop; then somebody may remove a log's folder. Then the data folder
is opened again, as a start does, and held against what was promised (`log_oracle`); beside that, some more images of
the same crash are. A start may be crashed as well.
"""

import asyncio
import errno
import random
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import structlog

from penstock.errors import KafkaStorageError
from penstock.log import Cleaner, ExpectedLog, FilePool, Flusher, LogFolder, LogHousekeeping, PartitionLog
from penstock.log.file_pool import sync_folder
from penstock.model import PartitionIndex, TopicId, TopicPartition
from penstock.settings.config import Config, TopicConfig
from penstock.wire.batch import BatchHeader
from penstock.wire.markers import Marker, MarkerType, build_marker
from penstock.wire.records import Record, build_batch
from simulation.clock import SimulatedClock
from simulation.log_bugs import LOG_BUGS, NO_BUG
from simulation.log_oracle import Expected, judge
from simulation.loop import SimulatedLoop
from simulation.oracle import Violation
from simulation.storage import Disk, PowerLost
from simulation.system_calls import InlineExecutor, disk_space, interposed

PLAIN = TopicPartition("plain", PartitionIndex(0))
COMPACTED = TopicPartition("compacted", PartitionIndex(0))
TAKES_ROOM = ("open", "write", "allocate", "mkdir")
FAILS = ("write", "sync", "truncate")
IMAGES = 3
"""Of each crash, beside the one that the story goes on with."""


class LogStory:
    def __init__(self, seed: int, bug: str | None = None) -> None:
        self._bug = NO_BUG if bug is None else LOG_BUGS[bug]
        self.dice = dice = random.Random(seed)
        self.marks: Counter[str] = Counter()
        self.loop = SimulatedLoop()
        self.loop.thread_delay_s = lambda: dice.random() * 0.003
        self.clock = SimulatedClock(self.loop)
        self.broker = Config.for_broker({"log.cleaner.backoff.ms": "1"})
        shared = {
            "internal.segment.bytes": str(dice.choice((900, 3_000, 9_000))),
            "index.interval.bytes": str(dice.choice((0, 200, 4_096))),
            "file.delete.delay.ms": "5",
            "retention.bytes": str(dice.choice((4_000, 20_000, -1))),
            "flush.ms": str(dice.choice((20, 10_000))),
        }
        compacted = {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0", "min.compaction.lag.ms": "0"}
        self.configs = {
            PLAIN: self.broker.for_topic(shared),
            COMPACTED: self.broker.for_topic(shared | compacted),
        }
        self.ids = {at: TopicId(bytes([number + 1] * 16)) for number, at in enumerate(self.configs)}
        self.expected: dict[TopicPartition, Expected] = {}
        self.epoch = 1
        self.sequences: dict[TopicPartition, dict[int, int]] = {}
        self._changes_left = 0
        self._changes = 0
        self._full = range(0)
        """Which changes find no room."""
        self._fails_at = -1
        """From which change on the next one of a log's file fails, once."""
        self.vanished: set[TopicPartition] = set()
        """Whose folders somebody removed: what the checkpoints say of them nobody can keep."""
        self.has_lost_power = False
        """When the process before ended."""

    def run(self) -> None:
        with structlog.testing.capture_logs(), disk_space() as space, interposed() as calls, self._bug():
            self._space, self._calls = space, calls
            path = space / "disk"
            path.mkdir()
            disk = Disk(path)
            for _ in range(self.dice.choice((2, 3, 5))):
                calls.attach(disk)
                disk = self._after(disk, self._live(disk))
                if self.dice.random() < 0.15:
                    self._remove_a_log(disk)
            calls.attach(disk)
            _Life(self, disk).open()

    def _live(self, disk: Disk) -> str:
        """How it ended."""
        dice = self.dice
        how = dice.choice(("power lost", "power lost", "power lost", "killed", "stopped"))
        self._changes_left = dice.choice((5, 30, 100, 300)) if how != "stopped" else 1 << 60
        self._changes_left = int(self._changes_left * dice.random() * 2)
        disk.before_change = self._count_down
        life = _Life(self, disk)
        try:
            life.open()
            self._deal_failures()
            life.run(until_s=self.loop.time() + dice.choice((0.05, 0.3, 1.0)))
            if how == "stopped":
                life.stop()
        except PowerLost:
            self.marks[f"{how} in the middle"] += 1
        finally:
            self._full, self._fails_at = range(0), -1
            life.end()
        self.marks[how] += 1
        return how

    def _deal_failures(self) -> None:
        dice = self.dice
        if dice.random() < 0.25:
            first = self._changes + dice.randrange(150)
            self._full = range(first, first + dice.choice((1, 10, 80)))
        if dice.random() < 0.25:
            self._fails_at = self._changes + dice.randrange(150)

    def _count_down(self, call: str, path: str) -> None:
        """Before each system call that changes something."""
        if self._changes_left <= 0:
            raise PowerLost(f"{call} {path}")
        self._changes_left -= 1
        self._changes += 1
        if self._changes in self._full and call in TAKES_ROOM:
            self.marks["no room"] += 1
            raise OSError(errno.ENOSPC, "no space left on device", path)
        if 0 <= self._fails_at <= self._changes and call in FAILS and path.endswith(".log"):
            self._fails_at = -1
            self.marks["failed"] += 1
            raise OSError(errno.EIO, "input/output error", path)

    def _remove_a_log(self, disk: Disk) -> None:
        """Somebody does, and it is gone for good."""
        at = self.dice.choice(list(self.configs))
        self._calls.attach(disk)
        data = disk.path / "data"
        if (data / str(at)).exists():
            shutil.rmtree(data / str(at))
            sync_folder(str(data))
            self.vanished.add(at)
            self.marks["folder vanished"] += 1
        self._calls.detach(disk)

    def _after(self, disk: Disk, how: str) -> Disk:
        """The machine's disk, as the next process finds it."""
        disk.before_change = lambda _call, _path: None
        self._calls.detach(disk)
        self.has_lost_power |= how == "power lost"
        if how != "power lost":
            return disk
        for _ in range(IMAGES):
            path = self._image(disk)
            self._calls.attach(image := Disk(path))
            _Life(self, image).open(only_looks=True)
            self._calls.detach(image)
        return Disk(self._image(disk))

    def _image(self, disk: Disk) -> Path:
        self.marks["images"] += 1
        path = self._space / f"image-{self.marks['images']}"
        path.mkdir()
        disk.crash_image(self.dice, path)
        return path

    def find(self, partition: TopicPartition, topic_id: TopicId) -> ExpectedLog | None:
        return ExpectedLog(self.configs[partition], topic_id=self.ids[partition])


class _Life:
    """What one process does with the folder."""

    def __init__(self, story: LogStory, disk: Disk) -> None:
        self._story = story
        self._dice = story.dice
        self._path = disk.path
        self._loop = story.loop
        self._folder: LogFolder
        self._flusher: Flusher
        self._logs: dict[TopicPartition, PartitionLog] = {}
        self._tasks: list[asyncio.Task[None]] = []

    def open(self, *, only_looks: bool = False) -> None:
        story = self._story
        self._folder = LogFolder(self._path / "data", cluster_id="c", node_id=1, pool=FilePool(16), clock=story.clock)
        self._logs = self._folder.open_all(story.find)
        if missing := self._folder.lost.keys() - story.vanished:
            raise Violation(f"logs are missing: {missing}")
        gone: list[TopicPartition] = []
        for at, log in self._logs.items():
            expected = story.expected.get(at)
            if at in story.vanished and log.trouble is not None and log.trouble.stops_reads:
                gone.append(at)  # a crash came before anything took its place
            elif expected is not None:
                number = judge(log, expected, has_lost_power=story.has_lost_power)
                if not only_looks:
                    expected.goes_on(log, number, has_lost_power=story.has_lost_power)
        for at, expected in story.expected.items():
            if at not in self._logs and at not in story.vanished:
                expected.must_be_empty()
        if only_looks:
            self._folder.lock.release()
            return
        for at in gone:
            self._folder.set_aside(at)
        for at, config in story.configs.items():
            if at not in self._logs:
                self._create(at, config)
                story.expected[at] = Expected()
            story.expected.setdefault(at, Expected())
        story.has_lost_power = False

    def _create(self, at: TopicPartition, config: TopicConfig) -> None:
        """One of which something was on disk comes back offline, and goes aside first."""
        is_missed = at in self._folder.lost
        log = self._folder.create(at, self._story.ids[at], config)
        if is_missed:
            if log.trouble is None or not log.trouble.stops_reads:
                raise Violation(f"{at} was flushed, and is gone: nothing says so")
            self._story.marks["missed"] += 1
            self._folder.set_aside(at)
            self._folder.create(at, self._story.ids[at], config)

    def run(self, *, until_s: float) -> None:
        config = self._story.broker
        self._flusher = Flusher()
        self._flusher._executor = InlineExecutor()  # type: ignore[assignment]
        housekeeping = LogHousekeeping(self._folder, self._flusher, config, self._story.clock)
        cleaner = Cleaner(self._logs.values, config, self._story.clock)
        for log in self._logs.values():
            self._often(partial(self._write, log), 0.002)
            self._often(partial(self._wait_for_flush, log), 0.03)
        for step in (
            housekeeping.flush,
            housekeeping.apply_retention,
            housekeeping.remove_deleted,
            housekeeping.find_aborts_again,
            housekeeping.remember_producers,
            housekeeping.try_again,
            partial(self._clean, cleaner),
            self._checkpoint(housekeeping),
        ):
            self._often(step, self._dice.choice((0.01, 0.1)))
        self._loop.run(until_s=until_s)

    def end(self) -> None:
        for at, expected in self._story.expected.items():
            if at in self._logs:
                expected.start_rises(self._logs[at].start_offset)
        self._loop.close()
        self._loop.reopen()

    def _often(self, step: Callable[[], Awaitable[object]], pause_s: float) -> None:
        async def again_and_again() -> None:
            while True:
                await asyncio.sleep(self._dice.random() * 2 * pause_s)
                try:
                    await step()
                except (OSError, KafkaStorageError) as error:
                    if not self._has_failed:
                        raise Violation(f"failed, and nothing was wrong with the disk: {error!r}") from error

        self._tasks.append(self._loop.spawn(again_and_again()))

    @property
    def _has_failed(self) -> bool:
        """Whether any call was made to fail, in the life of this disk."""
        return bool(self._story.marks["no room"] or self._story.marks["failed"])

    def stop(self) -> None:
        """As a node does: what threads are at is waited for, then all is closed."""
        for task in self._tasks:
            task.cancel()
        self._loop.spawn(self._flusher.close())
        self._loop.run(until_s=self._loop.time() + 1)
        self._folder.close()
        for at, log in self._logs.items():
            if log.trouble is None:
                self._story.expected[at].flushed(log.end_offset)

    def _checkpoint(self, housekeeping: LogHousekeeping) -> Callable[[], Awaitable[None]]:
        async def checkpoint() -> None:
            starts = {at: (log.start_offset, log.cuts) for at, log in self._logs.items()}
            await housekeeping.write_checkpoints()
            for at, (start, cuts) in starts.items():
                if self._logs[at].cuts == cuts:
                    self._story.expected[at].start_noted(start)

        return checkpoint

    async def _clean(self, cleaner: Cleaner) -> None:
        if await cleaner.clean_one():
            self._story.marks["compacted"] += 1

    async def _wait_for_flush(self, log: PartitionLog) -> None:
        upto, cuts = log.end_offset, log.cuts
        try:
            await self._flusher.durable(log, upto)
        except KafkaStorageError:
            return
        if log.cuts == cuts:
            self._story.marks["flushed"] += 1
            self._story.expected[log.partition].flushed(upto)

    # What a writer does --------------------------------------------------------------------------------------------

    async def _write(self, log: PartitionLog) -> None:
        if log.trouble is not None:
            if not self._has_failed:
                raise Violation(f"{log.partition} went offline: {log.health.offline_reason}")
            return
        expected, dice = self._story.expected[log.partition], self._dice
        chance = dice.random()
        if chance < 0.84:
            self._append(log, expected)
        elif chance < 0.88:
            log.high_watermark = dice.randint(log.high_watermark, log.end_offset)
        elif chance < 0.90:
            if log.end_offset > log.active.base_offset:
                log.rolling.roll()
        elif chance < 0.92 and log.partition == PLAIN:
            start = dice.randint(log.start_offset, log.high_watermark)
            expected.start_rises(start)
            log.retention.advance_start(start)
        elif chance < 0.985:
            await self._cut(log, expected)
        elif chance < 0.99:
            await self._start_anew(log, expected)
        expected.start_rises(log.start_offset)

    def _append(self, log: PartitionLog, expected: Expected) -> None:
        dice = self._dice
        if dice.random() < 0.1:
            self._story.epoch += 1
        batches = []
        offset = log.end_offset
        for _ in range(dice.choice((1, 1, 1, 2, 3))):
            data = memoryview(bytearray(self._a_batch(log, offset)))
            header = BatchHeader.peek(data)
            batches.append((header, data))
            offset = header.next_offset
        expected.appends([(header, bytes(data)) for header, data in batches])
        try:
            log.append(batches)
        except KafkaStorageError:
            expected.cut(log.end_offset)  # part of it may be there
            raise
        expected.appended()
        self._story.marks["appended"] += len(batches)

    def _a_batch(self, log: PartitionLog, offset: int) -> bytes:
        dice, story = self._dice, self._story
        now, epoch = story.clock.now(), story.epoch
        producer = dice.choice((-1, 1, 2, 3))
        if log.partition == COMPACTED:
            producer = min(producer, 1)
        elif producer > 1 and log.producers.is_in_transaction(producer, 0) and dice.random() < 0.4:
            marker = Marker(dice.choice(list(MarkerType)), 0)
            made = build_marker(
                marker, producer_id=producer, producer_epoch=0, timestamp=now, base_offset=offset, leader_epoch=epoch
            )
            return bytes(made)
        count = dice.choice((1, 1, 2, 5))
        size = dice.choice((10, 10, 10, 300, 1_000, 4_096 - 61 - 12))
        keys = [b"k%d" % dice.randrange(6) for _ in range(count)]
        records = [
            Record(offset + n, now + dice.randint(-50, 50), key, dice.randbytes(8) * (size // count // 8))
            for n, key in enumerate(keys)
        ]
        sequences = story.sequences.setdefault(log.partition, {})
        sequence = sequences.get(producer, 0)
        sequences[producer] = sequence + count
        return bytes(
            build_batch(
                records,
                base_offset=offset,
                leader_epoch=epoch,
                producer_id=producer,
                producer_epoch=0 if producer >= 0 else -1,
                base_sequence=sequence if producer >= 0 else -1,
                transactional=producer > 1,
            )
        )

    async def _cut(self, log: PartitionLog, expected: Expected) -> None:
        """As a follower does: the disk may be told ahead, by a thread."""
        span = log.end_offset - log.start_offset
        to = self._dice.choice((log.end_offset - min(span, self._dice.randrange(6)), log.start_offset + span // 2))
        if log.partition == COMPACTED:  # nobody cuts what is committed, unless an election was unclean
            to = max(to, log.high_watermark)
        ahead = log.truncation.cut_ahead(to=to) if self._dice.random() < 0.7 else None
        if ahead is not None:
            await asyncio.to_thread(ahead)
        to = min(max(to, log.high_watermark) if log.partition == COMPACTED else to, log.end_offset)
        former = expected.now
        expected.cut(to)
        try:
            log.truncation.cut(to=to)
        except KafkaStorageError:
            expected.failed(former, log.end_offset)
            raise
        expected.was_cut(log.end_offset)
        self._story.epoch += 1
        self._story.marks["cut"] += 1

    async def _start_anew(self, log: PartitionLog, expected: Expected) -> None:
        offset = max(0, log.end_offset + self._dice.randint(-20, 40))
        ahead = log.truncation.start_ahead(offset) if self._dice.random() < 0.7 else None
        if ahead is not None:
            await asyncio.to_thread(ahead)
        former = expected.now
        expected.begins_anew(offset)
        try:
            log.truncation.start_anew(offset)
        except (OSError, KafkaStorageError):
            if log.end_offset != offset:
                expected.failed(former, log.end_offset)
            raise
        self._story.epoch += 1
        self._story.marks["begun anew"] += 1
