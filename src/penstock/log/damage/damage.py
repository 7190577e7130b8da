"""Batches that were found bad, and are not served again (RULES 23).

sendfile checks nothing, so what a scrub, a compaction or a failed send finds has to be remembered: in memory for
`slice`, and in a small file beside the segments, since a clean start reads no batch. A reader of good batches before
the bad one gets those; a reader of the bad one gets CorruptMessage, and may seek past it.

Whoever changes the bytes of a log says so here: a cut, a log begun anew, a mended range. Nobody who reads asks the disk
about a place that is known to be bad: a bad sector keeps whoever asks for it waiting, for seconds sometimes.
"""

import os
from collections.abc import Callable, Iterable, Set
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
import structlog

from penstock.errors import CorruptMessage, KafkaStorageError
from penstock.log.checkpoint_files import CheckpointUnreadable, read_rows, write_rows
from penstock.log.file_pool import UNREADABLE, private_descriptor
from penstock.log.health import WANTS
from penstock.log.segments.checking import check_closed
from penstock.log.segments.files import SegmentOnDisk
from penstock.log.segments.indexes import OffsetIndex
from penstock.log.segments.scan import Damaged, walk
from penstock.log.segments.segment import Segment
from penstock.wire.batch import HEADER_SIZE, LENGTH_OVERHEAD, BatchHeader

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog

_log = structlog.get_logger(__name__)

FILE_NAME: Final = "damaged-batches"
NOT_KNOWN: Final = -1
ENTRIES_IN_A_ROW: Final = 16
"""Of an index that are tried one by one for the next sound batch: as many as lie on a bad sector, and then some."""


class DamagedRange(msgspec.Struct, frozen=True, gc=False):
    """Bytes [position, end) of a segment's file; offsets from `first_offset` on are affected."""

    position: int
    end: int
    first_offset: int
    next_offset: int = NOT_KNOWN
    """Where sound batches begin again in this segment."""


class BadBatch(msgspec.Struct, frozen=True):
    where: DamagedRange
    reason: str


class Damage:
    """One log's; its methods are called on the event loop."""

    __slots__ = ("_log", "ranges", "unsent")

    def __init__(self, log: "PartitionLog") -> None:
        self._log = log
        self.ranges: dict[int, list[DamagedRange]] = {}
        """By base offset of the segment; empty for nearly every log there is."""
        self.unsent = 0
        """How often a slice of this log could not be sent."""

    def __bool__(self) -> bool:
        return bool(self.ranges)

    @property
    def count(self) -> int:
        return sum(map(len, self.ranges.values()))

    def is_known_in(self, segment_base: int) -> bool:
        return segment_base in self.ranges

    def report(self, segment_base: int, found: DamagedRange, reason: str) -> None:
        """Known from now on; the caller has found it by reading."""
        here = self.ranges.setdefault(segment_base, [])
        if any(known.position == found.position for known in here):
            return
        here.append(found)
        here.sort(key=lambda known: known.position)
        _log.error(
            "damaged batch",
            folder=str(self._log.folder),
            segment=segment_base,
            position=found.position,
            first_offset=found.first_offset,
            reason=reason,
        )
        self._save()

    def report_at(self, segment: Segment, damage: Damaged) -> None:
        """A reader came upon it who may have begun in the middle of the segment, and does not know whose offsets they
        are."""
        first_offset = segment.offset_at(damage.position)
        with private_descriptor(segment.file.path) as fd:
            where = bad_range(fd, segment, damage.position, size=segment.size, first_offset=first_offset)
        self.report(segment.base_offset, where, str(damage))

    def take_in(self, segment: Segment, damage: Damaged) -> None:
        """Records that are missing take the log offline (RULES 21), those that are spoilt or cannot be read are kept
        from readers (RULES 23)."""
        if damage.position >= segment.size or Path(segment.file.path).stat().st_size < segment.size:
            raise self._log.health.take_offline(f"{segment.file.path}: {damage}", stops_reads=True) from damage
        self.report_at(segment, damage)

    def check(self, segment: Segment, following: Segment) -> None:
        """The first look at a closed segment since the start: is its end where the next one begins? One that the scrub
        has found bad batches in was read whole then, and is served but for those."""
        log = self._log
        if self.is_known_in(segment.base_offset):
            segment.is_checked = True
            return
        was_index_written = segment.is_index_written
        try:
            check_closed(segment, following, may_have_gaps=log.may_have_gaps)
        except OSError as error:
            if error.errno in WANTS:
                raise KafkaStorageError(f"{log.partition}: {error.strerror}") from error  # next time, perhaps
            raise log.health.take_offline(f"{segment.file.path}: {error}", stops_reads=True) from error
        except Damaged as damage:
            self.take_in(segment, damage)
            segment.is_checked = True
            return
        if was_index_written and not segment.is_index_written:
            segment.index_again()  # in memory; the next start writes the file
            segment.is_index_written = True
        # One that was appended to since the start has its indexes in memory until the next flush has written them.

    def refuse(self, segment_base: int, offset: int, *, size: int) -> None:
        """CorruptMessage for an offset of a segment of `size` bytes that is known to be lost."""
        for known in self.ranges.get(segment_base, ()):
            if known.first_offset <= offset and (offset < known.next_offset or known.end >= size):
                raise CorruptMessage(f"the batch at offset {known.first_offset} is damaged")

    def clip(self, segment_base: int, *, position: int, stop: int) -> int:
        """Where a slice [position, stop) of a segment must end; CorruptMessage if it would begin with a bad batch."""
        for known in self.ranges.get(segment_base, ()):
            if known.end <= position or known.position >= stop:
                continue
            if known.position <= position:
                raise CorruptMessage(f"the batch at offset {known.first_offset} is damaged")
            return known.position
        return stop

    def forget(self, segment_base: int, known: DamagedRange) -> None:
        """Other bytes are there now, and they are sound."""
        self.ranges[segment_base].remove(known)
        if not self.ranges[segment_base]:
            del self.ranges[segment_base]
        self._save()

    def keep_only(self, segment_bases: Set[int]) -> None:
        """What was in other segments has gone with them."""
        gone = self.ranges.keys() - segment_bases
        for base in gone:
            del self.ranges[base]
        if gone:
            self._save()

    def cut(self, segment_base: int, size: int) -> None:
        """The log ends in this segment now, at this byte: what was bad after it is gone."""
        self.keep_only({base for base in self.ranges if base <= segment_base})
        for known in list(self.ranges.get(segment_base, ())):
            if known.end > size:
                self.forget(segment_base, known)
                if known.position < size:
                    self.report(segment_base, DamagedRange(known.position, size, known.first_offset), "cut short")

    def _save(self) -> None:
        path = self._log.folder / FILE_NAME
        rows = [
            f"{base} {known.position} {known.end} {known.first_offset} {known.next_offset}"
            for base, here in self.ranges.items()
            for known in here
        ]
        try:
            if rows:
                write_rows(str(path), rows)
            else:
                path.unlink(missing_ok=True)
        except OSError as error:  # it is still known until the broker stops
            _log.error("could not write down damage", file=str(path), reason=str(error))

    def load(self) -> None:
        """What the runs before have found; OSError where nobody knows."""
        try:
            for row in read_rows(str(self._log.folder / FILE_NAME)) or []:
                base, *where = map(int, row)
                self.ranges.setdefault(base, []).append(DamagedRange(*where))
        except (CheckpointUnreadable, ValueError, TypeError) as error:
            _log.warning("list of damaged batches unreadable", folder=str(self._log.folder), reason=str(error))


