"""Which segment takes an append: the active one, or a new one where that is full, old or too wide."""

from typing import TYPE_CHECKING

import structlog

from penstock.log.file_pool import remove_files
from penstock.log.machine import RELATIVE_OFFSET_MAX, RollLimits, index_entries_max, roll_reason
from penstock.log.segments.files import INDEX, TIME_INDEX
from penstock.log.segments.segment import Segment
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

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog

_log = structlog.get_logger(__name__)


class Rolling:
    __slots__ = ("_log", "limits")

    def __init__(self, log: "PartitionLog") -> None:
        self._log = log
        self.limits = RollLimits(-1, 0, 0, 0, 0, 0)
        """As the log's configuration has them; whoever appends looks whether that has another version."""

    def work_out_limits(self) -> RollLimits:
        config = self._log.config
        segment_ms = config[SEGMENT_MS]
        if "compact" in config[CLEANUP_POLICY]:  # only closed segments are compacted, by then at the latest
            segment_ms = min(segment_ms, config[MAX_COMPACTION_LAG_MS])
        self.limits = RollLimits(
            version=config.version,
            segment_bytes=config[INTERNAL_SEGMENT_BYTES] or config[SEGMENT_BYTES],
            segment_ms=segment_ms,
            segment_jitter_ms=config[SEGMENT_JITTER_MS],
            index_entries=index_entries_max(config[SEGMENT_INDEX_BYTES]),
            index_interval_bytes=config[INDEX_INTERVAL_BYTES],
        )
        return self.limits

    def segment_for(
        self, active: Segment, size: int, first: BatchHeader, last: BatchHeader, limits: RollLimits
    ) -> Segment:
        """The segment that takes batches of so many bytes. KafkaStorageError."""
        try:
            if active.index is None or not active.is_active:
                active.activate()
                assert active.index is not None
            if not active.size or active.first_timestamp >= 0:
                age_ms = last.max_timestamp - active.first_timestamp if active.size else 0
            else:
                age_ms = self._log.clock.now() - active.created_at
            # Once in thousands of appends one of these holds; then it is worth asking which.
            if (
                active.size + size > limits.segment_bytes
                or age_ms > limits.segment_ms - limits.segment_jitter_ms
                or len(active.index.lasts) >= limits.index_entries
                or last.base_offset - active.base_offset > RELATIVE_OFFSET_MAX - last.last_offset_delta
            ):
                return self._roll_if_due(active, size, age_ms, first, last)
        except OSError as error:
            raise self._log.health.fail("could not begin a segment", error) from error
        return active

    def _roll_if_due(self, active: Segment, size: int, age_ms: int, first: BatchHeader, last: BatchHeader) -> Segment:
        """A new segment begins at the log's end, unless a gap (in a compacted leader's log) is too wide for offsets."""
        log = self._log
        reason = roll_reason(
            self.limits,
            partition=str(log.partition),
            base_offset=active.base_offset,
            segment_size=active.size,
            append_size=size,
            age_ms=age_ms,
            index_entries=len(active.offset_index()),
            last_offset=last.last_offset,
        )
        if reason is None:
            return active
        _log.debug("segment rolled", partition=str(log.partition), base_offset=log.end_offset, why=reason.value)
        if last.last_offset - log.end_offset > RELATIVE_OFFSET_MAX:
            return self._roll_at(first.base_offset)
        return self.roll()

    def roll(self) -> Segment:
        """Close the active segment and begin another at the log's end; one that has no records yet serves as it is."""
        log = self._log
        active = log.active
        return active if active.base_offset == log.end_offset else self._roll_at(log.end_offset)

    def _roll_at(self, base_offset: int) -> Segment:
        log = self._log
        active = log.active
        # Whatever can fail comes first: a roll that failed has not happened.
        log.producers.history.take_snapshot(log.end_offset)
        if active.is_index_unwritten:
            # The files are of an earlier stop and know of nothing since. True of an active segment, which is read on
            # from there; of a closed one they would be believed: by retention, that its records are as old.
            remove_files([active.path(INDEX), active.path(TIME_INDEX)])
        segment = self._add_segment(base_offset)
        active.close()
        if log.home is not None:
            log.home.rolled(log)
        return segment

    def _add_segment(self, base_offset: int) -> Segment:
        log = self._log
        segment = Segment(log.pool, str(log.folder), base_offset, created_at=log.clock.now())
        segment.activate()
        segment.file.create()
        segment.is_created = True
        log.is_folder_synced = False
        log.segments = (*log.segments, segment)
        return segment
