# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.fields import Field
from penstock.wire.malformed import absurd_count, field_refused, negative_length, null_refused, null_unsayable
from penstock.wire.messages.metadata_request import MetadataRequest, MetadataRequestTopic
from penstock.wire.primitives import BYTE, Push, long_string_length, long_varint, skip_tags, string_length, uvarint
from penstock.wire.tables import by_table

_read_uB = Struct(">16sB").unpack_from
_read_t = Struct(">?").unpack_from
_read_ttt = Struct(">???").unpack_from
_read_tttB = Struct(">???B").unpack_from
_read_ttB = Struct(">??B").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_t = Struct(">?").pack
_pack_ttt = Struct(">???").pack
_pack_tttx = Struct(">???x").pack
_pack_ttx = Struct(">??x").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack

DECODERS, ENCODERS = by_table(
    MetadataRequest,
    {
        MetadataRequestTopic: (
            Field("topic_id", "uuid", since=10, ignorable=True),
            Field("name", "string", null_since=10),
        ),
        MetadataRequest: (
            Field("topics", "[]MetadataRequestTopic", null_since=1),
            Field("allow_auto_topic_creation", "bool", since=4),
            Field("include_cluster_authorized_operations", "bool", since=8, until=10),
            Field("include_topic_authorized_operations", "bool", since=8),
        ),
    },
)


