# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ListPartitionReassignmentsTopics(msgspec.Struct, gc=False):
    name: str = ""
    partition_indexes: list[int] = msgspec.field(default_factory=list)


class ListPartitionReassignmentsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 46
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    timeout_ms: int = 60000
    topics: list[ListPartitionReassignmentsTopics] | None = None

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ListPartitionReassignmentsRequest":
        return decode_whole(
            "ListPartitionReassignmentsRequest",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ListPartitionReassignmentsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, ListPartitionReassignmentsRequest]" = Codec("list_partition_reassignments_request")
