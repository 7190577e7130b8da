"""The registry's prefix and Protobuf's message indexes, by the published examples and by round trips."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.pipelines.decode.framing import NotFramed, message_indexes, unframe


def zigzag(number: int) -> bytes:
    number, out = number << 1, b""
    while number >= 0x80:
        out, number = out + bytes([number & 0x7F | 0x80]), number >> 7
    return out + bytes([number])


def test_the_prefix_is_a_zero_and_a_big_endian_id() -> None:
    assert unframe(b"\x00\x00\x00\x01\x02rest") == (258, b"rest")


@pytest.mark.parametrize("value", [b"", b"\x00\x00\x00\x01", b"\x01\x00\x00\x00\x01x", b"{}   "])
def test_other_values_are_not_framed(value: bytes) -> None:
    with pytest.raises(NotFramed):
        unframe(value)


def test_a_single_zero_is_the_first_message() -> None:
    assert message_indexes(b"\x00rest") == ((0,), b"rest")


@given(st.lists(st.integers(0, 2**30), min_size=1, max_size=32), st.binary(max_size=8))
def test_indexes_round_trip(indexes: list[int], rest: bytes) -> None:
    encoded = zigzag(len(indexes)) + b"".join(map(zigzag, indexes)) + rest
    assert message_indexes(encoded) == (tuple(indexes), rest)


@given(st.binary(max_size=12))
def test_any_bytes_are_read_or_refused(payload: bytes) -> None:
    try:
        indexes, rest = message_indexes(payload)
    except NotFramed:
        return
    assert indexes and payload.endswith(rest)
