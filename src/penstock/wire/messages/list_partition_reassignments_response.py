# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class OngoingPartitionReassignment(msgspec.Struct, gc=False):
    partition_index: int = 0
    replicas: list[int] = msgspec.field(default_factory=list)
    adding_replicas: list[int] = msgspec.field(default_factory=list)
    removing_replicas: list[int] = msgspec.field(default_factory=list)


class OngoingTopicReassignment(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[OngoingPartitionReassignment] = msgspec.field(default_factory=list)


class ListPartitionReassignmentsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 46
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    topics: list[OngoingTopicReassignment] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "ListPartitionReassignmentsResponse":
        return decode_whole(
            "ListPartitionReassignmentsResponse",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("ListPartitionReassignmentsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, ListPartitionReassignmentsResponse]" = Codec("list_partition_reassignments_response")
