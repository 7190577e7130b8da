# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class InitProducerIdResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 22
    versions: ClassVar[tuple[int, int]] = (0, 6)
    flexible_from: ClassVar[int | None] = 2
    throttle_time_ms: int = 0
    error_code: int = 0
    producer_id: int = -1
    producer_epoch: int = 0
    ongoing_txn_producer_id: int = -1
    ongoing_txn_producer_epoch: int = -1

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "InitProducerIdResponse":
        return decode_whole(
            "InitProducerIdResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("InitProducerIdResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, InitProducerIdResponse]" = Codec("init_producer_id_response")
