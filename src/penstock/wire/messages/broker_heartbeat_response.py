# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class BrokerHeartbeatResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 63
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    is_caught_up: bool = False
    is_fenced: bool = True
    should_shut_down: bool = False

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "BrokerHeartbeatResponse":
        return decode_whole(
            "BrokerHeartbeatResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("BrokerHeartbeatResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, BrokerHeartbeatResponse]" = Codec("broker_heartbeat_response")
