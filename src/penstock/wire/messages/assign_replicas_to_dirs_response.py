# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0


class TopicData(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class DirectoryData(msgspec.Struct, gc=False):
    id: bytes = ZERO_UUID
    topics: list[TopicData] = msgspec.field(default_factory=list)


class AssignReplicasToDirsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 73
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    throttle_time_ms: int = 0
    error_code: int = 0
    directories: list[DirectoryData] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AssignReplicasToDirsResponse":
        return decode_whole(
            "AssignReplicasToDirsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AssignReplicasToDirsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, AssignReplicasToDirsResponse]" = Codec("assign_replicas_to_dirs_response")
