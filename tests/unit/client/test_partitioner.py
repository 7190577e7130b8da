"""Which partition a record goes to."""

from collections.abc import Collection

import pytest
from aiokafka.partitioner import murmur2 as theirs
from hypothesis import given
from hypothesis import strategies as st

from penstock.client import PartitionInfo
from penstock.client.records.partitioner import StickyPartition, murmur2, partition_for


def partitions(count: int, *, leaderless: Collection[int] = ()) -> dict[int, PartitionInfo]:
    return {index: PartitionInfo(index, -1 if index in leaderless else 1, 0, (1,), (1,)) for index in range(count)}


class Fixed:
    def random_bytes(self, count: int) -> bytes:
        return bytes(count)

    def uniform(self, low: float, high: float) -> float:
        return 7.9


@pytest.mark.parametrize(
    ("key", "signed"),
    [(b"21", -973932308), (b"foobar", -790332482), (b"a-little-bit-long-string", -985981536), (b"abc", 479470107)],
)
def test_keys_are_hashed_as_by_java(key: bytes, signed: int) -> None:
    assert murmur2(key) == signed & 0xFFFFFFFF


@given(st.binary(max_size=40), st.integers(1, 1000))
def test_any_key_goes_where_another_client_puts_it(key: bytes, count: int) -> None:
    assert partition_for(key, count) == (theirs(key) & 0x7FFFFFFF) % count


def test_records_without_a_key_stay_together_until_a_batch_is_full() -> None:
    sticky = StickyPartition(Fixed(), batch_bytes=100)
    assert [sticky.choose(partitions(5), 40) for _ in range(7)] == [2, 2, 2, 3, 3, 3, 4]
    assert sticky.choose(partitions(2), 40) == 0, "where it went is not there any more"


def test_records_without_a_key_avoid_partitions_that_nobody_leads() -> None:
    sticky = StickyPartition(Fixed(), batch_bytes=1)
    assert {sticky.choose(partitions(5, leaderless={1, 3}), 40) for _ in range(20)} == {0, 2, 4}
    assert {sticky.choose(partitions(2, leaderless={0, 1}), 40) for _ in range(20)} == {0, 1}, "better than nowhere"
