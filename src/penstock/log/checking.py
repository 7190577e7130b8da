"""Cheap evidence that a closed segment is whole: a few reads at its end instead of a scan."""

import os

from penstock.log.files import private_descriptor
from penstock.log.index import OFFSET_ENTRY_SIZE, OffsetIndex
from penstock.log.scan import Damaged, walk
from penstock.log.segment import INDEX, Segment


def end_offset_of(segment: Segment) -> int:
    """The offset after a segment's last batch, looked for from its last index entry on; Damaged if not sound there."""
    if not segment.size:
        if _last_entry(segment) is not None:
            raise Damaged(0, segment.base_offset, "an empty file whose index has entries")
        return segment.base_offset
    position = _last_entry(segment) or 0
    if position >= segment.size:
        raise Damaged(segment.size, segment.base_offset, f"the end of a file whose index knows of byte {position}")
    end_offset = segment.base_offset
    with private_descriptor(segment.file.path) as fd:
        for found in walk(fd, position, segment.size, expected_offset=segment.base_offset):
            end_offset = found.header.next_offset
    return end_offset


def check_closed(segment: Segment, following: Segment, *, may_have_gaps: bool) -> None:
    """Damaged unless the segment ends where the next one begins; compaction may have left it ending earlier."""
    end_offset = end_offset_of(segment)
    if end_offset > following.base_offset or (end_offset < following.base_offset and not may_have_gaps):
        what = f"the end of a segment that should reach to {following.base_offset}"
        raise Damaged(segment.size, end_offset, what)
    segment.is_checked = True


def _last_entry(segment: Segment) -> int | None:
    """Where the last batch begins that the index file knows of; None where it knows of none."""
    try:
        with private_descriptor(segment.path(INDEX)) as fd:
            entries = os.fstat(fd).st_size // OFFSET_ENTRY_SIZE
            if not entries:
                return None
            entry = os.pread(fd, OFFSET_ENTRY_SIZE, (entries - 1) * OFFSET_ENTRY_SIZE)
            return OffsetIndex.from_bytes(entry).positions[0]
    except FileNotFoundError:
        return None
