# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole, skip_tags

_read_iqB = Struct(">iqB").unpack_from
_pack_iqx = Struct(">iqx").pack


class AllocateProducerIdsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 67
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    broker_id: int = 0
    broker_epoch: int = -1

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AllocateProducerIdsRequest":
        return decode_whole(
            "AllocateProducerIdsRequest", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AllocateProducerIdsRequest", _ENCODERS, self, version)


def _decode_allocate_producer_ids_request_v0(data: bytes, pos: int) -> tuple[AllocateProducerIdsRequest, int]:
    broker_id, broker_epoch, tags = _read_iqB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return AllocateProducerIdsRequest(broker_id, broker_epoch), pos


def _encode_allocate_producer_ids_request_v0(push: Push, this: AllocateProducerIdsRequest) -> None:
    push(_pack_iqx(this.broker_id, this.broker_epoch))


_DECODERS = {
    0: _decode_allocate_producer_ids_request_v0,
}
_ENCODERS = {
    0: _encode_allocate_producer_ids_request_v0,
}
