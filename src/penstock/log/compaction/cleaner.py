"""The cleaner: picks the dirtiest compacted log, cleans it, remembers how far, and goes on.

How far is the log's to remember (`clean_upto`), since a cut lowers it; its data folder writes it down with its other
checkpoints, and a crash before that has the log cleaned once more than it had to. A log that cannot be cleaned is set
aside and reported, and the others go on; it is tried again after a restart. A full disk, or a log that others changed
meanwhile, is no such case: they come round again.
"""

import asyncio
import errno
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

import msgspec
import structlog

from penstock.log.compaction.compaction import Compaction, CompactionOutcome
from penstock.log.compaction.offset_map import OffsetMap
from penstock.log.compaction.plan import DirtyRange, dirtiest
from penstock.log.compaction.survey import Candidate, look_at
from penstock.log.pace import Pace, Stopped
from penstock.log.partition_log import PartitionLog
from penstock.log.segments.scan import Damaged
from penstock.metrics import MetricsRegistry, reading
from penstock.model import Clock, TopicPartition
from penstock.settings.broker import (
    LOG_CLEANER_BACKOFF_MS,
    LOG_CLEANER_DEDUPE_BUFFER_SIZE,
    LOG_CLEANER_ENABLE,
    LOG_CLEANER_IO_BUFFER_LOAD_FACTOR,
    LOG_CLEANER_IO_MAX_BYTES_PER_SECOND,
    LOG_CLEANER_THREADS,
)
from penstock.settings.topic import CLEANUP_POLICY
from penstock.wire.malformed import Malformed

if TYPE_CHECKING:
    from penstock.settings import Config

_log = structlog.get_logger(__name__)

THREADS_MAX: Final = 32
LOGS_PER_TURN: Final = 500
"""Logs looked at before the event loop gets a turn."""

UNCLEANABLE = reading(
    "kafka_log_logcleanermanager_uncleanable_partitions_count",
    "Compacted logs that are left alone until a restart, since compacting them failed.",
)

_MAY_PASS = (errno.ENOSPC, errno.EDQUOT, errno.ENOENT, errno.EMFILE, errno.ENFILE)


