"""Ranges of a set of offsets, against a set of Python's."""

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.delivery.schedules.offset_set import PAGE_BITS, OffsetSet

PAGE = 1 << PAGE_BITS
SPANS = st.tuples(st.integers(0, 2 * PAGE + 40), st.integers(0, 300))


@settings(max_examples=60)
@given(st.lists(SPANS, max_size=12), st.lists(st.integers(0, 2 * PAGE), max_size=12), st.integers(0, 2 * PAGE + 400))
def test_ranges_what_is_missing_and_a_set_begun_anew(
    spans: list[tuple[int, int]], missing: list[int], end: int
) -> None:
    offsets, model = OffsetSet(10), set(range(10))
    for first, count in spans:
        offsets.add_range(first, first + count)
        model |= set(range(first, first + count))
    assert list(offsets.missing_below(end)) == [offset for offset in range(end) if offset not in model]
    restored = OffsetSet.restored(offsets.floor, offsets.pages())
    assert list(restored.missing_below(end)) == list(offsets.missing_below(end))
    left = sorted({offset for offset in missing if 10 <= offset < end})
    offsets.reset_below(end, left)
    assert list(offsets.missing_below(end)) == left
    for offset in range(end, min(end + 50, 2 * PAGE)):
        assert (offset in offsets) == (offset in model)
