# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.alter_replica_log_dirs_request import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
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

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_pack_h = Struct(">h").pack
_pack_i = Struct(">i").pack


def _decode_alter_replica_log_dir_topic_v1(data: bytes, pos: int) -> tuple[AlterReplicaLogDirTopic, int]:
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
    partitions = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    return AlterReplicaLogDirTopic(name, partitions), pos


def _decode_alter_replica_log_dir_v1(data: bytes, pos: int) -> tuple[AlterReplicaLogDir, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("path")
    end = pos + n
    path = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[AlterReplicaLogDirTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_alter_replica_log_dir_topic_v1(data, pos)
        topics.append(topics_item)
    return AlterReplicaLogDir(path, topics), pos


def _decode_alter_replica_log_dirs_request_v1(data: bytes, pos: int) -> tuple[AlterReplicaLogDirsRequest, int]:
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("dirs")
    if n * 6 > len(data) - pos:
        raise absurd_count("dirs", n)
    dirs: list[AlterReplicaLogDir] = []
    for _ in range(n):
        dirs_item, pos = _decode_alter_replica_log_dir_v1(data, pos)
        dirs.append(dirs_item)
    return AlterReplicaLogDirsRequest(dirs), pos


def _decode_alter_replica_log_dir_topic_v2(data: bytes, pos: int) -> tuple[AlterReplicaLogDirTopic, int]:
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
    partitions = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterReplicaLogDirTopic(name, partitions), pos


def _decode_alter_replica_log_dir_v2(data: bytes, pos: int) -> tuple[AlterReplicaLogDir, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("path")
    end = pos + n - 1
    path = data[pos:end].decode()
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
    topics: list[AlterReplicaLogDirTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_alter_replica_log_dir_topic_v2(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterReplicaLogDir(path, topics), pos


def _decode_alter_replica_log_dirs_request_v2(data: bytes, pos: int) -> tuple[AlterReplicaLogDirsRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("dirs")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("dirs", n)
    dirs: list[AlterReplicaLogDir] = []
    for _ in range(n):
        dirs_item, pos = _decode_alter_replica_log_dir_v2(data, pos)
        dirs.append(dirs_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AlterReplicaLogDirsRequest(dirs), pos


def _encode_alter_replica_log_dir_topic_v1(push: Push, this: AlterReplicaLogDirTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(PLAIN_INT32S[n](n, *partitions) if n < 17 else plain_ints("i", partitions))


def _encode_alter_replica_log_dir_v1(push: Push, this: AlterReplicaLogDir) -> None:
    path_sent = this.path.encode()
    n = len(path_sent)
    push(_pack_h(n))
    push(path_sent)
    topics = this.topics
    n = len(topics)
    push(_pack_i(n))
    for topics_item in topics:
        _encode_alter_replica_log_dir_topic_v1(push, topics_item)


def _encode_alter_replica_log_dirs_request_v1(push: Push, this: AlterReplicaLogDirsRequest) -> None:
    dirs = this.dirs
    n = len(dirs)
    push(_pack_i(n))
    for dirs_item in dirs:
        _encode_alter_replica_log_dir_v1(push, dirs_item)


def _encode_alter_replica_log_dir_topic_v2(push: Push, this: AlterReplicaLogDirTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_alter_replica_log_dir_v2(push: Push, this: AlterReplicaLogDir) -> None:
    path_sent = this.path.encode()
    n = len(path_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(path_sent)
    topics = this.topics
    n = len(topics) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for topics_item in topics:
        _encode_alter_replica_log_dir_topic_v2(push, topics_item)
    push(b"\0")


def _encode_alter_replica_log_dirs_request_v2(push: Push, this: AlterReplicaLogDirsRequest) -> None:
    dirs = this.dirs
    n = len(dirs) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for dirs_item in dirs:
        _encode_alter_replica_log_dir_v2(push, dirs_item)
    push(b"\0")


DECODERS = {
    1: _decode_alter_replica_log_dirs_request_v1,
    2: _decode_alter_replica_log_dirs_request_v2,
}
ENCODERS = {
    1: _encode_alter_replica_log_dirs_request_v1,
    2: _encode_alter_replica_log_dirs_request_v2,
}
