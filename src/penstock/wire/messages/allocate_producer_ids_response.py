# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


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
            "AllocateProducerIdsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AllocateProducerIdsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, AllocateProducerIdsResponse]" = Codec("allocate_producer_ids_response")
