# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import ZERO_UUID, Codec, Message


class PushTelemetryRequest(Message, gc=False):
    api_key = 72
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("push_telemetry_request")
    client_instance_id: bytes = ZERO_UUID
    subscription_id: int = 0
    terminating: bool = False
    compression_type: int = 0
    metrics: bytes = b""
