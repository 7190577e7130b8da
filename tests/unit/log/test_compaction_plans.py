"""Which part of a log may be cleaned, whether it is worth it, and which segments become one."""

from penstock.log.compaction.offset_map import OffsetMap
from penstock.log.compaction.plan import (
    ClosedSegment,
    CompactionRules,
    DirtyRange,
    dirtiest,
    group,
    survey,
)

NOW = 1_000_000
FOREVER = 1 << 62
RULES = CompactionRules(min_dirty_ratio=0.5, min_lag_ms=0, max_lag_ms=FOREVER)


def _segments(*sizes: int, records: int = 10, first_timestamp: int = 1, max_timestamp: int = 1) -> list[ClosedSegment]:
    return [
        ClosedSegment(
            base_offset=n * records,
            next_offset=(n + 1) * records,
            size=size,
            first_timestamp=first_timestamp,
            max_timestamp=max_timestamp,
        )
        for n, size in enumerate(sizes)
    ]


def test_segments_before_the_checkpoint_are_clean_and_after_it_dirty() -> None:
    dirt = survey(_segments(100, 100, 300, 300), RULES, first_dirty=20, limit=FOREVER, now=NOW)
    assert (dirt.clean_bytes, dirt.dirty_bytes, dirt.upto) == (200, 600, 40)
    assert dirt.ratio == 0.75 and dirt.is_due(RULES)


def test_a_log_at_the_ratio_is_not_yet_due() -> None:
    dirt = survey(_segments(100, 100), RULES, first_dirty=10, limit=FOREVER, now=NOW)
    assert dirt.ratio == 0.5 and not dirt.is_due(RULES)


def test_a_segment_that_reaches_past_the_limit_waits() -> None:
    dirt = survey(_segments(100, 100, 100), RULES, first_dirty=0, limit=29, now=NOW)
    assert (dirt.upto, dirt.dirty_bytes) == (20, 200)


def test_a_checkpoint_within_a_segment_leaves_that_segment_dirty() -> None:
    dirt = survey(_segments(100, 100), RULES, first_dirty=13, limit=FOREVER, now=NOW)
    assert (dirt.clean_bytes, dirt.dirty_bytes, dirt.upto) == (100, 100, 20)


def test_records_younger_than_min_compaction_lag_ms_wait_and_all_after_them() -> None:
    rules = CompactionRules(min_dirty_ratio=0.0, min_lag_ms=1_000, max_lag_ms=FOREVER)
    old, young = NOW - 1_000, NOW - 999
    segments = [
        ClosedSegment(0, 10, 100, max_timestamp=old),
        ClosedSegment(10, 20, 100, max_timestamp=young),
        ClosedSegment(20, 30, 100, max_timestamp=old),
    ]
    assert survey(segments, rules, first_dirty=0, limit=FOREVER, now=NOW).upto == 10


def test_a_record_older_than_max_compaction_lag_ms_makes_a_log_due_whatever_its_ratio() -> None:
    rules = CompactionRules(min_dirty_ratio=0.9, min_lag_ms=0, max_lag_ms=1_000)
    segments = _segments(900, 100, first_timestamp=NOW - 1_000)
    assert not survey(segments, rules, first_dirty=10, limit=FOREVER, now=NOW).is_due(rules)
    assert survey(segments, rules, first_dirty=10, limit=FOREVER, now=NOW + 1).is_due(rules)
    assert not survey(segments, rules, first_dirty=20, limit=FOREVER, now=NOW + 1).is_due(rules)


def test_the_dirtiest_log_is_next_and_an_overdue_one_before_it() -> None:
    def dirt(clean: int, dirty: int, *, overdue: bool = False) -> DirtyRange:
        return DirtyRange(0, 10, clean, dirty, is_overdue=overdue)

    assert dirtiest([("a", dirt(10, 20), RULES), ("b", dirt(10, 30), RULES)]) == "b"
    assert dirtiest([("a", dirt(90, 10, overdue=True), RULES), ("b", dirt(10, 30), RULES)]) == "a"
    assert dirtiest([("a", dirt(90, 10), RULES), ("b", dirt(0, 0, overdue=True), RULES)]) is None


def test_neighbours_are_grouped_while_they_fit() -> None:
    def bases(*sizes: int, segment_bytes: int = 100, index_bytes: int = 1 << 20) -> list[list[int]]:
        groups = group(_segments(*sizes), segment_bytes=segment_bytes, segment_index_bytes=index_bytes)
        return [[segment.base_offset for segment in members] for members in groups]

    assert bases(40, 60, 1, 99, 100, 101, 5) == [[0, 10], [20, 30], [40], [50], [60]]
    assert bases() == []
    assert [len(members) for members in bases(*[1] * 100)] == [64, 36]


def test_a_group_s_offsets_fit_into_32_bits() -> None:
    segments = [ClosedSegment(0, 10, 1), ClosedSegment(10, 1 << 31, 1), ClosedSegment(1 << 31, (1 << 31) + 1, 1)]
    groups = group(segments, segment_bytes=100, segment_index_bytes=100)
    assert [len(members) for members in groups] == [2, 1]


def test_the_map_takes_as_many_keys_as_its_memory_allows() -> None:
    keys = OffsetMap(192 * 3)
    assert [keys.put(key, n) for n, key in enumerate([b"a", b"b", b"c" * 100, b"d"])] == [True, True, True, False]
    assert keys.put(b"a", 9) and len(keys) == 3
    assert (keys.newest(b"a"), keys.newest(b"c" * 100), keys.newest(b"d")) == (9, 2, -1)
    assert OffsetMap(0).put(b"a", 0)
