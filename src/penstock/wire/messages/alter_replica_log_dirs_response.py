# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class AlterReplicaLogDirPartitionResult(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0


class AlterReplicaLogDirTopicResult(msgspec.Struct, gc=False):
    topic_name: str = ""
    partitions: list[AlterReplicaLogDirPartitionResult] = msgspec.field(default_factory=list)


class AlterReplicaLogDirsResponse(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 34
    versions: ClassVar[tuple[int, int]] = (1, 2)
    flexible_from: ClassVar[int | None] = 2
    throttle_time_ms: int = 0
    results: list[AlterReplicaLogDirTopicResult] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AlterReplicaLogDirsResponse":
        return decode_whole(
            "AlterReplicaLogDirsResponse", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AlterReplicaLogDirsResponse", _CODEC, self, version)


_CODEC: "Codec[bytes, AlterReplicaLogDirsResponse]" = Codec("alter_replica_log_dirs_response")
