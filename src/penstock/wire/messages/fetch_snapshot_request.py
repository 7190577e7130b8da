# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import ZERO_UUID, Buffer, Codec, decode_whole, encode_whole


class SnapshotId(msgspec.Struct, gc=False):
    end_offset: int = 0
    epoch: int = 0


class PartitionSnapshot(msgspec.Struct, gc=False):
    partition: int = 0
    current_leader_epoch: int = 0
    snapshot_id: SnapshotId = msgspec.field(default_factory=SnapshotId)
    position: int = 0
    replica_directory_id: bytes = ZERO_UUID


class TopicSnapshot(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[PartitionSnapshot] = msgspec.field(default_factory=list)


class FetchSnapshotRequest(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 59
    versions: ClassVar[tuple[int, int]] = (0, 1)
    flexible_from: ClassVar[int | None] = 0
    cluster_id: str | None = None
    replica_id: int = -1
    max_bytes: int = 2147483647
    topics: list[TopicSnapshot] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "FetchSnapshotRequest":
        return decode_whole(
            "FetchSnapshotRequest", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("FetchSnapshotRequest", _CODEC, self, version)


_CODEC: "Codec[bytes, FetchSnapshotRequest]" = Codec("fetch_snapshot_request")
