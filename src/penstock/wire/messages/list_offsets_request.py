# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ListOffsetsPartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    current_leader_epoch: int = -1
    timestamp: int = 0


class ListOffsetsTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[ListOffsetsPartition] = msgspec.field(default_factory=list)


class ListOffsetsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 2
    versions: ClassVar[tuple[int, int]] = (1, 11)
    flexible_from: ClassVar[int | None] = 6
    replica_id: int = 0
    isolation_level: int = 0
    topics: list[ListOffsetsTopic] = msgspec.field(default_factory=list)
    timeout_ms: int = 0

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ListOffsetsRequest":
        return decode_whole(
            "ListOffsetsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ListOffsetsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, ListOffsetsRequest]" = Codec("list_offsets_request")
