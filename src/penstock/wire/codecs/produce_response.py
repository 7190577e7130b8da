# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.fields import Field
from penstock.wire.malformed import absurd_count, field_refused, null_refused, wrong_tag_size
from penstock.wire.messages.produce_response import (
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceResponse,
)
from penstock.wire.primitives import (
    BYTE,
    Buffer,
    Push,
    long_string_length,
    long_varint,
    read_tag,
    skip_tags,
    string_length,
    tag_section,
    tagged_field,
    uvarint,
)
from penstock.wire.tables import by_table

_read_uB = Struct(">16sB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ihqqqB = Struct(">ihqqqB").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ihqqq = Struct(">ihqqq").pack
_pack_ihqqqB = Struct(">ihqqqB").pack
_pack_iix = Struct(">iix").pack
_pack_ix = Struct(">ix").pack

DECODERS, ENCODERS = by_table(
    ProduceResponse,
    {
        TopicProduceResponse: (
            Field("name", "string", until=12, ignorable=True),
            Field("topic_id", "uuid", since=13, ignorable=True),
            Field("partition_responses", "[]PartitionProduceResponse"),
        ),
        PartitionProduceResponse: (
            Field("index", "int32"),
            Field("error_code", "int16"),
            Field("base_offset", "int64"),
            Field("log_append_time_ms", "int64"),
            Field("log_start_offset", "int64", since=5, ignorable=True),
            Field("record_errors", "[]BatchIndexAndErrorMessage", since=8, ignorable=True),
            Field("error_message", "string", since=8, null_since=8, ignorable=True),
            Field("current_leader", "LeaderIdAndEpoch", since=10, tag=0),
        ),
        BatchIndexAndErrorMessage: (
            Field("batch_index", "int32", since=8),
            Field("batch_index_error_message", "string", since=8, null_since=8),
        ),
        LeaderIdAndEpoch: (
            Field("leader_id", "int32", since=10),
            Field("leader_epoch", "int32", since=10),
        ),
        NodeEndpoint: (
            Field("node_id", "int32", since=10),
            Field("host", "string", since=10),
            Field("port", "int32", since=10),
            Field("rack", "string", since=10, null_since=10),
        ),
        ProduceResponse: (
            Field("responses", "[]TopicProduceResponse"),
            Field("throttle_time_ms", "int32"),
            Field("node_endpoints", "[]NodeEndpoint", since=10, tag=0),
        ),
    },
)


def _decode_batch_index_and_error_message_v9(data: bytes, pos: int) -> tuple[BatchIndexAndErrorMessage, int]:
    batch_index, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    batch_index_error_message: str | None = None
    if n:
        end = pos + n - 1
        batch_index_error_message = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return BatchIndexAndErrorMessage(batch_index, batch_index_error_message), pos


def _decode_partition_produce_response_v9(data: bytes, pos: int) -> tuple[PartitionProduceResponse, int]:
    index, error_code, base_offset, log_append_time_ms, log_start_offset, n = _read_ihqqqB(data, pos)
    pos += 31
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("record_errors")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("record_errors", n)
    record_errors: list[BatchIndexAndErrorMessage] = []
    for _ in range(n):
        record_errors_item, pos = _decode_batch_index_and_error_message_v9(data, pos)
        record_errors.append(record_errors_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionProduceResponse(
        index, error_code, base_offset, log_append_time_ms, log_start_offset, record_errors, error_message
    ), pos


def _decode_topic_produce_response_v9(data: bytes, pos: int) -> tuple[TopicProduceResponse, int]:
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
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partition_responses")
    n -= 1
    if n * 33 > len(data) - pos:
        raise absurd_count("partition_responses", n)
    partition_responses: list[PartitionProduceResponse] = []
    for _ in range(n):
        partition_responses_item, pos = _decode_partition_produce_response_v9(data, pos)
        partition_responses.append(partition_responses_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicProduceResponse(name, partition_responses=partition_responses), pos


def _decode_produce_response_v9(data: bytes, pos: int) -> tuple[ProduceResponse, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("responses")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[TopicProduceResponse] = []
    for _ in range(n):
        responses_item, pos = _decode_topic_produce_response_v9(data, pos)
        responses.append(responses_item)
    throttle_time_ms, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return ProduceResponse(responses, throttle_time_ms), pos


def _decode_leader_id_and_epoch_v10(data: bytes, pos: int) -> tuple[LeaderIdAndEpoch, int]:
    leader_id, leader_epoch, tags = _read_iiB(data, pos)
    pos += 9
    if tags:
        pos = skip_tags(data, pos, tags)
    return LeaderIdAndEpoch(leader_id, leader_epoch), pos


def _decode_partition_produce_response_v10(data: bytes, pos: int) -> tuple[PartitionProduceResponse, int]:
    index, error_code, base_offset, log_append_time_ms, log_start_offset, n = _read_ihqqqB(data, pos)
    pos += 31
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("record_errors")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("record_errors", n)
    record_errors: list[BatchIndexAndErrorMessage] = []
    for _ in range(n):
        record_errors_item, pos = _decode_batch_index_and_error_message_v9(data, pos)
        record_errors.append(record_errors_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    error_message: str | None = None
    if n:
        end = pos + n - 1
        error_message = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    item = PartitionProduceResponse(
        index, error_code, base_offset, log_append_time_ms, log_start_offset, record_errors, error_message
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                current_leader, pos = _decode_leader_id_and_epoch_v10(data, pos)
                item.current_leader = current_leader
                if pos != tag_end:
                    raise wrong_tag_size("current_leader")
            else:
                pos = tag_end
    return item, pos


def _decode_topic_produce_response_v10(data: bytes, pos: int) -> tuple[TopicProduceResponse, int]:
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
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partition_responses")
    n -= 1
    if n * 33 > len(data) - pos:
        raise absurd_count("partition_responses", n)
    partition_responses: list[PartitionProduceResponse] = []
    for _ in range(n):
        partition_responses_item, pos = _decode_partition_produce_response_v10(data, pos)
        partition_responses.append(partition_responses_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicProduceResponse(name, partition_responses=partition_responses), pos


def _decode_node_endpoint_v10(data: bytes, pos: int) -> tuple[NodeEndpoint, int]:
    node_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("host")
    end = pos + n - 1
    host = data[pos:end].decode()
    pos = end
    port, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    rack: str | None = None
    if n:
        end = pos + n - 1
        rack = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return NodeEndpoint(node_id, host, port, rack), pos


def _decode_produce_response_v10(data: bytes, pos: int) -> tuple[ProduceResponse, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("responses")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[TopicProduceResponse] = []
    for _ in range(n):
        responses_item, pos = _decode_topic_produce_response_v10(data, pos)
        responses.append(responses_item)
    throttle_time_ms, tags = _read_iB(data, pos)
    pos += 5
    item = ProduceResponse(responses, throttle_time_ms)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_varint(data, pos)
                if not n:
                    raise null_refused("node_endpoints")
                n -= 1
                if n * 11 > len(data) - pos:
                    raise absurd_count("node_endpoints", n)
                node_endpoints: list[NodeEndpoint] = []
                for _ in range(n):
                    node_endpoints_item, pos = _decode_node_endpoint_v10(data, pos)
                    node_endpoints.append(node_endpoints_item)
                item.node_endpoints = node_endpoints
                if pos != tag_end:
                    raise wrong_tag_size("node_endpoints")
            else:
                pos = tag_end
    return item, pos


def _decode_topic_produce_response_v13(data: bytes, pos: int) -> tuple[TopicProduceResponse, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partition_responses")
    n -= 1
    if n * 33 > len(data) - pos:
        raise absurd_count("partition_responses", n)
    partition_responses: list[PartitionProduceResponse] = []
    for _ in range(n):
        partition_responses_item, pos = _decode_partition_produce_response_v10(data, pos)
        partition_responses.append(partition_responses_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicProduceResponse(topic_id=topic_id, partition_responses=partition_responses), pos


def _decode_produce_response_v13(data: bytes, pos: int) -> tuple[ProduceResponse, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("responses")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[TopicProduceResponse] = []
    for _ in range(n):
        responses_item, pos = _decode_topic_produce_response_v13(data, pos)
        responses.append(responses_item)
    throttle_time_ms, tags = _read_iB(data, pos)
    pos += 5
    item = ProduceResponse(responses, throttle_time_ms)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_varint(data, pos)
                if not n:
                    raise null_refused("node_endpoints")
                n -= 1
                if n * 11 > len(data) - pos:
                    raise absurd_count("node_endpoints", n)
                node_endpoints: list[NodeEndpoint] = []
                for _ in range(n):
                    node_endpoints_item, pos = _decode_node_endpoint_v10(data, pos)
                    node_endpoints.append(node_endpoints_item)
                item.node_endpoints = node_endpoints
                if pos != tag_end:
                    raise wrong_tag_size("node_endpoints")
            else:
                pos = tag_end
    return item, pos


def _encode_batch_index_and_error_message_v9(push: Push, this: BatchIndexAndErrorMessage) -> None:
    batch_index_error_message = this.batch_index_error_message
    if batch_index_error_message is None:
        batch_index_error_message_sent = b""
        n = 0
    else:
        batch_index_error_message_sent = batch_index_error_message.encode()
        n = len(batch_index_error_message_sent) + 1
    push(_pack_iB(this.batch_index, n) if n < 128 else _pack_i(this.batch_index) + string_length(n))
    push(batch_index_error_message_sent)
    push(b"\0")


def _encode_partition_produce_response_v9(push: Push, this: PartitionProduceResponse) -> None:
    if this.current_leader != _DEFAULT_CURRENT_LEADER:
        raise field_refused("current_leader")
    record_errors = this.record_errors
    n = len(record_errors) + 1
    push(
        _pack_ihqqqB(this.index, this.error_code, this.base_offset, this.log_append_time_ms, this.log_start_offset, n)
        if n < 128
        else _pack_ihqqq(this.index, this.error_code, this.base_offset, this.log_append_time_ms, this.log_start_offset)
        + uvarint(n)
    )
    for record_errors_item in record_errors:
        _encode_batch_index_and_error_message_v9(push, record_errors_item)
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(error_message_sent)
    push(b"\0")


def _encode_topic_produce_response_v9(push: Push, this: TopicProduceResponse) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partition_responses = this.partition_responses
    n = len(partition_responses) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partition_responses_item in partition_responses:
        _encode_partition_produce_response_v9(push, partition_responses_item)
    push(b"\0")


def _encode_produce_response_v9(push: Push, this: ProduceResponse) -> None:
    if len(this.node_endpoints):
        raise field_refused("node_endpoints")
    responses = this.responses
    n = len(responses) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for responses_item in responses:
        _encode_topic_produce_response_v9(push, responses_item)
    push(_pack_ix(this.throttle_time_ms))


def _encode_leader_id_and_epoch_v10(push: Push, this: LeaderIdAndEpoch) -> None:
    push(_pack_iix(this.leader_id, this.leader_epoch))


def _encode_partition_produce_response_v10(push: Push, this: PartitionProduceResponse) -> None:
    record_errors = this.record_errors
    n = len(record_errors) + 1
    push(
        _pack_ihqqqB(this.index, this.error_code, this.base_offset, this.log_append_time_ms, this.log_start_offset, n)
        if n < 128
        else _pack_ihqqq(this.index, this.error_code, this.base_offset, this.log_append_time_ms, this.log_start_offset)
        + uvarint(n)
    )
    for record_errors_item in record_errors:
        _encode_batch_index_and_error_message_v9(push, record_errors_item)
    error_message = this.error_message
    if error_message is None:
        error_message_sent = b""
        n = 0
    else:
        error_message_sent = error_message.encode()
        n = len(error_message_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(error_message_sent)
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.current_leader != _DEFAULT_CURRENT_LEADER:
        part = []
        _encode_leader_id_and_epoch_v10(part.append, this.current_leader)
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_topic_produce_response_v10(push: Push, this: TopicProduceResponse) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partition_responses = this.partition_responses
    n = len(partition_responses) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partition_responses_item in partition_responses:
        _encode_partition_produce_response_v10(push, partition_responses_item)
    push(b"\0")


def _encode_node_endpoint_v10(push: Push, this: NodeEndpoint) -> None:
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(_pack_iB(this.node_id, n) if n < 128 else _pack_i(this.node_id) + string_length(n))
    push(host_sent)
    rack = this.rack
    if rack is None:
        rack_sent = b""
        n = 0
    else:
        rack_sent = rack.encode()
        n = len(rack_sent) + 1
    push(_pack_iB(this.port, n) if n < 128 else _pack_i(this.port) + string_length(n))
    push(rack_sent)
    push(b"\0")


def _encode_produce_response_v10(push: Push, this: ProduceResponse) -> None:
    responses = this.responses
    n = len(responses) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for responses_item in responses:
        _encode_topic_produce_response_v10(push, responses_item)
    push(_pack_i(this.throttle_time_ms))
    tagged: list[bytes] = []
    part: list[Buffer]
    if len(this.node_endpoints):
        part = []
        node_endpoints = this.node_endpoints
        n = len(node_endpoints) + 1
        part.append(BYTE[n] if n < 128 else uvarint(n))
        for node_endpoints_item in node_endpoints:
            _encode_node_endpoint_v10(part.append, node_endpoints_item)
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_topic_produce_response_v13(push: Push, this: TopicProduceResponse) -> None:
    partition_responses = this.partition_responses
    n = len(partition_responses) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partition_responses_item in partition_responses:
        _encode_partition_produce_response_v10(push, partition_responses_item)
    push(b"\0")


def _encode_produce_response_v13(push: Push, this: ProduceResponse) -> None:
    responses = this.responses
    n = len(responses) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for responses_item in responses:
        _encode_topic_produce_response_v13(push, responses_item)
    push(_pack_i(this.throttle_time_ms))
    tagged: list[bytes] = []
    part: list[Buffer]
    if len(this.node_endpoints):
        part = []
        node_endpoints = this.node_endpoints
        n = len(node_endpoints) + 1
        part.append(BYTE[n] if n < 128 else uvarint(n))
        for node_endpoints_item in node_endpoints:
            _encode_node_endpoint_v10(part.append, node_endpoints_item)
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


DECODERS |= {
    9: _decode_produce_response_v9,
    10: _decode_produce_response_v10,
    11: _decode_produce_response_v10,
    12: _decode_produce_response_v10,
    13: _decode_produce_response_v13,
}
ENCODERS |= {
    9: _encode_produce_response_v9,
    10: _encode_produce_response_v10,
    11: _encode_produce_response_v10,
    12: _encode_produce_response_v10,
    13: _encode_produce_response_v13,
}

_DEFAULT_CURRENT_LEADER = LeaderIdAndEpoch()
