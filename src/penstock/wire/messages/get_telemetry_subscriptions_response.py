# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class GetTelemetrySubscriptionsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 71
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    client_instance_id: bytes = ZERO_UUID
    subscription_id: int = 0
    accepted_compression_types: list[int] = msgspec.field(default_factory=list)
    push_interval_ms: int = 0
    telemetry_max_bytes: int = 0
    delta_temporality: bool = False
    requested_metrics: list[str] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "GetTelemetrySubscriptionsResponse":
        return decode_whole(
            "GetTelemetrySubscriptionsResponse",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("GetTelemetrySubscriptionsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, GetTelemetrySubscriptionsResponse]" = Codec("get_telemetry_subscriptions_response")
