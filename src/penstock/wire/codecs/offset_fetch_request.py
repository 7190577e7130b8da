# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.fields import Field
from penstock.wire.malformed import absurd_count, field_refused, negative_length, null_refused
from penstock.wire.messages.offset_fetch_request import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from penstock.wire.primitives import (
    BYTE,
    COMPACT_INT32S,
    PLAIN_INT32S,
    UNPACK_INT32S,
    Push,
    compact_ints,
    long_string_length,
    long_varint,
    plain_ints,
    read_ints,
    skip_tags,
    string_length,
    uvarint,
)
from penstock.wire.tables import by_table

_read_uB = Struct(">16sB").unpack_from
_read_tB = Struct(">?B").unpack_from
_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_pack_u = Struct(">16s").pack
_pack_tx = Struct(">?x").pack
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack

DECODERS, ENCODERS = by_table(
    OffsetFetchRequest,
    {
        OffsetFetchRequestTopic: (
            Field("name", "string", until=7),
            Field("partition_indexes", "[]int32", until=7),
        ),
        OffsetFetchRequestGroup: (
            Field("group_id", "string", since=8),
            Field("member_id", "string", since=9, null_since=9, ignorable=True),
            Field("member_epoch", "int32", since=9, ignorable=True),
            Field("topics", "[]OffsetFetchRequestTopics", since=8, null_since=8),
        ),
        OffsetFetchRequestTopics: (
            Field("name", "string", since=8, until=9, ignorable=True),
            Field("topic_id", "uuid", since=10, ignorable=True),
            Field("partition_indexes", "[]int32", since=8),
        ),
        OffsetFetchRequest: (
            Field("group_id", "string", until=7),
            Field("topics", "[]OffsetFetchRequestTopic", until=7, null_since=2, null_until=7),
            Field("groups", "[]OffsetFetchRequestGroup", since=8),
            Field("require_stable", "bool", since=7),
        ),
    },
)


def _decode_offset_fetch_request_topic_v5(data: bytes, pos: int) -> tuple[OffsetFetchRequestTopic, int]:
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
        raise null_refused("partition_indexes")
    partition_indexes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    return OffsetFetchRequestTopic(name, partition_indexes), pos


