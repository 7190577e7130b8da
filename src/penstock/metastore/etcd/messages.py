"""The dozen messages of etcd's v3 API that the adapter sends and reads, as functions from values to bytes and back.

Written by hand: the generated codec would bring the protobuf runtime, and these are few and settled (ADR 20). Field
numbers are those of etcd's API; what is not read here is skipped.
"""

from typing import NamedTuple

from penstock.metastore.etcd.protobuf import (
    BYTES,
    VARINT,
    Malformed,
    chunk,
    fields,
    integer,
    integer_always,
    message,
    read_varint,
    signed,
    text,
)
from penstock.metastore.port import (
    Compare,
    Delete,
    Deleted,
    Event,
    KeyValue,
    LeaseId,
    Put,
    Revision,
    Transaction,
    Written,
)

_CREATE, _MOD = 1, 2
_DELETE_EVENT = 1
_EVERY_KEY = b"\0"


class Header(NamedTuple):
    """The store's revision, and the count of etcd's own leaders."""

    revision: Revision
    term: int


class RangePage(NamedTuple):
    header: Header
    items: list[KeyValue]
    more: bool


class TransactionAnswer(NamedTuple):
    header: Header
    succeeded: bool


class WatchAnswer(NamedTuple):
    created: bool
    canceled: bool
    compact_revision: Revision
    cancel_reason: str
    is_fragment: bool
    events: list[Event]


_NO_HEADER = Header(Revision(0), 0)


class LeaseAnswer(NamedTuple):
    lease: LeaseId
    ttl_s: int


class StatusAnswer(NamedTuple):
    version: str
    member_id: int
    leader_id: int


# What is asked


def span(prefix: str) -> tuple[bytes, bytes]:
    """The first key of a prefix, and the first key after all of it. No prefix at all is every key."""
    start = prefix.encode()
    if not start:
        return _EVERY_KEY, _EVERY_KEY
    return start, start[:-1] + bytes((start[-1] + 1,))  # no UTF-8 text holds a byte 255


def range_request(
    start: bytes, end: bytes = b"", *, limit: int = 0, revision: int = 0, count_only: bool = False
) -> bytes:
    return (
        chunk(1, start) + chunk(2, end) + integer(3, limit) + integer(4, revision) + integer(9, 1 if count_only else 0)
    )


def transaction_request(transaction: Transaction) -> bytes:
    """Deletes come before puts, so that watchers of every store hear of them in the same order."""
    compares = [message(1, _compare(compare)) for compare in transaction.compares]
    deletes = [message(2, message(3, _delete(delete))) for delete in transaction.deletes]
    puts = [message(2, message(2, _put(put))) for put in transaction.puts]
    return b"".join(compares + deletes + puts)


def watch_request(prefix: str, start: Revision) -> bytes:
    first, end = span(prefix)
    # In fragments, since one answer may hold a thousand transactions of 1.5 MiB.
    return message(1, chunk(1, first) + chunk(2, end) + integer(3, start) + integer(8, 1))


def progress_request() -> bytes:
    return message(3, b"")


def lease_grant_request(ttl_s: int) -> bytes:
    return integer(1, ttl_s)


def lease_request(lease: LeaseId) -> bytes:
    """The same for keeping alive and for revoking."""
    return integer(1, lease)


def authenticate_request(name: str, password: str) -> bytes:
    return text(1, name) + text(2, password)


def _compare(compare: Compare) -> bytes:
    # Result 0 is "equal", which is the only one asked for.
    if compare.field == "create":
        return integer(2, _CREATE) + text(3, compare.key) + integer_always(5, compare.revision)
    return integer(2, _MOD) + text(3, compare.key) + integer_always(6, compare.revision)


def _put(put: Put) -> bytes:
    return text(1, put.key) + chunk(2, put.value) + integer(3, put.lease)


def _delete(delete: Delete) -> bytes:
    if not delete.prefix:
        return text(1, delete.key)
    start, end = span(delete.key)
    return chunk(1, start) + chunk(2, end)


# What is answered


