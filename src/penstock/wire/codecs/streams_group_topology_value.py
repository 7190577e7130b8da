# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.streams_group_topology_value import (
    CopartitionGroup,
    StreamsGroupTopologyValue,
    Subtopology,
    TopicConfig,
    TopicInfo,
)
from penstock.wire.primitives import (
    BYTE,
    Push,
    compact_ints,
    compact_strings,
    long_string_length,
    long_varint,
    read_compact_strings,
    read_ints,
    skip_tags,
    string_length,
    uvarint,
)

_read_iB = Struct(">iB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack


def _decode_topic_config_v0(data: bytes, pos: int) -> tuple[TopicConfig, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("key")
    end = pos + n - 1
    key = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("value")
    end = pos + n - 1
    value = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicConfig(key, value), pos


def _decode_topic_info_v0(data: bytes, pos: int) -> tuple[TopicInfo, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    partitions, replication_factor, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topic_configs")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topic_configs", n)
    topic_configs: list[TopicConfig] = []
    for _ in range(n):
        topic_configs_item, pos = _decode_topic_config_v0(data, pos)
        topic_configs.append(topic_configs_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicInfo(name, partitions, replication_factor, topic_configs), pos


def _decode_copartition_group_v0(data: bytes, pos: int) -> tuple[CopartitionGroup, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("source_topics")
    n -= 1
    source_topics = read_ints("h", data, pos, n)
    pos += 2 * n
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("source_topic_regex")
    n -= 1
    source_topic_regex = read_ints("h", data, pos, n)
    pos += 2 * n
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("repartition_source_topics")
    n -= 1
    repartition_source_topics = read_ints("h", data, pos, n)
    pos += 2 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return CopartitionGroup(source_topics, source_topic_regex, repartition_source_topics), pos


def _decode_subtopology_v0(data: bytes, pos: int) -> tuple[Subtopology, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("subtopology_id")
    end = pos + n - 1
    subtopology_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("source_topics")
    n -= 1
    source_topics, pos = read_compact_strings(data, pos, n)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("source_topic_regex")
    n -= 1
    source_topic_regex, pos = read_compact_strings(data, pos, n)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("state_changelog_topics")
    n -= 1
    if n * 9 > len(data) - pos:
        raise absurd_count("state_changelog_topics", n)
    state_changelog_topics: list[TopicInfo] = []
    for _ in range(n):
        state_changelog_topics_item, pos = _decode_topic_info_v0(data, pos)
        state_changelog_topics.append(state_changelog_topics_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("repartition_sink_topics")
    n -= 1
    repartition_sink_topics, pos = read_compact_strings(data, pos, n)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("repartition_source_topics")
    n -= 1
    if n * 9 > len(data) - pos:
        raise absurd_count("repartition_source_topics", n)
    repartition_source_topics: list[TopicInfo] = []
    for _ in range(n):
        repartition_source_topics_item, pos = _decode_topic_info_v0(data, pos)
        repartition_source_topics.append(repartition_source_topics_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("copartition_groups")
    n -= 1
    if n * 4 > len(data) - pos:
        raise absurd_count("copartition_groups", n)
    copartition_groups: list[CopartitionGroup] = []
    for _ in range(n):
        copartition_groups_item, pos = _decode_copartition_group_v0(data, pos)
        copartition_groups.append(copartition_groups_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return Subtopology(
        subtopology_id,
        source_topics,
        source_topic_regex,
        state_changelog_topics,
        repartition_sink_topics,
        repartition_source_topics,
        copartition_groups,
    ), pos


def _decode_streams_group_topology_value_v0(data: bytes, pos: int) -> tuple[StreamsGroupTopologyValue, int]:
    epoch, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("subtopologies")
    n -= 1
    if n * 8 > len(data) - pos:
        raise absurd_count("subtopologies", n)
    subtopologies: list[Subtopology] = []
    for _ in range(n):
        subtopologies_item, pos = _decode_subtopology_v0(data, pos)
        subtopologies.append(subtopologies_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return StreamsGroupTopologyValue(epoch, subtopologies), pos


def _encode_topic_config_v0(push: Push, this: TopicConfig) -> None:
    key_sent = this.key.encode()
    n = len(key_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(key_sent)
    value_sent = this.value.encode()
    n = len(value_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(value_sent)
    push(b"\0")


def _encode_topic_info_v0(push: Push, this: TopicInfo) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    topic_configs = this.topic_configs
    n = len(topic_configs) + 1
    push(
        _pack_ihB(this.partitions, this.replication_factor, n)
        if n < 128
        else _pack_ih(this.partitions, this.replication_factor) + uvarint(n)
    )
    for topic_configs_item in topic_configs:
        _encode_topic_config_v0(push, topic_configs_item)
    push(b"\0")


def _encode_copartition_group_v0(push: Push, this: CopartitionGroup) -> None:
    source_topics = this.source_topics
    push(compact_ints("h", source_topics))
    source_topic_regex = this.source_topic_regex
    push(compact_ints("h", source_topic_regex))
    repartition_source_topics = this.repartition_source_topics
    push(compact_ints("h", repartition_source_topics))
    push(b"\0")


def _encode_subtopology_v0(push: Push, this: Subtopology) -> None:
    subtopology_id_sent = this.subtopology_id.encode()
    n = len(subtopology_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(subtopology_id_sent)
    source_topics = this.source_topics
    push(compact_strings(source_topics))
    source_topic_regex = this.source_topic_regex
    push(compact_strings(source_topic_regex))
    state_changelog_topics = this.state_changelog_topics
    n = len(state_changelog_topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for state_changelog_topics_item in state_changelog_topics:
        _encode_topic_info_v0(push, state_changelog_topics_item)
    repartition_sink_topics = this.repartition_sink_topics
    push(compact_strings(repartition_sink_topics))
    repartition_source_topics = this.repartition_source_topics
    n = len(repartition_source_topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for repartition_source_topics_item in repartition_source_topics:
        _encode_topic_info_v0(push, repartition_source_topics_item)
    copartition_groups = this.copartition_groups
    n = len(copartition_groups) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for copartition_groups_item in copartition_groups:
        _encode_copartition_group_v0(push, copartition_groups_item)
    push(b"\0")


def _encode_streams_group_topology_value_v0(push: Push, this: StreamsGroupTopologyValue) -> None:
    subtopologies = this.subtopologies
    n = len(subtopologies) + 1
    push(_pack_iB(this.epoch, n) if n < 128 else _pack_i(this.epoch) + uvarint(n))
    for subtopologies_item in subtopologies:
        _encode_subtopology_v0(push, subtopologies_item)
    push(b"\0")


DECODERS = {
    0: _decode_streams_group_topology_value_v0,
}
ENCODERS = {
    0: _encode_streams_group_topology_value_v0,
}