class Cleaner:
    """Owned by the event loop. `logs` gives the logs of this broker at the moment of asking."""

    def __init__(self, logs: Callable[[], Iterable[PartitionLog]], config: "Config", clock: Clock) -> None:
        self._logs = logs
        self._config = config
        self._clock = clock
        self._executor = ThreadPoolExecutor(THREADS_MAX, thread_name_prefix="cleaner")
        self._freed = asyncio.Event()
        self._busy: dict[TopicPartition, Pace] = {}
        self._not_before: dict[PartitionLog, float] = {}
        self._aside: dict[PartitionLog, str] = {}
        self._damaged: set[PartitionLog] = set()
        """Logs set aside in which a batch was found bad."""
        self.rounds = 0

    @property
    def uncleanable(self) -> dict[TopicPartition, str]:
        """Logs that are left alone until a restart, and why: health reports them."""
        return {log.partition: reason for log, reason in self._aside.items()}

    def expose(self, registry: MetricsRegistry) -> None:
        registry.read(UNCLEANABLE, lambda: [((), len(self._aside))])

    async def run(self) -> None:
        """Clean until cancelled."""
        try:
            async with asyncio.TaskGroup() as tasks:
                while True:
                    found = await self._pick_safely()
                    if found is None:
                        await self._rest()
                    else:
                        self._busy[found[0].log.partition] = self._new_pace()
                        tasks.create_task(self._clean(*found), name=f"clean {found[0].name}")
        finally:
            self.stop()

    async def _rest(self) -> None:
        """Until a thread is free again, or for log.cleaner.backoff.ms."""
        self._freed.clear()
        try:
            async with asyncio.timeout(self._config[LOG_CLEANER_BACKOFF_MS] / 1000):
                await self._freed.wait()
        except TimeoutError:
            pass

    def stop(self) -> None:
        """The threads notice within a millisecond of work; what they had begun is removed, now or at the next start."""
        for pace in self._busy.values():
            pace.stop()
        self._executor.shutdown(wait=True, cancel_futures=True)

    async def clean_one(self) -> bool:
        """Clean the dirtiest log that is due, and wait for it; False where there is none, or nothing came of it."""
        found = await self._pick()
        if found is None:
            return False
        self._busy[found[0].log.partition] = self._new_pace()
        return await self._clean(*found)

    # --- choosing ----------------------------------------------------------------------------------------------------

    async def _pick_safely(self) -> tuple[Candidate, DirtyRange] | None:
        try:
            return await self._pick()
        except Exception:  # a bug, or a disk that fails: said, and looked at again after the back-off
            _log.exception("cleaner could not look at the logs")
            return None

    async def _pick(self) -> tuple[Candidate, DirtyRange] | None:
        if not self._config[LOG_CLEANER_ENABLE] or len(self._busy) >= self._threads():
            return None
        candidates = await self._candidates()
        loop = asyncio.get_running_loop()
        rows = await loop.run_in_executor(self._executor, look_at, candidates, self._clock.now())
        name = dirtiest(rows)
        if name is None:
            return None
        dirt = next(dirt for row_name, dirt, _ in rows if row_name == name)
        return next(candidate for candidate in candidates if candidate.name == name), dirt

    async def _candidates(self) -> list[Candidate]:
        self._forget_gone()
        candidates = []
        for number, log in enumerate(list(self._logs())):
            if not number % LOGS_PER_TURN:
                await asyncio.sleep(0)
            if self._is_candidate(log):
                candidates.append(Candidate.of(log))
        return candidates

    def _forget_gone(self) -> None:
        """A log that is deleted, or was set aside, leaves nothing behind that its namesake would be judged by."""
        held = set(self._logs())
        for of_logs in (self._aside, self._not_before):
            for log in of_logs.keys() - held:
                del of_logs[log]
        self._damaged &= held

    def _is_candidate(self, log: PartitionLog) -> bool:
        return (
            "compact" in log.config[CLEANUP_POLICY]
            and len(log.segments) > 1
            and log.trouble is None
            and not log.is_being_copied
            and not self._is_set_aside(log)
            and log.partition not in self._busy
            and self._not_before.get(log, 0) <= self._clock.monotonic()
        )

    def _is_set_aside(self, log: PartitionLog) -> bool:
        """For good, but for a log whose damage was mended since: that one is tried again."""
        if log in self._damaged and not log.damage:
            self._damaged.remove(log)
            self._aside.pop(log, None)
        return log in self._aside

    def _threads(self) -> int:
        return min(max(1, self._config[LOG_CLEANER_THREADS]), THREADS_MAX)

    def _new_pace(self) -> Pace:
        config = self._config
        return Pace(lambda: max(1.0, config[LOG_CLEANER_IO_MAX_BYTES_PER_SECOND] / self._threads()))

    # --- cleaning ----------------------------------------------------------------------------------------------------

    async def _clean(self, candidate: Candidate, dirt: DirtyRange) -> bool:
        started, log = self._clock.monotonic(), candidate.log
        try:
            outcome = await self._compact(candidate, dirt)
            if outcome is None:
                self._not_before[log] = self._clock.monotonic() + self._config[LOG_CLEANER_BACKOFF_MS] / 1000
                return False
            log.clean_upto = outcome.upto
        finally:
            self._busy.pop(log.partition).stop()
            self._freed.set()
        self.rounds += 1
        self._not_before.pop(log, None)
        elapsed_s = round(self._clock.monotonic() - started, 3)
        _log.info("log compacted", partition=str(log.partition), elapsed_s=elapsed_s, **msgspec.structs.asdict(outcome))
        return True

    async def _compact(self, candidate: Candidate, dirt: DirtyRange) -> CompactionOutcome | None:
        config, log = self._config, candidate.log
        keys_bytes_max = config[LOG_CLEANER_DEDUPE_BUFFER_SIZE] // self._threads()
        newest = OffsetMap(keys_bytes_max, config[LOG_CLEANER_IO_BUFFER_LOAD_FACTOR])
        now, pace = self._clock.now(), self._busy[log.partition]
        compaction = Compaction(log, dirt, newest, cuts=candidate.cuts, now=now, pace=pace)
        try:
            return await compaction.run(self._executor)
        except Stopped as reason:
            _log.info("compaction given up", partition=str(log.partition), reason=str(reason))
        except OSError as error:
            if error.errno not in _MAY_PASS:
                self._set_aside(log, error)
            else:
                _log.warning("compaction put off", partition=str(log.partition), reason=str(error))
        except Damaged as error:
            if compaction.damaged is not None:
                log.damage.report(*compaction.damaged, reason=str(error))
                self._damaged.add(log)
            self._set_aside(log, error)
        except Exception as error:  # whatever it is, it is this log's: the others go on
            self._set_aside(log, error)
        return None

    def _set_aside(self, log: PartitionLog, error: Exception) -> None:
        reason = self._aside[log] = str(error) or type(error).__name__
        is_bug = not isinstance(error, Damaged | Malformed | OSError)
        _log.error("log cannot be compacted", partition=str(log.partition), reason=reason, exc_info=is_bug)
