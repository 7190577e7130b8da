# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


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


class FetchSnapshotRequest(Message, gc=False):
    api_key = 59
    versions = (0, 1)
    flexible_from = 0
    codec = Codec("fetch_snapshot_request")
    cluster_id: str | None = None
    replica_id: int = -1
    max_bytes: int = 2147483647
    topics: list[TopicSnapshot] = msgspec.field(default_factory=list)
