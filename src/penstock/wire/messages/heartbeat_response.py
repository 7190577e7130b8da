# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class HeartbeatResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 12
    versions: ClassVar[tuple[int, int]] = (0, 4)
    flexible_from: ClassVar[int | None] = 4
    throttle_time_ms: int = 0
    error_code: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "HeartbeatResponse":
        return decode_whole(
            "HeartbeatResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("HeartbeatResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, HeartbeatResponse]" = Codec("heartbeat_response")
