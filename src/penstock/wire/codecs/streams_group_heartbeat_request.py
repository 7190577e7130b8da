# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.streams_group_heartbeat_request import (
    CopartitionGroup,
    Endpoint,
    KeyValue,
    StreamsGroupHeartbeatRequest,
    Subtopology,
    TaskIds,
    TaskOffset,
    TopicInfo,
    Topology,
)
from penstock.wire.primitives import (
    BYTE,
    COMPACT_INT32S,
    UNPACK_INT32S,
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

_read_tB = Struct(">?B").unpack_from
_read_HB = Struct(">HB").unpack_from
_read_b = Struct(">b").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ib = Struct(">ib").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_read_iqB = Struct(">iqB").unpack_from
_pack_tx = Struct(">?x").pack
_pack_Hx = Struct(">Hx").pack
_pack_b = Struct(">b").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ib = Struct(">ib").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ii = Struct(">ii").pack
_pack_iiB = Struct(">iiB").pack
_pack_iqx = Struct(">iqx").pack


def _decode_key_value_v0(data: bytes, pos: int) -> tuple[KeyValue, int]:
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
    return KeyValue(key, value), pos


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
    topic_configs: list[KeyValue] = []
    for _ in range(n):
        topic_configs_item, pos = _decode_key_value_v0(data, pos)
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


def _decode_topology_v0(data: bytes, pos: int) -> tuple[Topology, int]:
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
    return Topology(epoch, subtopologies), pos


def _decode_task_ids_v0(data: bytes, pos: int) -> tuple[TaskIds, int]:
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
        raise null_refused("partitions")
    n -= 1
    partitions = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TaskIds(subtopology_id, partitions), pos


def _decode_endpoint_v0(data: bytes, pos: int) -> tuple[Endpoint, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("host")
    end = pos + n - 1
    host = data[pos:end].decode()
    pos = end
    port, tags = _read_HB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return Endpoint(host, port), pos


def _decode_task_offset_v0(data: bytes, pos: int) -> tuple[TaskOffset, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("subtopology_id")
    end = pos + n - 1
    subtopology_id = data[pos:end].decode()
    pos = end
    partition, offset, tags = _read_iqB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return TaskOffset(subtopology_id, partition, offset), pos


def _decode_streams_group_heartbeat_request_v0(data: bytes, pos: int) -> tuple[StreamsGroupHeartbeatRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("group_id")
    end = pos + n - 1
    group_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("member_id")
    end = pos + n - 1
    member_id = data[pos:end].decode()
    pos = end
    member_epoch, endpoint_information_epoch, n = _read_iiB(data, pos)
    pos += 9
    if n > 127:
        n, pos = long_string_length(data, pos)
    instance_id: str | None = None
    if n:
        end = pos + n - 1
        instance_id = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    rack_id: str | None = None
    if n:
        end = pos + n - 1
        rack_id = data[pos:end].decode()
        pos = end
    rebalance_timeout_ms, n = _read_ib(data, pos)
    pos += 5
    topology: Topology | None = None
    if n >= 0:
        topology, pos = _decode_topology_v0(data, pos)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    active_tasks: list[TaskIds] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("active_tasks", n)
        active_tasks = []
        for _ in range(n):
            active_tasks_item, pos = _decode_task_ids_v0(data, pos)
            active_tasks.append(active_tasks_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    standby_tasks: list[TaskIds] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("standby_tasks", n)
        standby_tasks = []
        for _ in range(n):
            standby_tasks_item, pos = _decode_task_ids_v0(data, pos)
            standby_tasks.append(standby_tasks_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    warmup_tasks: list[TaskIds] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("warmup_tasks", n)
        warmup_tasks = []
        for _ in range(n):
            warmup_tasks_item, pos = _decode_task_ids_v0(data, pos)
            warmup_tasks.append(warmup_tasks_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    process_id: str | None = None
    if n:
        end = pos + n - 1
        process_id = data[pos:end].decode()
        pos = end
    (n,) = _read_b(data, pos)
    pos += 1
    user_endpoint: Endpoint | None = None
    if n >= 0:
        user_endpoint, pos = _decode_endpoint_v0(data, pos)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    client_tags: list[KeyValue] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("client_tags", n)
        client_tags = []
        for _ in range(n):
            client_tags_item, pos = _decode_key_value_v0(data, pos)
            client_tags.append(client_tags_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    task_offsets: list[TaskOffset] | None = None
    if n:
        n -= 1
        if n * 14 > len(data) - pos:
            raise absurd_count("task_offsets", n)
        task_offsets = []
        for _ in range(n):
            task_offsets_item, pos = _decode_task_offset_v0(data, pos)
            task_offsets.append(task_offsets_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    task_end_offsets: list[TaskOffset] | None = None
    if n:
        n -= 1
        if n * 14 > len(data) - pos:
            raise absurd_count("task_end_offsets", n)
        task_end_offsets = []
        for _ in range(n):
            task_end_offsets_item, pos = _decode_task_offset_v0(data, pos)
            task_end_offsets.append(task_end_offsets_item)
    shutdown_application, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return StreamsGroupHeartbeatRequest(
        group_id,
        member_id,
        member_epoch,
        endpoint_information_epoch,
        instance_id,
        rack_id,
        rebalance_timeout_ms,
        topology,
        active_tasks,
        standby_tasks,
        warmup_tasks,
        process_id,
        user_endpoint,
        client_tags,
        task_offsets,
        task_end_offsets,
        shutdown_application,
    ), pos


def _encode_key_value_v0(push: Push, this: KeyValue) -> None:
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
        _encode_key_value_v0(push, topic_configs_item)
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


def _encode_topology_v0(push: Push, this: Topology) -> None:
    subtopologies = this.subtopologies
    n = len(subtopologies) + 1
    push(_pack_iB(this.epoch, n) if n < 128 else _pack_i(this.epoch) + uvarint(n))
    for subtopologies_item in subtopologies:
        _encode_subtopology_v0(push, subtopologies_item)
    push(b"\0")


def _encode_task_ids_v0(push: Push, this: TaskIds) -> None:
    subtopology_id_sent = this.subtopology_id.encode()
    n = len(subtopology_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(subtopology_id_sent)
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_endpoint_v0(push: Push, this: Endpoint) -> None:
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(host_sent)
    push(_pack_Hx(this.port))


def _encode_task_offset_v0(push: Push, this: TaskOffset) -> None:
    subtopology_id_sent = this.subtopology_id.encode()
    n = len(subtopology_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(subtopology_id_sent)
    push(_pack_iqx(this.partition, this.offset))


def _encode_streams_group_heartbeat_request_v0(push: Push, this: StreamsGroupHeartbeatRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    member_id_sent = this.member_id.encode()
    n = len(member_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(member_id_sent)
    instance_id = this.instance_id
    if instance_id is None:
        instance_id_sent = b""
        n = 0
    else:
        instance_id_sent = instance_id.encode()
        n = len(instance_id_sent) + 1
    push(
        _pack_iiB(this.member_epoch, this.endpoint_information_epoch, n)
        if n < 128
        else _pack_ii(this.member_epoch, this.endpoint_information_epoch) + string_length(n)
    )
    push(instance_id_sent)
    rack_id = this.rack_id
    if rack_id is None:
        rack_id_sent = b""
        n = 0
    else:
        rack_id_sent = rack_id.encode()
        n = len(rack_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(rack_id_sent)
    topology = this.topology
    push(_pack_ib(this.rebalance_timeout_ms, -1 if topology is None else 1))
    if topology is not None:
        _encode_topology_v0(push, topology)
    active_tasks = this.active_tasks
    n = 0 if active_tasks is None else len(active_tasks) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if active_tasks:
        for active_tasks_item in active_tasks:
            _encode_task_ids_v0(push, active_tasks_item)
    standby_tasks = this.standby_tasks
    n = 0 if standby_tasks is None else len(standby_tasks) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if standby_tasks:
        for standby_tasks_item in standby_tasks:
            _encode_task_ids_v0(push, standby_tasks_item)
    warmup_tasks = this.warmup_tasks
    n = 0 if warmup_tasks is None else len(warmup_tasks) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if warmup_tasks:
        for warmup_tasks_item in warmup_tasks:
            _encode_task_ids_v0(push, warmup_tasks_item)
    process_id = this.process_id
    if process_id is None:
        process_id_sent = b""
        n = 0
    else:
        process_id_sent = process_id.encode()
        n = len(process_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(process_id_sent)
    user_endpoint = this.user_endpoint
    push(_pack_b(-1 if user_endpoint is None else 1))
    if user_endpoint is not None:
        _encode_endpoint_v0(push, user_endpoint)
    client_tags = this.client_tags
    n = 0 if client_tags is None else len(client_tags) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if client_tags:
        for client_tags_item in client_tags:
            _encode_key_value_v0(push, client_tags_item)
    task_offsets = this.task_offsets
    n = 0 if task_offsets is None else len(task_offsets) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if task_offsets:
        for task_offsets_item in task_offsets:
            _encode_task_offset_v0(push, task_offsets_item)
    task_end_offsets = this.task_end_offsets
    n = 0 if task_end_offsets is None else len(task_end_offsets) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if task_end_offsets:
        for task_end_offsets_item in task_end_offsets:
            _encode_task_offset_v0(push, task_end_offsets_item)
    push(_pack_tx(this.shutdown_application))


DECODERS = {
    0: _decode_streams_group_heartbeat_request_v0,
}
ENCODERS = {
    0: _encode_streams_group_heartbeat_request_v0,
}
