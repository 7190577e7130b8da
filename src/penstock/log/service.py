"""Housekeeping: what a broker does for its logs while nobody asks.

    retention          every log.retention.check.interval.ms
    flushing           closed segments within a second of their roll; records older than flush.ms
    checkpoints        recovery points, log starts and high watermarks, every few seconds if they changed
    removal            of deleted files and folders when their delay is over
    second chances     a log that a full disk has stopped, when there is room again
    aborted            transactions are found again in the batches where their index turned out wrong
    producers          that have been silent for too long are forgotten; what is known of them is kept for a cut

One task a data folder, with one parent: a folder that fails, or whose disk is slow, keeps the others from nothing.
Decisions are made on the loop; whatever blocks is done in a thread and reported back.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import structlog

from penstock.errors import KafkaStorageError
from penstock.log.flusher import Flusher
from penstock.log.folder_port import steady_ms
from penstock.log.folders.folder import LogFolder, remove_paths
from penstock.log.folders.reserve import give_up_reserve, keep_reserve
from penstock.log.health import DISK_FULL
from penstock.log.partition_log import PartitionLog
from penstock.log.renaming import removal_begun, rename_doomed
from penstock.log.retention import RetentionPlan
from penstock.log.segments.segment import Segment
from penstock.model import Clock
from penstock.settings.broker import (
    LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS,
    LOG_RETENTION_CHECK_INTERVAL_MS,
    PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS,
    REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS,
)
from penstock.wire.malformed import Malformed

if TYPE_CHECKING:
    from penstock.settings.config import Config

_log = structlog.get_logger(__name__)

TICK_S: Final = 1.0


class LogHousekeeping:
    def __init__(self, folder: LogFolder, flusher: Flusher, config: "Config", clock: Clock) -> None:
        self._folder = folder
        self._flusher = flusher
        self._config = config
        self._clock = clock
        self._dropped: list[tuple[PartitionLog, list[Segment]]] = []
        """Segments that are out of their logs, with files that wait for a checkpoint which says so."""

    async def run(self) -> None:
        """Until cancelled. A step that fails is said, here and in `failing`, and tried again at its next time."""
        checkpoint_ms = min(
            self._config[REPLICA_HIGH_WATERMARK_CHECKPOINT_INTERVAL_MS],
            self._config[LOG_FLUSH_OFFSET_CHECKPOINT_INTERVAL_MS],
        )
        async with asyncio.TaskGroup() as tasks:
            for name, every_ms, step in (
                ("retention", self._config[LOG_RETENTION_CHECK_INTERVAL_MS], self.apply_retention),
                ("checkpoints", checkpoint_ms, self.write_checkpoints),
                ("producers", self._config[PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS], self.expire_producers),
                ("states of producers", 5_000, self.remember_producers),
                ("flush", int(TICK_S * 1000), self.flush),
                ("removal", int(TICK_S * 1000), self.remove_deleted),
                ("second chances", 5_000, self.try_again),
                ("aborted transactions", 5_000, self.find_aborts_again),
            ):
                tasks.create_task(self._repeat(name, every_ms / 1000, step), name=f"log {name}")

    async def _repeat(self, name: str, every_s: float, step: Callable[[], Awaitable[object]]) -> None:
        while True:
            await asyncio.sleep(every_s)
            folder = str(self._folder.path)
            try:
                await step()
            except (OSError, KafkaStorageError) as error:
                _log.error("housekeeping failed", step=name, folder=folder, reason=str(error))
                self._folder.failing[name] = str(error)
            except Exception as error:  # a bug, or a log in a state that nobody thought of: no reason to stop serving
                _log.exception("housekeeping failed", step=name, folder=folder)
                self._folder.failing[name] = repr(error)
            else:
                self._folder.failing.pop(name, None)

    def _logs(self) -> list[PartitionLog]:
        return list(self._folder)

    async def apply_retention(self) -> int:
        """Delete what is too old or too much; how many segments went."""
        count, gone = 0, self._dropped
        for log, plan in await asyncio.to_thread(_plan_all, self._logs(), self._clock.now()):
            try:
                if segments := log.retention.drop_oldest(plan):
                    gone.append((log, segments))
            except KafkaStorageError as error:  # that log is stopped; what the others give up may be what it needs
                _log.error("retention failed", partition=str(log.partition), reason=error.message)
        if gone:
            # The new starts must be on disk before the old files leave it.
            await self.write_checkpoints()
        while gone:
            log, segments = gone.pop()
            try:
                removal_begun(log, segments, await asyncio.to_thread(_rename, log, segments))
                count += len(segments)
            except OSError as error:  # the next start finds what is left
                _log.error("segments not removed", partition=str(log.partition), reason=str(error))
        return count

    async def flush(self) -> None:
        now = steady_ms(self._clock)
        late = dict.fromkeys(log for log in self._logs() if log.flushing.is_late(now) and log.trouble is None)
        rolled = dict.fromkeys(log for log in self._folder.rolled_logs if log.trouble is None and log not in late)
        self._folder.rolled_logs.clear()
        wanted = [(log, log.end_offset) for log in late] + [(log, log.active.base_offset) for log in rolled]
        for log, upto in wanted:
            try:
                await self._flusher.durable(log, upto)
            except (KafkaStorageError, OSError) as error:  # that log's trouble, not the others'
                _log.error("flush failed", partition=str(log.partition), reason=str(error))

    async def write_checkpoints(self) -> None:
        folder = self._folder
        try:
            await folder.checkpoint()
        except OSError as error:
            if error.errno not in DISK_FULL or not give_up_reserve(folder.path):
                raise
            _log.warning("disk full, reserve given up", folder=str(folder.path))
            await folder.checkpoint()

    async def remove_deleted(self) -> None:
        if paths := self._folder.due_for_removal(steady_ms(self._clock)):
            await asyncio.to_thread(remove_paths, paths)

    async def try_again(self) -> None:
        await asyncio.to_thread(keep_reserve, self._folder.path)
        for log in self._logs():
            if log.trouble is not None and log.trouble.may_pass:
                log.health.try_again()

    async def find_aborts_again(self) -> None:
        for log in self._logs():
            if log.aborts.are_doubted:
                try:
                    await log.aborts.build_again()
                except (KafkaStorageError, OSError, Malformed) as error:  # that log's trouble, not the others'
                    _log.error("aborted transactions not found", partition=str(log.partition), reason=str(error))

    async def expire_producers(self) -> None:
        now = self._clock.now()
        for log in self._logs():
            log.producers.expire(now)

    async def remember_producers(self) -> None:
        for log in list(self._logs()):
            if log.bookkeeping.remember():
                await asyncio.sleep(0)  # it may have thousands of them, and so may the next


def _rename(log: PartitionLog, segments: list[Segment]) -> list[str]:
    """Of a log that was deleted since, its folder went whole: what has its files' names now is another's. One that has
    begun anew may have given a name to a new segment.
    """
    renamed = []
    for segment in segments:
        with log.renaming:
            base_offset, left = segment.base_offset, log.segments
            is_used = base_offset >= left[0].base_offset and any(base_offset == each.base_offset for each in left)
            if log.health.is_readable and not is_used:
                renamed += rename_doomed([segment])
    return renamed


def _plan_all(logs: list[PartitionLog], now: int) -> list[tuple[PartitionLog, RetentionPlan]]:
    plans = []
    for log in logs:
        try:
            plan = log.retention.plan(now)
        except FileNotFoundError:
            continue  # deleted, or cut, while we looked
        except OSError as error:  # a disk that fails under one log keeps the others from nothing
            _log.error("retention failed", partition=str(log.partition), reason=str(error))
            continue
        if plan.segments:
            plans.append((log, plan))
    return plans
