"""Taking records off the end of a log: a follower that has to agree with its leader, or to begin anew.

Kafka's truncateTo (`cut`) and truncateFullyAndStartAt (`start_anew`).
"""

import os
from bisect import bisect_left
from collections.abc import Callable
from typing import TYPE_CHECKING

import structlog

from penstock.log.file_pool import Renames, names_in, remove_files, sync_folder
from penstock.log.renaming import DELETED, all_or_none, doom, removal_begun
from penstock.log.segments.checking import position_for
from penstock.log.segments.files import INDEX, SUFFIXES, TIME_INDEX, file_name
from penstock.log.segments.scan import Damaged
from penstock.log.segments.segment import UNKNOWN, Segment, number_of
from penstock.wire.batch import NO_TIMESTAMP
from penstock.wire.malformed import Malformed

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog

_log = structlog.get_logger(__name__)


class Truncation:
    __slots__ = ("_log",)

    def __init__(self, log: "PartitionLog") -> None:
        self._log = log

    def cut_ahead(self, *, to: int) -> Callable[[], None] | None:
        """On the loop, before `cut`: what that would have the disk say first, for a thread. Without it, or should
        the log change meanwhile, `cut` does it itself. None where there is nothing to be said.
        """
        log = self._log
        if log.home is None or log.trouble is not None or to >= log.end_offset:
            return None
        # Within the segment only the batches tell where the cut will be.
        if to < log.start_offset:
            return self.start_ahead(to)
        floor = log.segments[number_of(log.segments, to)].base_offset
        return log.home.cut_ahead(log, to=floor) if floor < max(log.recovery_point, log.clean_upto) else None

    def start_ahead(self, offset: int) -> Callable[[], None] | None:
        """As `cut_ahead`, before `start_anew`.

        With records in it, the log begins there only once they are gone, which a segment below that offset tells: the
        first one leaves last.
        """
        log = self._log
        if log.home is None or log.trouble is not None:
            return None
        first = log.segments[0]
        is_empty = len(log.segments) == 1 and not first.is_created
        floor = min(offset, first.base_offset)
        if is_empty or floor < offset:
            write = log.home.start_ahead(log, offset, recovery_point=offset if is_empty else floor)
            if write is not None or is_empty:
                return write
        return log.home.cut_ahead(log, to=floor) if floor < max(log.recovery_point, log.clean_upto) else None

    def cut(self, *, to: int) -> None:
        """Forget every record at or after `to`; of a batch that holds `to`, all of it. The log then ends where its last
        batch does, as a start would find it."""
        log = self._log
        if to >= log.end_offset:
            return
        if to < log.start_offset:
            self.start_anew(to)
            return
        try:
            segment = log.segments[number_of(log.segments, to)]
            to = segment.end_below(to, may_have_gaps=log.may_have_gaps)
        except OSError as error:
            raise log.health.fail("could not be cut", error) from error
        except Damaged as damage:
            raise log.health.take_offline(f"could not be cut: {damage}", stops_reads=True) from damage
        if to < log.start_offset:
            self.start_anew(log.start_offset)
            return
        self._before_cut(to)
        kept = [segment for segment in log.segments if segment.base_offset <= to]
        gone = log.segments[len(kept) :]
        try:
            self._cut_segment(kept[-1], to)
        except OSError as error:
            raise log.health.fail("could not be cut", error) from error
        except Damaged as damage:
            raise log.health.take_offline(f"could not be cut: {damage}", stops_reads=True) from damage
        log.is_folder_synced = False  # else what is removed below could come back, beside what is written after it
        log.segments = tuple(kept)
        log.size = sum(segment.size for segment in kept)
        log.end_offset = to
        log.high_watermark = min(log.high_watermark, to)
        log.epochs.cut_end(to)
        log.damage.cut(kept[-1].base_offset, kept[-1].size)
        self._follow_cut(kept[-1], gone, to)
        _log.info("log truncated", partition=str(log.partition), end_offset=to)

    def _follow_cut(self, last: Segment, gone: tuple[Segment, ...], to: int) -> None:
        """The records are gone. Should what follows from that fail, however shortly, a start has to do it: without its
        producers the log would take their duplicates, and files that stay would be found among those to come."""
        log = self._log
        try:
            self._find_timestamps(last)
            if last.transactions is not None:
                last.transactions.truncate_to(to)
            doom(log, gone[::-1])
            log.bookkeeping.restore(log.producers.history.truncate_to(to, log.segments[0].base_offset))
        except OSError as error:
            raise log.health.take_offline(f"could not be read again after a cut: {error}", stops_reads=False) from error
        except (Damaged, Malformed) as error:
            raise log.health.take_offline(f"damage found after a cut: {error}", stops_reads=True) from error

    def start_anew(self, offset: int) -> None:
        """Throw everything away and begin again at an offset: a follower whose leader has nothing older.

        The old files go before the checkpoint says where the log begins: a crash in between leaves a log that has lost
        what it was to lose, and not one that misses what it never had. A note that was written ahead holds only once
        they are gone, so nobody need wait until that lasts. OSError: nothing has happened.
        """
        log = self._log
        gone = log.segments
        self._before_cut(min(offset, gone[0].base_offset))  # a crash may leave any of them
        # Its file is made by the first append, as that of every new log: nothing that could fail leaves it without one.
        segment = Segment(log.pool, str(log.folder), offset, created_at=log.clock.now())
        segment.activate()
        with log.renaming:  # a thread may be about to rename what retention has dropped
            renames = self._move_away(offset)
            log.segments, log.size = (segment,), 0
        log.epochs.clear()
        log.damage.keep_only(set())
        removal_begun(log, gone, [path for _, path in renames.done])
        try:
            log.producers.reset()
        except OSError as error:  # a start would take what stays for what is known of the records to come
            raise log.health.take_offline(f"producers could not be forgotten: {error}", stops_reads=False) from error

    def _move_away(self, offset: int) -> Renames:
        log = self._log
        log.is_folder_synced = False  # else what is renamed back could be gone all the same, and by then flushed
        with all_or_none(log, "could not be begun anew") as renames:
            for name in self._names_to_leave():
                renames.add(str(log.folder / name), str(log.folder / name) + DELETED)
            is_said = log.home is not None and log.home.says_start(log, offset)
            if (log.epochs.remove_file() or renames.done) and not is_said:
                sync_folder(str(log.folder))
            self._write_down(offset)
        return renames

    def _names_to_leave(self) -> list[str]:
        """All there are: what retention has dropped may not have been renamed yet, and would lie among the new ones.
        That goes first, and of the log its end: a crash leaves what follows on from its start."""
        log = self._log
        files = (name for name in names_in(log.folder) if name.endswith(SUFFIXES))
        names = sorted(name for name in files if name.partition(".")[0].isdecimal())
        dropped = bisect_left(names, file_name(log.segments[0].base_offset, ""))
        return [*names[:dropped], *reversed(names[dropped:])]

    def _write_down(self, offset: int) -> None:
        """The checkpoint says where the log begins anew, or nothing has happened."""
        log = self._log
        before = log.start_offset, log.end_offset, log.high_watermark, log.recovery_point
        log.start_offset = log.end_offset = log.high_watermark = log.recovery_point = offset
        try:
            if log.home is not None:
                log.home.start_rises(log)
        except OSError:
            log.start_offset, log.end_offset, log.high_watermark, log.recovery_point = before
            raise

    def _before_cut(self, to: int) -> None:
        log = self._log
        if to < max(log.recovery_point, log.clean_upto):
            before = log.recovery_point, log.clean_upto
            log.recovery_point, log.clean_upto = min(log.recovery_point, to), min(log.clean_upto, to)
            try:
                if log.home is not None:
                    log.home.recovery_point_falls(log)
            except OSError as error:
                log.recovery_point, log.clean_upto = before
                raise log.health.fail("could not be cut", error) from error
        log.cuts += 1
        log.swapping.drop_ready()  # after the count: from here on nothing gets ready that was made before

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
        for found in self._log.batches_of(segment, position=position, check_crc=False):
            if found.header.max_timestamp > segment.max_timestamp:
                segment.max_timestamp = found.header.max_timestamp
                segment.max_timestamp_last = found.header.last_offset
