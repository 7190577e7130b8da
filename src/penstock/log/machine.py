"""Decisions of the log, pure: when to roll, what retention deletes, what needs flushing.

Invariants: the active segment is never deleted, it is rolled first; retention deletes a prefix of the segments and
never one that reaches past the high watermark; a segment is rolled at the latest when its 32-bit relative offsets end.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Final
from zlib import crc32

import msgspec

RELATIVE_OFFSET_MAX: Final = (1 << 31) - 1


class RollReason(Enum):
    SIZE = "segment.bytes"
    AGE = "segment.ms"
    INDEX_FULL = "segment.index.bytes"
    OFFSET_RANGE = "offset range"


def roll_jitter_ms(partition: str, base_offset: int, jitter_ms: int, segment_ms: int) -> int:
    """How much earlier than segment.ms a segment is rolled: spread over partitions, the same at every look."""
    span = min(jitter_ms, segment_ms)
    return crc32(f"{partition}@{base_offset}".encode()) % span if span > 0 else 0


def index_entries_max(segment_index_bytes: int) -> int:
    """An index may hold this many entries before its segment is rolled; the time index's last one is kept free."""
    return min(segment_index_bytes // 8, segment_index_bytes // 12 - 1)


class RollLimits(msgspec.Struct, frozen=True, gc=False):
    """When a segment is full, worked out from the topic's settings once for as long as they stay the same."""

    version: int
    segment_bytes: int
    segment_ms: int
    segment_jitter_ms: int
    index_entries: int
    index_interval_bytes: int


def roll_reason(
    limits: RollLimits,
    *,
    partition: str,
    base_offset: int,
    segment_size: int,
    append_size: int,
    age_ms: int,
    index_entries: int,
    last_offset: int,
) -> RollReason | None:
    """Why the next append needs a new segment; None where it does not.

    The age is that of its first record by record time, so that a replayed history is cut as it was; records without
    a timestamp age by the clock. An empty segment is rolled only where offsets would not fit.
    """
    if last_offset - base_offset > RELATIVE_OFFSET_MAX:
        return RollReason.OFFSET_RANGE
    if not segment_size:
        return None
    if segment_size + append_size > limits.segment_bytes:
        return RollReason.SIZE
    if index_entries >= limits.index_entries:
        return RollReason.INDEX_FULL
    jitter_ms = roll_jitter_ms(partition, base_offset, limits.segment_jitter_ms, limits.segment_ms)
    return RollReason.AGE if age_ms > limits.segment_ms - jitter_ms else None


class SegmentFacts(msgspec.Struct, frozen=True, gc=False):
    """What retention looks at, oldest segment first."""

    base_offset: int
    next_base_offset: int
    size: int
    timestamp: int


class RetentionRules(msgspec.Struct, frozen=True, gc=False):
    """retention_ms and retention_bytes: below 0 is no limit. Compacted-only topics delete by log start offset alone."""

    retention_ms: int
    retention_bytes: int
    deletes: bool


class Expired(msgspec.Struct, frozen=True, gc=False):
    count: int
    """Segments to delete, from the oldest on."""

    reason: str


def expired_segments(
    segments: Sequence[SegmentFacts], rules: RetentionRules, *, now: int, start_offset: int, high_watermark: int
) -> Expired:
    """How many of the oldest segments may go."""
    best = Expired(0, "")
    for count, reason in (
        (_below_start(segments, start_offset), "log start offset"),
        (_too_old(segments, rules, now) if rules.deletes else 0, "retention.ms"),
        (_too_much(segments, rules) if rules.deletes else 0, "retention.bytes"),
    ):
        if count > best.count:
            best = Expired(count, reason)
    allowed = 0
    while allowed < best.count and segments[allowed].next_base_offset <= high_watermark:
        allowed += 1
    return Expired(allowed, best.reason)


def _below_start(segments: Sequence[SegmentFacts], start_offset: int) -> int:
    count = 0
    while count < len(segments) - 1 and segments[count].next_base_offset <= start_offset:
        count += 1
    return count


def _too_old(segments: Sequence[SegmentFacts], rules: RetentionRules, now: int) -> int:
    if rules.retention_ms < 0:
        return 0
    count = 0
    while count < len(segments) and now - segments[count].timestamp > rules.retention_ms:
        # An empty active segment holds nothing to delete.
        if count == len(segments) - 1 and not segments[count].size:
            break
        count += 1
    return count


def _too_much(segments: Sequence[SegmentFacts], rules: RetentionRules) -> int:
    """As many as still leave retention.bytes: a segment goes only if what remains is at least that."""
    if rules.retention_bytes < 0:
        return 0
    excess = sum(segment.size for segment in segments) - rules.retention_bytes
    count = 0
    while count < len(segments) and segments[count].size <= excess:
        if count == len(segments) - 1 and not segments[count].size:
            break
        excess -= segments[count].size
        count += 1
    return count


def flush_is_due(
    *, unflushed_records: int, since_flush_ms: int, flush_messages: int, flush_ms: int, before_ack: bool
) -> bool:
    """Whether what was appended must be on disk before its producer hears of it, or by now in any case."""
    if unflushed_records <= 0:
        return False
    return before_ack or unflushed_records >= flush_messages or since_flush_ms >= flush_ms
