"""A walk over a batch and the reading of its records agree on what is sound."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.wire import batch as layout
from penstock.wire.compression import CODEC_NAMES, ZSTD
from penstock.wire.malformed import Malformed
from penstock.wire.records import Record, build_batch, iterate
from penstock.wire.survey import PAUSE_RECORDS, Survey, survey

Fields = list[tuple[int, bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...]]]
NOW = 1_700_000_000_000
nullable = st.none() | st.binary(max_size=200)
headers = st.lists(st.tuples(st.text(max_size=5), nullable), max_size=3).map(tuple)
bodies = st.lists(st.tuples(st.integers(-9_000, 9_000), nullable, nullable, headers), min_size=1, max_size=20)


def a_batch(fields: Fields, codec: int) -> bytearray:
    return build_batch(
        [Record(i, NOW + t, key, value, named) for i, (t, key, value, named) in enumerate(fields)], compression=codec
    )


@given(bodies, st.sampled_from(sorted(CODEC_NAMES)))
def test_what_a_producer_wrote_is_found(fields: Fields, codec: int) -> None:
    times = [NOW + t for t, *_ in fields]
    found = survey(a_batch(fields, codec))
    assert found == Survey(min(times), max(times), has_keyless=any(key is None for _, key, *_ in fields))


@given(bodies, st.data())
def test_a_changed_byte_is_refused_by_both_or_taken_by_both(fields: Fields, data: st.DataObject) -> None:
    batch = a_batch(fields, 0)
    place = data.draw(st.integers(layout.HEADER_SIZE, len(batch) - 1))
    batch[place] = data.draw(st.integers(0, 255))
    try:
        records = list(iterate(batch))
    except Malformed:
        records = []
    try:
        found = survey(batch)
    except Malformed:
        assert not records
    else:
        assert records, "the walk took what reading refuses"
        assert found.oldest == min(each.timestamp for each in records)


def test_a_long_walk_pauses() -> None:
    pauses: list[None] = []
    survey(a_batch([(0, None, None, ())] * (3 * PAUSE_RECORDS), 0), pause=lambda: pauses.append(None))
    assert len(pauses) == 2


def test_a_batch_that_unpacks_to_more_than_it_may_is_refused_unwalked() -> None:
    bomb = build_batch([Record(0, NOW, None, bytes(1_000_000))], compression=ZSTD)
    assert len(bomb) < 1_000
    with pytest.raises(Malformed, match="more than 4096 bytes"):
        survey(bomb, at_most=4_096)
