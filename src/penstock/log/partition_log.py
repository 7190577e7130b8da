"""PartitionLog: one partition's records on disk, appended to on the event loop.

An append is one pwritev of the caller's views at the end of the active segment, then bookkeeping in memory: no other
system call, no look into a record. It happened whole or not at all: after a short or failed write the file is cut
back to its last good size, the log refuses further appends (see `state.Trouble`) and the caller gets KafkaStorageError.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog

from penstock.errors import Fatal
from penstock.log.file_pool import FilePool
from penstock.log.flushing import FlushableLog
from penstock.log.machine import RELATIVE_OFFSET_MAX, RollLimits, index_entries_max, roll_reason
from penstock.log.producers.producer import ProducerState
from penstock.log.retention import Retention
from penstock.log.rolling import RollableLog
from penstock.log.segments.segment import Segment
from penstock.log.swapping import Swapping
from penstock.log.truncation import Truncation
from penstock.model import Clock, TopicId, TopicPartition
from penstock.settings.topic import (
    CLEANUP_POLICY,
    INDEX_INTERVAL_BYTES,
    INTERNAL_SEGMENT_BYTES,
    MAX_COMPACTION_LAG_MS,
    SEGMENT_BYTES,
    SEGMENT_INDEX_BYTES,
    SEGMENT_JITTER_MS,
    SEGMENT_MS,
)
from penstock.wire.batch import BatchHeader
from penstock.wire.malformed import Malformed

if TYPE_CHECKING:
    from penstock.settings.config import Config, TopicConfig

_log = structlog.get_logger(__name__)

VIEWS_MAX: Final = 1024
"""Buffers that one pwritev takes (IOV_MAX)."""


class PartitionLog(RollableLog, FlushableLog):
    __slots__ = ("_limits", "retention", "swapping", "truncation")

    def __init__(
        self,
        folder: Path,
        partition: TopicPartition,
        topic_id: TopicId,
        *,
        config: "Config | TopicConfig",
        pool: FilePool,
        clock: Clock,
    ) -> None:
        super().__init__(folder, partition, topic_id, config=config, pool=pool, clock=clock)
        self._limits = RollLimits(-1, 0, 0, 0, 0, 0)
        self.retention = Retention(self)
        self.truncation = Truncation(self)
        self.swapping = Swapping(self)

    def append(
        self, batches: Sequence[tuple[BatchHeader, memoryview]], expected_from: ProducerState | None = None
    ) -> None:
        """Write batches that carry their final offsets and leader epoch, checked already, rising from the log's end.
        `expected_from` of a single one: whose next batch it is, by `producers.expects`.
        """
        if self.trouble is not None:
            raise self.trouble.refusal()
        if len(batches) == 1:  # nearly every produce request: worth its own line
            first, view = batches[0]
            last, views, size = first, [view], len(view)
        else:
            first, last = batches[0][0], batches[-1][0]
            views = [view for _, view in batches]
            size = sum(map(len, views))
            if not self.may_have_gaps:
                self._look_for_gaps(batches)
        if first.base_offset != self.end_offset:
            self._look_for_gaps(batches)
        limits = self._limits
        if limits.version != self.config.version:
            limits = self._work_out_limits()
        segment = self._segment_for(size, first, last, limits)
        self._write(segment, views, size)

        interval = limits.index_interval_bytes
        epochs = self.epochs
        has_producers = False
        for header, view in batches:
            segment.note(header, len(view), interval)
            if header.leader_epoch != epochs.latest:
                epochs.assign(header.leader_epoch, header.base_offset)
            if header.producer_id >= 0:
                has_producers = True
        self.end_offset = last.base_offset + last.last_offset_delta + 1
        self.size += size
        if expected_from is not None:
            expected_from.took(first)
        elif has_producers:
            self._note_producers(segment, batches)

    def _look_for_gaps(self, batches: Sequence[tuple[BatchHeader, memoryview]]) -> None:
        """A compacted leader's batches may leave offsets out; the folder must say so before they are in it."""
        expected_offset = self.end_offset
        for header, _ in batches:
            if header.base_offset < expected_offset:
                raise Fatal(f"{self.partition}: append at {header.base_offset}, the log ends at {expected_offset}")
            if header.base_offset > expected_offset:
                try:
                    self.allow_gaps()
                except OSError as error:
                    raise self.fail("append failed", error) from error
            expected_offset = header.next_offset

    def _note_producers(self, segment: Segment, batches: Sequence[tuple[BatchHeader, memoryview]]) -> None:
        """The batches are in the log by now. Should this fail, what is known of producers is not what the log says:
        no more appends, until a start has read it again."""
        try:
            for header, view in batches:
                if header.producer_id >= 0:
                    self.note_producer(segment, header, view)
        except (OSError, Malformed) as error:
            raise self.take_offline(f"producer state in doubt: {error}", stops_reads=False) from error

    # --- writing ---

    def _write(self, segment: Segment, views: list[memoryview], size: int) -> None:
        file = segment.file
        file.used = True
        try:
            fd = file.fd if file.fd >= 0 else self._open_active(segment)
            if len(views) > VIEWS_MAX or os.pwritev(fd, views, segment.size) != size:
                self._write_bit_by_bit(fd, views, segment.size)
        except OSError as error:
            self._cut_back(segment, error)
            raise self.fail("append failed", error) from error

    def _open_active(self, segment: Segment) -> int:
        if segment.is_created:
            return segment.file.descriptor()
        fd = segment.file.create()
        segment.is_created = True
        self.is_folder_synced = False
        return fd

    def _write_bit_by_bit(self, fd: int, views: list[memoryview], position: int) -> None:
        """After a short write, and for more views than one call takes: the error, if there is one, comes out here."""
        for view in views:
            left = view
            while left:
                count = os.pwrite(fd, left, position)
                position += count
                left = left[count:]

    def _cut_back(self, segment: Segment, why: OSError) -> None:
        """Leave no half-written batch behind. Should even this fail, a start finds it by its checksum; until then
        nothing is appended, since what comes next may be shorter, and the rest would lie in the middle of the log.
        """
        try:
            if segment.file.fd >= 0:
                os.ftruncate(segment.file.fd, segment.size)
        except OSError as error:
            _log.error("could not cut back", file=segment.file.path, size=segment.size, reason=str(error))
            raise self.take_offline(f"append failed: {why.strerror or why}", stops_reads=False) from why

    # --- rolling ---

    def _work_out_limits(self) -> RollLimits:
        config = self.config
        segment_ms = config[SEGMENT_MS]
        if "compact" in config[CLEANUP_POLICY]:  # only closed segments are compacted, by then at the latest
            segment_ms = min(segment_ms, config[MAX_COMPACTION_LAG_MS])
        self._limits = RollLimits(
            version=config.version,
            segment_bytes=config[INTERNAL_SEGMENT_BYTES] or config[SEGMENT_BYTES],
            segment_ms=segment_ms,
            segment_jitter_ms=config[SEGMENT_JITTER_MS],
            index_entries=index_entries_max(config[SEGMENT_INDEX_BYTES]),
            index_interval_bytes=config[INDEX_INTERVAL_BYTES],
        )
        return self._limits

    def _segment_for(self, size: int, first: BatchHeader, last: BatchHeader, limits: RollLimits) -> Segment:
        """The segment that takes these batches: the active one, or a new one if that is full."""
        segment = self.segments[-1]
        try:
            if segment.index is None or not segment.is_active:
                segment.activate()
                assert segment.index is not None
            if not segment.size or segment.first_timestamp >= 0:
                age_ms = last.max_timestamp - segment.first_timestamp if segment.size else 0
            else:
                age_ms = self.clock.now() - segment.created_at
            # Once in thousands of appends one of these holds; then it is worth asking which.
            if (
                segment.size + size > limits.segment_bytes
                or age_ms > limits.segment_ms - limits.segment_jitter_ms
                or len(segment.index.lasts) >= limits.index_entries
                or last.base_offset - segment.base_offset > RELATIVE_OFFSET_MAX - last.last_offset_delta
            ):
                return self._roll_if_due(segment, size, age_ms, first, last)
        except OSError as error:
            raise self.fail("could not begin a segment", error) from error
        return segment

    def _roll_if_due(self, active: Segment, size: int, age_ms: int, first: BatchHeader, last: BatchHeader) -> Segment:
        """A new segment begins at the log's end, unless a gap (in a compacted leader's log) is too wide for offsets."""
        reason = roll_reason(
            self._limits,
            partition=str(self.partition),
            base_offset=active.base_offset,
            segment_size=active.size,
            append_size=size,
            age_ms=age_ms,
            index_entries=len(active.offset_index()),
            last_offset=last.last_offset,
        )
        if reason is None:
            return active
        _log.debug("segment rolled", partition=str(self.partition), base_offset=self.end_offset, why=reason.value)
        if last.last_offset - self.end_offset > RELATIVE_OFFSET_MAX:
            return self.roll_at(first.base_offset)
        return self.roll()
