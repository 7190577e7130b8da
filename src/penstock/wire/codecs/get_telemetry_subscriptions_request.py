# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.messages.get_telemetry_subscriptions_request import GetTelemetrySubscriptionsRequest
from penstock.wire.primitives import Push, skip_tags

_read_uB = Struct(">16sB").unpack_from
_pack_ux = Struct(">16sx").pack


def _decode_get_telemetry_subscriptions_request_v0(
    data: bytes, pos: int
) -> tuple[GetTelemetrySubscriptionsRequest, int]:
    client_instance_id, tags = _read_uB(data, pos)
    pos += 17
    if tags:
        pos = skip_tags(data, pos, tags)
    return GetTelemetrySubscriptionsRequest(client_instance_id), pos


def _encode_get_telemetry_subscriptions_request_v0(push: Push, this: GetTelemetrySubscriptionsRequest) -> None:
    push(_pack_ux(this.client_instance_id))


DECODERS = {
    0: _decode_get_telemetry_subscriptions_request_v0,
}
ENCODERS = {
    0: _encode_get_telemetry_subscriptions_request_v0,
}
