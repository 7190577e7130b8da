"""Reading a log: by offset as a slice of a file, by timestamp, and as bytes for those who open batches."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from penstock.errors import CorruptMessage, KafkaStorageError, OffsetOutOfRange
from penstock.log.damage.damage import bad_range
from penstock.log.damage.suspects import examine, not_sent, suspect_slice
from penstock.log.file_pool import private_descriptor
from penstock.log.segments.checking import check_closed, position_for
from penstock.log.segments.scan import Damaged, Found, walk
from penstock.log.segments.segment import HOT_TAIL_BYTES, UNKNOWN, Segment, number_of
from penstock.log.segments.slices import FileSlice
from penstock.log.segments.transaction_index import (
    AbortedTransaction,
    CorruptTransactionIndex,
    TransactionIndex,
    collect_aborted,
)
from penstock.log.state import WANTS, LogState
from penstock.model import LeaderEpoch, Millis, Offset
from penstock.wire.batch import HEADER_SIZE
from penstock.wire.malformed import Malformed
from penstock.wire.records import iterate

_log = structlog.get_logger(__name__)

LOOK_UPS_MAX: Final = 5
"""How often a lookup in a thread is begun anew because the log's files were exchanged under it."""


class FoundByTime(NamedTuple):
    timestamp: Millis
    offset: Offset
    leader_epoch: LeaderEpoch


class DamagedIn(Exception):
    """What a lookup came upon, and in which segment."""

    def __init__(self, segment: Segment, damage: Damaged) -> None:
        super().__init__(str(damage))
        self.segment = segment
        self.damage = damage


