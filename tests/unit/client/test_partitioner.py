"""Which partition a record goes to."""

import pytest
from aiokafka.partitioner import murmur2 as theirs
from hypothesis import given
from hypothesis import strategies as st

from penstock.client.records.partitioner import StickyPartition, murmur2, partition_for


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
    assert [sticky.choose(5, 40) for _ in range(7)] == [2, 2, 2, 3, 3, 3, 4]
