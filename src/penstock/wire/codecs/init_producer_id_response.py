# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import field_refused
from penstock.wire.messages.init_producer_id_response import InitProducerIdResponse
from penstock.wire.primitives import Push, skip_tags

_read_ihqh = Struct(">ihqh").unpack_from
_read_ihqhB = Struct(">ihqhB").unpack_from
_read_ihqhqhB = Struct(">ihqhqhB").unpack_from
_pack_ihqh = Struct(">ihqh").pack
_pack_ihqhqhx = Struct(">ihqhqhx").pack
_pack_ihqhx = Struct(">ihqhx").pack


def _decode_init_producer_id_response_v0(data: bytes, pos: int) -> tuple[InitProducerIdResponse, int]:
    throttle_time_ms, error_code, producer_id, producer_epoch = _read_ihqh(data, pos)
    pos += 16
    return InitProducerIdResponse(throttle_time_ms, error_code, producer_id, producer_epoch), pos


def _decode_init_producer_id_response_v2(data: bytes, pos: int) -> tuple[InitProducerIdResponse, int]:
    throttle_time_ms, error_code, producer_id, producer_epoch, tags = _read_ihqhB(data, pos)
    pos += 17
    if tags:
        pos = skip_tags(data, pos, tags)
    return InitProducerIdResponse(throttle_time_ms, error_code, producer_id, producer_epoch), pos


def _decode_init_producer_id_response_v6(data: bytes, pos: int) -> tuple[InitProducerIdResponse, int]:
    (
        throttle_time_ms,
        error_code,
        producer_id,
        producer_epoch,
        ongoing_txn_producer_id,
        ongoing_txn_producer_epoch,
        tags,
    ) = _read_ihqhqhB(data, pos)
    pos += 27
    if tags:
        pos = skip_tags(data, pos, tags)
    return InitProducerIdResponse(
        throttle_time_ms, error_code, producer_id, producer_epoch, ongoing_txn_producer_id, ongoing_txn_producer_epoch
    ), pos


def _encode_init_producer_id_response_v0(push: Push, this: InitProducerIdResponse) -> None:
    if this.ongoing_txn_producer_id != -1:
        raise field_refused("ongoing_txn_producer_id")
    if this.ongoing_txn_producer_epoch != -1:
        raise field_refused("ongoing_txn_producer_epoch")
    push(_pack_ihqh(this.throttle_time_ms, this.error_code, this.producer_id, this.producer_epoch))


def _encode_init_producer_id_response_v2(push: Push, this: InitProducerIdResponse) -> None:
    if this.ongoing_txn_producer_id != -1:
        raise field_refused("ongoing_txn_producer_id")
    if this.ongoing_txn_producer_epoch != -1:
        raise field_refused("ongoing_txn_producer_epoch")
    push(_pack_ihqhx(this.throttle_time_ms, this.error_code, this.producer_id, this.producer_epoch))


def _encode_init_producer_id_response_v6(push: Push, this: InitProducerIdResponse) -> None:
    push(
        _pack_ihqhqhx(
            this.throttle_time_ms,
            this.error_code,
            this.producer_id,
            this.producer_epoch,
            this.ongoing_txn_producer_id,
            this.ongoing_txn_producer_epoch,
        )
    )


DECODERS = {
    0: _decode_init_producer_id_response_v0,
    1: _decode_init_producer_id_response_v0,
    2: _decode_init_producer_id_response_v2,
    3: _decode_init_producer_id_response_v2,
    4: _decode_init_producer_id_response_v2,
    5: _decode_init_producer_id_response_v2,
    6: _decode_init_producer_id_response_v6,
}
ENCODERS = {
    0: _encode_init_producer_id_response_v0,
    1: _encode_init_producer_id_response_v0,
    2: _encode_init_producer_id_response_v2,
    3: _encode_init_producer_id_response_v2,
    4: _encode_init_producer_id_response_v2,
    5: _encode_init_producer_id_response_v2,
    6: _encode_init_producer_id_response_v6,
}
