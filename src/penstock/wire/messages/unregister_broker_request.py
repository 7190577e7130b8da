# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Push, decode_whole, encode_whole, skip_tags

_read_iB = Struct(">iB").unpack_from
_pack_ix = Struct(">ix").pack


class UnregisterBrokerRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 64
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    broker_id: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "UnregisterBrokerRequest":
        return decode_whole(
            "UnregisterBrokerRequest", _DECODERS, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("UnregisterBrokerRequest", _ENCODERS, self, version)


def _decode_unregister_broker_request_v0(data: bytes, pos: int) -> tuple[UnregisterBrokerRequest, int]:
    broker_id, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return UnregisterBrokerRequest(broker_id), pos


def _encode_unregister_broker_request_v0(push: Push, this: UnregisterBrokerRequest) -> None:
    push(_pack_ix(this.broker_id))


_DECODERS = {
    0: _decode_unregister_broker_request_v0,
}
_ENCODERS = {
    0: _encode_unregister_broker_request_v0,
}
