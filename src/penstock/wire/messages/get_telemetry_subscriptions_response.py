# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class GetTelemetrySubscriptionsResponse(Message, gc=False):
    api_key = 71
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("get_telemetry_subscriptions_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    client_instance_id: bytes = ZERO_UUID
    subscription_id: int = 0
    accepted_compression_types: list[int] = msgspec.field(default_factory=list)
    push_interval_ms: int = 0
    telemetry_max_bytes: int = 0
    delta_temporality: bool = False
    requested_metrics: list[str] = msgspec.field(default_factory=list)
