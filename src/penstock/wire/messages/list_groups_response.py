# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ListedGroup(msgspec.Struct, gc=False):
    group_id: str = ""
    protocol_type: str = ""
    group_state: str = ""
    group_type: str = ""


class ListGroupsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 16
    versions: ClassVar[tuple[int, int]] = (0, 5)
    flexible_from: ClassVar[int | None] = 3
    throttle_time_ms: int = 0
    error_code: int = 0
    groups: list[ListedGroup] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ListGroupsResponse":
        return decode_whole(
            "ListGroupsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ListGroupsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, ListGroupsResponse]" = Codec("list_groups_response")
