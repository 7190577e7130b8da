# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from penstock.wire.primitives import (
    BYTE,
    Push,
    compact_strings,
    long_string_length,
    long_varint,
    plain_strings,
    read_compact_strings,
    read_strings,
    skip_tags,
    string_length,
    uvarint,
)

_read_uB = Struct(">16sB").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_pack_ux = Struct(">16sx").pack
_pack_i = Struct(">i").pack
_pack_ix = Struct(">ix").pack


def _decode_delete_topics_request_v1(data: bytes, pos: int) -> tuple[DeleteTopicsRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topic_names")
    topic_names, pos = read_strings(data, pos, n)
    (timeout_ms,) = _read_i(data, pos)
    pos += 4
    return DeleteTopicsRequest(topic_names=topic_names, timeout_ms=timeout_ms), pos


def _decode_delete_topics_request_v4(data: bytes, pos: int) -> tuple[DeleteTopicsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topic_names")
    n -= 1
    topic_names, pos = read_compact_strings(data, pos, n)
    timeout_ms, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteTopicsRequest(topic_names=topic_names, timeout_ms=timeout_ms), pos


def _decode_delete_topic_state_v6(data: bytes, pos: int) -> tuple[DeleteTopicState, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    name: str | None = None
    if n:
        end = pos + n - 1
        name = data[pos:end].decode()
        pos = end
    topic_id, tags = _read_uB(data, pos)
    pos += 17
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteTopicState(name, topic_id), pos


def _decode_delete_topics_request_v6(data: bytes, pos: int) -> tuple[DeleteTopicsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[DeleteTopicState] = []
    for _ in range(n):
        topics_item, pos = _decode_delete_topic_state_v6(data, pos)
        topics.append(topics_item)
    timeout_ms, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return DeleteTopicsRequest(topics, timeout_ms=timeout_ms), pos


def _encode_delete_topics_request_v1(push: Push, this: DeleteTopicsRequest) -> None:
    if len(this.topics):
        raise field_refused("topics")
    topic_names = this.topic_names
    push(plain_strings(topic_names))
    push(_pack_i(this.timeout_ms))


def _encode_delete_topics_request_v4(push: Push, this: DeleteTopicsRequest) -> None:
    if len(this.topics):
        raise field_refused("topics")
    topic_names = this.topic_names
    push(compact_strings(topic_names))
    push(_pack_ix(this.timeout_ms))


def _encode_delete_topic_state_v6(push: Push, this: DeleteTopicState) -> None:
    name = this.name
    if name is None:
        name_sent = b""
        n = 0
    else:
        name_sent = name.encode()
        n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    push(_pack_ux(this.topic_id))


def _encode_delete_topics_request_v6(push: Push, this: DeleteTopicsRequest) -> None:
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_delete_topic_state_v6(push, topics_item)
    push(_pack_ix(this.timeout_ms))


DECODERS = {
    1: _decode_delete_topics_request_v1,
    2: _decode_delete_topics_request_v1,
    3: _decode_delete_topics_request_v1,
    4: _decode_delete_topics_request_v4,
    5: _decode_delete_topics_request_v4,
    6: _decode_delete_topics_request_v6,
}
ENCODERS = {
    1: _encode_delete_topics_request_v1,
    2: _encode_delete_topics_request_v1,
    3: _encode_delete_topics_request_v1,
    4: _encode_delete_topics_request_v4,
    5: _encode_delete_topics_request_v4,
    6: _encode_delete_topics_request_v6,
}
