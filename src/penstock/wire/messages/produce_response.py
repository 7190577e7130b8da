# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import ZERO_UUID, Codec, Message


class BatchIndexAndErrorMessage(msgspec.Struct, gc=False):
    batch_index: int = 0
    batch_index_error_message: str | None = None


class LeaderIdAndEpoch(msgspec.Struct, gc=False):
    leader_id: int = -1
    leader_epoch: int = -1


class PartitionProduceResponse(msgspec.Struct, gc=False):
    index: int = 0
    error_code: int = 0
    base_offset: int = 0
    log_append_time_ms: int = -1
    log_start_offset: int = -1
    record_errors: list[BatchIndexAndErrorMessage] = msgspec.field(default_factory=list)
    error_message: str | None = None
    current_leader: LeaderIdAndEpoch = msgspec.field(default_factory=LeaderIdAndEpoch)


class TopicProduceResponse(msgspec.Struct, gc=False):
    name: str = ""
    topic_id: bytes = ZERO_UUID
    partition_responses: list[PartitionProduceResponse] = msgspec.field(default_factory=list)


class NodeEndpoint(msgspec.Struct, gc=False):
    node_id: int = 0
    host: str = ""
    port: int = 0
    rack: str | None = None


class ProduceResponse(Message, gc=False):
    api_key = 0
    versions = (3, 13)
    flexible_from = 9
    codec = Codec("produce_response")
    responses: list[TopicProduceResponse] = msgspec.field(default_factory=list)
    throttle_time_ms: int = 0
    node_endpoints: list[NodeEndpoint] = msgspec.field(default_factory=list)
