# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.fields import Field
from penstock.wire.malformed import absurd_count, field_refused, negative_length, null_refused, null_unsayable
from penstock.wire.messages.metadata_response import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
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

_read_utB = Struct(">16s?B").unpack_from
_read_tB = Struct(">?B").unpack_from
_read_ti = Struct(">?i").unpack_from
_read_h = Struct(">h").unpack_from
_read_hB = Struct(">hB").unpack_from
_read_hh = Struct(">hh").unpack_from
_read_hiii = Struct(">hiii").unpack_from
_read_hiiiB = Struct(">hiiiB").unpack_from
_read_hiiii = Struct(">hiiii").unpack_from
_read_i = Struct(">i").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ih = Struct(">ih").unpack_from
_read_ii = Struct(">ii").unpack_from
_pack_ut = Struct(">16s?").pack
_pack_utB = Struct(">16s?B").pack
_pack_t = Struct(">?").pack
_pack_tB = Struct(">?B").pack
_pack_ti = Struct(">?i").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hh = Struct(">hh").pack
_pack_hii = Struct(">hii").pack
_pack_hiii = Struct(">hiii").pack
_pack_hx = Struct(">hx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ii = Struct(">ii").pack
_pack_ix = Struct(">ix").pack

DECODERS, ENCODERS = by_table(
    MetadataResponse,
    {
        MetadataResponseBroker: (
            Field("node_id", "int32"),
            Field("host", "string"),
            Field("port", "int32"),
            Field("rack", "string", since=1, null_since=1, ignorable=True),
        ),
        MetadataResponseTopic: (
            Field("error_code", "int16"),
            Field("name", "string", null_since=12),
            Field("topic_id", "uuid", since=10, ignorable=True),
            Field("is_internal", "bool", since=1, ignorable=True),
            Field("partitions", "[]MetadataResponsePartition"),
            Field("topic_authorized_operations", "int32", since=8),
        ),
        MetadataResponsePartition: (
            Field("error_code", "int16"),
            Field("partition_index", "int32"),
            Field("leader_id", "int32"),
            Field("leader_epoch", "int32", since=7, ignorable=True),
            Field("replica_nodes", "[]int32"),
            Field("isr_nodes", "[]int32"),
            Field("offline_replicas", "[]int32", since=5, ignorable=True),
        ),
        MetadataResponse: (
            Field("throttle_time_ms", "int32", since=3, ignorable=True),
            Field("brokers", "[]MetadataResponseBroker"),
            Field("cluster_id", "string", since=2, null_since=2, ignorable=True),
            Field("controller_id", "int32", since=1, ignorable=True),
            Field("topics", "[]MetadataResponseTopic"),
            Field("cluster_authorized_operations", "int32", since=8, until=10),
            Field("error_code", "int16", since=13, ignorable=True),
        ),
    },
)


def _decode_metadata_response_broker_v4(data: bytes, pos: int) -> tuple[MetadataResponseBroker, int]:
    node_id, n = _read_ih(data, pos)
    pos += 6
    if n < 0:
        raise null_refused("host")
    end = pos + n
    host = data[pos:end].decode()
    pos = end
    port, n = _read_ih(data, pos)
    pos += 6
    rack: str | None = None
    if n >= 0:
        end = pos + n
        rack = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("rack", n)
    return MetadataResponseBroker(node_id, host, port, rack), pos


def _decode_metadata_response_partition_v4(data: bytes, pos: int) -> tuple[MetadataResponsePartition, int]:
    error_code, partition_index, leader_id, n = _read_hiii(data, pos)
    pos += 14
    if n < 0:
        raise null_refused("replica_nodes")
    replica_nodes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("isr_nodes")
    isr_nodes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    return MetadataResponsePartition(
        error_code, partition_index, leader_id, replica_nodes=replica_nodes, isr_nodes=isr_nodes
    ), pos


def _decode_metadata_response_topic_v4(data: bytes, pos: int) -> tuple[MetadataResponseTopic, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    is_internal, n = _read_ti(data, pos)
    pos += 5
    if n < 0:
        raise null_refused("partitions")
    if n * 18 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[MetadataResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_metadata_response_partition_v4(data, pos)
        partitions.append(partitions_item)
    return MetadataResponseTopic(error_code, name, is_internal=is_internal, partitions=partitions), pos


def _decode_metadata_response_v4(data: bytes, pos: int) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("brokers")
    if n * 12 > len(data) - pos:
        raise absurd_count("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v4(data, pos)
        brokers.append(brokers_item)
    (n,) = _read_h(data, pos)
    pos += 2
    cluster_id: str | None = None
    if n >= 0:
        end = pos + n
        cluster_id = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("cluster_id", n)
    controller_id, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("topics")
    if n * 9 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v4(data, pos)
        topics.append(topics_item)
    return MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics), pos


def _decode_metadata_response_partition_v5(data: bytes, pos: int) -> tuple[MetadataResponsePartition, int]:
    error_code, partition_index, leader_id, n = _read_hiii(data, pos)
    pos += 14
    if n < 0:
        raise null_refused("replica_nodes")
    replica_nodes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("isr_nodes")
    isr_nodes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("offline_replicas")
    offline_replicas = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    return MetadataResponsePartition(
        error_code,
        partition_index,
        leader_id,
        replica_nodes=replica_nodes,
        isr_nodes=isr_nodes,
        offline_replicas=offline_replicas,
    ), pos


def _decode_metadata_response_topic_v5(data: bytes, pos: int) -> tuple[MetadataResponseTopic, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    is_internal, n = _read_ti(data, pos)
    pos += 5
    if n < 0:
        raise null_refused("partitions")
    if n * 22 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[MetadataResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_metadata_response_partition_v5(data, pos)
        partitions.append(partitions_item)
    return MetadataResponseTopic(error_code, name, is_internal=is_internal, partitions=partitions), pos


def _decode_metadata_response_v5(data: bytes, pos: int) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("brokers")
    if n * 12 > len(data) - pos:
        raise absurd_count("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v4(data, pos)
        brokers.append(brokers_item)
    (n,) = _read_h(data, pos)
    pos += 2
    cluster_id: str | None = None
    if n >= 0:
        end = pos + n
        cluster_id = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("cluster_id", n)
    controller_id, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("topics")
    if n * 9 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v5(data, pos)
        topics.append(topics_item)
    return MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics), pos


def _decode_metadata_response_partition_v7(data: bytes, pos: int) -> tuple[MetadataResponsePartition, int]:
    error_code, partition_index, leader_id, leader_epoch, n = _read_hiiii(data, pos)
    pos += 18
    if n < 0:
        raise null_refused("replica_nodes")
    replica_nodes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("isr_nodes")
    isr_nodes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("offline_replicas")
    offline_replicas = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    return MetadataResponsePartition(
        error_code, partition_index, leader_id, leader_epoch, replica_nodes, isr_nodes, offline_replicas
    ), pos


def _decode_metadata_response_topic_v7(data: bytes, pos: int) -> tuple[MetadataResponseTopic, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    is_internal, n = _read_ti(data, pos)
    pos += 5
    if n < 0:
        raise null_refused("partitions")
    if n * 26 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[MetadataResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_metadata_response_partition_v7(data, pos)
        partitions.append(partitions_item)
    return MetadataResponseTopic(error_code, name, is_internal=is_internal, partitions=partitions), pos


def _decode_metadata_response_v7(data: bytes, pos: int) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("brokers")
    if n * 12 > len(data) - pos:
        raise absurd_count("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v4(data, pos)
        brokers.append(brokers_item)
    (n,) = _read_h(data, pos)
    pos += 2
    cluster_id: str | None = None
    if n >= 0:
        end = pos + n
        cluster_id = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("cluster_id", n)
    controller_id, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("topics")
    if n * 9 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v7(data, pos)
        topics.append(topics_item)
    return MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics), pos


def _decode_metadata_response_topic_v8(data: bytes, pos: int) -> tuple[MetadataResponseTopic, int]:
    error_code, n = _read_hh(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("name")
    end = pos + n
    name = data[pos:end].decode()
    pos = end
    is_internal, n = _read_ti(data, pos)
    pos += 5
    if n < 0:
        raise null_refused("partitions")
    if n * 26 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[MetadataResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_metadata_response_partition_v7(data, pos)
        partitions.append(partitions_item)
    (topic_authorized_operations,) = _read_i(data, pos)
    pos += 4
    return MetadataResponseTopic(
        error_code,
        name,
        is_internal=is_internal,
        partitions=partitions,
        topic_authorized_operations=topic_authorized_operations,
    ), pos


def _decode_metadata_response_v8(data: bytes, pos: int) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("brokers")
    if n * 12 > len(data) - pos:
        raise absurd_count("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v4(data, pos)
        brokers.append(brokers_item)
    (n,) = _read_h(data, pos)
    pos += 2
    cluster_id: str | None = None
    if n >= 0:
        end = pos + n
        cluster_id = data[pos:end].decode()
        pos = end
    elif n != -1:
        raise negative_length("cluster_id", n)
    controller_id, n = _read_ii(data, pos)
    pos += 8
    if n < 0:
        raise null_refused("topics")
    if n * 13 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v8(data, pos)
        topics.append(topics_item)
    (cluster_authorized_operations,) = _read_i(data, pos)
    pos += 4
    return MetadataResponse(
        throttle_time_ms, brokers, cluster_id, controller_id, topics, cluster_authorized_operations
    ), pos


def _decode_metadata_response_broker_v9(data: bytes, pos: int) -> tuple[MetadataResponseBroker, int]:
    node_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("host")
    end = pos + n - 1
    host = data[pos:end].decode()
    pos = end
    port, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    rack: str | None = None
    if n:
        end = pos + n - 1
        rack = data[pos:end].decode()
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return MetadataResponseBroker(node_id, host, port, rack), pos


def _decode_metadata_response_partition_v9(data: bytes, pos: int) -> tuple[MetadataResponsePartition, int]:
    error_code, partition_index, leader_id, leader_epoch, n = _read_hiiiB(data, pos)
    pos += 15
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("replica_nodes")
    n -= 1
    replica_nodes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("isr_nodes")
    n -= 1
    isr_nodes = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("offline_replicas")
    n -= 1
    offline_replicas = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return MetadataResponsePartition(
        error_code, partition_index, leader_id, leader_epoch, replica_nodes, isr_nodes, offline_replicas
    ), pos


def _decode_metadata_response_topic_v9(data: bytes, pos: int) -> tuple[MetadataResponseTopic, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    is_internal, n = _read_tB(data, pos)
    pos += 2
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[MetadataResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_metadata_response_partition_v9(data, pos)
        partitions.append(partitions_item)
    topic_authorized_operations, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return MetadataResponseTopic(
        error_code,
        name,
        is_internal=is_internal,
        partitions=partitions,
        topic_authorized_operations=topic_authorized_operations,
    ), pos


def _decode_metadata_response_v9(data: bytes, pos: int) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("brokers")
    n -= 1
    if n * 11 > len(data) - pos:
        raise absurd_count("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v9(data, pos)
        brokers.append(brokers_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    cluster_id: str | None = None
    if n:
        end = pos + n - 1
        cluster_id = data[pos:end].decode()
        pos = end
    controller_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 10 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v9(data, pos)
        topics.append(topics_item)
    cluster_authorized_operations, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return MetadataResponse(
        throttle_time_ms, brokers, cluster_id, controller_id, topics, cluster_authorized_operations
    ), pos


def _decode_metadata_response_topic_v10(data: bytes, pos: int) -> tuple[MetadataResponseTopic, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("name")
    end = pos + n - 1
    name = data[pos:end].decode()
    pos = end
    topic_id, is_internal, n = _read_utB(data, pos)
    pos += 18
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[MetadataResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_metadata_response_partition_v9(data, pos)
        partitions.append(partitions_item)
    topic_authorized_operations, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return MetadataResponseTopic(error_code, name, topic_id, is_internal, partitions, topic_authorized_operations), pos


def _decode_metadata_response_v10(data: bytes, pos: int) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("brokers")
    n -= 1
    if n * 11 > len(data) - pos:
        raise absurd_count("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v9(data, pos)
        brokers.append(brokers_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    cluster_id: str | None = None
    if n:
        end = pos + n - 1
        cluster_id = data[pos:end].decode()
        pos = end
    controller_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 26 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v10(data, pos)
        topics.append(topics_item)
    cluster_authorized_operations, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return MetadataResponse(
        throttle_time_ms, brokers, cluster_id, controller_id, topics, cluster_authorized_operations
    ), pos


def _decode_metadata_response_v11(data: bytes, pos: int) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("brokers")
    n -= 1
    if n * 11 > len(data) - pos:
        raise absurd_count("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v9(data, pos)
        brokers.append(brokers_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    cluster_id: str | None = None
    if n:
        end = pos + n - 1
        cluster_id = data[pos:end].decode()
        pos = end
    controller_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 26 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v10(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics), pos


def _decode_metadata_response_topic_v12(data: bytes, pos: int) -> tuple[MetadataResponseTopic, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    name: str | None = None
    if n:
        end = pos + n - 1
        name = data[pos:end].decode()
        pos = end
    topic_id, is_internal, n = _read_utB(data, pos)
    pos += 18
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[MetadataResponsePartition] = []
    for _ in range(n):
        partitions_item, pos = _decode_metadata_response_partition_v9(data, pos)
        partitions.append(partitions_item)
    topic_authorized_operations, tags = _read_iB(data, pos)
    pos += 5
    if tags:
        pos = skip_tags(data, pos, tags)
    return MetadataResponseTopic(error_code, name, topic_id, is_internal, partitions, topic_authorized_operations), pos


def _decode_metadata_response_v12(data: bytes, pos: int) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("brokers")
    n -= 1
    if n * 11 > len(data) - pos:
        raise absurd_count("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v9(data, pos)
        brokers.append(brokers_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    cluster_id: str | None = None
    if n:
        end = pos + n - 1
        cluster_id = data[pos:end].decode()
        pos = end
    controller_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 26 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v12(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics), pos


def _decode_metadata_response_v13(data: bytes, pos: int) -> tuple[MetadataResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("brokers")
    n -= 1
    if n * 11 > len(data) - pos:
        raise absurd_count("brokers", n)
    brokers: list[MetadataResponseBroker] = []
    for _ in range(n):
        brokers_item, pos = _decode_metadata_response_broker_v9(data, pos)
        brokers.append(brokers_item)
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    cluster_id: str | None = None
    if n:
        end = pos + n - 1
        cluster_id = data[pos:end].decode()
        pos = end
    controller_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 26 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[MetadataResponseTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_metadata_response_topic_v12(data, pos)
        topics.append(topics_item)
    error_code, tags = _read_hB(data, pos)
    pos += 3
    if tags:
        pos = skip_tags(data, pos, tags)
    return MetadataResponse(throttle_time_ms, brokers, cluster_id, controller_id, topics, error_code=error_code), pos


def _encode_metadata_response_broker_v4(push: Push, this: MetadataResponseBroker) -> None:
    host_sent = this.host.encode()
    n = len(host_sent)
    push(_pack_ih(this.node_id, n))
    push(host_sent)
    rack = this.rack
    if rack is None:
        rack_sent = b""
        n = -1
    else:
        rack_sent = rack.encode()
        n = len(rack_sent)
    push(_pack_ih(this.port, n))
    push(rack_sent)


def _encode_metadata_response_partition_v4(push: Push, this: MetadataResponsePartition) -> None:
    push(_pack_hii(this.error_code, this.partition_index, this.leader_id))
    replica_nodes = this.replica_nodes
    n = len(replica_nodes)
    push(PLAIN_INT32S[n](n, *replica_nodes) if n < 17 else plain_ints("i", replica_nodes))
    isr_nodes = this.isr_nodes
    n = len(isr_nodes)
    push(PLAIN_INT32S[n](n, *isr_nodes) if n < 17 else plain_ints("i", isr_nodes))


def _encode_metadata_response_topic_v4(push: Push, this: MetadataResponseTopic) -> None:
    if this.topic_authorized_operations != -2147483648:
        raise field_refused("topic_authorized_operations")
    name = this.name
    if name is None:
        raise null_unsayable("name")
    name_sent = name.encode()
    n = len(name_sent)
    push(_pack_hh(this.error_code, n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_ti(this.is_internal, n))
    for partitions_item in partitions:
        _encode_metadata_response_partition_v4(push, partitions_item)


def _encode_metadata_response_v4(push: Push, this: MetadataResponse) -> None:
    if this.cluster_authorized_operations != -2147483648:
        raise field_refused("cluster_authorized_operations")
    brokers = this.brokers
    n = len(brokers)
    push(_pack_ii(this.throttle_time_ms, n))
    for brokers_item in brokers:
        _encode_metadata_response_broker_v4(push, brokers_item)
    cluster_id = this.cluster_id
    if cluster_id is None:
        cluster_id_sent = b""
        n = -1
    else:
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent)
    push(_pack_h(n))
    push(cluster_id_sent)
    topics = this.topics
    n = len(topics)
    push(_pack_ii(this.controller_id, n))
    for topics_item in topics:
        _encode_metadata_response_topic_v4(push, topics_item)


def _encode_metadata_response_partition_v5(push: Push, this: MetadataResponsePartition) -> None:
    push(_pack_hii(this.error_code, this.partition_index, this.leader_id))
    replica_nodes = this.replica_nodes
    n = len(replica_nodes)
    push(PLAIN_INT32S[n](n, *replica_nodes) if n < 17 else plain_ints("i", replica_nodes))
    isr_nodes = this.isr_nodes
    n = len(isr_nodes)
    push(PLAIN_INT32S[n](n, *isr_nodes) if n < 17 else plain_ints("i", isr_nodes))
    offline_replicas = this.offline_replicas
    n = len(offline_replicas)
    push(PLAIN_INT32S[n](n, *offline_replicas) if n < 17 else plain_ints("i", offline_replicas))


def _encode_metadata_response_topic_v5(push: Push, this: MetadataResponseTopic) -> None:
    if this.topic_authorized_operations != -2147483648:
        raise field_refused("topic_authorized_operations")
    name = this.name
    if name is None:
        raise null_unsayable("name")
    name_sent = name.encode()
    n = len(name_sent)
    push(_pack_hh(this.error_code, n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_ti(this.is_internal, n))
    for partitions_item in partitions:
        _encode_metadata_response_partition_v5(push, partitions_item)


def _encode_metadata_response_v5(push: Push, this: MetadataResponse) -> None:
    if this.cluster_authorized_operations != -2147483648:
        raise field_refused("cluster_authorized_operations")
    brokers = this.brokers
    n = len(brokers)
    push(_pack_ii(this.throttle_time_ms, n))
    for brokers_item in brokers:
        _encode_metadata_response_broker_v4(push, brokers_item)
    cluster_id = this.cluster_id
    if cluster_id is None:
        cluster_id_sent = b""
        n = -1
    else:
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent)
    push(_pack_h(n))
    push(cluster_id_sent)
    topics = this.topics
    n = len(topics)
    push(_pack_ii(this.controller_id, n))
    for topics_item in topics:
        _encode_metadata_response_topic_v5(push, topics_item)


def _encode_metadata_response_partition_v7(push: Push, this: MetadataResponsePartition) -> None:
    push(_pack_hiii(this.error_code, this.partition_index, this.leader_id, this.leader_epoch))
    replica_nodes = this.replica_nodes
    n = len(replica_nodes)
    push(PLAIN_INT32S[n](n, *replica_nodes) if n < 17 else plain_ints("i", replica_nodes))
    isr_nodes = this.isr_nodes
    n = len(isr_nodes)
    push(PLAIN_INT32S[n](n, *isr_nodes) if n < 17 else plain_ints("i", isr_nodes))
    offline_replicas = this.offline_replicas
    n = len(offline_replicas)
    push(PLAIN_INT32S[n](n, *offline_replicas) if n < 17 else plain_ints("i", offline_replicas))


def _encode_metadata_response_topic_v7(push: Push, this: MetadataResponseTopic) -> None:
    if this.topic_authorized_operations != -2147483648:
        raise field_refused("topic_authorized_operations")
    name = this.name
    if name is None:
        raise null_unsayable("name")
    name_sent = name.encode()
    n = len(name_sent)
    push(_pack_hh(this.error_code, n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_ti(this.is_internal, n))
    for partitions_item in partitions:
        _encode_metadata_response_partition_v7(push, partitions_item)


def _encode_metadata_response_v7(push: Push, this: MetadataResponse) -> None:
    if this.cluster_authorized_operations != -2147483648:
        raise field_refused("cluster_authorized_operations")
    brokers = this.brokers
    n = len(brokers)
    push(_pack_ii(this.throttle_time_ms, n))
    for brokers_item in brokers:
        _encode_metadata_response_broker_v4(push, brokers_item)
    cluster_id = this.cluster_id
    if cluster_id is None:
        cluster_id_sent = b""
        n = -1
    else:
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent)
    push(_pack_h(n))
    push(cluster_id_sent)
    topics = this.topics
    n = len(topics)
    push(_pack_ii(this.controller_id, n))
    for topics_item in topics:
        _encode_metadata_response_topic_v7(push, topics_item)


def _encode_metadata_response_topic_v8(push: Push, this: MetadataResponseTopic) -> None:
    name = this.name
    if name is None:
        raise null_unsayable("name")
    name_sent = name.encode()
    n = len(name_sent)
    push(_pack_hh(this.error_code, n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(_pack_ti(this.is_internal, n))
    for partitions_item in partitions:
        _encode_metadata_response_partition_v7(push, partitions_item)
    push(_pack_i(this.topic_authorized_operations))


def _encode_metadata_response_v8(push: Push, this: MetadataResponse) -> None:
    brokers = this.brokers
    n = len(brokers)
    push(_pack_ii(this.throttle_time_ms, n))
    for brokers_item in brokers:
        _encode_metadata_response_broker_v4(push, brokers_item)
    cluster_id = this.cluster_id
    if cluster_id is None:
        cluster_id_sent = b""
        n = -1
    else:
        cluster_id_sent = cluster_id.encode()
        n = len(cluster_id_sent)
    push(_pack_h(n))
    push(cluster_id_sent)
    topics = this.topics
    n = len(topics)
    push(_pack_ii(this.controller_id, n))
    for topics_item in topics:
        _encode_metadata_response_topic_v8(push, topics_item)
    push(_pack_i(this.cluster_authorized_operations))


def _encode_metadata_response_broker_v9(push: Push, this: MetadataResponseBroker) -> None:
    host_sent = this.host.encode()
    n = len(host_sent) + 1
    push(_pack_iB(this.node_id, n) if n < 128 else _pack_i(this.node_id) + string_length(n))
    push(host_sent)
    rack = this.rack
    if rack is None:
        rack_sent = b""
        n = 0
    else:
        rack_sent = rack.encode()
        n = len(rack_sent) + 1
    push(_pack_iB(this.port, n) if n < 128 else _pack_i(this.port) + string_length(n))
    push(rack_sent)
    push(b"\0")


def _encode_metadata_response_partition_v9(push: Push, this: MetadataResponsePartition) -> None:
    push(_pack_hiii(this.error_code, this.partition_index, this.leader_id, this.leader_epoch))
    replica_nodes = this.replica_nodes
    n = len(replica_nodes)
    push(COMPACT_INT32S[n](n + 1, *replica_nodes) if n < 17 else compact_ints("i", replica_nodes))
    isr_nodes = this.isr_nodes
    n = len(isr_nodes)
    push(COMPACT_INT32S[n](n + 1, *isr_nodes) if n < 17 else compact_ints("i", isr_nodes))
    offline_replicas = this.offline_replicas
    n = len(offline_replicas)
    push(COMPACT_INT32S[n](n + 1, *offline_replicas) if n < 17 else compact_ints("i", offline_replicas))
    push(b"\0")


def _encode_metadata_response_topic_v9(push: Push, this: MetadataResponseTopic) -> None:
    name = this.name
    if name is None:
        raise null_unsayable("name")
    name_sent = name.encode()
    n = len(name_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_tB(this.is_internal, n) if n < 128 else _pack_t(this.is_internal) + uvarint(n))
    for partitions_item in partitions:
        _encode_metadata_response_partition_v9(push, partitions_item)
    push(_pack_ix(this.topic_authorized_operations))


def _encode_metadata_response_v9(push: Push, this: MetadataResponse) -> None:
    brokers = this.brokers
    n = len(brokers) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for brokers_item in brokers:
        _encode_metadata_response_broker_v9(push, brokers_item)
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
    push(_pack_iB(this.controller_id, n) if n < 128 else _pack_i(this.controller_id) + uvarint(n))
    for topics_item in topics:
        _encode_metadata_response_topic_v9(push, topics_item)
    push(_pack_ix(this.cluster_authorized_operations))


def _encode_metadata_response_topic_v10(push: Push, this: MetadataResponseTopic) -> None:
    name = this.name
    if name is None:
        raise null_unsayable("name")
    name_sent = name.encode()
    n = len(name_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(
        _pack_utB(this.topic_id, this.is_internal, n)
        if n < 128
        else _pack_ut(this.topic_id, this.is_internal) + uvarint(n)
    )
    for partitions_item in partitions:
        _encode_metadata_response_partition_v9(push, partitions_item)
    push(_pack_ix(this.topic_authorized_operations))


def _encode_metadata_response_v10(push: Push, this: MetadataResponse) -> None:
    brokers = this.brokers
    n = len(brokers) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for brokers_item in brokers:
        _encode_metadata_response_broker_v9(push, brokers_item)
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
    push(_pack_iB(this.controller_id, n) if n < 128 else _pack_i(this.controller_id) + uvarint(n))
    for topics_item in topics:
        _encode_metadata_response_topic_v10(push, topics_item)
    push(_pack_ix(this.cluster_authorized_operations))


def _encode_metadata_response_v11(push: Push, this: MetadataResponse) -> None:
    if this.cluster_authorized_operations != -2147483648:
        raise field_refused("cluster_authorized_operations")
    brokers = this.brokers
    n = len(brokers) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for brokers_item in brokers:
        _encode_metadata_response_broker_v9(push, brokers_item)
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
    push(_pack_iB(this.controller_id, n) if n < 128 else _pack_i(this.controller_id) + uvarint(n))
    for topics_item in topics:
        _encode_metadata_response_topic_v10(push, topics_item)
    push(b"\0")


def _encode_metadata_response_topic_v12(push: Push, this: MetadataResponseTopic) -> None:
    name = this.name
    if name is None:
        name_sent = b""
        n = 0
    else:
        name_sent = name.encode()
        n = len(name_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(
        _pack_utB(this.topic_id, this.is_internal, n)
        if n < 128
        else _pack_ut(this.topic_id, this.is_internal) + uvarint(n)
    )
    for partitions_item in partitions:
        _encode_metadata_response_partition_v9(push, partitions_item)
    push(_pack_ix(this.topic_authorized_operations))


def _encode_metadata_response_v12(push: Push, this: MetadataResponse) -> None:
    if this.cluster_authorized_operations != -2147483648:
        raise field_refused("cluster_authorized_operations")
    brokers = this.brokers
    n = len(brokers) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for brokers_item in brokers:
        _encode_metadata_response_broker_v9(push, brokers_item)
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
    push(_pack_iB(this.controller_id, n) if n < 128 else _pack_i(this.controller_id) + uvarint(n))
    for topics_item in topics:
        _encode_metadata_response_topic_v12(push, topics_item)
    push(b"\0")


def _encode_metadata_response_v13(push: Push, this: MetadataResponse) -> None:
    if this.cluster_authorized_operations != -2147483648:
        raise field_refused("cluster_authorized_operations")
    brokers = this.brokers
    n = len(brokers) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for brokers_item in brokers:
        _encode_metadata_response_broker_v9(push, brokers_item)
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
    push(_pack_iB(this.controller_id, n) if n < 128 else _pack_i(this.controller_id) + uvarint(n))
    for topics_item in topics:
        _encode_metadata_response_topic_v12(push, topics_item)
    push(_pack_hx(this.error_code))


DECODERS |= {
    4: _decode_metadata_response_v4,
    5: _decode_metadata_response_v5,
    6: _decode_metadata_response_v5,
    7: _decode_metadata_response_v7,
    8: _decode_metadata_response_v8,
    9: _decode_metadata_response_v9,
    10: _decode_metadata_response_v10,
    11: _decode_metadata_response_v11,
    12: _decode_metadata_response_v12,
    13: _decode_metadata_response_v13,
}
ENCODERS |= {
    4: _encode_metadata_response_v4,
    5: _encode_metadata_response_v5,
    6: _encode_metadata_response_v5,
    7: _encode_metadata_response_v7,
    8: _encode_metadata_response_v8,
    9: _encode_metadata_response_v9,
    10: _encode_metadata_response_v10,
    11: _encode_metadata_response_v11,
    12: _encode_metadata_response_v12,
    13: _encode_metadata_response_v13,
}
