# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class PartitionData(msgspec.Struct, gc=False):
    partition: int = 0


class DeleteStateData(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class DeleteShareGroupStateRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 86
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    group_id: str = ""
    topics: list[DeleteStateData] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "DeleteShareGroupStateRequest":
        return decode_whole(
            "DeleteShareGroupStateRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("DeleteShareGroupStateRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, DeleteShareGroupStateRequest]" = Codec("delete_share_group_state_request")
