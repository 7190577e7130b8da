# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class Status(msgspec.Struct, gc=False):
    status_code: int = 0
    status_detail: str = ""


class TaskIds(msgspec.Struct, gc=False):
    subtopology_id: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class Endpoint(msgspec.Struct, gc=False):
    host: str = ""
    port: int = 0


class TopicPartition(msgspec.Struct, gc=False):
    topic: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class EndpointToPartitions(msgspec.Struct, gc=False):
    user_endpoint: Endpoint = msgspec.field(default_factory=Endpoint)
    active_partitions: list[TopicPartition] = msgspec.field(default_factory=list)
    standby_partitions: list[TopicPartition] = msgspec.field(default_factory=list)


class StreamsGroupHeartbeatResponse(Message, gc=False):
    api_key = 88
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("streams_group_heartbeat_response")
    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = None
    member_id: str = ""
    member_epoch: int = 0
    heartbeat_interval_ms: int = 0
    acceptable_recovery_lag: int = 0
    task_offset_interval_ms: int = 0
    status: list[Status] | None = msgspec.field(default_factory=list)
    active_tasks: list[TaskIds] | None = None
    standby_tasks: list[TaskIds] | None = None
    warmup_tasks: list[TaskIds] | None = None
    endpoint_information_epoch: int = 0
    partitions_by_user_endpoint: list[EndpointToPartitions] | None = None
