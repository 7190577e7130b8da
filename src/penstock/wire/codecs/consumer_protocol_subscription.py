# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, negative_length, null_refused
from penstock.wire.messages.consumer_protocol_subscription import ConsumerProtocolSubscription, TopicPartition
from penstock.wire.primitives import (
    PLAIN_INT32S,
    UNPACK_INT32S,
    Push,
    plain_ints,
    plain_strings,
    read_ints,
    read_strings,
)

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_ih = Struct(">ih").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ih = Struct(">ih").pack


def _decode_consumer_protocol_subscription_v0(data: bytes, pos: int) -> tuple[ConsumerProtocolSubscription, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topics")
    topics, pos = read_strings(data, pos, n)
    (n,) = _read_i(data, pos)
    pos += 4
    user_data: bytes | None = None
    if n >= 0:
        end = pos + n
        user_data = data[pos:end]
        pos = end
    elif n != -1:
        raise negative_length("user_data", n)
    return ConsumerProtocolSubscription(topics, user_data), pos


def _decode_topic_partition_v1(data: bytes, pos: int) -> tuple[TopicPartition, int]:
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


def _decode_consumer_protocol_subscription_v1(data: bytes, pos: int) -> tuple[ConsumerProtocolSubscription, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topics")
    topics, pos = read_strings(data, pos, n)
    (n,) = _read_i(data, pos)
    pos += 4
    user_data: bytes | None = None
    if n >= 0:
        end = pos + n
        user_data = data[pos:end]
        pos = end
    elif n != -1:
        raise negative_length("user_data", n)
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("owned_partitions")
    if n * 6 > len(data) - pos:
        raise absurd_count("owned_partitions", n)
    owned_partitions: list[TopicPartition] = []
    for _ in range(n):
        owned_partitions_item, pos = _decode_topic_partition_v1(data, pos)
        owned_partitions.append(owned_partitions_item)
    return ConsumerProtocolSubscription(topics, user_data, owned_partitions), pos


def _decode_consumer_protocol_subscription_v2(data: bytes, pos: int) -> tuple[ConsumerProtocolSubscription, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topics")
    topics, pos = read_strings(data, pos, n)
    (n,) = _read_i(data, pos)
    pos += 4
    user_data: bytes | None = None
    if n >= 0:
        end = pos + n
        user_data = data[pos:end]
        pos = end
    elif n != -1:
        raise negative_length("user_data", n)
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("owned_partitions")
    if n * 6 > len(data) - pos:
        raise absurd_count("owned_partitions", n)
    owned_partitions: list[TopicPartition] = []
    for _ in range(n):
        owned_partitions_item, pos = _decode_topic_partition_v1(data, pos)
        owned_partitions.append(owned_partitions_item)
    (generation_id,) = _read_i(data, pos)
    pos += 4
    return ConsumerProtocolSubscription(topics, user_data, owned_partitions, generation_id), pos


def _decode_consumer_protocol_subscription_v3(data: bytes, pos: int) -> tuple[ConsumerProtocolSubscription, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topics")
    topics, pos = read_strings(data, pos, n)
    (n,) = _read_i(data, pos)
    pos += 4
    user_data: bytes | None = None
    if n >= 0:
        end = pos + n
        user_data = data[pos:end]
        pos = end
    elif n != -1:
        raise negative_length("user_data", n)
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("owned_partitions")
    if n * 6 > len(data) - pos:
        raise absurd_count("owned_partitions", n)
    owned_partitions: list[TopicPartition] = []
    for _ in range(n):
        owned_partitions_item, pos = _decode_topic_partition_v1(data, pos)
        owned_partitions.append(owned_partitions_item)
    generation_id, n = _read_ih(data, pos)
    pos += 6
    rack_id: str | None = None
    if n >= 0:
        end = pos + n
        rack_id = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("rack_id", n)
    return ConsumerProtocolSubscription(topics, user_data, owned_partitions, generation_id, rack_id), pos


def _encode_consumer_protocol_subscription_v0(push: Push, this: ConsumerProtocolSubscription) -> None:
    topics = this.topics
    push(plain_strings(topics))
    user_data = this.user_data
    if user_data is None:
        user_data_sent = b""
        n = -1
    else:
        user_data_sent = user_data
        n = len(user_data_sent)
    push(_pack_i(n))
    push(user_data_sent)


def _encode_topic_partition_v1(push: Push, this: TopicPartition) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent)
    push(_pack_h(n))
    push(topic_sent)
    partitions = this.partitions
    n = len(partitions)
    push(PLAIN_INT32S[n](n, *partitions) if n < 17 else plain_ints("i", partitions))


def _encode_consumer_protocol_subscription_v1(push: Push, this: ConsumerProtocolSubscription) -> None:
    topics = this.topics
    push(plain_strings(topics))
    user_data = this.user_data
    if user_data is None:
        user_data_sent = b""
        n = -1
    else:
        user_data_sent = user_data
        n = len(user_data_sent)
    push(_pack_i(n))
    push(user_data_sent)
    owned_partitions = this.owned_partitions
    n = len(owned_partitions)
    push(_pack_i(n))
    for owned_partitions_item in owned_partitions:
        _encode_topic_partition_v1(push, owned_partitions_item)


def _encode_consumer_protocol_subscription_v2(push: Push, this: ConsumerProtocolSubscription) -> None:
    topics = this.topics
    push(plain_strings(topics))
    user_data = this.user_data
    if user_data is None:
        user_data_sent = b""
        n = -1
    else:
        user_data_sent = user_data
        n = len(user_data_sent)
    push(_pack_i(n))
    push(user_data_sent)
    owned_partitions = this.owned_partitions
    n = len(owned_partitions)
    push(_pack_i(n))
    for owned_partitions_item in owned_partitions:
        _encode_topic_partition_v1(push, owned_partitions_item)
    push(_pack_i(this.generation_id))


def _encode_consumer_protocol_subscription_v3(push: Push, this: ConsumerProtocolSubscription) -> None:
    topics = this.topics
    push(plain_strings(topics))
    user_data = this.user_data
    if user_data is None:
        user_data_sent = b""
        n = -1
    else:
        user_data_sent = user_data
        n = len(user_data_sent)
    push(_pack_i(n))
    push(user_data_sent)
    owned_partitions = this.owned_partitions
    n = len(owned_partitions)
    push(_pack_i(n))
    for owned_partitions_item in owned_partitions:
        _encode_topic_partition_v1(push, owned_partitions_item)
    rack_id = this.rack_id
    if rack_id is None:
        rack_id_sent = b""
        n = -1
    else:
        rack_id_sent = rack_id.encode()
        n = len(rack_id_sent)
    push(_pack_ih(this.generation_id, n))
    push(rack_id_sent)


DECODERS = {
    0: _decode_consumer_protocol_subscription_v0,
    1: _decode_consumer_protocol_subscription_v1,
    2: _decode_consumer_protocol_subscription_v2,
    3: _decode_consumer_protocol_subscription_v3,
}
ENCODERS = {
    0: _encode_consumer_protocol_subscription_v0,
    1: _encode_consumer_protocol_subscription_v1,
    2: _encode_consumer_protocol_subscription_v2,
    3: _encode_consumer_protocol_subscription_v3,
}
