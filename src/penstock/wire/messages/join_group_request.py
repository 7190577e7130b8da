# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class JoinGroupRequestProtocol(msgspec.Struct, gc=False):
    name: str = ""
    metadata: bytes = b""


class JoinGroupRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 11
    versions: ClassVar[tuple[int, int]] = (0, 9)
    flexible_from: ClassVar[int | None] = 6
    group_id: str = ""
    session_timeout_ms: int = 0
    rebalance_timeout_ms: int = -1
    member_id: str = ""
    group_instance_id: str | None = None
    protocol_type: str = ""
    protocols: list[JoinGroupRequestProtocol] = msgspec.field(default_factory=list)
    reason: str | None = None

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "JoinGroupRequest":
        return decode_whole(
            "JoinGroupRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("JoinGroupRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, JoinGroupRequest]" = Codec("join_group_request")
