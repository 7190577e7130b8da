"""Which part of a log may be compacted, whether it is worth it, and which segments become one. Pure.

    start            first dirty            upto                  active
      |  clean          |  dirty, cleanable   |  not yet cleanable   |
      |  one record     |  keys are mapped    |  too young, not      |
      |  a key          |  from here on       |  stable, not flushed |

`upto` is where a segment begins: only whole closed segments are cleaned, below the last stable offset (what may still
be aborted must not displace anything) and below the recovery point that is on disk (recovery reads what is above it
batch by batch, and would take a gap there for a loss).
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

RELATIVE_OFFSET_MAX: Final = (1 << 31) - 1
GROUP_MAX: Final = 64


class ClosedSegment(msgspec.Struct, frozen=True, gc=False):
    base_offset: int
    next_offset: int  # where the segment after it begins
    size: int
    index_size: int = 0
    first_timestamp: int = -1  # of its first batch; only looked at where max.compaction.lag.ms is set
    max_timestamp: int = -1


class CompactionRules(msgspec.Struct, frozen=True, gc=False):
    min_dirty_ratio: float
    min_lag_ms: int
    max_lag_ms: int


class DirtyRange(msgspec.Struct, frozen=True, gc=False):
    """How much of a log is dirty, and up to where it may be cleaned now."""

    first_dirty: int
    upto: int
    clean_bytes: int
    dirty_bytes: int
    is_overdue: bool  # max.compaction.lag.ms has passed over a dirty record

    @property
    def ratio(self) -> float:
        total = self.clean_bytes + self.dirty_bytes
        return self.dirty_bytes / total if total else 0.0

    def is_due(self, rules: CompactionRules) -> bool:
        return self.dirty_bytes > 0 and (self.is_overdue or self.ratio > rules.min_dirty_ratio)


def survey(
    closed: Sequence[ClosedSegment], rules: CompactionRules, *, first_dirty: int, limit: int, now: int
) -> DirtyRange:
    """`closed`: all segments but the active one, oldest first. `limit`: nothing at or above this offset is cleaned."""
    upto, dirty_bytes, clean_bytes = first_dirty, 0, 0
    is_overdue = False
    for segment in closed:
        is_dirty = segment.next_offset > first_dirty
        if not is_dirty:
            clean_bytes += segment.size
            continue
        if segment.next_offset > limit:
            break
        if rules.min_lag_ms > 0 and segment.max_timestamp > now - rules.min_lag_ms:
            break
        upto = segment.next_offset
        dirty_bytes += segment.size
        is_overdue = is_overdue or 0 < segment.first_timestamp < now - rules.max_lag_ms
    return DirtyRange(first_dirty, upto, clean_bytes, dirty_bytes, is_overdue)


def dirtiest(logs: Iterable[tuple[str, DirtyRange, CompactionRules]]) -> str | None:
    """The name of the log to clean next: overdue ones first, then by ratio."""
    due = [(dirt.is_overdue, dirt.ratio, name) for name, dirt, rules in logs if dirt.is_due(rules)]
    return max(due)[2] if due else None


def group(
    segments: Sequence[ClosedSegment], *, segment_bytes: int, segment_index_bytes: int
) -> list[list[ClosedSegment]]:
    """Neighbours that fit into one segment together, going by their sizes before cleaning.

    At most GROUP_MAX of them: the event loop renames their files in one go.
    """
    groups: list[list[ClosedSegment]] = []
    size = index_size = 0
    for segment in segments:
        fits = (
            groups
            and len(groups[-1]) < GROUP_MAX
            and size + segment.size <= segment_bytes
            and index_size + segment.index_size <= segment_index_bytes
            and segment.next_offset - 1 - groups[-1][0].base_offset <= RELATIVE_OFFSET_MAX
        )
        if fits:
            groups[-1].append(segment)
            size += segment.size
            index_size += segment.index_size
        else:
            groups.append([segment])
            size, index_size = segment.size, segment.index_size
    return groups
