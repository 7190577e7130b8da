# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.add_offsets_to_txn_request import AddOffsetsToTxnRequest
from penstock.wire.primitives import BYTE, Push, long_string_length, skip_tags, string_length

_read_h = Struct(">h").unpack_from
_read_qhB = Struct(">qhB").unpack_from
_read_qhh = Struct(">qhh").unpack_from
_pack_h = Struct(">h").pack
_pack_qh = Struct(">qh").pack
_pack_qhB = Struct(">qhB").pack
_pack_qhh = Struct(">qhh").pack


def _decode_add_offsets_to_txn_request_v0(data: bytes, pos: int) -> tuple[AddOffsetsToTxnRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("transactional_id")
    end = pos + n
    transactional_id = data[pos:end].decode()
    pos = end
    producer_id, producer_epoch, n = _read_qhh(data, pos)
    pos += 12
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    return AddOffsetsToTxnRequest(transactional_id, producer_id, producer_epoch, group_id), pos


def _decode_add_offsets_to_txn_request_v3(data: bytes, pos: int) -> tuple[AddOffsetsToTxnRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("transactional_id")
    end = pos + n - 1
    transactional_id = data[pos:end].decode()
    pos = end
    producer_id, producer_epoch, n = _read_qhB(data, pos)
    pos += 11
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AddOffsetsToTxnRequest(transactional_id, producer_id, producer_epoch, group_id), pos


def _encode_add_offsets_to_txn_request_v0(push: Push, this: AddOffsetsToTxnRequest) -> None:
    transactional_id_sent = this.transactional_id.encode()
    n = len(transactional_id_sent)
    push(_pack_h(n))
    push(transactional_id_sent)
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_qhh(this.producer_id, this.producer_epoch, n))
    push(group_id_sent)


def _encode_add_offsets_to_txn_request_v3(push: Push, this: AddOffsetsToTxnRequest) -> None:
    transactional_id_sent = this.transactional_id.encode()
    n = len(transactional_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(transactional_id_sent)
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(
        _pack_qhB(this.producer_id, this.producer_epoch, n)
        if n < 128
        else _pack_qh(this.producer_id, this.producer_epoch) + string_length(n)
    )
    push(group_id_sent)
    push(b"\0")


DECODERS = {
    0: _decode_add_offsets_to_txn_request_v0,
    1: _decode_add_offsets_to_txn_request_v0,
    2: _decode_add_offsets_to_txn_request_v0,
    3: _decode_add_offsets_to_txn_request_v3,
    4: _decode_add_offsets_to_txn_request_v3,
}
ENCODERS = {
    0: _encode_add_offsets_to_txn_request_v0,
    1: _encode_add_offsets_to_txn_request_v0,
    2: _encode_add_offsets_to_txn_request_v0,
    3: _encode_add_offsets_to_txn_request_v3,
    4: _encode_add_offsets_to_txn_request_v3,
}
