"""The two sparse indexes, in memory and in Kafka's file formats."""

import struct

from penstock.log.segments.indexes import IndexCache, OffsetIndex, TimeIndex


def an_offset_index(*entries: tuple[int, int]) -> OffsetIndex:
    index = OffsetIndex()
    for last, position in entries:
        index.add(last, position)
    return index


def test_the_offset_index_is_written_as_kafka_writes_it() -> None:
    index = an_offset_index((5, 4_000), (9, 8_200))

    assert index.to_bytes() == struct.pack(">IIII", 5, 4_000, 9, 8_200)
    again = OffsetIndex.from_bytes(index.to_bytes())
    assert (list(again.lasts), list(again.positions)) == ([5, 9], [4_000, 8_200])


def test_the_time_index_is_written_as_kafka_writes_it() -> None:
    index = TimeIndex()
    index.add(1_700_000_000_000, 3)
    index.add(1_700_000_000_005, 7)

    assert index.to_bytes() == struct.pack(">qIqI", 1_700_000_000_000, 3, 1_700_000_000_005, 7)
    again = TimeIndex.from_bytes(index.to_bytes())
    assert (list(again.timestamps), list(again.lasts)) == ([1_700_000_000_000, 1_700_000_000_005], [3, 7])


def test_a_search_begins_at_the_last_entry_that_is_not_past_the_offset() -> None:
    index = an_offset_index((5, 4_000), (9, 8_200))

    assert [index.floor(offset) for offset in (0, 4, 5, 8, 9, 100)] == [0, 0, 4_000, 4_000, 8_200, 8_200]
    assert index.entry_at(4) == (0, -1)
    assert index.entry_before(8_199) == (4_000, 5)


def test_only_a_larger_timestamp_makes_a_time_entry() -> None:
    index = TimeIndex()
    for timestamp, last in ((-1, 0), (10, 1), (10, 2), (9, 3), (12, 4)):
        index.add(timestamp, last)

    assert list(index.timestamps) == [10, 12]
    assert index.last() == (12, 4)


def test_a_search_by_time_begins_before_every_record_that_could_match() -> None:
    index = TimeIndex()
    index.add(10, 4)
    index.add(20, 8)

    assert [index.floor(timestamp) for timestamp in (5, 10, 11, 20, 21)] == [0, 0, 4, 4, 8]


def test_cutting_forgets_what_is_at_or_after_the_cut() -> None:
    index = an_offset_index((5, 4_000), (9, 8_200))
    index.cut(8_200)
    times = TimeIndex()
    times.add(10, 4)
    times.add(20, 8)
    times.cut(8)

    assert list(index.lasts) == [5]
    assert list(times.lasts) == [4]


def test_an_index_that_cannot_be_right_is_recognised() -> None:
    assert an_offset_index((5, 4_000), (9, 8_200)).is_sane(8_201)
    assert not an_offset_index((5, 4_000), (9, 8_200)).is_sane(8_200)
    assert not an_offset_index((5, 4_000), (5, 8_200)).is_sane(10_000)
    assert not an_offset_index((5, 4_000), (9, 3_000)).is_sane(10_000)
    assert not OffsetIndex.from_bytes(struct.pack(">IIIIII", 5, 4_000, 0, 0, 0, 0)).is_sane(10_000)


def test_a_half_written_entry_is_left_out() -> None:
    assert len(OffsetIndex.from_bytes(struct.pack(">II", 5, 4_000) + b"\0\0\0")) == 1
    assert len(TimeIndex.from_bytes(b"\0" * 11)) == 0


class Holder:
    def __init__(self) -> None:
        self.index: OffsetIndex | None = None


def test_indexes_of_closed_segments_are_bounded_in_memory() -> None:
    cache = IndexCache(bytes_max=1_000)
    holders = [Holder() for _ in range(5)]
    for holder in holders:
        cache.keep(holder, an_offset_index((1, 100), (2, 200)))

    assert [holder.index is not None for holder in holders] == [False, False, True, True, True]
    assert cache.bytes_now <= 1_000
