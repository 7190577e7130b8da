# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.vote_request import PartitionData, TopicData, VoteRequest
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint

_read_iB = Struct(">iB").unpack_from
_read_iiiuuiqtB = Struct(">iii16s16siq?B").unpack_from
_read_iiiuuiqB = Struct(">iii16s16siqB").unpack_from
_read_iiiiqB = Struct(">iiiiqB").unpack_from
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_iiiuuiqtx = Struct(">iii16s16siq?x").pack
_pack_iiiuuiqx = Struct(">iii16s16siqx").pack
_pack_iiiiqx = Struct(">iiiiqx").pack


def _decode_partition_data_v0(data: bytes, pos: int) -> tuple[PartitionData, int]:
    partition_index, replica_epoch, replica_id, last_offset_epoch, last_offset, tags = _read_iiiiqB(data, pos)
    pos += 25
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(
        partition_index, replica_epoch, replica_id, last_offset_epoch=last_offset_epoch, last_offset=last_offset
    ), pos


def _decode_topic_data_v0(data: bytes, pos: int) -> tuple[TopicData, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 25 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v0(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicData(topic_name, partitions), pos


def _decode_vote_request_v0(data: bytes, pos: int) -> tuple[VoteRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    cluster_id: str | None = None
    if n:
        end = pos + n - 1
        cluster_id = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicData] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_data_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return VoteRequest(cluster_id, topics=topics), pos


def _decode_partition_data_v1(data: bytes, pos: int) -> tuple[PartitionData, int]:
    (
        partition_index,
        replica_epoch,
        replica_id,
        replica_directory_id,
        voter_directory_id,
        last_offset_epoch,
        last_offset,
        tags,
    ) = _read_iiiuuiqB(data, pos)
    pos += 57
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(
        partition_index,
        replica_epoch,
        replica_id,
        replica_directory_id,
        voter_directory_id,
        last_offset_epoch,
        last_offset,
    ), pos


def _decode_topic_data_v1(data: bytes, pos: int) -> tuple[TopicData, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 57 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v1(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicData(topic_name, partitions), pos


def _decode_vote_request_v1(data: bytes, pos: int) -> tuple[VoteRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    cluster_id: str | None = None
    if n:
        end = pos + n - 1
        cluster_id = data[pos:end].decode()
        pos = end
    voter_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicData] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_data_v1(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return VoteRequest(cluster_id, voter_id, topics), pos


def _decode_partition_data_v2(data: bytes, pos: int) -> tuple[PartitionData, int]:
    (
        partition_index,
        replica_epoch,
        replica_id,
        replica_directory_id,
        voter_directory_id,
        last_offset_epoch,
        last_offset,
        pre_vote,
        tags,
    ) = _read_iiiuuiqtB(data, pos)
    pos += 58
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionData(
        partition_index,
        replica_epoch,
        replica_id,
        replica_directory_id,
        voter_directory_id,
        last_offset_epoch,
        last_offset,
        pre_vote,
    ), pos


def _decode_topic_data_v2(data: bytes, pos: int) -> tuple[TopicData, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 58 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v2(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicData(topic_name, partitions), pos


def _decode_vote_request_v2(data: bytes, pos: int) -> tuple[VoteRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    cluster_id: str | None = None
    if n:
        end = pos + n - 1
        cluster_id = data[pos:end].decode()
        pos = end
    voter_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicData] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_data_v2(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return VoteRequest(cluster_id, voter_id, topics), pos


def _encode_partition_data_v0(push: Push, this: PartitionData) -> None:
    if this.pre_vote:
        raise field_refused("pre_vote")
    push(
        _pack_iiiiqx(
            this.partition_index, this.replica_epoch, this.replica_id, this.last_offset_epoch, this.last_offset
        )
    )


def _encode_topic_data_v0(push: Push, this: TopicData) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v0(push, partitions_item)
    push(b"\0")


def _encode_vote_request_v0(push: Push, this: VoteRequest) -> None:
    cluster_id = this.cluster_id
    if cluster_id is None:
        cluster_id_sent = b""
        n = 0
    else:
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(cluster_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_topic_data_v0(push, topics_item)
    push(b"\0")


def _encode_partition_data_v1(push: Push, this: PartitionData) -> None:
    if this.pre_vote:
        raise field_refused("pre_vote")
    push(
        _pack_iiiuuiqx(
            this.partition_index,
            this.replica_epoch,
            this.replica_id,
            this.replica_directory_id,
            this.voter_directory_id,
            this.last_offset_epoch,
            this.last_offset,
        )
    )


def _encode_topic_data_v1(push: Push, this: TopicData) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v1(push, partitions_item)
    push(b"\0")


def _encode_vote_request_v1(push: Push, this: VoteRequest) -> None:
    cluster_id = this.cluster_id
    if cluster_id is None:
        cluster_id_sent = b""
        n = 0
    else:
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(cluster_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.voter_id, n) if n < 128 else _pack_i(this.voter_id) + uvarint(n))
    for topics_item in topics:
        _encode_topic_data_v1(push, topics_item)
    push(b"\0")


def _encode_partition_data_v2(push: Push, this: PartitionData) -> None:
    push(
        _pack_iiiuuiqtx(
            this.partition_index,
            this.replica_epoch,
            this.replica_id,
            this.replica_directory_id,
            this.voter_directory_id,
            this.last_offset_epoch,
            this.last_offset,
            this.pre_vote,
        )
    )


def _encode_topic_data_v2(push: Push, this: TopicData) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v2(push, partitions_item)
    push(b"\0")


def _encode_vote_request_v2(push: Push, this: VoteRequest) -> None:
    cluster_id = this.cluster_id
    if cluster_id is None:
        cluster_id_sent = b""
        n = 0
    else:
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(cluster_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(_pack_iB(this.voter_id, n) if n < 128 else _pack_i(this.voter_id) + uvarint(n))
    for topics_item in topics:
        _encode_topic_data_v2(push, topics_item)
    push(b"\0")


DECODERS = {
    0: _decode_vote_request_v0,
    1: _decode_vote_request_v1,
    2: _decode_vote_request_v2,
}
ENCODERS = {
    0: _encode_vote_request_v0,
    1: _encode_vote_request_v1,
    2: _encode_vote_request_v2,
}
