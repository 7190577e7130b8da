# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.end_txn_request import EndTxnRequest
from penstock.wire.primitives import BYTE, Push, long_string_length, skip_tags, string_length

_read_h = Struct(">h").unpack_from
_read_qht = Struct(">qh?").unpack_from
_read_qhtB = Struct(">qh?B").unpack_from
_pack_h = Struct(">h").pack
_pack_qht = Struct(">qh?").pack
_pack_qhtx = Struct(">qh?x").pack


def _decode_end_txn_request_v0(data: bytes, pos: int) -> tuple[EndTxnRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("transactional_id")
    end = pos + n
    transactional_id = data[pos:end].decode()
    pos = end
    producer_id, producer_epoch, committed = _read_qht(data, pos)
    pos += 11
    return EndTxnRequest(transactional_id, producer_id, producer_epoch, committed), pos


def _decode_end_txn_request_v3(data: bytes, pos: int) -> tuple[EndTxnRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("transactional_id")
    end = pos + n - 1
    transactional_id = data[pos:end].decode()
    pos = end
    producer_id, producer_epoch, committed, tags = _read_qhtB(data, pos)
    pos += 12
    if tags:
        pos = skip_tags(data, pos, tags)
    return EndTxnRequest(transactional_id, producer_id, producer_epoch, committed), pos


def _encode_end_txn_request_v0(push: Push, this: EndTxnRequest) -> None:
    transactional_id_sent = this.transactional_id.encode()
    n = len(transactional_id_sent)
    push(_pack_h(n))
    push(transactional_id_sent)
    push(_pack_qht(this.producer_id, this.producer_epoch, this.committed))


def _encode_end_txn_request_v3(push: Push, this: EndTxnRequest) -> None:
    transactional_id_sent = this.transactional_id.encode()
    n = len(transactional_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(transactional_id_sent)
    push(_pack_qhtx(this.producer_id, this.producer_epoch, this.committed))


DECODERS = {
    0: _decode_end_txn_request_v0,
    1: _decode_end_txn_request_v0,
    2: _decode_end_txn_request_v0,
    3: _decode_end_txn_request_v3,
    4: _decode_end_txn_request_v3,
    5: _decode_end_txn_request_v3,
}
ENCODERS = {
    0: _encode_end_txn_request_v0,
    1: _encode_end_txn_request_v0,
    2: _encode_end_txn_request_v0,
    3: _encode_end_txn_request_v3,
    4: _encode_end_txn_request_v3,
    5: _encode_end_txn_request_v3,
}
