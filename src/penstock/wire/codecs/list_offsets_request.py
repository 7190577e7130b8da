# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ibB = Struct(">ibB").unpack_from
_read_ibi = Struct(">ibi").unpack_from
_read_ii = Struct(">ii").unpack_from
_read_iiq = Struct(">iiq").unpack_from
_read_iiqB = Struct(">iiqB").unpack_from
_read_iq = Struct(">iq").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_ib = Struct(">ib").pack
_pack_ibB = Struct(">ibB").pack
_pack_ibi = Struct(">ibi").pack
_pack_ii = Struct(">ii").pack
_pack_iiq = Struct(">iiq").pack
_pack_iiqx = Struct(">iiqx").pack
_pack_iq = Struct(">iq").pack
_pack_ix = Struct(">ix").pack


def _decode_list_offsets_partition_v1(data: bytes, pos: int) -> tuple[ListOffsetsPartition, int]:
    partition_index, timestamp = _read_iq(data, pos)
    pos += 12
    return ListOffsetsPartition(partition_index, timestamp=timestamp), pos


def _decode_list_offsets_topic_v1(data: bytes, pos: int) -> tuple[ListOffsetsTopic, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("partitions")
    if n * 12 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[ListOffsetsPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_list_offsets_partition_v1(data, pos)
        partitions.append(partitions_item)
    return ListOffsetsTopic(name, partitions), pos


def _decode_list_offsets_request_v1(data: bytes, pos: int) -> tuple[ListOffsetsRequest, int]:
    replica_id, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[ListOffsetsTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_v1(data, pos)
        topics.append(topics_item)
    return ListOffsetsRequest(replica_id, topics=topics), pos


def _decode_list_offsets_request_v2(data: bytes, pos: int) -> tuple[ListOffsetsRequest, int]:
    replica_id, isolation_level, n = _read_ibi(data, pos)
    pos += 9
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[ListOffsetsTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_v1(data, pos)
        topics.append(topics_item)
    return ListOffsetsRequest(replica_id, isolation_level, topics), pos


def _decode_list_offsets_partition_v4(data: bytes, pos: int) -> tuple[ListOffsetsPartition, int]:
    partition_index, current_leader_epoch, timestamp = _read_iiq(data, pos)
    pos += 16
    return ListOffsetsPartition(partition_index, current_leader_epoch, timestamp), pos


def _decode_list_offsets_topic_v4(data: bytes, pos: int) -> tuple[ListOffsetsTopic, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("partitions")
    if n * 16 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[ListOffsetsPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_list_offsets_partition_v4(data, pos)
        partitions.append(partitions_item)
    return ListOffsetsTopic(name, partitions), pos


def _decode_list_offsets_request_v4(data: bytes, pos: int) -> tuple[ListOffsetsRequest, int]:
    replica_id, isolation_level, n = _read_ibi(data, pos)
    pos += 9
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[ListOffsetsTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_v4(data, pos)
        topics.append(topics_item)
    return ListOffsetsRequest(replica_id, isolation_level, topics), pos


def _decode_list_offsets_partition_v6(data: bytes, pos: int) -> tuple[ListOffsetsPartition, int]:
    partition_index, current_leader_epoch, timestamp, tags = _read_iiqB(data, pos)
    pos += 17
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListOffsetsPartition(partition_index, current_leader_epoch, timestamp), pos


def _decode_list_offsets_topic_v6(data: bytes, pos: int) -> tuple[ListOffsetsTopic, int]:
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
        raise null_refused("partitions")
    n -= 1
    if n * 17 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[ListOffsetsPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_list_offsets_partition_v6(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListOffsetsTopic(name, partitions), pos


def _decode_list_offsets_request_v6(data: bytes, pos: int) -> tuple[ListOffsetsRequest, int]:
    replica_id, isolation_level, n = _read_ibB(data, pos)
    pos += 6
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[ListOffsetsTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_v6(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListOffsetsRequest(replica_id, isolation_level, topics), pos


def _decode_list_offsets_request_v10(data: bytes, pos: int) -> tuple[ListOffsetsRequest, int]:
    replica_id, isolation_level, n = _read_ibB(data, pos)
    pos += 6
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[ListOffsetsTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_list_offsets_topic_v6(data, pos)
        topics.append(topics_item)
    timeout_ms, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return ListOffsetsRequest(replica_id, isolation_level, topics, timeout_ms), pos


def _encode_list_offsets_partition_v1(push: Push, this: ListOffsetsPartition) -> None:
    push(_pack_iq(this.partition_index, this.timestamp))


def _encode_list_offsets_topic_v1(push: Push, this: ListOffsetsTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_list_offsets_partition_v1(push, partitions_item)


def _encode_list_offsets_request_v1(push: Push, this: ListOffsetsRequest) -> None:
    if this.isolation_level != 0:
        raise field_refused("isolation_level")
    topics = this.topics
    n = len(topics)
    push(_pack_ii(this.replica_id, n))
    for topics_item in topics:
        _encode_list_offsets_topic_v1(push, topics_item)


def _encode_list_offsets_request_v2(push: Push, this: ListOffsetsRequest) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_ibi(this.replica_id, this.isolation_level, n))
    for topics_item in topics:
        _encode_list_offsets_topic_v1(push, topics_item)


def _encode_list_offsets_partition_v4(push: Push, this: ListOffsetsPartition) -> None:
    push(_pack_iiq(this.partition_index, this.current_leader_epoch, this.timestamp))


def _encode_list_offsets_topic_v4(push: Push, this: ListOffsetsTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_i(n))
    for partitions_item in partitions:
        _encode_list_offsets_partition_v4(push, partitions_item)


def _encode_list_offsets_request_v4(push: Push, this: ListOffsetsRequest) -> None:
    topics = this.topics
    n = len(topics)
    push(_pack_ibi(this.replica_id, this.isolation_level, n))
    for topics_item in topics:
        _encode_list_offsets_topic_v4(push, topics_item)


def _encode_list_offsets_partition_v6(push: Push, this: ListOffsetsPartition) -> None:
    push(_pack_iiqx(this.partition_index, this.current_leader_epoch, this.timestamp))


def _encode_list_offsets_topic_v6(push: Push, this: ListOffsetsTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_list_offsets_partition_v6(push, partitions_item)
    push(b"\0")


def _encode_list_offsets_request_v6(push: Push, this: ListOffsetsRequest) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_ibB(this.replica_id, this.isolation_level, n)
        if n < 128
        else _pack_ib(this.replica_id, this.isolation_level) + uvarint(n)
    )
    for topics_item in topics:
        _encode_list_offsets_topic_v6(push, topics_item)
    push(b"\0")


def _encode_list_offsets_request_v10(push: Push, this: ListOffsetsRequest) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_ibB(this.replica_id, this.isolation_level, n)
        if n < 128
        else _pack_ib(this.replica_id, this.isolation_level) + uvarint(n)
    )
    for topics_item in topics:
        _encode_list_offsets_topic_v6(push, topics_item)
    push(_pack_ix(this.timeout_ms))


DECODERS = {
    1: _decode_list_offsets_request_v1,
    2: _decode_list_offsets_request_v2,
    3: _decode_list_offsets_request_v2,
    4: _decode_list_offsets_request_v4,
    5: _decode_list_offsets_request_v4,
    6: _decode_list_offsets_request_v6,
    7: _decode_list_offsets_request_v6,
    8: _decode_list_offsets_request_v6,
    9: _decode_list_offsets_request_v6,
    10: _decode_list_offsets_request_v10,
    11: _decode_list_offsets_request_v10,
}
ENCODERS = {
    1: _encode_list_offsets_request_v1,
    2: _encode_list_offsets_request_v2,
    3: _encode_list_offsets_request_v2,
    4: _encode_list_offsets_request_v4,
    5: _encode_list_offsets_request_v4,
    6: _encode_list_offsets_request_v6,
    7: _encode_list_offsets_request_v6,
    8: _encode_list_offsets_request_v6,
    9: _encode_list_offsets_request_v6,
    10: _encode_list_offsets_request_v10,
    11: _encode_list_offsets_request_v10,
}
