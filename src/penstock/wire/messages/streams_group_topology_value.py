# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from typing import ClassVar

import msgspec

from penstock.wire.primitives import Buffer, Codec, decode_whole, encode_whole


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


class StreamsGroupTopologyValue(msgspec.Struct, gc=False):
    api_key: ClassVar[int] = 23
    versions: ClassVar[tuple[int, int]] = (0, 0)
    flexible_from: ClassVar[int | None] = 0
    epoch: int = 0
    subtopologies: list[Subtopology] = msgspec.field(default_factory=list)

    @classmethod
    def decode(cls, data: Buffer, version: int, position: int = 0) -> "StreamsGroupTopologyValue":
        return decode_whole(
            "StreamsGroupTopologyValue", _CODEC, data if isinstance(data, bytes) else bytes(data), version, position
        )

    def encode(self, version: int) -> bytes:
        return encode_whole("StreamsGroupTopologyValue", _CODEC, self, version)


_CODEC: "Codec[bytes, StreamsGroupTopologyValue]" = Codec("streams_group_topology_value")
