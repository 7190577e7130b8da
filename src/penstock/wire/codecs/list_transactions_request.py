# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import field_refused, null_refused
from penstock.wire.messages.list_transactions_request import ListTransactionsRequest
from penstock.wire.primitives import (
    Push,
    compact_ints,
    compact_strings,
    long_string_length,
    long_varint,
    read_compact_strings,
    read_ints,
    skip_tags,
    string_length,
)

_read_qB = Struct(">qB").unpack_from
_pack_q = Struct(">q").pack
_pack_qB = Struct(">qB").pack
_pack_qx = Struct(">qx").pack


def _decode_list_transactions_request_v0(data: bytes, pos: int) -> tuple[ListTransactionsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("state_filters")
    n -= 1
    state_filters, pos = read_compact_strings(data, pos, n)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("producer_id_filters")
    n -= 1
    producer_id_filters = read_ints("q", data, pos, n)
    pos += 8 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListTransactionsRequest(state_filters, producer_id_filters), pos


def _decode_list_transactions_request_v1(data: bytes, pos: int) -> tuple[ListTransactionsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("state_filters")
    n -= 1
    state_filters, pos = read_compact_strings(data, pos, n)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("producer_id_filters")
    n -= 1
    producer_id_filters = read_ints("q", data, pos, n)
    pos += 8 * n
    duration_filter, tags = _read_qB(data, pos)
    pos += 9
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListTransactionsRequest(state_filters, producer_id_filters, duration_filter), pos


def _decode_list_transactions_request_v2(data: bytes, pos: int) -> tuple[ListTransactionsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("state_filters")
    n -= 1
    state_filters, pos = read_compact_strings(data, pos, n)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("producer_id_filters")
    n -= 1
    producer_id_filters = read_ints("q", data, pos, n)
    pos += 8 * n
    duration_filter, n = _read_qB(data, pos)
    pos += 9
    if n > 127:
        n, pos = long_string_length(data, pos)
    transactional_id_pattern: str | None = None
    if n:
        end = pos + n - 1
        transactional_id_pattern = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListTransactionsRequest(state_filters, producer_id_filters, duration_filter, transactional_id_pattern), pos


def _encode_list_transactions_request_v0(push: Push, this: ListTransactionsRequest) -> None:
    if this.duration_filter != -1:
        raise field_refused("duration_filter")
    if this.transactional_id_pattern is not None:
        raise field_refused("transactional_id_pattern")
    state_filters = this.state_filters
    push(compact_strings(state_filters))
    producer_id_filters = this.producer_id_filters
    push(compact_ints("q", producer_id_filters))
    push(b"\0")


def _encode_list_transactions_request_v1(push: Push, this: ListTransactionsRequest) -> None:
    if this.transactional_id_pattern is not None:
        raise field_refused("transactional_id_pattern")
    state_filters = this.state_filters
    push(compact_strings(state_filters))
    producer_id_filters = this.producer_id_filters
    push(compact_ints("q", producer_id_filters))
    push(_pack_qx(this.duration_filter))


def _encode_list_transactions_request_v2(push: Push, this: ListTransactionsRequest) -> None:
    state_filters = this.state_filters
    push(compact_strings(state_filters))
    producer_id_filters = this.producer_id_filters
    push(compact_ints("q", producer_id_filters))
    transactional_id_pattern = this.transactional_id_pattern
    if transactional_id_pattern is None:
        transactional_id_pattern_sent = b""
        n = 0
    else:
        transactional_id_pattern_sent = transactional_id_pattern.encode()
        n = len(transactional_id_pattern_sent) + 1
    push(_pack_qB(this.duration_filter, n) if n < 128 else _pack_q(this.duration_filter) + string_length(n))
    push(transactional_id_pattern_sent)
    push(b"\0")


DECODERS = {
    0: _decode_list_transactions_request_v0,
    1: _decode_list_transactions_request_v1,
    2: _decode_list_transactions_request_v2,
}
ENCODERS = {
    0: _encode_list_transactions_request_v0,
    1: _encode_list_transactions_request_v1,
    2: _encode_list_transactions_request_v2,
}
