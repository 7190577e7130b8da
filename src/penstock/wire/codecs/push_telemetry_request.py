# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import null_refused
from penstock.wire.messages.push_telemetry_request import PushTelemetryRequest
from penstock.wire.primitives import Push, long_varint, skip_tags, uvarint

_read_uitbB = Struct(">16si?bB").unpack_from
_pack_uitb = Struct(">16si?b").pack
_pack_uitbB = Struct(">16si?bB").pack


def _decode_push_telemetry_request_v0(data: bytes, pos: int) -> tuple[PushTelemetryRequest, int]:
    client_instance_id, subscription_id, terminating, compression_type, n = _read_uitbB(data, pos)
    pos += 23
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("metrics")
    end = pos + n - 1
    metrics = data[pos:end]
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return PushTelemetryRequest(client_instance_id, subscription_id, terminating, compression_type, metrics), pos


def _encode_push_telemetry_request_v0(push: Push, this: PushTelemetryRequest) -> None:
    metrics_sent = this.metrics
    n = len(metrics_sent) + 1
    push(
        _pack_uitbB(this.client_instance_id, this.subscription_id, this.terminating, this.compression_type, n)
        if n < 128
        else _pack_uitb(this.client_instance_id, this.subscription_id, this.terminating, this.compression_type)
        + uvarint(n)
    )
    push(metrics_sent)
    push(b"\0")


DECODERS = {
    0: _decode_push_telemetry_request_v0,
}
ENCODERS = {
    0: _encode_push_telemetry_request_v0,
}
