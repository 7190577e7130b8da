# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.consumer_protocol_assignment import ConsumerProtocolAssignment, TopicPartition
from penstock.wire.primitives import PLAIN_INT32S, UNPACK_INT32S, Push, plain_ints, read_ints

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack


def _decode_topic_partition_v0(data: bytes, pos: int) -> tuple[TopicPartition, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("topic")
    end = pos + n
    topic = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("partitions")
    partitions = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    return TopicPartition(topic, partitions), pos


def _decode_consumer_protocol_assignment_v0(data: bytes, pos: int) -> tuple[ConsumerProtocolAssignment, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("assigned_partitions")
    if n * 6 > len(data) - pos:
        raise absurd_count("assigned_partitions", n)
    assigned_partitions: list[TopicPartition] = []
    for _ in range(n):
        assigned_partitions_item, pos = _decode_topic_partition_v0(data, pos)
        assigned_partitions.append(assigned_partitions_item)
    (n,) = _read_i(data, pos)
    pos += 4
    user_data: bytes | None = None
    if n >= 0:
        end = pos + n
        user_data = data[pos:end]
        pos = end
    elif n != -1:
        raise negative_length("user_data", n)
    return ConsumerProtocolAssignment(assigned_partitions, user_data), pos


def _encode_topic_partition_v0(push: Push, this: TopicPartition) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent)
    push(_pack_h(n))
    push(topic_sent)
    partitions = this.partitions
    n = len(partitions)
    push(PLAIN_INT32S[n](n, *partitions) if n < 17 else plain_ints("i", partitions))


def _encode_consumer_protocol_assignment_v0(push: Push, this: ConsumerProtocolAssignment) -> None:
    assigned_partitions = this.assigned_partitions
    n = len(assigned_partitions)
    push(_pack_i(n))
    for assigned_partitions_item in assigned_partitions:
        _encode_topic_partition_v0(push, assigned_partitions_item)
    user_data = this.user_data
    if user_data is None:
        user_data_sent = b""
        n = -1
    else:
        user_data_sent = user_data
        n = len(user_data_sent)
    push(_pack_i(n))
    push(user_data_sent)


DECODERS = {
    0: _decode_consumer_protocol_assignment_v0,
    1: _decode_consumer_protocol_assignment_v0,
    2: _decode_consumer_protocol_assignment_v0,
    3: _decode_consumer_protocol_assignment_v0,
}
ENCODERS = {
    0: _encode_consumer_protocol_assignment_v0,
    1: _encode_consumer_protocol_assignment_v0,
    2: _encode_consumer_protocol_assignment_v0,
    3: _encode_consumer_protocol_assignment_v0,
}
