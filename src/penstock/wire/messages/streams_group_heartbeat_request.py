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


class CopartitionGroup(msgspec.Struct, gc=False):
    source_topics: list[int] = msgspec.field(default_factory=list)
    source_topic_regex: list[int] = msgspec.field(default_factory=list)
    repartition_source_topics: list[int] = msgspec.field(default_factory=list)


class Subtopology(msgspec.Struct, gc=False):
    subtopology_id: str = ""
    source_topics: list[str] = msgspec.field(default_factory=list)
    source_topic_regex: list[str] = msgspec.field(default_factory=list)
    state_changelog_topics: list[TopicInfo] = msgspec.field(default_factory=list)
    repartition_sink_topics: list[str] = msgspec.field(default_factory=list)
    repartition_source_topics: list[TopicInfo] = msgspec.field(default_factory=list)
    copartition_groups: list[CopartitionGroup] = msgspec.field(default_factory=list)


class Topology(msgspec.Struct, gc=False):
    epoch: int = 0
    subtopologies: list[Subtopology] = msgspec.field(default_factory=list)


class TaskIds(msgspec.Struct, gc=False):
    subtopology_id: str = ""
    partitions: list[int] = msgspec.field(default_factory=list)


class Endpoint(msgspec.Struct, gc=False):
    host: str = ""
    port: int = 0


class TaskOffset(msgspec.Struct, gc=False):
    subtopology_id: str = ""
    partition: int = 0
    offset: int = 0


class StreamsGroupHeartbeatRequest(Message, gc=False):
    api_key = 88
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("streams_group_heartbeat_request")
    group_id: str = ""
    member_id: str = ""
    member_epoch: int = 0
    endpoint_information_epoch: int = 0
    instance_id: str | None = None
    rack_id: str | None = None
    rebalance_timeout_ms: int = -1
    topology: Topology | None = None
    active_tasks: list[TaskIds] | None = None
    standby_tasks: list[TaskIds] | None = None
    warmup_tasks: list[TaskIds] | None = None
    process_id: str | None = None
    user_endpoint: Endpoint | None = None
    client_tags: list[KeyValue] | None = None
    task_offsets: list[TaskOffset] | None = None
    task_end_offsets: list[TaskOffset] | None = None
    shutdown_application: bool = False
