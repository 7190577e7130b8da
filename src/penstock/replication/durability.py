"""How far a partition's log is on disk, and what counts because of it (RULES 20).

Where the topic flushes before it acknowledges, records count when they have been flushed; elsewhere as soon as they are
appended. Only this part writes `durable_end` and begins flushes; the partition and its follower side move `durable_end`
with the log's end where nothing need be flushed.
"""

from asyncio import Event
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

import structlog

from penstock.errors import KafkaStorageError, Refusal
from penstock.replication.log_port import FlusherPort, LogPort
from penstock.replication.machine import Leader

if TYPE_CHECKING:
    from penstock.replication.partition import Partition

_log = structlog.get_logger(__name__)


class Durability:
    __slots__ = (
        "_flusher",
        "_hold",
        "_is_flushing",
        "_is_noting",
        "_partition",
        "_spawn",
        "counted_end",
        "durable_end",
    )

    def __init__(
        self,
        partition: "Partition",
        *,
        flusher: FlusherPort,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._partition = partition
        self._flusher = flusher
        self._spawn = spawn
        log = partition.log
        # A killed process leaves records that are in the page cache only: they count when they have been flushed.
        self.durable_end = log.recovery_point if partition.rules.flushes_before_ack else log.end_offset
        self.counted_end = log.end_offset
        """Below it records may have counted before they were flushed."""
        self._is_flushing = False
        self._is_noting = False
        self._hold: Event | None = None

    @property
    def has_all(self) -> bool:
        """Whether all that is in the log counts."""
        partition = self._partition
        return not partition.current_rules().flushes_before_ack or self.durable_end >= partition.log.end_offset

    # Flushing ---------------------------------------------------------------------------------------------------

    def flush_soon(self) -> None:
        waiters = self._partition.waiters
        if waiters.end_watchers:
            waiters.tell_end()  # followers fetch while the leader flushes
        if not self._is_flushing:
            self._is_flushing = True
            self._spawn(self._flush())

    def _is_flush_due(self, end_offset: int) -> bool:
        rules = self._partition.rules
        if rules.flushes_before_ack:
            return self.durable_end < end_offset
        return end_offset - self._partition.log.recovery_point >= rules.flush_records

    async def _flush(self) -> None:
        """Group commit: while one fdatasync runs, later appends gather behind it and share the next one."""
        partition = self._partition
        try:
            while self._is_flush_due(upto := partition.log.end_offset):
                if await self.flush_to(upto):
                    partition.waiters.durable.release(self.durable_end)
                    partition.advance_high_watermark(self.durable_end)
        except Refusal as refusal:
            self._flush_failed(refusal)
        except OSError as error:  # the flush could not even begin
            self._flush_failed(partition.log.health.fail("flush failed", error))
        finally:
            self._is_flushing = False

    async def flush_to(self, upto: int) -> bool:
        """One flush; False where it says nothing of the log as it is now: cut, or exchanged for its copy, meanwhile."""
        if self._hold is not None:
            await self._hold.wait()
            return False
        partition = self._partition
        log, cuts = partition.log, partition.log.cuts
        try:
            await self._flusher.durable(log, upto)
        except (Refusal, OSError):
            if partition.log is log:
                raise
            return False
        if partition.log is not log or log.cuts != cuts:
            return False
        self.durable_end = max(self.durable_end, upto)
        return True

    def _flush_failed(self, refusal: Refusal) -> None:
        partition = self._partition
        partition.waiters.fail(refusal)
        if isinstance(refusal, KafkaStorageError) and partition.log.trouble is not None:
            partition.leadership.resign(refusal)

    def hold(self) -> Callable[[], None]:
        """Begin no flush until what is returned is called: what is on disk of the log stays as it is meanwhile."""
        hold = self._hold = Event()

        def release() -> None:
            if self._hold is hold:
                self._hold = None
            hold.set()

        return release

    def is_as_durable(self, copy: LogPort) -> bool:
        """Whether a copy of the log has on disk all that the log has there, and all that was acknowledged for it."""
        partition = self._partition
        acknowledged = self.durable_end if partition.current_rules().flushes_before_ack else 0
        return copy.recovery_point >= max(partition.log.recovery_point, acknowledged)

    # What counts ------------------------------------------------------------------------------------------------

    def what_counts_changed(self) -> None:
        """Whether records count before they are flushed was altered while they come. Those that counted already have
        been told of, and the high watermark stays; nothing else that is not on disk counts from now on (RULES 20).
        """
        partition = self._partition
        log, role = partition.log, partition.role
        if not partition.rules.flushes_before_ack:
            self.durable_end = log.end_offset
            partition.waiters.durable.release(self.durable_end)
            partition.advance_high_watermark(self.durable_end)
            return
        self.counted_end = log.end_offset
        self.durable_end = min(self.durable_end, log.recovery_point)
        if isinstance(role, Leader):
            role.counts_only_to(self.durable_end)
        if self.durable_end < log.end_offset:
            self.flush_soon()

    def log_was_cut(self) -> None:
        end_offset = self._partition.log.end_offset
        self.durable_end = min(self.durable_end, end_offset)
        self.counted_end = min(self.counted_end, end_offset)
        if not self._partition.rules.flushes_before_ack:
            self.durable_end = end_offset

    def keep_note(self) -> None:
        """Whoever loses its page cache stays in sync only where its folder says that it had nothing to lose there. The
        topic's setting would not do: a replica that has not heard of it yet, or is down, has flushed nothing for it.

        Called only while this process is registered: until then what the folder says is of the one before.
        """
        log, is_asked = self._partition.log, self._partition.current_rules().asks_to_flush
        if is_asked == log.is_flush_noted or self._is_noting or log.trouble is not None:
            return
        if not is_asked or self.durable_end >= self.counted_end:
            self._is_noting = True
            self._spawn(self._write_note(log, holds=is_asked))

    async def _write_note(self, log: LogPort, *, holds: bool) -> None:
        try:
            await self._flusher.note(log, holds=holds)
        except (KafkaStorageError, OSError) as error:
            _log.error("flushes not noted", partition=str(self._partition.topic_partition), reason=str(error))
        finally:
            self._is_noting = False
        self._partition.renew_rules()
