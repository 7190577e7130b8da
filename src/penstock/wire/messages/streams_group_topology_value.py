# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
import msgspec

from penstock.wire.primitives import Codec, Message


class TopicConfig(msgspec.Struct, gc=False):
    key: str = ""
    value: str = ""


class TopicInfo(msgspec.Struct, gc=False):
    name: str = ""
    partitions: int = 0
    replication_factor: int = 0
    topic_configs: list[TopicConfig] = msgspec.field(default_factory=list)


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


class StreamsGroupTopologyValue(Message, gc=False):
    api_key = 23
    versions = (0, 0)
    flexible_from = 0
    codec = Codec("streams_group_topology_value")
    epoch: int = 0
    subtopologies: list[Subtopology] = msgspec.field(default_factory=list)
