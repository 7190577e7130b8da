"""The codec against bytes worked out by hand from etcd's published API, and against answers cut or grown."""

import pytest

from penstock.metastore import Compare, Delete, Deleted, KeyValue, LeaseId, Put, Revision, Transaction, Written
from penstock.metastore.etcd import messages
from penstock.metastore.etcd.protobuf import Malformed, chunk, fields, integer, message, signed, varint


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (0, b"\x00"),
        (127, b"\x7f"),
        (128, b"\x80\x01"),
        (300, b"\xac\x02"),
        (-1, b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
    ],
)
def test_integers_are_seven_bits_a_byte(value: int, encoded: bytes) -> None:
    assert varint(value) == encoded
    assert [signed(found) for _, found in fields(b"\x08" + encoded) if isinstance(found, int)] == [value]


@pytest.mark.parametrize("data", [b"\x08", b"\x08\x80", b"\x0a\x05abc", b"\x0b", b"\x08" + b"\xff" * 11])
def test_bytes_that_are_no_message_are_refused(data: bytes) -> None:
    with pytest.raises(Malformed):
        list(fields(data))


def test_fields_of_newer_versions_are_skipped() -> None:
    newer = b"\x99\x06" + b"12345678" + b"\x9d\x06" + b"1234" + chunk(90, b"?") + integer(91, 5)
    page = messages.range_page(newer + message(1, integer(3, 9) + newer) + message(2, chunk(1, b"/a") + chunk(7, b"?")))
    assert (page.header.revision, [item.key for item in page.items]) == (9, ["/a"])


def test_a_compare_says_which_revision_even_when_it_is_zero() -> None:
    created = Transaction(compares=(Compare("k", "create", Revision(0)),))
    changed = Transaction(compares=(Compare("k", "mod", Revision(5)),))
    assert messages.transaction_request(created) == b"\x0a\x07\x10\x01\x1a\x01k\x28\x00"
    assert messages.transaction_request(changed) == b"\x0a\x07\x10\x02\x1a\x01k\x30\x05"


def test_deletes_come_before_puts() -> None:
    both = Transaction(puts=(Put("p", b"v", LeaseId(3)),), deletes=(Delete("d"), Delete("x/", prefix=True)))
    assert messages.transaction_request(both) == (
        b"\x12\x05\x1a\x03\x0a\x01d"  # delete one
        b"\x12\x0a\x1a\x08\x0a\x02x/\x12\x02x0"  # delete a range, up to the key after the prefix
        b"\x12\x0a\x12\x08\x0a\x01p\x12\x01v\x18\x03"  # put
    )


def test_no_prefix_is_every_key() -> None:
    assert messages.span("") == (b"\0", b"\0")
    assert messages.span("/é") == ("/é".encode(), "/ê".encode())


@pytest.mark.parametrize("number", [0, 1, 127, 128, 16_383, 16_384, 2**40, 2**62])
def test_a_key_value_is_read_whatever_the_size_of_its_numbers(number: int) -> None:
    data = chunk(1, b"/key") + integer(2, number) + integer(3, number) + integer(4, number) + chunk(5, b"v" * 300)
    item = messages.key_value(data + integer(6, -number))
    assert item == KeyValue("/key", b"v" * 300, Revision(number), Revision(number), number, LeaseId(-number))


def test_events_are_writes_and_deletions() -> None:
    item = chunk(1, b"/a") + integer(2, 2) + integer(3, 3) + integer(4, 1)
    answer = messages.watch_answer(
        integer(7, 1) + message(11, message(2, item)) + message(11, integer(1, 1) + message(2, item))
    )
    assert answer.is_fragment
    assert answer.events == [
        Written(KeyValue("/a", b"", Revision(2), Revision(3), 1)),
        Deleted("/a", Revision(3)),
    ]


def test_an_event_without_a_key_is_no_event() -> None:
    with pytest.raises(Malformed):
        messages.watch_answer(message(11, integer(1, 1)))
