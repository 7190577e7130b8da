# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.create_topics_request import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from penstock.wire.primitives import (
    BYTE,
    COMPACT_INT32S,
    PLAIN_INT32S,
    UNPACK_INT32S,
    Push,
    compact_ints,
    long_string_length,
    long_varint,
    plain_ints,
    read_ints,
    skip_tags,
    string_length,
    uvarint,
)

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_it = Struct(">i?").unpack_from
_read_itB = Struct(">i?B").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ihB = Struct(">ihB").unpack_from
_read_ihi = Struct(">ihi").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_it = Struct(">i?").pack
_pack_itx = Struct(">i?x").pack
_pack_ih = Struct(">ih").pack
_pack_ihB = Struct(">ihB").pack
_pack_ihi = Struct(">ihi").pack


def _decode_creatable_replica_assignment_v2(data: bytes, pos: int) -> tuple[CreatableReplicaAssignment, int]:
    partition_index, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("broker_ids")
    broker_ids = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    return CreatableReplicaAssignment(partition_index, broker_ids), pos


def _decode_creatable_topic_config_v2(data: bytes, pos: int) -> tuple[CreatableTopicConfig, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    (n,) = _read_h(data, pos)
    pos += 2
    value: str | None = None
    if n >= 0:
        end = pos + n
        value = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("value", n)
    return CreatableTopicConfig(name, value), pos


def _decode_creatable_topic_v2(data: bytes, pos: int) -> tuple[CreatableTopic, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    num_partitions, replication_factor, n = _read_ihi(data, pos)
    pos += 10
    if n < 0:
        raise null_refused("assignments")
    if n * 8 > len(data) - pos:
        raise absurd_count("assignments", n)
    assignments: list[CreatableReplicaAssignment] = []
    for _ in range(n):
        assignments_item, pos = _decode_creatable_replica_assignment_v2(data, pos)
        assignments.append(assignments_item)
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("configs")
    if n * 4 > len(data) - pos:
        raise absurd_count("configs", n)
    configs: list[CreatableTopicConfig] = []
    for _ in range(n):
        configs_item, pos = _decode_creatable_topic_config_v2(data, pos)
        configs.append(configs_item)
    return CreatableTopic(name, num_partitions, replication_factor, assignments, configs), pos


def _decode_create_topics_request_v2(data: bytes, pos: int) -> tuple[CreateTopicsRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topics")
    if n * 16 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[CreatableTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_creatable_topic_v2(data, pos)
        topics.append(topics_item)
    timeout_ms, validate_only = _read_it(data, pos)
    pos += 5
    return CreateTopicsRequest(topics, timeout_ms, validate_only), pos


def _decode_creatable_replica_assignment_v5(data: bytes, pos: int) -> tuple[CreatableReplicaAssignment, int]:
    partition_index, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("broker_ids")
    n -= 1
    broker_ids = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return CreatableReplicaAssignment(partition_index, broker_ids), pos


def _decode_creatable_topic_config_v5(data: bytes, pos: int) -> tuple[CreatableTopicConfig, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    value: str | None = None
    if n:
        end = pos + n - 1
        value = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return CreatableTopicConfig(name, value), pos


def _decode_creatable_topic_v5(data: bytes, pos: int) -> tuple[CreatableTopic, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    num_partitions, replication_factor, n = _read_ihB(data, pos)
    pos += 7
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("assignments")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("assignments", n)
    assignments: list[CreatableReplicaAssignment] = []
    for _ in range(n):
        assignments_item, pos = _decode_creatable_replica_assignment_v5(data, pos)
        assignments.append(assignments_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("configs")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("configs", n)
    configs: list[CreatableTopicConfig] = []
    for _ in range(n):
        configs_item, pos = _decode_creatable_topic_config_v5(data, pos)
        configs.append(configs_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return CreatableTopic(name, num_partitions, replication_factor, assignments, configs), pos


def _decode_create_topics_request_v5(data: bytes, pos: int) -> tuple[CreateTopicsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 10 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[CreatableTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_creatable_topic_v5(data, pos)
        topics.append(topics_item)
    timeout_ms, validate_only, tags = _read_itB(data, pos)
    pos += 6
    if tags:
        pos = skip_tags(data, pos, tags)
    return CreateTopicsRequest(topics, timeout_ms, validate_only), pos


def _encode_creatable_replica_assignment_v2(push: Push, this: CreatableReplicaAssignment) -> None:
    push(_pack_i(this.partition_index))
    broker_ids = this.broker_ids
    n = len(broker_ids)
    push(PLAIN_INT32S[n](n, *broker_ids) if n < 17 else plain_ints("i", broker_ids))


def _encode_creatable_topic_config_v2(push: Push, this: CreatableTopicConfig) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    value = this.value
    if value is None:
        value_sent = b""
        n = -1
    else:
        value_sent = value.encode()
        n = len(value_sent)
    push(_pack_h(n))
    push(value_sent)


def _encode_creatable_topic_v2(push: Push, this: CreatableTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    assignments = this.assignments
    n = len(assignments)
    push(_pack_ihi(this.num_partitions, this.replication_factor, n))
    for assignments_item in assignments:
        _encode_creatable_replica_assignment_v2(push, assignments_item)
    configs = this.configs
    n = len(configs)
    push(_pack_i(n))
    for configs_item in configs:
        _encode_creatable_topic_config_v2(push, configs_item)


def _encode_create_topics_request_v2(push: Push, this: CreateTopicsRequest) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_i(n))
    for topics_item in topics:
        _encode_creatable_topic_v2(push, topics_item)
    push(_pack_it(this.timeout_ms, this.validate_only))


def _encode_creatable_replica_assignment_v5(push: Push, this: CreatableReplicaAssignment) -> None:
    push(_pack_i(this.partition_index))
    broker_ids = this.broker_ids
    n = len(broker_ids)
    push(COMPACT_INT32S[n](n + 1, *broker_ids) if n < 17 else compact_ints("i", broker_ids))
    push(b"\0")


def _encode_creatable_topic_config_v5(push: Push, this: CreatableTopicConfig) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    value = this.value
    if value is None:
        value_sent = b""
        n = 0
    else:
        value_sent = value.encode()
        n = len(value_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(value_sent)
    push(b"\0")


def _encode_creatable_topic_v5(push: Push, this: CreatableTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    assignments = this.assignments
    n = len(assignments) + 1
    push(
        _pack_ihB(this.num_partitions, this.replication_factor, n)
        if n < 128
        else _pack_ih(this.num_partitions, this.replication_factor) + uvarint(n)
    )
    for assignments_item in assignments:
        _encode_creatable_replica_assignment_v5(push, assignments_item)
    configs = this.configs
    n = len(configs) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for configs_item in configs:
        _encode_creatable_topic_config_v5(push, configs_item)
    push(b"\0")


def _encode_create_topics_request_v5(push: Push, this: CreateTopicsRequest) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_creatable_topic_v5(push, topics_item)
    push(_pack_itx(this.timeout_ms, this.validate_only))


DECODERS = {
    2: _decode_create_topics_request_v2,
    3: _decode_create_topics_request_v2,
    4: _decode_create_topics_request_v2,
    5: _decode_create_topics_request_v5,
    6: _decode_create_topics_request_v5,
    7: _decode_create_topics_request_v5,
}
ENCODERS = {
    2: _encode_create_topics_request_v2,
    3: _encode_create_topics_request_v2,
    4: _encode_create_topics_request_v2,
    5: _encode_create_topics_request_v5,
    6: _encode_create_topics_request_v5,
    7: _encode_create_topics_request_v5,
}
