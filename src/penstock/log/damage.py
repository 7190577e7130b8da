"""Batches that were found bad, and are not served again (RULES 23).

sendfile checks nothing, so what a scrub or compaction finds has to be remembered: in memory for `slice`, and in a small
file beside the segments, since a clean start reads no batch. A reader of good batches before the bad one gets those; a
reader of the bad one gets CorruptMessage, and may seek past it.

A place is asked about again before it is refused: after a cut, or once the segment was replaced, other bytes are there.
"""

import os
from collections.abc import Set
from pathlib import Path
from typing import Final

import crc32c
import msgspec
import structlog

from penstock.errors import CorruptMessage
from penstock.log.checkpoints import CheckpointUnreadable, read_rows, write_rows
from penstock.log.files import private_descriptor
from penstock.wire.batch import CRC_FROM, HEADER_SIZE, LENGTH_OVERHEAD, BatchHeader

_log = structlog.get_logger(__name__)

FILE_NAME: Final = "damaged-batches"


class DamagedRange(msgspec.Struct, frozen=True, gc=False):
    """Bytes [position, end) of a segment's file; offsets from `first_offset` on are affected."""

    position: int
    end: int
    first_offset: int


class Damage:
    """One log's; its methods are called on the event loop."""

    __slots__ = ("folder", "ranges")

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ranges: dict[int, list[DamagedRange]] = {}
        """By base offset of the segment; empty for nearly every log there is."""

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
            folder=str(self.folder),
            segment=segment_base,
            position=found.position,
            first_offset=found.first_offset,
            reason=reason,
        )
        self._save()

    def clip(self, segment_base: int, path: str, *, position: int, stop: int) -> int:
        """Where a slice [position, stop) of a segment must end; CorruptMessage if it would begin with a bad batch."""
        for known in list(self.ranges.get(segment_base, ())):
            if known.end <= position or known.position >= stop:
                continue
            if is_sound(path, known.position):
                self.forget(segment_base, known)
            elif known.position <= position:
                raise CorruptMessage(f"the batch at offset {known.first_offset} is damaged")
            else:
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

    def _save(self) -> None:
        path = self.folder / FILE_NAME
        if not self.ranges:
            path.unlink(missing_ok=True)
            return
        rows = [
            f"{base} {known.position} {known.end} {known.first_offset}"
            for base, here in self.ranges.items()
            for known in here
        ]
        try:
            write_rows(str(path), rows)
        except OSError as error:  # it is still known until the broker stops
            _log.error("could not write down damage", file=str(path), reason=str(error))

    def load(self) -> None:
        """What the runs before have found; OSError where nobody knows."""
        try:
            for row in read_rows(str(self.folder / FILE_NAME)) or []:
                base, position, end, first_offset = map(int, row)
                self.ranges.setdefault(base, []).append(DamagedRange(position, end, first_offset))
        except (CheckpointUnreadable, ValueError) as error:
            _log.warning("list of damaged batches unreadable", folder=str(self.folder), reason=str(error))


def bad_range(fd: int, position: int, *, size: int, first_offset: int) -> DamagedRange:
    """What is lost with the bad batch at a position: up to where its length leads, if that looks like a batch, else all
    that is left of the file."""
    header = _header_at(fd, position)
    end = size
    if header is not None and header.length >= HEADER_SIZE - LENGTH_OVERHEAD:
        following = _header_at(fd, position + header.size)
        if following is not None and following.magic == 2 and position + header.size + following.size <= size:
            end = position + header.size
    return DamagedRange(position, end, first_offset)


def _header_at(fd: int, position: int) -> BatchHeader | None:
    data = os.pread(fd, HEADER_SIZE, position)
    return BatchHeader.peek(data) if len(data) == HEADER_SIZE else None


def is_sound(path: str, position: int) -> bool:
    """Whether a whole batch with the right checksum is at a position, or nothing any more."""
    try:
        with private_descriptor(path) as fd:
            size = os.fstat(fd).st_size
            if position >= size:
                return True
            header = _header_at(fd, position)
            if header is None or header.magic != 2:
                return False
            if not HEADER_SIZE - LENGTH_OVERHEAD <= header.length <= size - position:
                return False
            batch = os.pread(fd, header.size, position)
    except OSError:
        return False
    return len(batch) == header.size and crc32c.crc32c(batch[CRC_FROM:]) == header.crc
