# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused, wrong_tag_size
from penstock.wire.messages.write_share_group_state_request import (
    PartitionData,
    StateBatch,
    WriteShareGroupStateRequest,
    WriteStateData,
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

_read_uB = Struct(">16sB").unpack_from
_read_b = Struct(">b").unpack_from
_read_iiiqB = Struct(">iiiqB").unpack_from
_read_iiiqiB = Struct(">iiiqiB").unpack_from
_read_q = Struct(">q").unpack_from
_read_qqbhB = Struct(">qqbhB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_b = Struct(">b").pack
_pack_iiiq = Struct(">iiiq").pack
_pack_iiiqB = Struct(">iiiqB").pack
_pack_iiiqi = Struct(">iiiqi").pack
_pack_iiiqiB = Struct(">iiiqiB").pack
_pack_q = Struct(">q").pack
_pack_qqbh = Struct(">qqbh").pack


def _decode_state_batch_v0(data: bytes, pos: int) -> tuple[StateBatch, int]:
    first_offset, last_offset, delivery_state, delivery_count, tags = _read_qqbhB(data, pos)
    pos += 20
    item = StateBatch(first_offset, last_offset, delivery_state, delivery_count)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 10000:
                (not_before_ms,) = _read_q(data, pos)
                pos += 8
                item.not_before_ms = not_before_ms
                if pos != tag_end:
                    raise wrong_tag_size("not_before_ms")
            elif tag == 10010:
                (dead_letter_reason,) = _read_b(data, pos)
                pos += 1
                item.dead_letter_reason = dead_letter_reason
                if pos != tag_end:
                    raise wrong_tag_size("dead_letter_reason")
            else:
                pos = tag_end
    return item, pos


def _decode_partition_data_v0(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition, state_epoch, leader_epoch, start_offset, n = _read_iiiqB(data, pos)
    pos += 21
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("state_batches")
    n -= 1
    if n * 20 > len(data) - pos:
        raise absurd_count("state_batches", n)
    state_batches: list[StateBatch] = []
    for _ in range(n):
        state_batches_item, pos = _decode_state_batch_v0(data, pos)
        state_batches.append(state_batches_item)
    tags = data[pos]
    pos += 1
    item = PartitionData(partition, state_epoch, leader_epoch, start_offset, state_batches=state_batches)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 10011:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_varint(data, pos)
                if not n:
                    raise null_refused("relay")
                end = pos + n - 1
                relay = data[pos:end]
                pos = end
                item.relay = relay
                if pos != tag_end:
                    raise wrong_tag_size("relay")
            else:
                pos = tag_end
    return item, pos


def _decode_write_state_data_v0(data: bytes, pos: int) -> tuple[WriteStateData, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 22 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v0(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return WriteStateData(topic_id, partitions), pos


def _decode_write_share_group_state_request_v0(data: bytes, pos: int) -> tuple[WriteShareGroupStateRequest, int]:
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
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[WriteStateData] = []
    for _ in range(n):
        topics_item, pos = _decode_write_state_data_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return WriteShareGroupStateRequest(group_id, topics), pos


def _decode_partition_data_v1(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition, state_epoch, leader_epoch, start_offset, delivery_complete_count, n = _read_iiiqiB(data, pos)
    pos += 25
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("state_batches")
    n -= 1
    if n * 20 > len(data) - pos:
        raise absurd_count("state_batches", n)
    state_batches: list[StateBatch] = []
    for _ in range(n):
        state_batches_item, pos = _decode_state_batch_v0(data, pos)
        state_batches.append(state_batches_item)
    tags = data[pos]
    pos += 1
    item = PartitionData(partition, state_epoch, leader_epoch, start_offset, delivery_complete_count, state_batches)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 10011:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_varint(data, pos)
                if not n:
                    raise null_refused("relay")
                end = pos + n - 1
                relay = data[pos:end]
                pos = end
                item.relay = relay
                if pos != tag_end:
                    raise wrong_tag_size("relay")
            else:
                pos = tag_end
    return item, pos


def _decode_write_state_data_v1(data: bytes, pos: int) -> tuple[WriteStateData, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 26 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v1(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return WriteStateData(topic_id, partitions), pos


def _decode_write_share_group_state_request_v1(data: bytes, pos: int) -> tuple[WriteShareGroupStateRequest, int]:
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
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[WriteStateData] = []
    for _ in range(n):
        topics_item, pos = _decode_write_state_data_v1(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return WriteShareGroupStateRequest(group_id, topics), pos


def _encode_state_batch_v0(push: Push, this: StateBatch) -> None:
    push(_pack_qqbh(this.first_offset, this.last_offset, this.delivery_state, this.delivery_count))
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.not_before_ms != 0:
        part = []
        part.append(_pack_q(this.not_before_ms))
        tagged.append(tagged_field(10000, part))
    if this.dead_letter_reason != 0:
        part = []
        part.append(_pack_b(this.dead_letter_reason))
        tagged.append(tagged_field(10010, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_partition_data_v0(push: Push, this: PartitionData) -> None:
    state_batches = this.state_batches
    n = len(state_batches) + 1
    push(
        _pack_iiiqB(this.partition, this.state_epoch, this.leader_epoch, this.start_offset, n)
        if n < 128
        else _pack_iiiq(this.partition, this.state_epoch, this.leader_epoch, this.start_offset) + uvarint(n)
    )
    for state_batches_item in state_batches:
        _encode_state_batch_v0(push, state_batches_item)
    tagged: list[bytes] = []
    part: list[Buffer]
    if len(this.relay):
        part = []
        relay_sent = this.relay
        n = len(relay_sent) + 1
        part.append(BYTE[n] if n < 128 else uvarint(n))
        part.append(relay_sent)
        tagged.append(tagged_field(10011, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_write_state_data_v0(push: Push, this: WriteStateData) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v0(push, partitions_item)
    push(b"\0")


def _encode_write_share_group_state_request_v0(push: Push, this: WriteShareGroupStateRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_write_state_data_v0(push, topics_item)
    push(b"\0")


def _encode_partition_data_v1(push: Push, this: PartitionData) -> None:
    state_batches = this.state_batches
    n = len(state_batches) + 1
    push(
        _pack_iiiqiB(
            this.partition, this.state_epoch, this.leader_epoch, this.start_offset, this.delivery_complete_count, n
        )
        if n < 128
        else _pack_iiiqi(
            this.partition, this.state_epoch, this.leader_epoch, this.start_offset, this.delivery_complete_count
        )
        + uvarint(n)
    )
    for state_batches_item in state_batches:
        _encode_state_batch_v0(push, state_batches_item)
    tagged: list[bytes] = []
    part: list[Buffer]
    if len(this.relay):
        part = []
        relay_sent = this.relay
        n = len(relay_sent) + 1
        part.append(BYTE[n] if n < 128 else uvarint(n))
        part.append(relay_sent)
        tagged.append(tagged_field(10011, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_write_state_data_v1(push: Push, this: WriteStateData) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v1(push, partitions_item)
    push(b"\0")


def _encode_write_share_group_state_request_v1(push: Push, this: WriteShareGroupStateRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_write_state_data_v1(push, topics_item)
    push(b"\0")


DECODERS = {
    0: _decode_write_share_group_state_request_v0,
    1: _decode_write_share_group_state_request_v1,
}
ENCODERS = {
    0: _encode_write_share_group_state_request_v0,
    1: _encode_write_share_group_state_request_v1,
}
