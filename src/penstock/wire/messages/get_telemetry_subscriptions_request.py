# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.primitives import ZERO_UUID, Codec, Message


class GetTelemetrySubscriptionsRequest(Message, gc=False):
    api_key = 71
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("get_telemetry_subscriptions_request")
    client_instance_id: bytes = ZERO_UUID
