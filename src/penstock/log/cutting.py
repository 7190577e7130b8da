"""Taking records off the end of a log: a follower that has to agree with its leader, or to begin anew."""

import os
from bisect import bisect_left
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog

from penstock.log.checking import position_for
from penstock.log.files import Renames, names_in, remove_files, sync_folder
from penstock.log.retention import DELETED, RetainedLog
from penstock.log.scan import Damaged
from penstock.log.segment import UNKNOWN, Segment
from penstock.log.segment_files import INDEX, SUFFIXES, TIME_INDEX, file_name
from penstock.wire.batch import NO_TIMESTAMP
from penstock.wire.malformed import Malformed

_log = structlog.get_logger(__name__)


class CuttableLog(RetainedLog):
    def cut_ahead(self, *, to: int) -> Callable[[], None] | None:
        """On the loop, before `truncate`: what that would have the disk say first, for a thread. Without it, or should
        the log change meanwhile, `truncate` does it itself. None where there is nothing to be said.
        """
        if self.home is None or self.trouble is not None or to >= self.end_offset:
            return None
        # Within the segment only the batches tell where the cut will be.
        if to < self.start_offset:
            return self.start_ahead(to)
        floor = self.segments[self._number_of(self.segments, to)].base_offset
        return self.home.cut_ahead(self, to=floor) if floor < max(self.recovery_point, self.clean_upto) else None

    def start_ahead(self, offset: int) -> Callable[[], None] | None:
        """As `cut_ahead`, before `truncate_fully_and_start_at`. Of a log with records that can say where it begins only
        when they are gone.
        """
        if self.home is None or self.trouble is not None:
            return None
        if len(self.segments) == 1 and not self.segments[0].is_created:
            return self.home.start_ahead(self, offset)
        floor = min(offset, self.segments[0].base_offset)
        return self.home.cut_ahead(self, to=floor) if floor < max(self.recovery_point, self.clean_upto) else None

    def truncate(self, *, to: int) -> None:
        """Forget every record at or after `to`; of a batch that holds `to`, all of it. The log then ends where its last
        batch does, as a start would find it."""
        if to >= self.end_offset:
            return
        if to < self.start_offset:
            self.truncate_fully_and_start_at(to)
            return
        try:
            segment = self.segments[self._number_of(self.segments, to)]
            to = segment.end_below(to, may_have_gaps=self.may_have_gaps)
        except OSError as error:
            raise self.fail("could not be cut", error) from error
        except Damaged as damage:
            raise self.take_offline(f"could not be cut: {damage}", stops_reads=True) from damage
        if to < self.start_offset:
            self.truncate_fully_and_start_at(self.start_offset)
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
        self.epochs.cut_end(to)
        self.damage.cut(kept[-1].base_offset, kept[-1].size)
        self._follow_cut(kept[-1], gone, to)
        _log.info("log truncated", partition=str(self.partition), end_offset=to)

    def _follow_cut(self, last: Segment, gone: tuple[Segment, ...], to: int) -> None:
        """The records are gone. Should what follows from that fail, however shortly, a start has to do it: without its
        producers the log would take their duplicates, and files that stay would be found among those to come."""
        try:
            self._find_timestamps(last)
            if last.transactions is not None:
                last.transactions.truncate_to(to)
            self.doom(gone[::-1])
            self.restore_producers(self.producers.truncate_to(to, self.segments[0].base_offset))
        except OSError as error:
            raise self.take_offline(f"could not be read again after a cut: {error}", stops_reads=False) from error
        except (Damaged, Malformed) as error:
            raise self.take_offline(f"damage found after a cut: {error}", stops_reads=True) from error

    def truncate_fully_and_start_at(self, offset: int) -> None:
        """Throw everything away and begin again at an offset: a follower whose leader has nothing older.

        The old files go before the checkpoint says where the log begins: a crash in between leaves a log that has lost
        what it was to lose, and not one that misses what it never had. OSError: nothing has happened.
        """
        gone = self.segments
        self._before_cut(min(offset, gone[0].base_offset))  # a crash may leave any of them
        # Its file is made by the first append, as that of every new log: nothing that could fail leaves it without one.
        segment = Segment(self.pool, str(self.folder), offset, created_at=self.clock.now())
        segment.activate()
        with self.renaming.lock:  # a thread may be about to rename what retention has dropped
            renames = self._move_away(offset)
            self.segments, self.size = (segment,), 0
        self.epochs.clear()
        self.damage.keep_only(set())
        self.removal_begun(gone, [path for _, path in renames.done])
        try:
            self.producers.reset()
        except OSError as error:  # a start would take what stays for what is known of the records to come
            raise self.take_offline(f"producers could not be forgotten: {error}", stops_reads=False) from error

    def _move_away(self, offset: int) -> Renames:
        self.is_folder_synced = False  # else what is renamed back could be gone all the same, and by then flushed
        with self._renames("could not be begun anew") as renames:
            for name in self._names_to_leave():
                renames.add(str(self.folder / name), str(self.folder / name) + DELETED)
            if self.epochs.remove_file() or renames.done:
                sync_folder(str(self.folder))
            self._write_down(offset)
        return renames

    @contextmanager
    def _renames(self, failure: str) -> Iterator[Renames]:
        """Where something fails within, they are undone; where not even that can be done, the log goes offline."""
        renames = Renames()
        try:
            yield renames
        except OSError as error:
            try:
                renames.undo()
            except OSError:
                raise self.take_offline(f"{failure}: {error}", stops_reads=True) from error
            raise

    def _names_to_leave(self) -> list[str]:
        """All there are: what retention has dropped may not have been renamed yet, and would lie among the new ones.
        That goes first, and of the log its end: a crash leaves what follows on from its start."""
        files = (name for name in names_in(self.folder) if name.endswith(SUFFIXES))
        names = sorted(name for name in files if name.partition(".")[0].isdecimal())
        dropped = bisect_left(names, file_name(self.segments[0].base_offset, ""))
        return [*names[:dropped], *reversed(names[dropped:])]

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
        os.ftruncate(segment.file.descriptor(), position)
        segment.size = position
        segment.hot_from = min(segment.hot_from, position)
        segment.index.cut(position)
        segment.time_index.cut(to - segment.base_offset)
        segment.is_index_written = False
        segment.since_index_bytes = position - (segment.index.positions[-1] if len(segment.index) else 0)

    def _find_timestamps(self, segment: Segment) -> None:
        """The largest timestamp of what is left: the time index, then the batches after its last entry."""
        assert segment.index is not None and segment.time_index is not None
        timestamp, relative = segment.time_index.last() or (NO_TIMESTAMP, 0)
        segment.max_timestamp, segment.max_timestamp_last = timestamp, segment.base_offset + relative
        position = position_for(segment, segment.index, relative)
        for found in self.batches_of(segment, position=position, check_crc=False):
            if found.header.max_timestamp > segment.max_timestamp:
                segment.max_timestamp = found.header.max_timestamp
                segment.max_timestamp_last = found.header.last_offset
