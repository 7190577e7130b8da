# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest, TopicPartitions
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

_read_uB = Struct(">16sB").unpack_from
_read_iB = Struct(">iB").unpack_from
_pack_u = Struct(">16s").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack


def _decode_topic_partitions_v0(data: bytes, pos: int) -> tuple[TopicPartitions, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
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
    return TopicPartitions(topic_id, partitions), pos


def _decode_consumer_group_heartbeat_request_v0(data: bytes, pos: int) -> tuple[ConsumerGroupHeartbeatRequest, int]:
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
    member_epoch, n = _read_iB(data, pos)
    pos += 5
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
    rebalance_timeout_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    subscribed_topic_names: list[str] | None = None
    if n:
        n -= 1
        subscribed_topic_names, pos = read_compact_strings(data, pos, n)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    server_assignor: str | None = None
    if n:
        end = pos + n - 1
        server_assignor = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    topic_partitions: list[TopicPartitions] | None = None
    if n:
        n -= 1
        if n * 18 > len(data) - pos:
            raise absurd_count("topic_partitions", n)
        topic_partitions = []
        for _ in range(n):
            topic_partitions_item, pos = _decode_topic_partitions_v0(data, pos)
            topic_partitions.append(topic_partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ConsumerGroupHeartbeatRequest(
        group_id,
        member_id,
        member_epoch,
        instance_id,
        rack_id,
        rebalance_timeout_ms,
        subscribed_topic_names,
        server_assignor=server_assignor,
        topic_partitions=topic_partitions,
    ), pos


def _decode_consumer_group_heartbeat_request_v1(data: bytes, pos: int) -> tuple[ConsumerGroupHeartbeatRequest, int]:
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
    member_epoch, n = _read_iB(data, pos)
    pos += 5
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
    rebalance_timeout_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    subscribed_topic_names: list[str] | None = None
    if n:
        n -= 1
        subscribed_topic_names, pos = read_compact_strings(data, pos, n)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    subscribed_topic_regex: str | None = None
    if n:
        end = pos + n - 1
        subscribed_topic_regex = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    server_assignor: str | None = None
    if n:
        end = pos + n - 1
        server_assignor = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    topic_partitions: list[TopicPartitions] | None = None
    if n:
        n -= 1
        if n * 18 > len(data) - pos:
            raise absurd_count("topic_partitions", n)
        topic_partitions = []
        for _ in range(n):
            topic_partitions_item, pos = _decode_topic_partitions_v0(data, pos)
            topic_partitions.append(topic_partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ConsumerGroupHeartbeatRequest(
        group_id,
        member_id,
        member_epoch,
        instance_id,
        rack_id,
        rebalance_timeout_ms,
        subscribed_topic_names,
        subscribed_topic_regex,
        server_assignor,
        topic_partitions,
    ), pos


def _encode_topic_partitions_v0(push: Push, this: TopicPartitions) -> None:
    push(_pack_u(this.topic_id))
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_consumer_group_heartbeat_request_v0(push: Push, this: ConsumerGroupHeartbeatRequest) -> None:
    if this.subscribed_topic_regex is not None:
        raise field_refused("subscribed_topic_regex")
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
    push(_pack_iB(this.member_epoch, n) if n < 128 else _pack_i(this.member_epoch) + string_length(n))
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
    subscribed_topic_names = this.subscribed_topic_names
    push(_pack_i(this.rebalance_timeout_ms))
    if subscribed_topic_names is None:
        push(BYTE[0])
    else:
        push(compact_strings(subscribed_topic_names))
    server_assignor = this.server_assignor
    if server_assignor is None:
        server_assignor_sent = b""
        n = 0
    else:
        server_assignor_sent = server_assignor.encode()
        n = len(server_assignor_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(server_assignor_sent)
    topic_partitions = this.topic_partitions
    n = 0 if topic_partitions is None else len(topic_partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if topic_partitions:
        for topic_partitions_item in topic_partitions:
            _encode_topic_partitions_v0(push, topic_partitions_item)
    push(b"\0")


def _encode_consumer_group_heartbeat_request_v1(push: Push, this: ConsumerGroupHeartbeatRequest) -> None:
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
    push(_pack_iB(this.member_epoch, n) if n < 128 else _pack_i(this.member_epoch) + string_length(n))
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
    subscribed_topic_names = this.subscribed_topic_names
    push(_pack_i(this.rebalance_timeout_ms))
    if subscribed_topic_names is None:
        push(BYTE[0])
    else:
        push(compact_strings(subscribed_topic_names))
    subscribed_topic_regex = this.subscribed_topic_regex
    if subscribed_topic_regex is None:
        subscribed_topic_regex_sent = b""
        n = 0
    else:
        subscribed_topic_regex_sent = subscribed_topic_regex.encode()
        n = len(subscribed_topic_regex_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(subscribed_topic_regex_sent)
    server_assignor = this.server_assignor
    if server_assignor is None:
        server_assignor_sent = b""
        n = 0
    else:
        server_assignor_sent = server_assignor.encode()
        n = len(server_assignor_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(server_assignor_sent)
    topic_partitions = this.topic_partitions
    n = 0 if topic_partitions is None else len(topic_partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if topic_partitions:
        for topic_partitions_item in topic_partitions:
            _encode_topic_partitions_v0(push, topic_partitions_item)
    push(b"\0")


DECODERS = {
    0: _decode_consumer_group_heartbeat_request_v0,
    1: _decode_consumer_group_heartbeat_request_v1,
}
ENCODERS = {
    0: _encode_consumer_group_heartbeat_request_v0,
    1: _encode_consumer_group_heartbeat_request_v1,
}
