# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DescribedGroupMember(msgspec.Struct, gc=False):
    member_id: str = ""
    group_instance_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    member_metadata: bytes = b""
    member_assignment: bytes = b""


class DescribedGroup(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = None
    group_id: str = ""
    group_state: str = ""
    protocol_type: str = ""
    protocol_data: str = ""
    members: list[DescribedGroupMember] = msgspec.field(default_factory=list)
    authorized_operations: int = -2147483648


class DescribeGroupsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 15
    versions: ClassVar[tuple[int, int]] = (0, 6)
    flexible_from: ClassVar[int | None] = 5
    throttle_time_ms: int = 0
    groups: list[DescribedGroup] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DescribeGroupsResponse":
        return decode_whole(
            "DescribeGroupsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DescribeGroupsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DescribeGroupsResponse]" = Codec("describe_groups_response")
