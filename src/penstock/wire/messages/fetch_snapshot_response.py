# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class SnapshotId(msgspec.Struct, gc=False):
    end_offset: int = 0
    epoch: int = 0


class LeaderIdAndEpoch(msgspec.Struct, gc=False):
    leader_id: int = 0
    leader_epoch: int = 0


class PartitionSnapshot(msgspec.Struct, gc=False):
    index: int = 0
    error_code: int = 0
    snapshot_id: SnapshotId = msgspec.field(default_factory=SnapshotId)
    current_leader: LeaderIdAndEpoch = msgspec.field(default_factory=LeaderIdAndEpoch)
    size: int = 0
    position: int = 0
    unaligned_records: bytes | bytearray | memoryview = b""


class TopicSnapshot(msgspec.Struct, gc=False):
    name: str = ""
    partitions: list[PartitionSnapshot] = msgspec.field(default_factory=list)


class NodeEndpoint(msgspec.Struct, gc=False):
    node_id: int = 0
    host: str = ""
    port: int = 0


class FetchSnapshotResponse(Message, gc=False):
    api_key = 59
    versions = (0, 1)
    flexible_from = 0
    codec = Codec("fetch_snapshot_response", memoryview)
    throttle_time_ms: int = 0
    error_code: int = 0
    topics: list[TopicSnapshot] = msgspec.field(default_factory=list)
    node_endpoints: list[NodeEndpoint] = msgspec.field(default_factory=list)
