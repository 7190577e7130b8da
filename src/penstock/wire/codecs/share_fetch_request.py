# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.share_fetch_request import (
    AcknowledgementBatch,
    FetchPartition,
    FetchTopic,
    ForgottenTopic,
    ShareFetchRequest,
)
from penstock.wire.primitives import (
    BYTE,
    COMPACT_INT32S,
    UNPACK_INT32S,
    Push,
    compact_ints,
    long_string_length,
    long_varint,
    read_ints,
    skip_tags,
    string_length,
    uvarint,
)

_read_uB = Struct(">16sB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_iiiiiiB = Struct(">iiiiiiB").unpack_from
_read_iiiiiibtB = Struct(">iiiiiib?B").unpack_from
_read_qqB = Struct(">qqB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_iiiiii = Struct(">iiiiii").pack
_pack_iiiiiiB = Struct(">iiiiiiB").pack
_pack_iiiiiibt = Struct(">iiiiiib?").pack
_pack_iiiiiibtB = Struct(">iiiiiib?B").pack
_pack_qq = Struct(">qq").pack


def _decode_acknowledgement_batch_v1(data: bytes, pos: int) -> tuple[AcknowledgementBatch, int]:
    first_offset, last_offset, n = _read_qqB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("acknowledge_types")
    n -= 1
    acknowledge_types = read_ints("b", data, pos, n)
    pos += 1 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AcknowledgementBatch(first_offset, last_offset, acknowledge_types), pos


def _decode_fetch_partition_v1(data: bytes, pos: int) -> tuple[FetchPartition, int]:
    partition_index, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("acknowledgement_batches")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("acknowledgement_batches", n)
    acknowledgement_batches: list[AcknowledgementBatch] = []
    for _ in range(n):
        acknowledgement_batches_item, pos = _decode_acknowledgement_batch_v1(data, pos)
        acknowledgement_batches.append(acknowledgement_batches_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return FetchPartition(partition_index, acknowledgement_batches), pos


def _decode_fetch_topic_v1(data: bytes, pos: int) -> tuple[FetchTopic, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 6 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[FetchPartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_fetch_partition_v1(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return FetchTopic(topic_id, partitions), pos


def _decode_forgotten_topic_v1(data: bytes, pos: int) -> tuple[ForgottenTopic, int]:
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
    return ForgottenTopic(topic_id, partitions), pos


def _decode_share_fetch_request_v1(data: bytes, pos: int) -> tuple[ShareFetchRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    group_id: str | None = None
    if n:
        end = pos + n - 1
        group_id = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    member_id: str | None = None
    if n:
        end = pos + n - 1
        member_id = data[pos:end].decode()
        pos = end
    share_session_epoch, max_wait_ms, min_bytes, max_bytes, max_records, batch_size, n = _read_iiiiiiB(data, pos)
    pos += 25
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[FetchTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v1(data, pos)
        topics.append(topics_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("forgotten_topics_data")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v1(data, pos)
        forgotten_topics_data.append(forgotten_topics_data_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ShareFetchRequest(
        group_id,
        member_id,
        share_session_epoch,
        max_wait_ms,
        min_bytes,
        max_bytes,
        max_records,
        batch_size,
        topics=topics,
        forgotten_topics_data=forgotten_topics_data,
    ), pos


def _decode_share_fetch_request_v2(data: bytes, pos: int) -> tuple[ShareFetchRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    group_id: str | None = None
    if n:
        end = pos + n - 1
        group_id = data[pos:end].decode()
        pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    member_id: str | None = None
    if n:
        end = pos + n - 1
        member_id = data[pos:end].decode()
        pos = end
    (
        share_session_epoch,
        max_wait_ms,
        min_bytes,
        max_bytes,
        max_records,
        batch_size,
        share_acquire_mode,
        is_renew_ack,
        n,
    ) = _read_iiiiiibtB(data, pos)
    pos += 27
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[FetchTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_fetch_topic_v1(data, pos)
        topics.append(topics_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("forgotten_topics_data")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("forgotten_topics_data", n)
    forgotten_topics_data: list[ForgottenTopic] = []
    for _ in range(n):
        forgotten_topics_data_item, pos = _decode_forgotten_topic_v1(data, pos)
        forgotten_topics_data.append(forgotten_topics_data_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return ShareFetchRequest(
        group_id,
        member_id,
        share_session_epoch,
        max_wait_ms,
        min_bytes,
        max_bytes,
        max_records,
        batch_size,
        share_acquire_mode,
        is_renew_ack,
        topics,
        forgotten_topics_data,
    ), pos


def _encode_acknowledgement_batch_v1(push: Push, this: AcknowledgementBatch) -> None:
    push(_pack_qq(this.first_offset, this.last_offset))
    acknowledge_types = this.acknowledge_types
    push(compact_ints("b", acknowledge_types))
    push(b"\0")


def _encode_fetch_partition_v1(push: Push, this: FetchPartition) -> None:
    acknowledgement_batches = this.acknowledgement_batches
    n = len(acknowledgement_batches) + 1
    push(_pack_iB(this.partition_index, n) if n < 128 else _pack_i(this.partition_index) + uvarint(n))
    for acknowledgement_batches_item in acknowledgement_batches:
        _encode_acknowledgement_batch_v1(push, acknowledgement_batches_item)
    push(b"\0")


def _encode_fetch_topic_v1(push: Push, this: FetchTopic) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_fetch_partition_v1(push, partitions_item)
    push(b"\0")


def _encode_forgotten_topic_v1(push: Push, this: ForgottenTopic) -> None:
    push(_pack_u(this.topic_id))
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_share_fetch_request_v1(push: Push, this: ShareFetchRequest) -> None:
    if this.is_renew_ack:
        raise field_refused("is_renew_ack")
    group_id = this.group_id
    if group_id is None:
        group_id_sent = b""
        n = 0
    else:
        group_id_sent = group_id.encode()
        n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    member_id = this.member_id
    if member_id is None:
        member_id_sent = b""
        n = 0
    else:
        member_id_sent = member_id.encode()
        n = len(member_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(member_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_iiiiiiB(
            this.share_session_epoch,
            this.max_wait_ms,
            this.min_bytes,
            this.max_bytes,
            this.max_records,
            this.batch_size,
            n,
        )
        if n < 128
        else _pack_iiiiii(
            this.share_session_epoch,
            this.max_wait_ms,
            this.min_bytes,
            this.max_bytes,
            this.max_records,
            this.batch_size,
        )
        + uvarint(n)
    )
    for topics_item in topics:
        _encode_fetch_topic_v1(push, topics_item)
    forgotten_topics_data = this.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for forgotten_topics_data_item in forgotten_topics_data:
        _encode_forgotten_topic_v1(push, forgotten_topics_data_item)
    push(b"\0")


def _encode_share_fetch_request_v2(push: Push, this: ShareFetchRequest) -> None:
    group_id = this.group_id
    if group_id is None:
        group_id_sent = b""
        n = 0
    else:
        group_id_sent = group_id.encode()
        n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    member_id = this.member_id
    if member_id is None:
        member_id_sent = b""
        n = 0
    else:
        member_id_sent = member_id.encode()
        n = len(member_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(member_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_iiiiiibtB(
            this.share_session_epoch,
            this.max_wait_ms,
            this.min_bytes,
            this.max_bytes,
            this.max_records,
            this.batch_size,
            this.share_acquire_mode,
            this.is_renew_ack,
            n,
        )
        if n < 128
        else _pack_iiiiiibt(
            this.share_session_epoch,
            this.max_wait_ms,
            this.min_bytes,
            this.max_bytes,
            this.max_records,
            this.batch_size,
            this.share_acquire_mode,
            this.is_renew_ack,
        )
        + uvarint(n)
    )
    for topics_item in topics:
        _encode_fetch_topic_v1(push, topics_item)
    forgotten_topics_data = this.forgotten_topics_data
    n = len(forgotten_topics_data) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for forgotten_topics_data_item in forgotten_topics_data:
        _encode_forgotten_topic_v1(push, forgotten_topics_data_item)
    push(b"\0")


DECODERS = {
    1: _decode_share_fetch_request_v1,
    2: _decode_share_fetch_request_v2,
}
ENCODERS = {
    1: _encode_share_fetch_request_v1,
    2: _encode_share_fetch_request_v2,
}
