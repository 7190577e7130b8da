# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class EpochEndOffset(msgspec.Struct, gc=False):
    epoch: int = -1
    end_offset: int = -1


class LeaderIdAndEpoch(msgspec.Struct, gc=False):
    leader_id: int = -1
    leader_epoch: int = -1


class SnapshotId(msgspec.Struct, gc=False):
    end_offset: int = -1
    epoch: int = -1


class AbortedTransaction(msgspec.Struct, gc=False):
    producer_id: int = 0
    first_offset: int = 0


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    high_watermark: int = 0
    last_stable_offset: int = -1
    log_start_offset: int = -1
    diverging_epoch: EpochEndOffset = msgspec.field(default_factory=EpochEndOffset)
    current_leader: LeaderIdAndEpoch = msgspec.field(default_factory=LeaderIdAndEpoch)
    snapshot_id: SnapshotId = msgspec.field(default_factory=SnapshotId)
    aborted_transactions: list[AbortedTransaction] | None = msgspec.field(default_factory=list)
    preferred_read_replica: int = -1
    records: bytes | bytearray | memoryview | None = None


class FetchableTopicResponse(msgspec.Struct, gc=False):
    topic: str = ""
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class NodeEndpoint(msgspec.Struct, gc=False):
    node_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None


class FetchResponse(Message, gc=False):
    api_key = 1
    versions = (4, 18)
    flexible_from = 12
    codec = Codec("fetch_response", memoryview)
    throttle_time_ms: int = 0
    error_code: int = 0
    session_id: int = 0
    responses: list[FetchableTopicResponse] = msgspec.field(default_factory=list)
    node_endpoints: list[NodeEndpoint] = msgspec.field(default_factory=list)
