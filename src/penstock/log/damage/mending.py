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

from penstock.log.damage.damage import BadBatch, DamagedRange, find_bad
from penstock.log.partition_log import PartitionLog
from penstock.log.segments.scan import Damaged, walk
from penstock.log.segments.segment import Segment
from penstock.wire.batch import CRC_FROM, HEADER_SIZE, BatchHeader

MAGIC: Final = 2


class RepairMismatch(Exception):
    """The other replica's batches do not fit between the sound ones of this log."""


class RepairTarget(msgspec.Struct, frozen=True):
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


def repairs(log: PartitionLog) -> list[RepairTarget]:
    """What is known to be damaged in closed segments, oldest first."""
    following = zip(log.segments, log.segments[1:], strict=False)
    return [
        RepairTarget(log, segment, known, log.cuts, after.base_offset)
        for segment, after in following
        for known in log.damage.ranges.get(segment.base_offset, ())
    ]


@contextmanager
def opened(repair: RepairTarget) -> Iterator[int]:
    """A descriptor of the very file that was found bad, whatever takes its name meanwhile; on the loop."""
    fd = repair.segment.file.pin(for_reader=False)
    try:
        yield fd
    finally:
        repair.segment.file.unpin()


def batches_that_fit(repair: RepairTarget, fd: int, sent: bytes) -> bytes | None:
    """The part of what another replica sent that belongs into the damaged range; None: it takes more.

    RepairMismatch, OSError. Blocks.
    """
    position, expected = 0, repair.known.first_offset
    while len(sent) - position >= HEADER_SIZE:
        header = BatchHeader.peek(sent, position)
        if header.size > len(sent) - position:
            return None
        _check(repair, header, sent[position : position + header.size], expected)
        position, expected = position + header.size, header.next_offset
        if _is_followed(repair, fd, repair.known.position + position, expected):
            return sent[:position]
    return None


def _check(repair: RepairTarget, header: BatchHeader, batch: bytes, expected: int) -> None:
    if header.magic != MAGIC or header.size < HEADER_SIZE or header.crc != crc32c(batch[CRC_FROM:]):
        raise RepairMismatch(f"another replica's batch at {expected} is not sound either")
    if header.base_offset < expected or (header.base_offset > expected and not repair.log.may_have_gaps):
        raise RepairMismatch(f"another replica has a batch from {header.base_offset} on, here one begins at {expected}")
    if header.leader_epoch != repair.log.epochs.epoch_at(header.base_offset):
        raise RepairMismatch(
            f"another replica's batch at {header.base_offset} is of leader epoch {header.leader_epoch}"
        )


def _is_followed(repair: RepairTarget, fd: int, position: int, expected: int) -> bool:
    """Whether a sound batch, or the segment's end, comes at that byte."""
    size, may_have_gaps = repair.segment.size, repair.log.may_have_gaps
    if position == size:
        return expected == repair.next_base or (may_have_gaps and expected <= repair.next_base)
    if position > size or expected >= repair.next_base:
        raise RepairMismatch(f"another replica's batches are larger than the room for them before {repair.next_base}")
    try:
        found = next(walk(fd, position, size, expected_offset=expected))
    except Damaged:
        return False
    return may_have_gaps or found.header.base_offset == expected


def write_into(repair: RepairTarget, fd: int, batches: bytes) -> list[BadBatch]:
    """Write what fits and make it last; what is still bad in the damaged range after it. OSError. Blocks."""
    written = 0
    while written < len(batches):
        written += os.pwrite(fd, memoryview(batches)[written:], repair.known.position + written)
    os.fdatasync(fd)
    known, segment = repair.known, repair.segment
    return find_bad(
        fd, segment, position=known.position, end=known.end, size=segment.size, expected_offset=known.first_offset
    )


def mended(repair: RepairTarget, left: list[BadBatch]) -> None:
    """On the loop, after the write: the range is sound, but for what was found `left`."""
    damage = repair.log.damage
    damage.forget(repair.segment.base_offset, repair.known)
    for one in left:
        damage.report(repair.segment.base_offset, one.where, one.reason)
