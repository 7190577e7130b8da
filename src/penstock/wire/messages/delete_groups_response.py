# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class DeletableGroupResult(msgspec.Struct, gc=False):
    group_id: str = ""
    error_code: int = 0


class DeleteGroupsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 42
    versions: ClassVar[tuple[int, int]] = (0, 2)
    flexible_from: ClassVar[int | None] = 2
    throttle_time_ms: int = 0
    results: list[DeletableGroupResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DeleteGroupsResponse":
        return decode_whole(
            "DeleteGroupsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DeleteGroupsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, DeleteGroupsResponse]" = Codec("delete_groups_response")
