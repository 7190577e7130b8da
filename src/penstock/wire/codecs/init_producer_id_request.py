# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import field_refused, negative_length
from penstock.wire.messages.init_producer_id_request import InitProducerIdRequest
from penstock.wire.primitives import BYTE, Push, long_string_length, skip_tags, string_length

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_iqhttB = Struct(">iqh??B").unpack_from
_read_iqhB = Struct(">iqhB").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iqhttx = Struct(">iqh??x").pack
_pack_iqhx = Struct(">iqhx").pack
_pack_ix = Struct(">ix").pack


def _decode_init_producer_id_request_v0(data: bytes, pos: int) -> tuple[InitProducerIdRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    transactional_id: str | None = None
    if n >= 0:
        end = pos + n
        transactional_id = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("transactional_id", n)
    (transaction_timeout_ms,) = _read_i(data, pos)
    pos += 4
    return InitProducerIdRequest(transactional_id, transaction_timeout_ms), pos


def _decode_init_producer_id_request_v2(data: bytes, pos: int) -> tuple[InitProducerIdRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    transactional_id: str | None = None
    if n:
        end = pos + n - 1
        transactional_id = data[pos:end].decode()
        pos = end
    transaction_timeout_ms, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return InitProducerIdRequest(transactional_id, transaction_timeout_ms), pos


def _decode_init_producer_id_request_v3(data: bytes, pos: int) -> tuple[InitProducerIdRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    transactional_id: str | None = None
    if n:
        end = pos + n - 1
        transactional_id = data[pos:end].decode()
        pos = end
    transaction_timeout_ms, producer_id, producer_epoch, tags = _read_iqhB(data, pos)
    pos += 15
    if tags:
        pos = skip_tags(data, pos, tags)
    return InitProducerIdRequest(transactional_id, transaction_timeout_ms, producer_id, producer_epoch), pos


def _decode_init_producer_id_request_v6(data: bytes, pos: int) -> tuple[InitProducerIdRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    transactional_id: str | None = None
    if n:
        end = pos + n - 1
        transactional_id = data[pos:end].decode()
        pos = end
    transaction_timeout_ms, producer_id, producer_epoch, enable2_pc, keep_prepared_txn, tags = _read_iqhttB(data, pos)
    pos += 17
    if tags:
        pos = skip_tags(data, pos, tags)
    return InitProducerIdRequest(
        transactional_id, transaction_timeout_ms, producer_id, producer_epoch, enable2_pc, keep_prepared_txn
    ), pos


def _encode_init_producer_id_request_v0(push: Push, this: InitProducerIdRequest) -> None:
    if this.producer_id != -1:
        raise field_refused("producer_id")
    if this.producer_epoch != -1:
        raise field_refused("producer_epoch")
    if this.enable2_pc:
        raise field_refused("enable2_pc")
    if this.keep_prepared_txn:
        raise field_refused("keep_prepared_txn")
    transactional_id = this.transactional_id
    if transactional_id is None:
        transactional_id_sent = b""
        n = -1
    else:
        transactional_id_sent = transactional_id.encode()
        n = len(transactional_id_sent)
    push(_pack_h(n))
    push(transactional_id_sent)
    push(_pack_i(this.transaction_timeout_ms))


def _encode_init_producer_id_request_v2(push: Push, this: InitProducerIdRequest) -> None:
    if this.producer_id != -1:
        raise field_refused("producer_id")
    if this.producer_epoch != -1:
        raise field_refused("producer_epoch")
    if this.enable2_pc:
        raise field_refused("enable2_pc")
    if this.keep_prepared_txn:
        raise field_refused("keep_prepared_txn")
    transactional_id = this.transactional_id
    if transactional_id is None:
        transactional_id_sent = b""
        n = 0
    else:
        transactional_id_sent = transactional_id.encode()
        n = len(transactional_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(transactional_id_sent)
    push(_pack_ix(this.transaction_timeout_ms))


def _encode_init_producer_id_request_v3(push: Push, this: InitProducerIdRequest) -> None:
    if this.enable2_pc:
        raise field_refused("enable2_pc")
    if this.keep_prepared_txn:
        raise field_refused("keep_prepared_txn")
    transactional_id = this.transactional_id
    if transactional_id is None:
        transactional_id_sent = b""
        n = 0
    else:
        transactional_id_sent = transactional_id.encode()
        n = len(transactional_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(transactional_id_sent)
    push(_pack_iqhx(this.transaction_timeout_ms, this.producer_id, this.producer_epoch))


def _encode_init_producer_id_request_v6(push: Push, this: InitProducerIdRequest) -> None:
    transactional_id = this.transactional_id
    if transactional_id is None:
        transactional_id_sent = b""
        n = 0
    else:
        transactional_id_sent = transactional_id.encode()
        n = len(transactional_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(transactional_id_sent)
    push(
        _pack_iqhttx(
            this.transaction_timeout_ms, this.producer_id, this.producer_epoch, this.enable2_pc, this.keep_prepared_txn
        )
    )


DECODERS = {
    0: _decode_init_producer_id_request_v0,
    1: _decode_init_producer_id_request_v0,
    2: _decode_init_producer_id_request_v2,
    3: _decode_init_producer_id_request_v3,
    4: _decode_init_producer_id_request_v3,
    5: _decode_init_producer_id_request_v3,
    6: _decode_init_producer_id_request_v6,
}
ENCODERS = {
    0: _encode_init_producer_id_request_v0,
    1: _encode_init_producer_id_request_v0,
    2: _encode_init_producer_id_request_v2,
    3: _encode_init_producer_id_request_v3,
    4: _encode_init_producer_id_request_v3,
    5: _encode_init_producer_id_request_v3,
    6: _encode_init_producer_id_request_v6,
}
