# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class SyncGroupResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 14
    versions: ClassVar[tuple[int, int]] = (0, 5)
    flexible_from: ClassVar[int | None] = 4
    throttle_time_ms: int = 0
    error_code: int = 0
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "SyncGroupResponse":
        return decode_whole(
            "SyncGroupResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("SyncGroupResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, SyncGroupResponse]" = Codec("sync_group_response")
