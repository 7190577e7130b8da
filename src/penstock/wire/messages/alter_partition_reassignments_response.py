# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class ReassignablePartitionResponse(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = ""


class ReassignableTopicResponse(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[ReassignablePartitionResponse] = msgspec.field(default_factory=list)


class AlterPartitionReassignmentsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 45
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    allow_replication_factor_change: bool = True
    error_code: int = 0
    error_message: str | None = ""
    responses: list[ReassignableTopicResponse] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AlterPartitionReassignmentsResponse":
        return decode_whole(
            "AlterPartitionReassignmentsResponse",
            _CODEC,
            data if isinstance(data, bytes) else bytes(data),
            version,
            position,
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AlterPartitionReassignmentsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, AlterPartitionReassignmentsResponse]" = Codec("alter_partition_reassignments_response")
