# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ReassignablePartition(msgspec.Struct, gc=False):
    partition_index: int = 0
    replicas: list[int] | None = None


class ReassignableTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[ReassignablePartition] = msgspec.field(default_factory=list)


class AlterPartitionReassignmentsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 45
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 0
    timeout_ms: int = 60000
    allow_replication_factor_change: bool = True
    topics: list[ReassignableTopic] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AlterPartitionReassignmentsRequest":
        return decode_whole(
            "AlterPartitionReassignmentsRequest",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AlterPartitionReassignmentsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, AlterPartitionReassignmentsRequest]" = Codec("alter_partition_reassignments_request")
