# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class JoinGroupResponseMember(msgspec.Struct, gc=False):
    member_id: str = ""
    group_instance_id: str | None = None
    metadata: bytes = b""


class JoinGroupResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 11
    versions: ClassVar[tuple[int, int]] = (0, 9)
    flexible_from: ClassVar[int | None] = 6
    throttle_time_ms: int = 0
    error_code: int = 0
    generation_id: int = -1
    protocol_type: str | None = None
    protocol_name: str | None = ""
    leader: str = ""
    skip_assignment: bool = False
    member_id: str = ""
    members: list[JoinGroupResponseMember] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "JoinGroupResponse":
        return decode_whole(
            "JoinGroupResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("JoinGroupResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, JoinGroupResponse]" = Codec("join_group_response")
