# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


class AlterReplicaLogDirTopic(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class AlterReplicaLogDir(msgspec.Struct, gc=False):
    path: str = ""
    topics: list[AlterReplicaLogDirTopic] = msgspec.field(default_factory=list)


class AlterReplicaLogDirsRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 34
    versions: ClassVar[tuple[int, int]] = (1, 2)
    flexible_from: ClassVar[int | None] = 2
    dirs: list[AlterReplicaLogDir] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "AlterReplicaLogDirsRequest":
        return decode_whole(
            "AlterReplicaLogDirsRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("AlterReplicaLogDirsRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, AlterReplicaLogDirsRequest]" = Codec("alter_replica_log_dirs_request")
