"""Putting damaged batches right with the bytes that another replica has for their offsets.

Below the high watermark replicas have equal batches (RULES 24), so what the other one sends belongs exactly where the
damage is. That is not believed but seen: each batch must be sound and of the leader epoch that this log knows for its
offset, and after the last one a sound batch of this log, or its segment's end, must follow at that very byte. Where a
compaction has left the two with different batches nothing fits, and nothing is written.

A crash in the middle of the write leaves a batch that is damaged, and known to be.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import msgspec
from crc32c import crc32c

from penstock.log.copy_pieces import Piece, find_piece, read_piece
from penstock.log.damage import DamagedRange, bad_range
from penstock.log.files import private_descriptor
from penstock.log.partition_log import PartitionLog
from penstock.log.scan import Damaged, walk
from penstock.log.segment import Segment
from penstock.wire.batch import CRC_FROM, HEADER_SIZE, BatchHeader

MAGIC: Final = 2


class Misfit(Exception):
    """The other replica's batches do not fit between the sound ones of this log."""


class Wound(msgspec.Struct, frozen=True):
    """A damaged range of a closed segment, and what follows it; looked up on the loop, used in threads."""

    log: PartitionLog
    segment: Segment
    known: DamagedRange
    cuts: int
    next_base: int
    """Where the segment after it begins."""

    @property
    def is_current(self) -> bool:
        """Whether it is still the same bytes that were found bad; on the loop."""
        here = self.log.damage.ranges.get(self.segment.base_offset, ())
        return self.known in here and self.segment in self.log.segments and self.cuts == self.log.cuts


def wounds(log: PartitionLog) -> list[Wound]:
    """What is known to be damaged in closed segments, oldest first."""
    following = zip(log.segments, log.segments[1:], strict=False)
    return [
        Wound(log, segment, known, log.cuts, after.base_offset)
        for segment, after in following
        for known in log.damage.ranges.get(segment.base_offset, ())
    ]


class Suspect(msgspec.Struct, frozen=True):
    """A batch that somebody cannot take; looked up on the loop, used in a thread."""

    piece: Piece
    segment: Segment
    segment_size: int
    cuts: int


def suspect(log: PartitionLog, offset: int) -> Suspect | None:
    """The batch at an offset; None where there is none. CorruptMessage where it is known to be damaged."""
    piece = find_piece(log, offset, bytes_max=1)
    segment = next((each for each in log.segments if piece is not None and each.file.path == piece.path), None)
    return None if piece is None or segment is None else Suspect(piece, segment, segment.size, log.cuts)


def examine(suspected: Suspect) -> tuple[DamagedRange, str] | None:
    """What is wrong with it, if anything is. OSError. Blocks."""
    try:
        read_piece(suspected.piece)
    except Damaged as damage:
        with private_descriptor(suspected.piece.path) as fd:
            where = bad_range(
                fd, damage.position, size=suspected.segment_size, first_offset=suspected.piece.first_offset
            )
        return where, str(damage)
    return None


def convict(log: PartitionLog, suspected: Suspect, where: DamagedRange, reason: str) -> None:
    """It is bad: not served again, and in a segment that is closed, so that it can be mended. OSError."""
    if suspected.segment not in log.segments or suspected.cuts != log.cuts:
        return
    log.damage.report(suspected.segment.base_offset, where, reason)
    if suspected.segment is log.active:
        log.roll()


@contextmanager
def opened(wound: Wound) -> Iterator[int]:
    """A descriptor of the very file that was found bad, whatever takes its name meanwhile; on the loop."""
    fd = wound.segment.file.pin(for_reader=False)
    try:
        yield fd
    finally:
        wound.segment.file.unpin()


def batches_that_fit(wound: Wound, fd: int, sent: bytes) -> bytes | None:
    """The part of what another replica sent that belongs into the wound; None: it takes more. Misfit, OSError.
    Blocks.
    """
    position, expected = 0, wound.known.first_offset
    while len(sent) - position >= HEADER_SIZE:
        header = BatchHeader.peek(sent, position)
        if header.size > len(sent) - position:
            return None
        _check(wound, header, sent[position : position + header.size], expected)
        position, expected = position + header.size, header.next_offset
        if _is_followed(wound, fd, wound.known.position + position, expected):
            return sent[:position]
    return None


def _check(wound: Wound, header: BatchHeader, batch: bytes, expected: int) -> None:
    if header.magic != MAGIC or header.size < HEADER_SIZE or header.crc != crc32c(batch[CRC_FROM:]):
        raise Misfit(f"another replica's batch at {expected} is not sound either")
    if header.base_offset < expected or (header.base_offset > expected and not wound.log.may_have_gaps):
        raise Misfit(f"another replica has a batch from {header.base_offset} on, here one begins at {expected}")
    if header.leader_epoch != wound.log.epochs.epoch_at(header.base_offset):
        raise Misfit(f"another replica's batch at {header.base_offset} is of leader epoch {header.leader_epoch}")


def _is_followed(wound: Wound, fd: int, position: int, expected: int) -> bool:
    """Whether a sound batch, or the segment's end, comes at that byte."""
    size, may_have_gaps = wound.segment.size, wound.log.may_have_gaps
    if position == size:
        return expected == wound.next_base or (may_have_gaps and expected <= wound.next_base)
    if position > size or expected >= wound.next_base:
        raise Misfit(f"another replica's batches are larger than the room for them before {wound.next_base}")
    try:
        found = next(walk(fd, position, size, expected_offset=expected))
    except Damaged:
        return False
    return may_have_gaps or found.header.base_offset == expected


def write_into(wound: Wound, fd: int, batches: bytes) -> list[tuple[DamagedRange, str]]:
    """Write what fits and make it last; what is still bad in the damaged range after it. OSError. Blocks."""
    written = 0
    while written < len(batches):
        written += os.pwrite(fd, memoryview(batches)[written:], wound.known.position + written)
    os.fdatasync(fd)
    return _still_bad(wound, fd)


def _still_bad(wound: Wound, fd: int) -> list[tuple[DamagedRange, str]]:
    size = wound.segment.size
    try:
        for found in walk(fd, wound.known.position, size, expected_offset=wound.known.first_offset):
            if found.position + found.header.size >= wound.known.end:
                break
    except Damaged as damage:
        return [(bad_range(fd, damage.position, size=size, first_offset=damage.expected_offset), str(damage))]
    return []


def mended(wound: Wound, left: list[tuple[DamagedRange, str]]) -> None:
    """On the loop, after the write: the range is sound, but for what was found `left`."""
    damage = wound.log.damage
    damage.forget(wound.segment.base_offset, wound.known)
    for where, reason in left:
        damage.report(wound.segment.base_offset, where, reason)
