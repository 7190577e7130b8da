"""The pieces of the codecs at their edges."""

import pytest

from penstock.wire import Malformed, Unencodable
from penstock.wire import primitives as p


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (0, b"\x00"),
        (127, b"\x7f"),
        (128, b"\x80\x01"),
        (300, b"\xac\x02"),
        (16_383, b"\xff\x7f"),
        (16_384, b"\x80\x80\x01"),
        (2**31 - 1, b"\xff\xff\xff\xff\x07"),
    ],
)
def test_an_unsigned_varint_has_seven_bits_a_byte_lowest_first(value: int, encoded: bytes) -> None:
    assert p.uvarint(value) == encoded
    assert p.read_uvarint(b"?" + encoded + b"?", 1) == (value, 1 + len(encoded))


def test_a_varint_with_more_bytes_than_it_needs_is_read_as_kafka_reads_it() -> None:
    assert p.read_uvarint(b"\x85\x80\x00", 0) == (5, 3)


@pytest.mark.parametrize("encoded", [b"\xff\xff\xff\xff\xff\x01", b"\xff\xff\xff\xff\x0f", b"\x80\x80\x80\x80\x80"])
def test_a_varint_of_more_than_31_bits_is_malformed(encoded: bytes) -> None:
    with pytest.raises(Malformed, match="31 bits"):
        p.read_uvarint(encoded, 0)


def test_a_varint_that_ends_early_is_an_index_error_which_decoding_names() -> None:
    with pytest.raises(IndexError):
        p.read_uvarint(b"\x80", 0)


def test_a_string_has_at_most_32767_bytes() -> None:
    assert p.string_length(32_768) == p.uvarint(32_768)
    with pytest.raises(Unencodable, match="32768 bytes"):
        p.string_length(32_769)
    with pytest.raises(Malformed, match="32768 bytes"):
        p.long_string_length(p.uvarint(32_769), 1)


@pytest.mark.parametrize("strings", [[], [""], ["a", "bc"], ["é" * 200], ["x"] * 200])
def test_strings_come_back_in_both_forms(strings: list[str]) -> None:
    compact, plain = p.compact_strings(strings), p.plain_strings(strings)
    count, pos = p.read_uvarint(compact, 0)
    assert p.read_compact_strings(compact, pos, count - 1) == (strings, len(compact))
    assert p.read_strings(plain, 4, len(strings)) == (strings, len(plain))


def test_a_null_among_strings_is_malformed() -> None:
    with pytest.raises(Malformed, match="null"):
        p.read_compact_strings(b"\x02a\x00", 0, 2)
    with pytest.raises(Malformed, match="-1"):
        p.read_strings(b"\xff\xff", 0, 1)


def test_more_strings_than_bytes_are_refused_before_any_is_read() -> None:
    with pytest.raises(Malformed, match="claims 2000000000 elements"):
        p.read_compact_strings(b"\x01" * 10, 0, 2_000_000_000)
    with pytest.raises(Malformed, match="claims 6 elements"):
        p.read_strings(b"\x00" * 10, 0, 6)


def test_ids_are_16_bytes_each() -> None:
    ids = [bytes([number]) * 16 for number in range(3)]
    assert p.compact_uuids(ids) == b"\x04" + b"".join(ids)
    assert p.plain_uuids(ids) == b"\x00\x00\x00\x03" + b"".join(ids)
    assert p.read_uuids(b"".join(ids), 0, 3) == ids
    with pytest.raises(Unencodable, match="16 bytes"):
        p.compact_uuids([b"short"])
    with pytest.raises(Malformed, match="claims 3 elements"):
        p.read_uuids(bytes(47), 0, 3)


def test_unknown_tagged_fields_are_passed_over() -> None:
    section = p.tag_section([p.tagged_field(0, [b"ab", b"c"]), p.tagged_field(300, [])])
    assert section == b"\x02\x00\x03abc\xac\x02\x00"
    assert p.skip_tags(section + b"rest", 1, section[0]) == len(section)


def test_a_tagged_field_larger_than_the_message_is_malformed() -> None:
    with pytest.raises(Malformed, match="tagged field 7 claims 4 bytes"):
        p.skip_tags(b"\x07\x04abc", 0, 1)
