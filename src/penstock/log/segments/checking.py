"""Cheap evidence that a closed segment is whole: a few reads at its end instead of a scan.

The evidence starts from the last entry of the index file. An index has no checksum, so an entry that does not point at
its batch discredits the index, not the segment: then the segment is walked from its beginning.
"""

import os
import struct

import structlog

from penstock.log.file_pool import UNREADABLE, private_descriptor, remove_files
from penstock.log.segments.files import INDEX
from penstock.log.segments.indexes import OFFSET_ENTRY_SIZE, OffsetIndex
from penstock.log.segments.scan import Damaged, Unreadable, walk
from penstock.log.segments.segment import Segment
from penstock.wire.batch import HEADER_SIZE, BatchHeader

_log = structlog.get_logger(__name__)


def end_offset_of(segment: Segment, *, may_have_gaps: bool) -> int:
    """The offset after a segment's last batch; Damaged where it does not end with a whole batch.

    Where gaps are no damage, a segment that is shorter than its index says is taken to be cut: nothing else would tell.
    """
    position, relative_last = _last_entry(segment)
    if not has_batch(segment, position, relative_last):
        if may_have_gaps and position >= segment.size:
            raise Damaged(segment.size, segment.base_offset, f"the end of a file whose index knows of byte {position}")
        _log.warning("index wrong, removed", file=segment.path(INDEX))
        remove_files([segment.path(INDEX)])
        segment.is_index_written = False
        position = 0
    end_offset = segment.base_offset
    if segment.size:
        with private_descriptor(segment.file.path) as fd:
            for found in walk(
                fd, position, segment.size, expected_offset=segment.base_offset, may_have_gaps=may_have_gaps
            ):
                end_offset = found.header.next_offset
    return end_offset


def check_closed(segment: Segment, following: Segment, *, may_have_gaps: bool) -> None:
    """Damaged unless the segment ends where the next one begins; compaction may have left it ending earlier."""
    end_offset = end_offset_of(segment, may_have_gaps=may_have_gaps)
    if end_offset > following.base_offset or (end_offset < following.base_offset and not may_have_gaps):
        what = f"the end of a segment that should reach to {following.base_offset}"
        raise Damaged(segment.size, end_offset, what)
    segment.is_checked = True


def header_at(segment: Segment, position: int) -> BatchHeader | None:
    """None where the file does not reach that far; Unreadable."""
    with private_descriptor(segment.file.path) as fd:
        try:
            return BatchHeader.peek(os.pread(fd, HEADER_SIZE, position))
        except struct.error:
            return None
        except OSError as error:
            if error.errno not in UNREADABLE:
                raise
            what = f"a batch header that cannot be read ({error.strerror})"
            raise Unreadable(position, segment.base_offset, what) from error


def has_batch(segment: Segment, position: int, relative_last: int) -> bool:
    """Whether an index entry points at its batch; (0, -1) stands for no entry, and is true of every segment."""
    if relative_last < 0:
        return position == 0
    header = header_at(segment, position) if position < segment.size else None
    return header is not None and header.magic == 2 and header.last_offset == segment.base_offset + relative_last


def position_for(segment: Segment, index: OffsetIndex, relative: int) -> int:
    """Where to begin walking for an offset by an index, whose entry may be wrong: then at the segment's beginning."""
    position, last = index.entry_at(relative)
    return position if has_batch(segment, position, last) else 0


def _last_entry(segment: Segment) -> tuple[int, int]:
    """Position and relative last offset of the last batch that the index file knows of; (0, -1) where of none."""
    try:
        with private_descriptor(segment.path(INDEX)) as fd:
            entries = os.fstat(fd).st_size // OFFSET_ENTRY_SIZE
            if not entries:
                return 0, -1
            index = OffsetIndex.from_bytes(os.pread(fd, OFFSET_ENTRY_SIZE, (entries - 1) * OFFSET_ENTRY_SIZE))
            return index.positions[0], index.lasts[0]
    except OSError as error:
        if not isinstance(error, FileNotFoundError) and error.errno not in UNREADABLE:
            raise
        return 0, -1
