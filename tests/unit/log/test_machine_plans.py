"""When to roll, what to delete, what to flush: decided without a disk."""

import pytest

from penstock.log.machine import (
    RELATIVE_OFFSET_MAX,
    RetentionRules,
    RollLimits,
    RollReason,
    SegmentFacts,
    expired_segments,
    flush_is_due,
    index_entries_max,
    roll_jitter_ms,
    roll_reason,
)

FOREVER = -1
LIMITS = RollLimits(
    version=0,
    segment_bytes=1_000,
    segment_ms=60_000,
    segment_jitter_ms=0,
    index_entries=100,
    index_interval_bytes=4_096,
)


def reason(**changed: int) -> RollReason | None:
    facts = {
        "base_offset": 0,
        "segment_size": 500,
        "append_size": 100,
        "age_ms": 1_000,
        "index_entries": 3,
        "last_offset": 10,
    } | changed
    return roll_reason(LIMITS, partition="orders-0", **facts)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, None),
        ({"append_size": 500}, None),
        ({"append_size": 501}, RollReason.SIZE),
        ({"age_ms": 60_000}, None),
        ({"age_ms": 60_001}, RollReason.AGE),
        ({"index_entries": 100}, RollReason.INDEX_FULL),
        ({"last_offset": RELATIVE_OFFSET_MAX}, None),
        ({"last_offset": RELATIVE_OFFSET_MAX + 1}, RollReason.OFFSET_RANGE),
        ({"segment_size": 0, "append_size": 5_000, "age_ms": 99_999}, None),
    ],
)
def test_a_segment_is_rolled_for_a_reason(changed: dict[str, int], expected: RollReason | None) -> None:
    assert reason(**changed) is expected


def test_jitter_spreads_partitions_and_stays_the_same_for_each() -> None:
    jitters = {roll_jitter_ms(f"orders-{number}", 0, 10_000, 60_000) for number in range(100)}

    assert len(jitters) > 80
    assert all(0 <= jitter < 10_000 for jitter in jitters)
    assert roll_jitter_ms("orders-1", 0, 10_000, 60_000) == roll_jitter_ms("orders-1", 0, 10_000, 60_000)
    assert roll_jitter_ms("orders-1", 0, 0, 60_000) == 0


def test_an_index_is_full_before_either_file_outgrows_its_setting() -> None:
    assert index_entries_max(10 * 1024 * 1024) == 873_812
    assert index_entries_max(60) == 4


def segments(*facts: tuple[int, int]) -> list[SegmentFacts]:
    """(size, timestamp) of segments of ten records each."""
    return [SegmentFacts(10 * n, 10 * n + 10, size, timestamp) for n, (size, timestamp) in enumerate(facts)]


def expired(
    held: list[SegmentFacts], *, ms: int = FOREVER, size: int = FOREVER, deletes: bool = True, **more: int
) -> tuple[int, str]:
    where = {"now": 1_000, "start_offset": 0, "high_watermark": 1_000} | more
    found = expired_segments(held, RetentionRules(ms, size, deletes), **where)
    return found.count, found.reason if found.count else ""


def test_segments_older_than_retention_ms_go() -> None:
    held = segments((100, 100), (100, 500), (100, 950))

    assert expired(held, ms=500) == (1, "retention.ms")
    assert expired(held, ms=499) == (2, "retention.ms")
    assert expired(held, ms=FOREVER) == (0, "")


def test_an_old_segment_behind_a_younger_one_waits_for_it() -> None:
    assert expired(segments((100, 900), (100, 100), (100, 950)), ms=500) == (0, "")


def test_the_active_segment_goes_too_when_it_is_old_and_has_records() -> None:
    assert expired(segments((100, 100), (100, 200)), ms=500) == (2, "retention.ms")
    assert expired(segments((100, 100), (0, 200)), ms=500) == (1, "retention.ms")


@pytest.mark.parametrize("no_limit", [-1, -7, -3_600_000])
def test_whatever_is_below_zero_is_no_limit(no_limit: int) -> None:
    held = [SegmentFacts(0, 10, 100, 1_000), SegmentFacts(10, 20, 100, 2_000)]
    assert expired(held, ms=no_limit, size=no_limit) == (0, "")


def test_as_many_segments_go_as_still_leave_retention_bytes() -> None:
    held = segments((100, 900), (100, 900), (100, 900))

    assert expired(held, size=200) == (1, "retention.bytes")
    assert expired(held, size=150) == (1, "retention.bytes")
    assert expired(held, size=100) == (2, "retention.bytes")
    assert expired(held, size=300) == (0, "")


def test_segments_below_the_log_start_go_whatever_the_policy() -> None:
    held = segments((100, 900), (100, 900), (100, 900))

    assert expired(held, deletes=False, start_offset=20) == (2, "log start offset")
    assert expired(held, deletes=False, start_offset=19) == (1, "log start offset")
    assert expired(held, deletes=False, ms=1) == (0, "")


def test_nothing_past_the_high_watermark_goes() -> None:
    held = segments((100, 100), (100, 100), (100, 100))

    assert expired(held, ms=10, high_watermark=19) == (1, "retention.ms")
    assert expired(held, ms=10, high_watermark=9) == (0, "")


@pytest.mark.parametrize(
    ("unflushed", "since_ms", "before_ack", "expected"),
    [(0, 9_999, True, False), (1, 0, True, True), (9, 0, False, False), (10, 0, False, True), (1, 500, False, True)],
)
def test_a_flush_is_due_by_count_by_time_or_before_every_acknowledgement(
    unflushed: int, since_ms: int, before_ack: bool, expected: bool
) -> None:
    due = flush_is_due(
        unflushed_records=unflushed, since_flush_ms=since_ms, flush_messages=10, flush_ms=500, before_ack=before_ack
    )
    assert due is expected
