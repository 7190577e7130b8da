# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class MemberIdentity(msgspec.Struct, gc=False):
    member_id: str = ""
    group_instance_id: str | None = None
    reason: str | None = None


class LeaveGroupRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 13
    versions: ClassVar[tuple[int, int]] = (0, 5)
    flexible_from: ClassVar[int | None] = 4
    group_id: str = ""
    member_id: str = ""
    members: list[MemberIdentity] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "LeaveGroupRequest":
        return decode_whole(
            "LeaveGroupRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("LeaveGroupRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, LeaveGroupRequest]" = Codec("leave_group_request")