def _decode_metadata_request_topic_v4(data: bytes, pos: int) -> tuple[MetadataRequestTopic, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    return MetadataRequestTopic(name=name), pos


def _decode_metadata_request_v4(data: bytes, pos: int) -> tuple[MetadataRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    topics: list[MetadataRequestTopic] | None = None
    if n >= 0:
        if n * 2 > len(data) - pos:
            raise absurd_count("topics", n)
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_metadata_request_topic_v4(data, pos)
            topics.append(topics_item)
    elif n != -1:
        raise negative_length("topics", n)
    (allow_auto_topic_creation,) = _read_t(data, pos)
    pos += 1
    return MetadataRequest(topics, allow_auto_topic_creation), pos


def _decode_metadata_request_v8(data: bytes, pos: int) -> tuple[MetadataRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    topics: list[MetadataRequestTopic] | None = None
    if n >= 0:
        if n * 2 > len(data) - pos:
            raise absurd_count("topics", n)
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_metadata_request_topic_v4(data, pos)
            topics.append(topics_item)
    elif n != -1:
        raise negative_length("topics", n)
    allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations = _read_ttt(
        data, pos
    )
    pos += 3
    return MetadataRequest(
        topics, allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations
    ), pos


def _decode_metadata_request_topic_v9(data: bytes, pos: int) -> tuple[MetadataRequestTopic, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return MetadataRequestTopic(name=name), pos


def _decode_metadata_request_v9(data: bytes, pos: int) -> tuple[MetadataRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    topics: list[MetadataRequestTopic] | None = None
    if n:
        n -= 1
        if n * 2 > len(data) - pos:
            raise absurd_count("topics", n)
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_metadata_request_topic_v9(data, pos)
            topics.append(topics_item)
    allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations, tags = (
        _read_tttB(data, pos)
    )
    pos += 4
    if tags:
        pos = skip_tags(data, pos, tags)
    return MetadataRequest(
        topics, allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations
    ), pos


def _decode_metadata_request_topic_v10(data: bytes, pos: int) -> tuple[MetadataRequestTopic, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_string_length(data, pos)
    name: str | None = None
    if n:
        end = pos + n - 1
        name = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return MetadataRequestTopic(topic_id, name), pos


def _decode_metadata_request_v10(data: bytes, pos: int) -> tuple[MetadataRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    topics: list[MetadataRequestTopic] | None = None
    if n:
        n -= 1
        if n * 18 > len(data) - pos:
            raise absurd_count("topics", n)
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_metadata_request_topic_v10(data, pos)
            topics.append(topics_item)
    allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations, tags = (
        _read_tttB(data, pos)
    )
    pos += 4
    if tags:
        pos = skip_tags(data, pos, tags)
    return MetadataRequest(
        topics, allow_auto_topic_creation, include_cluster_authorized_operations, include_topic_authorized_operations
    ), pos


def _decode_metadata_request_v11(data: bytes, pos: int) -> tuple[MetadataRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    topics: list[MetadataRequestTopic] | None = None
    if n:
        n -= 1
        if n * 18 > len(data) - pos:
            raise absurd_count("topics", n)
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_metadata_request_topic_v10(data, pos)
            topics.append(topics_item)
    allow_auto_topic_creation, include_topic_authorized_operations, tags = _read_ttB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return MetadataRequest(
        topics, allow_auto_topic_creation, include_topic_authorized_operations=include_topic_authorized_operations
    ), pos


def _encode_metadata_request_topic_v4(push: Push, this: MetadataRequestTopic) -> None:
    name = this.name
    if name is None:
        raise null_unsayable("name")
    name_sent = name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)


def _encode_metadata_request_v4(push: Push, this: MetadataRequest) -> None:
    if this.include_cluster_authorized_operations:
        raise field_refused("include_cluster_authorized_operations")
    if this.include_topic_authorized_operations:
        raise field_refused("include_topic_authorized_operations")
    topics = this.topics
    n = -1 if topics is None else len(topics)
    push(_pack_i(n))
    if topics:
        for topics_item in topics:
            _encode_metadata_request_topic_v4(push, topics_item)
    push(_pack_t(this.allow_auto_topic_creation))


def _encode_metadata_request_v8(push: Push, this: MetadataRequest) -> None:
    topics = this.topics
    n = -1 if topics is None else len(topics)
    push(_pack_i(n))
    if topics:
        for topics_item in topics:
            _encode_metadata_request_topic_v4(push, topics_item)
    push(
        _pack_ttt(
            this.allow_auto_topic_creation,
            this.include_cluster_authorized_operations,
            this.include_topic_authorized_operations,
        )
    )


def _encode_metadata_request_topic_v9(push: Push, this: MetadataRequestTopic) -> None:
    name = this.name
    if name is None:
        raise null_unsayable("name")
    name_sent = name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    push(b"\0")


def _encode_metadata_request_v9(push: Push, this: MetadataRequest) -> None:
    topics = this.topics
    n = 0 if topics is None else len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if topics:
        for topics_item in topics:
            _encode_metadata_request_topic_v9(push, topics_item)
    push(
        _pack_tttx(
            this.allow_auto_topic_creation,
            this.include_cluster_authorized_operations,
            this.include_topic_authorized_operations,
        )
    )


def _encode_metadata_request_topic_v10(push: Push, this: MetadataRequestTopic) -> None:
    name = this.name
    if name is None:
        name_sent = b""
        n = 0
    else:
        name_sent = name.encode()
        n = len(name_sent) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + string_length(n))
    push(name_sent)
    push(b"\0")


def _encode_metadata_request_v10(push: Push, this: MetadataRequest) -> None:
    topics = this.topics
    n = 0 if topics is None else len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if topics:
        for topics_item in topics:
            _encode_metadata_request_topic_v10(push, topics_item)
    push(
        _pack_tttx(
            this.allow_auto_topic_creation,
            this.include_cluster_authorized_operations,
            this.include_topic_authorized_operations,
        )
    )


def _encode_metadata_request_v11(push: Push, this: MetadataRequest) -> None:
    if this.include_cluster_authorized_operations:
        raise field_refused("include_cluster_authorized_operations")
    topics = this.topics
    n = 0 if topics is None else len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if topics:
        for topics_item in topics:
            _encode_metadata_request_topic_v10(push, topics_item)
    push(_pack_ttx(this.allow_auto_topic_creation, this.include_topic_authorized_operations))


DECODERS |= {
    4: _decode_metadata_request_v4,
    5: _decode_metadata_request_v4,
    6: _decode_metadata_request_v4,
    7: _decode_metadata_request_v4,
    8: _decode_metadata_request_v8,
    9: _decode_metadata_request_v9,
    10: _decode_metadata_request_v10,
    11: _decode_metadata_request_v11,
    12: _decode_metadata_request_v11,
    13: _decode_metadata_request_v11,
}
ENCODERS |= {
    4: _encode_metadata_request_v4,
    5: _encode_metadata_request_v4,
    6: _encode_metadata_request_v4,
    7: _encode_metadata_request_v4,
    8: _encode_metadata_request_v8,
    9: _encode_metadata_request_v9,
    10: _encode_metadata_request_v10,
    11: _encode_metadata_request_v11,
    12: _encode_metadata_request_v11,
    13: _encode_metadata_request_v11,
}
