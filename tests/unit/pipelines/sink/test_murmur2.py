"""The hash of keys, against figures of Kafka's own tests and one implementation against the other."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.pipelines.sink.murmur2 import murmur2, murmur2_of, partition_of


@pytest.mark.parametrize(
    ("key", "signed"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_keys_hash_as_in_javas_client(key: bytes, signed: int) -> None:
    assert murmur2(key) == signed & 0xFFFFFFFF


@settings(deadline=None)
@given(st.lists(st.one_of(st.none(), st.binary(max_size=40))))
def test_a_column_hashes_as_its_keys_do(keys: list[bytes | None]) -> None:
    assert murmur2_of(pa.array(keys, pa.binary())).tolist() == [murmur2(key or b"") for key in keys]


@settings(deadline=None)
@given(st.lists(st.binary(max_size=12), min_size=3), st.data())
def test_a_slice_of_a_column_hashes_as_its_own_keys(keys: list[bytes], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(keys)))
    assert murmur2_of(pa.array(keys, pa.binary())[first:]).tolist() == [murmur2(key) for key in keys[first:]]


def test_partitions_are_those_of_the_default_partitioner() -> None:
    # toPositive, then modulo: the sign bit is dropped, not negated.
    assert partition_of(b"21", 7) == (-973932308 & 0x7FFFFFFF) % 7
