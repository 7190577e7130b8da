# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class HeartbeatRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 12
    versions: ClassVar[tuple[int, int]] = (0, 4)
    flexible_from: ClassVar[int | None] = 4
    group_id: str = ""
    generation_id: int = 0
    member_id: str = ""
    group_instance_id: str | None = None

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "HeartbeatRequest":
        return decode_whole(
            "HeartbeatRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("HeartbeatRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, HeartbeatRequest]" = Codec("heartbeat_request")
