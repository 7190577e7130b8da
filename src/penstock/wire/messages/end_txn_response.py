# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class EndTxnResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 26
    versions: ClassVar[tuple[int, int]] = (0, 5)
    flexible_from: ClassVar[int | None] = 3
    throttle_time_ms: int = 0
    error_code: int = 0
    producer_id: int = -1
    producer_epoch: int = -1

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "EndTxnResponse":
        return decode_whole(
            "EndTxnResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("EndTxnResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, EndTxnResponse]" = Codec("end_txn_response")