def find_bad(
    fd: int,
    segment: SegmentOnDisk,
    *,
    position: int,
    end: int,
    size: int,
    expected_offset: int,
    on_batch: Callable[[int], None] = lambda _size: None,
) -> list[BadBatch]:
    """Every bad batch of bytes [position, end) of a segment that has `size` bytes; a batch begins at `position`. Every
    checksum is verified; the walk goes on after a bad batch where it can be told where the next one begins. OSError,
    but not for what cannot be read: that is bad. Blocks.
    """
    bad: list[BadBatch] = []
    while position < end:
        try:
            for batch in walk(fd, position, size, expected_offset=expected_offset):
                on_batch(batch.header.size)
                position, expected_offset = batch.position + batch.header.size, batch.header.next_offset
                if position >= end:
                    break
        except Damaged as damage:
            where = bad_range(fd, segment, damage.position, size=size, first_offset=damage.expected_offset)
            bad.append(BadBatch(where, str(damage)))
            position = where.end
    return bad


def bad_range(fd: int, segment: SegmentOnDisk, position: int, *, size: int, first_offset: int) -> DamagedRange:
    """What is lost with the bad batch at a position: up to where its length leads, if that looks like a batch; else up
    to one that the index knows of; else all that is left of the file. Blocks."""
    header = _header_at(fd, position)
    if header is not None and header.length >= HEADER_SIZE - LENGTH_OVERHEAD:
        end = position + header.size
        following = _header_at(fd, end)
        if following is not None and _looks_right(following, end, size=size, first_offset=first_offset):
            return DamagedRange(position, end, first_offset, following.base_offset)
    for end, relative_last in _entries_after(segment.known_index(), position):
        following = _header_at(fd, end)
        if (
            following is not None
            and following.last_offset == segment.base_offset + relative_last
            and _looks_right(following, end, size=size, first_offset=first_offset)
        ):
            return DamagedRange(position, end, first_offset, following.base_offset)
    return DamagedRange(position, size, first_offset)


def _entries_after(index: OffsetIndex, position: int) -> Iterable[tuple[int, int]]:
    """The next few, then in ever longer steps: of a disk that gives nothing any more not every place is tried."""
    first = at = index.number_from(position + 1)
    while at < len(index):
        yield index.positions[at], index.lasts[at]
        at += 1 + max(0, at - first - ENTRIES_IN_A_ROW)


def _looks_right(header: BatchHeader, position: int, *, size: int, first_offset: int) -> bool:
    return header.magic == 2 and position + header.size <= size and header.base_offset > first_offset


def _header_at(fd: int, position: int) -> BatchHeader | None:
    try:
        data = os.pread(fd, HEADER_SIZE, position)
    except OSError as error:
        if error.errno not in UNREADABLE:
            raise
        return None
    return BatchHeader.peek(data) if len(data) == HEADER_SIZE else None