class RangeReader:
    """Decodes the answer to a range request a part at a time: thousands of keys at once would hold up the loop."""

    def __init__(self, data: bytes) -> None:
        self._fields = fields(data)
        self._header, self._more = _NO_HEADER, False
        self._items: list[KeyValue] = []

    def read(self, keys: int) -> bool:
        """Decode so many keys more; whether that was all."""
        last = len(self._items) + keys
        for number, value in self._fields:
            if number == 2 and isinstance(value, bytes):
                self._items.append(key_value(value))
                if len(self._items) >= last:
                    return False
            elif number == 1:
                self._header = header(value)
            elif number == 3:
                self._more = bool(value)
        return True

    def page(self) -> RangePage:
        return RangePage(self._header, self._items, self._more)


def range_page(data: bytes) -> RangePage:
    reader = RangeReader(data)
    while not reader.read(1 << 30):
        pass
    return reader.page()


def transaction_answer(data: bytes) -> TransactionAnswer:
    answer_header, succeeded = _NO_HEADER, False
    for number, value in fields(data):
        if number == 1:
            answer_header = header(value)
        elif number == 2:
            succeeded = bool(value)
    return TransactionAnswer(answer_header, succeeded)


def watch_answer(data: bytes) -> WatchAnswer:
    numbers = dict.fromkeys((3, 4, 5, 7), 0)
    reason = ""
    events: list[Event] = []
    for number, value in fields(data):
        if isinstance(value, int):
            numbers[number] = value
        elif number == 11:
            events.append(_event(value))
        elif number == 6:
            reason = value.decode(errors="replace")
    return WatchAnswer(
        bool(numbers[3]), bool(numbers[4]), Revision(signed(numbers[5])), reason, bool(numbers[7]), events
    )


def lease_answer(data: bytes) -> LeaseAnswer:
    numbers = {number: value for number, value in fields(data) if isinstance(value, int)}
    return LeaseAnswer(LeaseId(signed(numbers.get(2, 0))), signed(numbers.get(3, 0)))


def token_answer(data: bytes) -> str:
    return next((value.decode() for number, value in fields(data) if number == 2 and isinstance(value, bytes)), "")


def status_answer(data: bytes) -> StatusAnswer:
    version, member_id, leader_id = "", 0, 0
    for number, value in fields(data):
        if number == 2 and isinstance(value, bytes):
            version = value.decode()
        elif number == 1 and isinstance(value, bytes):
            member_id = next((each for field, each in fields(value) if field == 2 and isinstance(each, int)), 0)
        elif number == 4 and isinstance(value, int):
            leader_id = value
    return StatusAnswer(version, member_id, leader_id)


def header(data: int | bytes) -> Header:
    if not isinstance(data, bytes):
        raise Malformed("a header that is no message")
    numbers = {number: value for number, value in fields(data) if isinstance(value, int)}
    return Header(Revision(numbers.get(3, 0)), numbers.get(4, 0))


def key_value(data: bytes) -> KeyValue:
    """By hand rather than through `fields`: a listing of a large cluster holds a hundred thousand of them."""
    numbers = [0, 0, 0, 0, 0, 0, 0]
    key = value = b""
    position, end = 0, len(data)
    while position < end:
        tag = data[position]
        position += 1
        # Varints of one and two bytes are most of them, and cost a call each when read the general way.
        number = data[position]
        position += 1
        if number > 0x7F:
            if (byte := data[position]) < 0x80:
                number = number & 0x7F | byte << 7
                position += 1
            else:
                number, position = read_varint(data, position - 1)
        if tag == 0x0A:
            key = data[position : position + number]
            position += number
        elif tag == 0x2A:
            value = data[position : position + number]
            position += number
        elif tag & 7 == VARINT and tag < 0x80:
            if tag >> 3 < len(numbers):
                numbers[tag >> 3] = number
        elif tag & 7 == BYTES and tag < 0x80:
            position += number  # a field of a newer etcd
        else:
            raise Malformed(f"a key-value with tag {tag}")
    return KeyValue(
        key.decode(), value, Revision(numbers[2]), Revision(numbers[3]), numbers[4], LeaseId(signed(numbers[6]))
    )


def _event(data: bytes) -> Event:
    kind, item = 0, None
    for number, value in fields(data):
        if number == 1 and isinstance(value, int):
            kind = value
        elif number == 2 and isinstance(value, bytes):
            item = key_value(value)
    if item is None:
        raise Malformed("an event without its key")
    return Deleted(item.key, item.mod_revision) if kind == _DELETE_EVENT else Written(item)
