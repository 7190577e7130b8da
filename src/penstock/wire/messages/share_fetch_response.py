# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class LeaderIdAndEpoch(msgspec.Struct, gc=False):
    leader_id: int = 0
    leader_epoch: int = 0


class AcquiredRecords(msgspec.Struct, gc=False):
    first_offset: int = 0
    last_offset: int = 0
    delivery_count: int = 0


class PartitionData(msgspec.Struct, gc=False):
    partition_index: int = 0
    error_code: int = 0
    error_message: str | None = None
    acknowledge_error_code: int = 0
    acknowledge_error_message: str | None = None
    current_leader: LeaderIdAndEpoch = msgspec.field(default_factory=LeaderIdAndEpoch)
    records: bytes | bytearray | memoryview | None = None
    acquired_records: list[AcquiredRecords] = msgspec.field(default_factory=list)


class ShareFetchableTopicResponse(msgspec.Struct, gc=False):
    topic_id: bytes = ZERO_UUID
    partitions: list[PartitionData] = msgspec.field(default_factory=list)


class NodeEndpoint(msgspec.Struct, gc=False):
    node_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None


class ShareFetchResponse(Message, gc=False):
    api_key = 78
    versions = (1, 2)
    flexible_from = 0
    codec = Codec("share_fetch_response", memoryview)
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    acquisition_lock_timeout_ms: int = 0
    responses: list[ShareFetchableTopicResponse] = msgspec.field(default_factory=list)
    node_endpoints: list[NodeEndpoint] = msgspec.field(default_factory=list)
