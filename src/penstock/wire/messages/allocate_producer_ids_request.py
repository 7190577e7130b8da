# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class AllocateProducerIdsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 67
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    broker_id: int = 0
    broker_epoch: int = -1

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AllocateProducerIdsRequest":
        return decode_whole(
            "AllocateProducerIdsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AllocateProducerIdsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, AllocateProducerIdsRequest]" = Codec("allocate_producer_ids_request")
