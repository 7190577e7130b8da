# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.get_telemetry_subscriptions_response import GetTelemetrySubscriptionsResponse
from penstock.wire.primitives import (
    Push,
    compact_ints,
    compact_strings,
    long_varint,
    read_compact_strings,
    read_ints,
    skip_tags,
)

_read_ihuiB = Struct(">ih16siB").unpack_from
_read_iitB = Struct(">ii?B").unpack_from
_pack_ihui = Struct(">ih16si").pack
_pack_iit = Struct(">ii?").pack


def _decode_get_telemetry_subscriptions_response_v0(
    data: bytes, pos: int
) -> tuple[GetTelemetrySubscriptionsResponse, int]:
    throttle_time_ms, error_code, client_instance_id, subscription_id, n = _read_ihuiB(data, pos)
    pos += 27
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("accepted_compression_types")
    n -= 1
    accepted_compression_types = read_ints("b", data, pos, n)
    pos += 1 * n
    push_interval_ms, telemetry_max_bytes, delta_temporality, n = _read_iitB(data, pos)
    pos += 10
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("requested_metrics")
    n -= 1
    requested_metrics, pos = read_compact_strings(data, pos, n)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return GetTelemetrySubscriptionsResponse(
        throttle_time_ms,
        error_code,
        client_instance_id,
        subscription_id,
        accepted_compression_types,
        push_interval_ms,
        telemetry_max_bytes,
        delta_temporality,
        requested_metrics,
    ), pos


def _encode_get_telemetry_subscriptions_response_v0(push: Push, this: GetTelemetrySubscriptionsResponse) -> None:
    push(_pack_ihui(this.throttle_time_ms, this.error_code, this.client_instance_id, this.subscription_id))
    accepted_compression_types = this.accepted_compression_types
    push(compact_ints("b", accepted_compression_types))
    push(_pack_iit(this.push_interval_ms, this.telemetry_max_bytes, this.delta_temporality))
    requested_metrics = this.requested_metrics
    push(compact_strings(requested_metrics))
    push(b"\0")


DECODERS = {
    0: _decode_get_telemetry_subscriptions_response_v0,
}
ENCODERS = {
    0: _encode_get_telemetry_subscriptions_response_v0,
}
