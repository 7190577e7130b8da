# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class MemberMetadata(msgspec.Struct, gc=False):
    member_id: str = ""
    group_instance_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    rebalance_timeout: int = -1
    session_timeout: int = 0
    subscription: bytes = b""
    assignment: bytes = b""


class GroupMetadataValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 2
    versions: ClassVar[tuple[int, int]] = (0, 4)
    flexible_from: ClassVar[int | None] = 4
    protocol_type: str = ""
    generation: int = 0
    protocol: str | None = ""
    leader: str | None = ""
    current_state_timestamp: int = -1
    members: list[MemberMetadata] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "GroupMetadataValue":
        return decode_whole(
            "GroupMetadataValue", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("GroupMetadataValue", _CODEC, self, version)


_CODEC: "Codec[bytes, GroupMetadataValue]" = Codec("group_metadata_value")
