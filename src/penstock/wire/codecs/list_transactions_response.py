# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.list_transactions_response import ListTransactionsResponse, TransactionState
from penstock.wire.primitives import (
    BYTE,
    Push,
    compact_strings,
    long_string_length,
    long_varint,
    read_compact_strings,
    skip_tags,
    string_length,
    uvarint,
)

_read_ihB = Struct(">ihB").unpack_from
_read_qB = Struct(">qB").unpack_from
_pack_ih = Struct(">ih").pack
_pack_q = Struct(">q").pack
_pack_qB = Struct(">qB").pack


def _decode_transaction_state_v0(data: bytes, pos: int) -> tuple[TransactionState, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("transactional_id")
    end = pos + n - 1
    transactional_id = data[pos:end].decode()
    pos = end
    producer_id, n = _read_qB(data, pos)
    pos += 9
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("transaction_state")
    end = pos + n - 1
    transaction_state = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TransactionState(transactional_id, producer_id, transaction_state), pos


def _decode_list_transactions_response_v0(data: bytes, pos: int) -> tuple[ListTransactionsResponse, int]:
    throttle_time_ms, error_code, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("unknown_state_filters")
    n -= 1
    unknown_state_filters, pos = read_compact_strings(data, pos, n)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("transaction_states")
    n -= 1
    if n * 11 > len(data) - pos:
        raise absurd_count("transaction_states", n)
    transaction_states: list[TransactionState] = []
    for _ in range(n):
        transaction_states_item, pos = _decode_transaction_state_v0(data, pos)
        transaction_states.append(transaction_states_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListTransactionsResponse(throttle_time_ms, error_code, unknown_state_filters, transaction_states), pos


def _encode_transaction_state_v0(push: Push, this: TransactionState) -> None:
    transactional_id_sent = this.transactional_id.encode()
    n = len(transactional_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(transactional_id_sent)
    transaction_state_sent = this.transaction_state.encode()
    n = len(transaction_state_sent) + 1
    push(_pack_qB(this.producer_id, n) if n < 128 else _pack_q(this.producer_id) + string_length(n))
    push(transaction_state_sent)
    push(b"\0")


def _encode_list_transactions_response_v0(push: Push, this: ListTransactionsResponse) -> None:
    push(_pack_ih(this.throttle_time_ms, this.error_code))
    unknown_state_filters = this.unknown_state_filters
    push(compact_strings(unknown_state_filters))
    transaction_states = this.transaction_states
    n = len(transaction_states) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for transaction_states_item in transaction_states:
        _encode_transaction_state_v0(push, transaction_states_item)
    push(b"\0")


DECODERS = {
    0: _decode_list_transactions_response_v0,
    1: _decode_list_transactions_response_v0,
    2: _decode_list_transactions_response_v0,
}
ENCODERS = {
    0: _encode_list_transactions_response_v0,
    1: _encode_list_transactions_response_v0,
    2: _encode_list_transactions_response_v0,
}
