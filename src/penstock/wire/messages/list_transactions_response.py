# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.primitives import (
    BYTE,
    Buffer,
    Push,
    compact_strings,
    decode_whole,
    encode_whole,
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


class TransactionState(msgspec.Struct, gc=False):
    transactional_id: str = ""
    producer_id: int = 0
    transaction_state: str = ""


class ListTransactionsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 66
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    unknown_state_filters: list[str] = msgspec.field(default_factory=list)
    transaction_states: list[TransactionState] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ListTransactionsResponse":
        return decode_whole(
            "ListTransactionsResponse", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ListTransactionsResponse", _ENCODERS, self, version)


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


_DECODERS = {
    0: _decode_list_transactions_response_v0,
    1: _decode_list_transactions_response_v0,
    2: _decode_list_transactions_response_v0,
}
_ENCODERS = {
    0: _encode_list_transactions_response_v0,
    1: _encode_list_transactions_response_v0,
    2: _encode_list_transactions_response_v0,
}
