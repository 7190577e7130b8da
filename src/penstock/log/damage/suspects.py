"""Bytes of a log that somebody could not read, send or take in: a thread looks, and what is bad is refused.

Whoever comes upon them holds a slice of the log (a connection that sends it), an offset (a follower asks for it again
and again) or a range that is known to be bad and may be sound again. What is looked into is the log as it is now: where
it was cut since, or its segment exchanged or deleted, what was found says nothing and is forgotten.
"""

import asyncio
from typing import TYPE_CHECKING, Self

import msgspec
import structlog

from penstock.log.damage.damage import NOT_KNOWN, BadBatch, DamagedRange, find_bad
from penstock.log.file_pool import private_descriptor
from penstock.log.segments.scan import Damaged, walk
from penstock.log.segments.segment import Segment
from penstock.log.segments.slices import FileSlice
from penstock.metrics import MetricKind, reading

if TYPE_CHECKING:
    from penstock.log.partition_log import PartitionLog

UNSENT = reading(
    "penstock_log_unsent_slices_total",
    "Reads by clients and followers that were broken off since a log's file could not be read, or was too short.",
    labels=("topic", "partition"),
    kind=MetricKind.COUNTER,
)

_log = structlog.get_logger(__name__)


class Suspect(msgspec.Struct, frozen=True):
    """Bytes [position, end) of a segment; looked up on the loop, used in a thread."""

    log: "PartitionLog"
    segment: Segment
    position: int
    end: int
    size: int
    cuts: int

    @classmethod
    def within(cls, log: "PartitionLog", segment: Segment, position: int, end: int) -> Self:
        return cls(log, segment, position, min(end, segment.size), segment.size, log.cuts)

    @property
    def is_current(self) -> bool:
        """Whether these are still the bytes of the log; on the loop."""
        return self.segment in self.log.segments and self.cuts == self.log.cuts and self.log.health.is_readable


def suspect_slice(unsent: FileSlice) -> Suspect | None:
    """What is left of a slice that could not be sent; None where it is of no log any more, or was cut off since."""
    log, file, end = unsent.log, unsent.file, unsent.position + unsent.size
    if log is None or file is None:
        return None
    segment = next((each for each in log.segments if each.file is file), None)
    return None if segment is None or end > segment.size else Suspect.within(log, segment, unsent.position, end)


async def look_into(unread: FileSlice, reason: str) -> None:
    """A slice could not be read, or is not what was written. OSError, but not for bytes that cannot be read."""
    suspected = suspect_slice(unread)
    if suspected is not None:
        not_sent(suspected, await asyncio.to_thread(examine, suspected), reason)


def suspect(log: "PartitionLog", offset: int) -> Suspect | None:
    """The batch at an offset; None where there is none. CorruptMessage where it is known to be damaged."""
    found = log.slice(offset, at_most=1, before=log.end_offset)
    if found is None:
        return None
    try:
        return suspect_slice(found)
    finally:
        found.release()


def examine(suspected: Suspect) -> list[BadBatch]:
    """What is wrong with it, if anything is. OSError, but not for bytes that cannot be read. Blocks."""
    segment = suspected.segment
    start, _ = segment.known_index().entry_before(suspected.position - 1)
    with private_descriptor(segment.file.path) as fd:
        bad = _bad_from(start, suspected, fd)
        if start and bad and bad[0].where.position == start:
            bad = _bad_from(0, suspected, fd)  # of the very first it is not known which offsets it should hold
    return bad


def _bad_from(start: int, suspected: Suspect, fd: int) -> list[BadBatch]:
    segment = suspected.segment
    return find_bad(
        fd, segment, position=start, end=suspected.end, size=suspected.size, expected_offset=segment.base_offset
    )


async def look_again(log: "PartitionLog") -> None:
    """What was found bad and is as it should be now is served again: a cable was loose, or somebody put it right."""
    for segment in log.segments:
        for known in list(log.damage.ranges.get(segment.base_offset, ())):
            cuts, may_have_gaps = log.cuts, log.may_have_gaps
            try:
                is_good = await asyncio.to_thread(is_sound, segment, known, may_have_gaps=may_have_gaps)
            except OSError:  # deleted meanwhile, or as bad as before
                continue
            here = log.damage.ranges.get(segment.base_offset, ())
            if is_good and known in here and segment in log.segments and log.cuts == cuts and log.health.is_readable:
                _log.warning("damaged batch sound again", partition=str(log.partition), first_offset=known.first_offset)
                log.damage.forget(segment.base_offset, known)


def is_sound(segment: Segment, known: DamagedRange, *, may_have_gaps: bool) -> bool:
    """Whether what was found bad can be read and is as it should be, its offsets too, which no checksum covers.
    OSError. Blocks.
    """
    expected = known.first_offset
    try:
        with private_descriptor(segment.file.path) as fd:
            for found in walk(fd, known.position, segment.size, expected_offset=expected):
                if found.header.base_offset != expected and not may_have_gaps:
                    return False
                expected = found.header.next_offset
                if found.position + found.header.size >= known.end:
                    return may_have_gaps or known.next_offset in (NOT_KNOWN, expected)
    except Damaged:
        pass
    return False


def convict(suspected: Suspect, bad: list[BadBatch]) -> None:
    """What is bad is not served again; on the loop."""
    if suspected.is_current:
        for one in bad:
            suspected.log.damage.report(suspected.segment.base_offset, one.where, one.reason)


def not_sent(suspected: Suspect, bad: list[BadBatch], reason: str) -> None:
    """A slice could not be sent, and this is why; on the loop (RULES 47)."""
    suspected.log.damage.unsent += 1
    _log.warning(
        "log could not be sent",
        partition=str(suspected.log.partition),
        file=suspected.segment.file.path,
        position=suspected.position,
        reason=reason,
        bad_batches=len(bad),
    )
    convict(suspected, bad)
