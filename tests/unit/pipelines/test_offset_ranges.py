from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.pipelines.jobs.copying.offset_ranges import OffsetRange, after, from_json, lag, next_stretches, to_json

OFFSETS = st.dictionaries(st.integers(0, 7), st.integers(0, 10_000))


@settings(deadline=None)
@given(OFFSETS, OFFSETS, st.integers(1, 5_000))
def test_batches_go_through_everything_once_and_in_order(at: dict[int, int], ends: dict[int, int], most: int) -> None:
    seen: dict[int, list[OffsetRange]] = {}
    position = dict(at)
    while stretches := next_stretches(position, ends, records_max=most):
        assert 0 < sum(stretch.length for stretch in stretches) <= most
        for stretch in stretches:
            assert stretch.first == position.get(stretch.partition, 0)
            seen.setdefault(stretch.partition, []).append(stretch)
        position = after(position, stretches)
    assert lag(position, ends) == 0
    for partition, end in ends.items():
        first = at.get(partition, 0)
        covered = sum(stretch.length for stretch in seen.get(partition, []))
        assert covered == max(end - first, 0)


def test_partitions_come_to_their_ends_together() -> None:
    stretches = next_stretches({}, {0: 1000, 1: 10_000}, records_max=1100)
    assert stretches == (OffsetRange(0, 0, 100), OffsetRange(1, 0, 1000))


def test_stretches_survive_being_written_down() -> None:
    stretches = (OffsetRange(0, 5, 9), OffsetRange(3, 0, 1))
    assert from_json(to_json(stretches)) == stretches
