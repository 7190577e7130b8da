# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0


class TopicData(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class DirectoryData(msgspec.Struct, gc=False):
    id: bytes = ZERO_UUID
    topics: list[TopicData] = msgspec.field(default_factory=list)


class AssignReplicasToDirsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 73
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    broker_id: int = 0
    broker_epoch: int = -1
    directories: list[DirectoryData] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AssignReplicasToDirsRequest":
        return decode_whole(
            "AssignReplicasToDirsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AssignReplicasToDirsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, AssignReplicasToDirsRequest]" = Codec("assign_replicas_to_dirs_request")