class ReadableLog(LogState):
    __slots__ = ()

    def slice(self, start: int, *, at_most: int, before: int, at_least_one: bool = True) -> FileSlice | None:
        """Whole batches from the one that holds `start`, of base offsets below `before`, within one segment.

        At most `at_most` bytes, but at least one batch if `at_least_one` (KIP-74). None where there is nothing to give;
        OffsetOutOfRange only outside [start_offset, end_offset]; CorruptMessage where what is there is no batch;
        KafkaStorageError where the file cannot be opened.
        Release the slice when it is sent.
        """
        if self.trouble is not None:
            self.ensure_readable()
        end_offset = self.end_offset
        if not self.start_offset <= start <= end_offset:
            raise OffsetOutOfRange(f"{self.partition} holds offsets {self.start_offset} to {end_offset}, not {start}")
        if start >= before or start == end_offset:
            return None
        segments = self.segments
        number = len(segments) - 1
        segment = segments[number]
        if start < segment.base_offset:
            number = number_of(segments, start)
            segment = segments[number]
            if not segment.is_checked:
                self._check(segment, segments[number + 1])
        damaged = self.damage.ranges
        if damaged:
            self.damage.refuse(segment.base_offset, start, size=segment.size)
        may_have_gaps = self.may_have_gaps
        try:
            position = segment.find(start, may_have_gaps=may_have_gaps)
            while position == UNKNOWN or (
                segment.size - position == HEADER_SIZE and self._something_follows(segments, number, before)
            ):
                # Compaction left nothing from `start` to this segment's end, or only the emptied batch that it ends
                # with: what comes next is in a later one. (A consumer that gets many answers without a record in a row
                # takes them for records that are too large to fetch.)
                number += 1
                if number == len(segments) or segments[number].base_offset >= before:
                    return None
                segment = segments[number]
                if not segment.is_checked and number < len(segments) - 1:
                    self._check(segment, segments[number + 1])
                position = segment.find(start, may_have_gaps=may_have_gaps)
            segment_end = end_offset if number == len(segments) - 1 else segments[number + 1].base_offset
            limit = segment.size if before >= segment_end else segment.end_before(before)
            if position >= limit:
                return None
            if damaged:
                limit = self.damage.clip(segment.base_offset, position=position, stop=limit)
            stop = limit
            if limit - position > at_most:
                stop = segment.cut_at(position, position + at_most)
                if stop == position:
                    if not at_least_one:
                        return None
                    stop += segment.size_of_batch_at(position, offset=start)
            return FileSlice(
                segment.file,
                position,
                stop - position,
                first_offset=start,
                is_recent=position >= segment.hot_from and position >= segment.size - HOT_TAIL_BYTES,
                log=self,
            )
        except Damaged as damage:
            raise self._refuse_damaged(segment, damage) from damage
        except OSError as error:
            _log.warning("log not read", file=segment.file.path, reason=str(error))
            raise KafkaStorageError(f"{self.partition}: {error.strerror or error}") from error

    def _refuse_damaged(self, segment: Segment, damage: Damaged) -> CorruptMessage:
        """What nobody had found yet: said, kept from readers, and put right if another replica can (RULES 23). What
        comes after it is not given in its place."""
        self._report_damaged(segment, damage)
        return CorruptMessage(f"{self.partition} cannot be read at offset {damage.expected_offset}: {damage}")

    def _report_damaged(self, segment: Segment, damage: Damaged) -> None:
        """Whoever began to read in the middle of a segment does not know whose offsets they are."""
        first_offset = segment.offset_at(damage.position)
        with private_descriptor(segment.file.path) as fd:
            where = bad_range(fd, segment, damage.position, size=segment.size, first_offset=first_offset)
        self.damage.report(segment.base_offset, where, str(damage))

    def read(self, start: int, at_most: int, *, at_least_one: bool = True) -> bytes:
        """The bytes of a slice up to the log's end, owned; empty where there is nothing. CorruptMessage where it cannot
        be read."""
        found = self.slice(start, at_most=at_most, before=self.end_offset, at_least_one=at_least_one)
        if found is None:
            return b""
        try:
            return found.read()
        except OSError as error:
            suspected = suspect_slice(found)
            if suspected is not None:
                not_sent(suspected, examine(suspected), str(error))
            raise CorruptMessage(f"{self.partition} cannot be read at offset {start}: {error}") from error
        finally:
            found.release()

    def aborted_transactions(self, start: int, upto: int) -> list[AbortedTransaction]:
        """What a read_committed consumer of [start, upto) must skip."""
        later = self.segments[number_of(self.segments, start) :]
        try:
            return collect_aborted((s.transactions for s in later if s.transactions is not None), start, upto)
        except CorruptTransactionIndex as error:
            self.doubt_aborts(error.index)
            raise KafkaStorageError(f"{self.partition}: {error}, it is built again") from error
        except OSError as error:
            raise KafkaStorageError(f"{self.partition}: {error}") from error

    def doubt_aborts(self, index: TransactionIndex | None) -> None:
        """An index of aborted transactions is wrong: without it a reader would be shown what was aborted, so nobody is
        told anything by it until housekeeping has built it again from the batches.
        """
        if index is not None and any(segment.transactions is index for segment in self.segments):
            if not index.is_wrong:
                _log.error("index of aborted transactions wrong", file=str(index.path))
            index.is_wrong = self.abort_sums.are_doubted = True

    def aborted_within(self, records: FileSlice, before: int) -> list[AbortedTransaction]:
        """The same for a slice; `before` is the offset that it was cut at."""
        number = number_of(self.segments, records.first_offset)
        if all(segment.transactions is None for segment in self.segments[number:]):
            return []
        return self.aborted_transactions(records.first_offset, self._bound(records, number, before))

    def _bound(self, records: FileSlice, number: int, before: int) -> int:
        """An offset that no record of a slice reaches, near its end: transactions that began later do not matter."""
        segments = self.segments
        while number < len(segments) and segments[number].file is not records.file:
            number += 1
        if number == len(segments):
            return before
        stop = records.position + records.size
        if stop < segments[number].size:
            return min(before, segments[number].bound_at(stop, otherwise=before))
        return before if number + 1 == len(segments) else min(before, segments[number + 1].base_offset)

    # --- by time; these open files of their own, so that a thread may do them ---

    async def look_up(self, find: Callable[[], FoundByTime | None]) -> FoundByTime | None:
        """One of the two below, in a thread. Meanwhile compaction may exchange a file and retention remove one: what
        then looks like damage is none, and the lookup is begun anew.
        """
        for _ in range(LOOK_UPS_MAX):
            segments = self.segments
            try:
                return await asyncio.to_thread(find)
            except DamagedIn as found:
                if self.segments is segments:
                    self.take_in_damage(found.segment, found.damage)
                    raise CorruptMessage(f"{self.partition} cannot be looked up: {found.damage}") from found.damage
            except Malformed as error:
                raise CorruptMessage(f"{self.partition} cannot be looked up: {error}") from error
            except FileNotFoundError:
                self.ensure_readable()
            except OSError as error:
                raise KafkaStorageError(f"{self.partition} cannot be looked up: {error.strerror or error}") from error
        raise KafkaStorageError(f"{self.partition} changes too fast to be looked up")

    def find_by_time(self, timestamp: int) -> FoundByTime | None:
        """The first record at or after the log's start whose timestamp is at least this one."""
        self.ensure_readable()
        start_offset, end_offset, segments = self.start_offset, self.end_offset, self.segments
        for segment in segments[number_of(segments, start_offset) :]:
            if segment.size and segment.load_timestamps() >= timestamp:
                found = self._find_in(segment, timestamp, start_offset)
                if found is not None:
                    return found if found.offset < end_offset else None
        return None

    def max_timestamp(self) -> FoundByTime | None:
        """The first record that has the largest timestamp of all."""
        self.ensure_readable()
        start_offset, segments = self.start_offset, self.segments
        held = [s for s in segments[number_of(segments, start_offset) :] if s.size and s.load_timestamps() >= 0]
        if not held:
            return None
        best = max(held, key=lambda segment: segment.max_timestamp)
        found = self._find_in(best, best.max_timestamp, start_offset)
        return found or self._newest_of(held, start_offset)

    def _newest_of(self, held: list[Segment], start_offset: int) -> FoundByTime | None:
        """The same by the records' own timestamps: no record has the one that a batch's header claimed. Headers of
        batches that were not looked into at their append may lie.
        """
        best: FoundByTime | None = None
        for segment in sorted(held, key=lambda each: each.max_timestamp, reverse=True):
            if best is not None and segment.max_timestamp < best.timestamp:
                break
            for timestamp, offset, epoch in self._timestamps_in(segment, start_offset):
                if best is None or (-timestamp, offset) < (-best.timestamp, best.offset):
                    best = FoundByTime(Millis(timestamp), Offset(offset), LeaderEpoch(epoch))
        return best

    def _timestamps_in(self, segment: Segment, start_offset: int) -> Iterator[tuple[int, int, int]]:
        try:
            for found in batches_in(segment, position=0, check_crc=False):
                for record in iterate(found.view) if found.header.last_offset >= start_offset else ():
                    if record.offset >= start_offset:
                        yield record.timestamp, record.offset, found.header.leader_epoch
        except Damaged as damage:
            raise DamagedIn(segment, damage) from damage

    def _find_in(self, segment: Segment, timestamp: int, start_offset: int) -> FoundByTime | None:
        times = segment.time_index if segment.time_index is not None else segment.load_time_index()
        offsets = segment.index if segment.index is not None else segment.load_offset_index()
        from_offset = max(times.floor(timestamp), start_offset - segment.base_offset)
        try:
            position = position_for(segment, offsets, from_offset)
            for found in batches_in(segment, position=position, check_crc=False):
                if found.header.max_timestamp < timestamp or found.header.last_offset < start_offset:
                    continue
                for record in iterate(found.view):
                    if record.timestamp >= timestamp and record.offset >= start_offset:
                        epoch = LeaderEpoch(found.header.leader_epoch)
                        return FoundByTime(Millis(record.timestamp), Offset(record.offset), epoch)
        except Damaged as damage:
            raise DamagedIn(segment, damage) from damage
        return None

    def batches_of(self, segment: Segment, *, position: int = 0, check_crc: bool = True) -> Iterator[Found]:
        """Every batch of a segment; damage takes the log offline (RULES 23). For the loop: a thread cannot tell damage
        from a file that was exchanged.
        """
        try:
            yield from batches_in(segment, position=position, check_crc=check_crc)
        except Damaged as damage:
            raise self.take_offline(f"{segment.file.path}: {damage}", stops_reads=True) from damage

    def bytes_from(self, records: FileSlice, *, before: int) -> int | None:
        """How much there is below `before`, from where a slice begins to its segment's end; None in a segment that is
        closed, which has all that it ever will.
        """
        active = self.active
        if records.file is not active.file:
            return None
        try:
            end = active.size if before >= self.end_offset else active.end_before(before)
        except (Damaged, OSError):
            return records.size  # whoever asks for what follows will be told
        return max(end - records.position, records.size)

    def warm(self, start: int) -> None:
        """Bring what `slice` will read first into the page cache; blocks, so in a thread. Changes nothing."""
        segments = self.segments
        number = number_of(segments, start)
        segment = segments[number]
        try:
            segment.load_offset_index()
            segment.load_time_index()
            if not segment.is_checked and number < len(segments) - 1:
                check_closed(segment, segments[number + 1], may_have_gaps=self.may_have_gaps)
        except (OSError, Damaged):
            pass  # `slice` will find it too, on the loop, where it can be acted upon and is this log's alone

    def is_near(self, start: int) -> bool:
        """Whether `slice` will find its place without loading an index; if not, `warm` first in a thread."""
        segments = self.segments
        segment = segments[-1]
        if start < segment.base_offset:
            segment = segments[number_of(segments, start)]
        return segment.index is not None or not segment.size

    def _check(self, segment: Segment, following: Segment) -> None:
        """The first look at a closed segment since the start: is its end where the next one begins? One that the scrub
        has found bad batches in was read whole then, and is served but for those."""
        if self.damage.is_known_in(segment.base_offset):
            segment.is_checked = True
            return
        was_index_written = segment.is_index_written
        try:
            check_closed(segment, following, may_have_gaps=self.may_have_gaps)
        except (OSError, Damaged) as damage:
            if isinstance(damage, OSError) and damage.errno in WANTS:
                raise KafkaStorageError(f"{self.partition}: {damage.strerror}") from damage  # next time, perhaps
            if isinstance(damage, OSError):
                raise self.take_offline(f"{segment.file.path}: {damage}", stops_reads=True) from damage
            self.take_in_damage(segment, damage)
            segment.is_checked = True
            return
        if was_index_written and not segment.is_index_written:
            segment.index_again()  # in memory; the next start writes the file
            segment.is_index_written = True
        # One that was appended to since the start has its indexes in memory until the next flush has written them.

    def take_in_damage(self, segment: Segment, damage: Damaged) -> None:
        """Records that are missing take the log offline (RULES 21), those that are spoilt or cannot be read are kept
        from readers (RULES 23)."""
        if damage.position >= segment.size or Path(segment.file.path).stat().st_size < segment.size:
            raise self.take_offline(f"{segment.file.path}: {damage}", stops_reads=True) from damage
        self._report_damaged(segment, damage)

    @staticmethod
    def _something_follows(segments: tuple[Segment, ...], number: int, before: int) -> bool:
        if number + 1 == len(segments):
            return False
        following = segments[number + 1]
        return following.size > 0 and following.base_offset < before


def batches_in(segment: Segment, *, position: int = 0, check_crc: bool = True) -> Iterator[Found]:
    """Through a descriptor of its own, so that a thread may do it."""
    if segment.size:
        with private_descriptor(segment.file.path) as fd:
            yield from walk(fd, position, segment.size, expected_offset=segment.base_offset, check_crc=check_crc)
