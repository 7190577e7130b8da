# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class GetTelemetrySubscriptionsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 71
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    client_instance_id: bytes = ZERO_UUID

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "GetTelemetrySubscriptionsRequest":
        return decode_whole(
            "GetTelemetrySubscriptionsRequest",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("GetTelemetrySubscriptionsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, GetTelemetrySubscriptionsRequest]" = Codec("get_telemetry_subscriptions_request")
