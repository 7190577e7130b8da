# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Push, decode_whole, encode_whole, skip_tags

_read_uB = Struct(">16sB").unpack_from
_pack_ux = Struct(">16sx").pack


class GetTelemetrySubscriptionsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 71
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    client_instance_id: bytes = ZERO_UUID

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "GetTelemetrySubscriptionsRequest":
        return decode_whole(
            "GetTelemetrySubscriptionsRequest",
            _DECODERS,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("GetTelemetrySubscriptionsRequest", _ENCODERS, self, version)


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


_DECODERS = {
    0: _decode_get_telemetry_subscriptions_request_v0,
}
_ENCODERS = {
    0: _encode_get_telemetry_subscriptions_request_v0,
}
