# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.delete_share_group_offsets_request import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
)
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint


def _decode_delete_share_group_offsets_request_topic_v0(
    data: bytes, pos: int
) -> tuple[DeleteShareGroupOffsetsRequestTopic, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic_name")
    end = pos + n - 1
    topic_name = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteShareGroupOffsetsRequestTopic(topic_name), pos


def _decode_delete_share_group_offsets_request_v0(data: bytes, pos: int) -> tuple[DeleteShareGroupOffsetsRequest, int]:
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
    if n * 2 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[DeleteShareGroupOffsetsRequestTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_delete_share_group_offsets_request_topic_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteShareGroupOffsetsRequest(group_id, topics), pos


def _encode_delete_share_group_offsets_request_topic_v0(push: Push, this: DeleteShareGroupOffsetsRequestTopic) -> None:
    topic_name_sent = this.topic_name.encode()
    n = len(topic_name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_name_sent)
    push(b"\0")


def _encode_delete_share_group_offsets_request_v0(push: Push, this: DeleteShareGroupOffsetsRequest) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_delete_share_group_offsets_request_topic_v0(push, topics_item)
    push(b"\0")


DECODERS = {
    0: _decode_delete_share_group_offsets_request_v0,
}
ENCODERS = {
    0: _encode_delete_share_group_offsets_request_v0,
}
