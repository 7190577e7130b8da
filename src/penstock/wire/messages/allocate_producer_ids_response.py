# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole, skip_tags

_read_ihqiB = Struct(">ihqiB").unpack_from
_pack_ihqix = Struct(">ihqix").pack


class AllocateProducerIdsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 67
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    producer_id_start: int = 0
    producer_id_len: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AllocateProducerIdsResponse":
        return decode_whole(
            "AllocateProducerIdsResponse",
            _DECODERS,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AllocateProducerIdsResponse", _ENCODERS, self, version)


def _decode_allocate_producer_ids_response_v0(data: bytes, pos: int) -> tuple[AllocateProducerIdsResponse, int]:
    throttle_time_ms, error_code, producer_id_start, producer_id_len, tags = _read_ihqiB(data, pos)
    pos += 19
    if tags:
        pos = skip_tags(data, pos, tags)
    return AllocateProducerIdsResponse(throttle_time_ms, error_code, producer_id_start, producer_id_len), pos


def _encode_allocate_producer_ids_response_v0(push: Push, this: AllocateProducerIdsResponse) -> None:
    push(_pack_ihqix(this.throttle_time_ms, this.error_code, this.producer_id_start, this.producer_id_len))


_DECODERS = {
    0: _decode_allocate_producer_ids_response_v0,
}
_ENCODERS = {
    0: _encode_allocate_producer_ids_response_v0,
}
