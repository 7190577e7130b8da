# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.allocate_producer_ids_response import AllocateProducerIdsResponse
from penstock.wire.primitives import Push, skip_tags

_read_ihqiB = Struct(">ihqiB").unpack_from
_pack_ihqix = Struct(">ihqix").pack


def _decode_allocate_producer_ids_response_v0(data: bytes, pos: int) -> tuple[AllocateProducerIdsResponse, int]:
    throttle_time_ms, error_code, producer_id_start, producer_id_len, tags = _read_ihqiB(data, pos)
    pos += 19
    if tags:
        pos = skip_tags(data, pos, tags)
    return AllocateProducerIdsResponse(throttle_time_ms, error_code, producer_id_start, producer_id_len), pos


def _encode_allocate_producer_ids_response_v0(push: Push, this: AllocateProducerIdsResponse) -> None:
    push(_pack_ihqix(this.throttle_time_ms, this.error_code, this.producer_id_start, this.producer_id_len))


DECODERS = {
    0: _decode_allocate_producer_ids_response_v0,
}
ENCODERS = {
    0: _encode_allocate_producer_ids_response_v0,
}
