# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.allocate_producer_ids_request import AllocateProducerIdsRequest
from penstock.wire.primitives import Push, skip_tags

_read_iqB = Struct(">iqB").unpack_from
_pack_iqx = Struct(">iqx").pack


def _decode_allocate_producer_ids_request_v0(data: bytes, pos: int) -> tuple[AllocateProducerIdsRequest, int]:
    broker_id, broker_epoch, tags = _read_iqB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return AllocateProducerIdsRequest(broker_id, broker_epoch), pos


def _encode_allocate_producer_ids_request_v0(push: Push, this: AllocateProducerIdsRequest) -> None:
    push(_pack_iqx(this.broker_id, this.broker_epoch))


DECODERS = {
    0: _decode_allocate_producer_ids_request_v0,
}
ENCODERS = {
    0: _encode_allocate_producer_ids_request_v0,
}
