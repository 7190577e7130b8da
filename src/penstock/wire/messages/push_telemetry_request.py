# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class PushTelemetryRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 72
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    client_instance_id: bytes = ZERO_UUID
    subscription_id: int = 0
    terminating: bool = False
    compression_type: int = 0
    metrics: bytes = b""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "PushTelemetryRequest":
        return decode_whole(
            "PushTelemetryRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("PushTelemetryRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, PushTelemetryRequest]" = Codec("push_telemetry_request")
