from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.pipelines.jobs.redrive.offsets import OffsetSet

PLACES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 60)))


@settings(deadline=None)
@given(PLACES, PLACES)
def test_a_set_of_offsets_is_a_set(first: list[tuple[int, int]], second: list[tuple[int, int]]) -> None:
    whole = OffsetSet.of(first).with_places(second)
    expected = {*first, *second}
    assert list(whole) == sorted(expected) and len(whole) == len(expected)
    for partition in range(3):
        for offset in range(62):
            assert ((partition, offset) in whole) == ((partition, offset) in expected)


@settings(deadline=None)
@given(PLACES)
def test_a_set_survives_being_packed(places: list[tuple[int, int]]) -> None:
    assert list(OffsetSet.unpack(OffsetSet.of(places).pack())) == sorted(set(places))


def test_what_the_log_has_lost_counts_as_sent() -> None:
    kept = OffsetSet.of([(0, 3), (0, 12), (0, 20)]).without_below({0: 10})
    assert kept.ranges[0] == ((0, 10), (12, 13), (20, 21))


def test_a_hundred_thousand_scattered_offsets_fit_into_a_record() -> None:
    assert len(OffsetSet.of((0, 3 * each) for each in range(100_000)).pack()) < 100_000
