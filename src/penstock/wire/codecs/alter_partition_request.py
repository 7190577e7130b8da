# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.alter_partition_request import AlterPartitionRequest, BrokerState, PartitionData, TopicData
from penstock.wire.primitives import (
    COMPACT_INT32S,
    UNPACK_INT32S,
    Push,
    compact_ints,
    long_varint,
    read_ints,
    skip_tags,
    uvarint,
)

_read_uB = Struct(">16sB").unpack_from
_read_biB = Struct(">biB").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_read_iqB = Struct(">iqB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_bix = Struct(">bix").pack
_pack_ii = Struct(">ii").pack
_pack_iiB = Struct(">iiB").pack
_pack_iq = Struct(">iq").pack
_pack_iqB = Struct(">iqB").pack
_pack_iqx = Struct(">iqx").pack


def _decode_partition_data_v2(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, leader_epoch, n = _read_iiB(data, pos)
    pos += 9
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("new_isr")
    n -= 1
    new_isr = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    leader_recovery_state, partition_epoch, tags = _read_biB(data, pos)
    pos += 6
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(
        partition_index,
        leader_epoch,
        new_isr,
        leader_recovery_state=leader_recovery_state,
        partition_epoch=partition_epoch,
    ), pos


def _decode_topic_data_v2(data: bytes, pos: int) -> tuple[TopicData, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 15 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v2(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicData(topic_id, partitions), pos


def _decode_alter_partition_request_v2(data: bytes, pos: int) -> tuple[AlterPartitionRequest, int]:
    broker_id, broker_epoch, n = _read_iqB(data, pos)
    pos += 13
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicData] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_data_v2(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterPartitionRequest(broker_id, broker_epoch, topics), pos


def _decode_broker_state_v3(data: bytes, pos: int) -> tuple[BrokerState, int]:
    broker_id, broker_epoch, tags = _read_iqB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return BrokerState(broker_id, broker_epoch), pos


def _decode_partition_data_v3(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, leader_epoch, n = _read_iiB(data, pos)
    pos += 9
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("new_isr_with_epochs")
    n -= 1
    if n * 13 > len(data) - pos:
        raise absurd_count("new_isr_with_epochs", n)
    new_isr_with_epochs: list[BrokerState] = []
    for _ in range(n):
        new_isr_with_epochs_item, pos = _decode_broker_state_v3(data, pos)
        new_isr_with_epochs.append(new_isr_with_epochs_item)
    leader_recovery_state, partition_epoch, tags = _read_biB(data, pos)
    pos += 6
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(
        partition_index,
        leader_epoch,
        new_isr_with_epochs=new_isr_with_epochs,
        leader_recovery_state=leader_recovery_state,
        partition_epoch=partition_epoch,
    ), pos


def _decode_topic_data_v3(data: bytes, pos: int) -> tuple[TopicData, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 15 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v3(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicData(topic_id, partitions), pos


def _decode_alter_partition_request_v3(data: bytes, pos: int) -> tuple[AlterPartitionRequest, int]:
    broker_id, broker_epoch, n = _read_iqB(data, pos)
    pos += 13
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicData] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_data_v3(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterPartitionRequest(broker_id, broker_epoch, topics), pos


def _encode_partition_data_v2(push: Push, this: PartitionData) -> None:
    if len(this.new_isr_with_epochs):
        raise field_refused("new_isr_with_epochs")
    push(_pack_ii(this.partition_index, this.leader_epoch))
    new_isr = this.new_isr
    n = len(new_isr)
    push(COMPACT_INT32S[n](n + 1, *new_isr) if n < 17 else compact_ints("i", new_isr))
    push(_pack_bix(this.leader_recovery_state, this.partition_epoch))


def _encode_topic_data_v2(push: Push, this: TopicData) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v2(push, partitions_item)
    push(b"\0")


def _encode_alter_partition_request_v2(push: Push, this: AlterPartitionRequest) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_iqB(this.broker_id, this.broker_epoch, n)
        if n < 128
        else _pack_iq(this.broker_id, this.broker_epoch) + uvarint(n)
    )
    for topics_item in topics:
        _encode_topic_data_v2(push, topics_item)
    push(b"\0")


def _encode_broker_state_v3(push: Push, this: BrokerState) -> None:
    push(_pack_iqx(this.broker_id, this.broker_epoch))


def _encode_partition_data_v3(push: Push, this: PartitionData) -> None:
    if len(this.new_isr):
        raise field_refused("new_isr")
    new_isr_with_epochs = this.new_isr_with_epochs
    n = len(new_isr_with_epochs) + 1
    push(
        _pack_iiB(this.partition_index, this.leader_epoch, n)
        if n < 128
        else _pack_ii(this.partition_index, this.leader_epoch) + uvarint(n)
    )
    for new_isr_with_epochs_item in new_isr_with_epochs:
        _encode_broker_state_v3(push, new_isr_with_epochs_item)
    push(_pack_bix(this.leader_recovery_state, this.partition_epoch))


def _encode_topic_data_v3(push: Push, this: TopicData) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v3(push, partitions_item)
    push(b"\0")


def _encode_alter_partition_request_v3(push: Push, this: AlterPartitionRequest) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_iqB(this.broker_id, this.broker_epoch, n)
        if n < 128
        else _pack_iq(this.broker_id, this.broker_epoch) + uvarint(n)
    )
    for topics_item in topics:
        _encode_topic_data_v3(push, topics_item)
    push(b"\0")


DECODERS = {
    2: _decode_alter_partition_request_v2,
    3: _decode_alter_partition_request_v3,
}
ENCODERS = {
    2: _encode_alter_partition_request_v2,
    3: _encode_alter_partition_request_v3,
}