def _decode_offset_fetch_request_v5(data: bytes, pos: int) -> tuple[OffsetFetchRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("group_id")
    end = pos + n
    group_id = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    topics: list[OffsetFetchRequestTopic] | None = None
    if n >= 0:
        if n * 6 > len(data) - pos:
            raise absurd_count("topics", n)
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_offset_fetch_request_topic_v5(data, pos)
            topics.append(topics_item)
    elif n != -1:
        raise negative_length("topics", n)
    return OffsetFetchRequest(group_id, topics), pos


def _decode_offset_fetch_request_topic_v6(data: bytes, pos: int) -> tuple[OffsetFetchRequestTopic, int]:
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
        raise null_refused("partition_indexes")
    n -= 1
    partition_indexes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchRequestTopic(name, partition_indexes), pos


def _decode_offset_fetch_request_v6(data: bytes, pos: int) -> tuple[OffsetFetchRequest, int]:
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
    topics: list[OffsetFetchRequestTopic] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("topics", n)
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_offset_fetch_request_topic_v6(data, pos)
            topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchRequest(group_id, topics), pos


def _decode_offset_fetch_request_v7(data: bytes, pos: int) -> tuple[OffsetFetchRequest, int]:
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
    topics: list[OffsetFetchRequestTopic] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("topics", n)
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_offset_fetch_request_topic_v6(data, pos)
            topics.append(topics_item)
    require_stable, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchRequest(group_id, topics, require_stable=require_stable), pos


def _decode_offset_fetch_request_topics_v8(data: bytes, pos: int) -> tuple[OffsetFetchRequestTopics, int]:
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
        raise null_refused("partition_indexes")
    n -= 1
    partition_indexes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchRequestTopics(name, partition_indexes=partition_indexes), pos


def _decode_offset_fetch_request_group_v8(data: bytes, pos: int) -> tuple[OffsetFetchRequestGroup, int]:
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
    topics: list[OffsetFetchRequestTopics] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("topics", n)
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_offset_fetch_request_topics_v8(data, pos)
            topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchRequestGroup(group_id, topics=topics), pos


def _decode_offset_fetch_request_v8(data: bytes, pos: int) -> tuple[OffsetFetchRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[OffsetFetchRequestGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_offset_fetch_request_group_v8(data, pos)
        groups.append(groups_item)
    require_stable, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchRequest(groups=groups, require_stable=require_stable), pos


def _decode_offset_fetch_request_group_v9(data: bytes, pos: int) -> tuple[OffsetFetchRequestGroup, int]:
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
        n, pos = long_string_length(data, pos)
    member_id: str | None = None
    if n:
        end = pos + n - 1
        member_id = data[pos:end].decode()
        pos = end
    member_epoch, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    topics: list[OffsetFetchRequestTopics] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("topics", n)
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_offset_fetch_request_topics_v8(data, pos)
            topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchRequestGroup(group_id, member_id, member_epoch, topics), pos


def _decode_offset_fetch_request_v9(data: bytes, pos: int) -> tuple[OffsetFetchRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    if n * 8 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[OffsetFetchRequestGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_offset_fetch_request_group_v9(data, pos)
        groups.append(groups_item)
    require_stable, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchRequest(groups=groups, require_stable=require_stable), pos


def _decode_offset_fetch_request_topics_v10(data: bytes, pos: int) -> tuple[OffsetFetchRequestTopics, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partition_indexes")
    n -= 1
    partition_indexes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchRequestTopics(topic_id=topic_id, partition_indexes=partition_indexes), pos


def _decode_offset_fetch_request_group_v10(data: bytes, pos: int) -> tuple[OffsetFetchRequestGroup, int]:
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
        n, pos = long_string_length(data, pos)
    member_id: str | None = None
    if n:
        end = pos + n - 1
        member_id = data[pos:end].decode()
        pos = end
    member_epoch, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    topics: list[OffsetFetchRequestTopics] | None = None
    if n:
        n -= 1
        if n * 18 > len(data) - pos:
            raise absurd_count("topics", n)
        topics = []
        for _ in range(n):
            topics_item, pos = _decode_offset_fetch_request_topics_v10(data, pos)
            topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchRequestGroup(group_id, member_id, member_epoch, topics), pos


def _decode_offset_fetch_request_v10(data: bytes, pos: int) -> tuple[OffsetFetchRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("groups")
    n -= 1
    if n * 8 > len(data) - pos:
        raise absurd_count("groups", n)
    groups: list[OffsetFetchRequestGroup] = []
    for _ in range(n):
        groups_item, pos = _decode_offset_fetch_request_group_v10(data, pos)
        groups.append(groups_item)
    require_stable, tags = _read_tB(data, pos)
    pos += 2
    if tags:
        pos = skip_tags(data, pos, tags)
    return OffsetFetchRequest(groups=groups, require_stable=require_stable), pos


def _encode_offset_fetch_request_topic_v5(push: Push, this: OffsetFetchRequestTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    partition_indexes = this.partition_indexes
    n = len(partition_indexes)
    push(PLAIN_INT32S[n](n, *partition_indexes) if n < 17 else plain_ints("i", partition_indexes))


def _encode_offset_fetch_request_v5(push: Push, this: OffsetFetchRequest) -> None:
    if len(this.groups):
        raise field_refused("groups")
    if this.require_stable:
        raise field_refused("require_stable")
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent)
    push(_pack_h(n))
    push(group_id_sent)
    topics = this.topics
    n = -1 if topics is None else len(topics)
    push(_pack_i(n))
    if topics:
        for topics_item in topics:
            _encode_offset_fetch_request_topic_v5(push, topics_item)


def _encode_offset_fetch_request_topic_v6(push: Push, this: OffsetFetchRequestTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partition_indexes = this.partition_indexes
    n = len(partition_indexes)
    push(COMPACT_INT32S[n](n + 1, *partition_indexes) if n < 17 else compact_ints("i", partition_indexes))
    push(b"\0")


def _encode_offset_fetch_request_v6(push: Push, this: OffsetFetchRequest) -> None:
    if len(this.groups):
        raise field_refused("groups")
    if this.require_stable:
        raise field_refused("require_stable")
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    topics = this.topics
    n = 0 if topics is None else len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if topics:
        for topics_item in topics:
            _encode_offset_fetch_request_topic_v6(push, topics_item)
    push(b"\0")


def _encode_offset_fetch_request_v7(push: Push, this: OffsetFetchRequest) -> None:
    if len(this.groups):
        raise field_refused("groups")
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    topics = this.topics
    n = 0 if topics is None else len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if topics:
        for topics_item in topics:
            _encode_offset_fetch_request_topic_v6(push, topics_item)
    push(_pack_tx(this.require_stable))


def _encode_offset_fetch_request_topics_v8(push: Push, this: OffsetFetchRequestTopics) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partition_indexes = this.partition_indexes
    n = len(partition_indexes)
    push(COMPACT_INT32S[n](n + 1, *partition_indexes) if n < 17 else compact_ints("i", partition_indexes))
    push(b"\0")


def _encode_offset_fetch_request_group_v8(push: Push, this: OffsetFetchRequestGroup) -> None:
    group_id_sent = this.group_id.encode()
    n = len(group_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(group_id_sent)
    topics = this.topics
    n = 0 if topics is None else len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    if topics:
        for topics_item in topics:
            _encode_offset_fetch_request_topics_v8(push, topics_item)
    push(b"\0")


def _encode_offset_fetch_request_v8(push: Push, this: OffsetFetchRequest) -> None:
    if this.group_id != "":
        raise field_refused("group_id")
    if this.topics is None or len(this.topics):
        raise field_refused("topics")
    groups = this.groups
    n = len(groups) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for groups_item in groups:
        _encode_offset_fetch_request_group_v8(push, groups_item)
    push(_pack_tx(this.require_stable))


def _encode_offset_fetch_request_group_v9(push: Push, this: OffsetFetchRequestGroup) -> None:
    group_id_sent = this.group_id.encode()
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
    n = 0 if topics is None else len(topics) + 1
    push(_pack_iB(this.member_epoch, n) if n < 128 else _pack_i(this.member_epoch) + uvarint(n))
    if topics:
        for topics_item in topics:
            _encode_offset_fetch_request_topics_v8(push, topics_item)
    push(b"\0")


def _encode_offset_fetch_request_v9(push: Push, this: OffsetFetchRequest) -> None:
    if this.group_id != "":
        raise field_refused("group_id")
    if this.topics is None or len(this.topics):
        raise field_refused("topics")
    groups = this.groups
    n = len(groups) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for groups_item in groups:
        _encode_offset_fetch_request_group_v9(push, groups_item)
    push(_pack_tx(this.require_stable))


def _encode_offset_fetch_request_topics_v10(push: Push, this: OffsetFetchRequestTopics) -> None:
    push(_pack_u(this.topic_id))
    partition_indexes = this.partition_indexes
    n = len(partition_indexes)
    push(COMPACT_INT32S[n](n + 1, *partition_indexes) if n < 17 else compact_ints("i", partition_indexes))
    push(b"\0")


def _encode_offset_fetch_request_group_v10(push: Push, this: OffsetFetchRequestGroup) -> None:
    group_id_sent = this.group_id.encode()
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
    n = 0 if topics is None else len(topics) + 1
    push(_pack_iB(this.member_epoch, n) if n < 128 else _pack_i(this.member_epoch) + uvarint(n))
    if topics:
        for topics_item in topics:
            _encode_offset_fetch_request_topics_v10(push, topics_item)
    push(b"\0")


def _encode_offset_fetch_request_v10(push: Push, this: OffsetFetchRequest) -> None:
    if this.group_id != "":
        raise field_refused("group_id")
    if this.topics is None or len(this.topics):
        raise field_refused("topics")
    groups = this.groups
    n = len(groups) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for groups_item in groups:
        _encode_offset_fetch_request_group_v10(push, groups_item)
    push(_pack_tx(this.require_stable))


DECODERS |= {
    5: _decode_offset_fetch_request_v5,
    6: _decode_offset_fetch_request_v6,
    7: _decode_offset_fetch_request_v7,
    8: _decode_offset_fetch_request_v8,
    9: _decode_offset_fetch_request_v9,
    10: _decode_offset_fetch_request_v10,
}
ENCODERS |= {
    5: _encode_offset_fetch_request_v5,
    6: _encode_offset_fetch_request_v6,
    7: _encode_offset_fetch_request_v7,
    8: _encode_offset_fetch_request_v8,
    9: _encode_offset_fetch_request_v9,
    10: _encode_offset_fetch_request_v10,
}
