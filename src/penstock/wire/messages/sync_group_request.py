# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class SyncGroupRequestAssignment(msgspec.Struct, gc=False):
    member_id: str = ""
    assignment: bytes = b""


class SyncGroupRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 14
    versions: ClassVar[tuple[int, int]] = (0, 5)
    flexible_from: ClassVar[int | None] = 4
    group_id: str = ""
    generation_id: int = 0
    member_id: str = ""
    group_instance_id: str | None = None
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignments: list[SyncGroupRequestAssignment] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "SyncGroupRequest":
        return decode_whole(
            "SyncGroupRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("SyncGroupRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, SyncGroupRequest]" = Codec("sync_group_request")
