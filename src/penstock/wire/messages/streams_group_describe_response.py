# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class KeyValue(msgspec.Struct, gc=False):
    key: str = ""
    value: str = ""


class TopicInfo(msgspec.Struct, gc=False):
    name: str = ""
    partitions: int = 0
    replication_factor: int = 0
    topic_configs: list[KeyValue] = msgspec.field(default_factory=list)


class Subtopology(msgspec.Struct, gc=False):
    subtopology_id: str = ""
    source_topics: list[str] = msgspec.field(default_factory=list)
    repartition_sink_topics: list[str] = msgspec.field(default_factory=list)
    state_changelog_topics: list[TopicInfo] = msgspec.field(default_factory=list)
    repartition_source_topics: list[TopicInfo] = msgspec.field(default_factory=list)


class Topology(msgspec.Struct, gc=False):
    epoch: int = 0
    subtopologies: list[Subtopology] | None = None


class Endpoint(msgspec.Struct, gc=False):
    host: str = ""
    port: int = 0


class TaskOffset(msgspec.Struct, gc=False):
    subtopology_id: str = ""
    partition: int = 0
    offset: int = 0


class TaskIds(msgspec.Struct, gc=False):
    subtopology_id: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class Assignment(msgspec.Struct, gc=False):
    active_tasks: list[TaskIds] = msgspec.field(default_factory=list)
    standby_tasks: list[TaskIds] = msgspec.field(default_factory=list)
    warmup_tasks: list[TaskIds] = msgspec.field(default_factory=list)


class Member(msgspec.Struct, gc=False):
    member_id: str = ""
    member_epoch: int = 0
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    client_host: str = ""
    topology_epoch: int = 0
    process_id: str = ""
    user_endpoint: Endpoint | None = None
    client_tags: list[KeyValue] = msgspec.field(default_factory=list)
    task_offsets: list[TaskOffset] = msgspec.field(default_factory=list)
    task_end_offsets: list[TaskOffset] = msgspec.field(default_factory=list)
    assignment: Assignment = msgspec.field(default_factory=Assignment)
    target_assignment: Assignment = msgspec.field(default_factory=Assignment)
    is_classic: bool = False


class DescribedGroup(msgspec.Struct, gc=False):
    error_code: int = 0
    error_message: str | None = None
    group_id: str = ""
    group_state: str = ""
    group_epoch: int = 0
    assignment_epoch: int = 0
    topology: Topology | None = None
    members: list[Member] = msgspec.field(default_factory=list)
    authorized_operations: int = -2147483648


class StreamsGroupDescribeResponse(Message, gc=False):
    api_key = 89
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("streams_group_describe_response")
    throttle_time_ms: int = 0
    groups: list[DescribedGroup] = msgspec.field(default_factory=list)
