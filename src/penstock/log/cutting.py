"""Taking records off the end of a log: a follower that has to agree with its leader, or to begin anew."""

import os

import structlog

from penstock.log.files import remove_files
from penstock.log.retention import RetainedLog
from penstock.log.scan import Damaged
from penstock.log.segment import UNKNOWN, Segment
from penstock.log.segment_files import INDEX, TIME_INDEX
from penstock.wire.batch import NO_TIMESTAMP
from penstock.wire.malformed import Malformed

_log = structlog.get_logger(__name__)


class CuttableLog(RetainedLog):
    def truncate(self, *, to: int) -> None:
        """Forget every record at or after `to`; of a batch that holds `to`, all of it."""
        if to >= self.end_offset:
            return
        if to < self.start_offset:
            self.truncate_fully_and_start_at(to)
            return
        self._before_cut(to)
        kept = [segment for segment in self.segments if segment.base_offset <= to]
        gone = self.segments[len(kept) :]
        try:
            self._cut_segment(kept[-1], to)
        except OSError as error:
            raise self.fail("could not be cut", error) from error
        except Damaged as damage:
            raise self.take_offline(f"could not be cut: {damage}", stops_reads=True) from damage
        self.is_folder_synced = False  # else what is removed below could come back, beside what is written after it
        self.segments = tuple(kept)
        self.size = sum(segment.size for segment in kept)
        self.end_offset = to
        self.high_watermark = min(self.high_watermark, to)
        self.doom(gone[::-1])
        self.epochs.cut_end(to)
        try:
            self.restore_producers(self.producers.truncate_to(to, self.segments[0].base_offset))
        except OSError as error:
            # Until a start has read them again: without its producers a log would take their duplicates.
            raise self.take_offline(f"could not be read again after a cut: {error}", stops_reads=False) from error
        except Malformed as error:
            raise self.take_offline(f"damage found after a cut: {error}", stops_reads=True) from error
        _log.info("log truncated", partition=str(self.partition), end_offset=to)

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Throw everything away and begin again at an offset: a follower whose leader has nothing older."""
        self._before_cut(min(offset, self.start_offset))
        self.epochs.remove_file()
        self._write_down(offset)
        gone = self.segments
        # Its file is made by the first append, as that of every new log: nothing that could fail leaves it without one.
        segment = Segment(self.pool, str(self.folder), offset, created_at=self.clock.now())
        segment.activate()
        self.segments, self.size = (segment,), 0
        self.is_folder_synced = False
        self.epochs.clear()
        self.producers.reset()
        self.doom(gone[::-1])

    def _write_down(self, offset: int) -> None:
        """The checkpoint says where the log begins anew, or nothing has happened."""
        before = self.start_offset, self.end_offset, self.high_watermark, self.recovery_point
        self.start_offset = self.end_offset = self.high_watermark = self.recovery_point = offset
        try:
            if self.home is not None:
                self.home.start_rises(self)
        except OSError:
            self.start_offset, self.end_offset, self.high_watermark, self.recovery_point = before
            raise

    def _before_cut(self, to: int) -> None:
        if to < max(self.recovery_point, self.clean_upto):
            before = self.recovery_point, self.clean_upto
            self.recovery_point, self.clean_upto = min(self.recovery_point, to), min(self.clean_upto, to)
            try:
                if self.home is not None:
                    self.home.recovery_point_falls(self)
            except OSError as error:
                self.recovery_point, self.clean_upto = before
                raise self.fail("could not be cut", error) from error
        self.cuts += 1

    def _cut_segment(self, segment: Segment, to: int) -> None:
        segment.activate()
        assert segment.index is not None and segment.time_index is not None
        position = segment.find(to)
        segment.recent = None
        if position == UNKNOWN:
            return
        # An index file of an active segment is missing or true: a later start begins its scan by it.
        remove_files([segment.path(INDEX), segment.path(TIME_INDEX)])
        if segment.end_before(to) != position:
            self.allow_gaps()  # `to` is within a batch, which goes as a whole
        os.ftruncate(segment.file.descriptor(), position)
        segment.size = position
        segment.hot_from = min(segment.hot_from, position)
        segment.index.cut(position)
        segment.time_index.cut(to - segment.base_offset)
        segment.is_index_written = False
        segment.since_index_bytes = position - (segment.index.positions[-1] if len(segment.index) else 0)
        self._find_timestamps(segment)
        if segment.transactions is not None:
            segment.transactions.truncate_to(to)

    def _find_timestamps(self, segment: Segment) -> None:
        """The largest timestamp of what is left: the time index, then the batches after its last entry."""
        assert segment.index is not None and segment.time_index is not None
        timestamp, relative = segment.time_index.last() or (NO_TIMESTAMP, 0)
        segment.max_timestamp, segment.max_timestamp_last = timestamp, segment.base_offset + relative
        for found in self.batches_of(segment, position=segment.index.floor(relative), check_crc=False):
            if found.header.max_timestamp > segment.max_timestamp:
                segment.max_timestamp = found.header.max_timestamp
                segment.max_timestamp_last = found.header.last_offset
