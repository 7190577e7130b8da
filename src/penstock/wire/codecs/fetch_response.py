# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.fields import Field
from penstock.wire.malformed import absurd_count, field_refused, null_refused, wrong_tag_size
from penstock.wire.messages.fetch_response import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    SnapshotId,
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
from penstock.wire.tables import by_table

_read_uB = Struct(">16sB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_ihiB = Struct(">ihiB").unpack_from
_read_ihqqqB = Struct(">ihqqqB").unpack_from
_read_iiB = Struct(">iiB").unpack_from
_read_iqB = Struct(">iqB").unpack_from
_read_qiB = Struct(">qiB").unpack_from
_read_qqB = Struct(">qqB").unpack_from
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ihi = Struct(">ihi").pack
_pack_ihiB = Struct(">ihiB").pack
_pack_ihqqq = Struct(">ihqqq").pack
_pack_ihqqqB = Struct(">ihqqqB").pack
_pack_iix = Struct(">iix").pack
_pack_iqx = Struct(">iqx").pack
_pack_qix = Struct(">qix").pack
_pack_qqx = Struct(">qqx").pack

DECODERS, ENCODERS = by_table(
    FetchResponse,
    {
        FetchableTopicResponse: (
            Field("topic", "string", until=12, ignorable=True),
            Field("topic_id", "uuid", since=13, ignorable=True),
            Field("partitions", "[]PartitionData"),
        ),
        PartitionData: (
            Field("partition_index", "int32"),
            Field("error_code", "int16"),
            Field("high_watermark", "int64"),
            Field("last_stable_offset", "int64"),
            Field("log_start_offset", "int64", since=5, ignorable=True),
            Field("diverging_epoch", "EpochEndOffset", since=12, tag=0),
            Field("current_leader", "LeaderIdAndEpoch", since=12, tag=1),
            Field("snapshot_id", "SnapshotId", since=12, tag=2),
            Field("aborted_transactions", "[]AbortedTransaction", null_since=4),
            Field("preferred_read_replica", "int32", since=11),
            Field("records", "records", null_since=0),
        ),
        EpochEndOffset: (
            Field("epoch", "int32", since=12),
            Field("end_offset", "int64", since=12),
        ),
        LeaderIdAndEpoch: (
            Field("leader_id", "int32", since=12),
            Field("leader_epoch", "int32", since=12),
        ),
        SnapshotId: (
            Field("end_offset", "int64"),
            Field("epoch", "int32"),
        ),
        AbortedTransaction: (
            Field("producer_id", "int64"),
            Field("first_offset", "int64"),
        ),
        NodeEndpoint: (
            Field("node_id", "int32", since=16),
            Field("host", "string", since=16),
            Field("port", "int32", since=16),
            Field("rack", "string", since=16, null_since=16),
        ),
        FetchResponse: (
            Field("throttle_time_ms", "int32"),
            Field("error_code", "int16", since=7, ignorable=True),
            Field("session_id", "int32", since=7),
            Field("responses", "[]FetchableTopicResponse"),
            Field("node_endpoints", "[]NodeEndpoint", since=16, tag=0),
        ),
    },
)


def _decode_epoch_end_offset_v12(data: bytes | memoryview, pos: int) -> tuple[EpochEndOffset, int]:
    epoch, end_offset, tags = _read_iqB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return EpochEndOffset(epoch, end_offset), pos


def _decode_leader_id_and_epoch_v12(data: bytes | memoryview, pos: int) -> tuple[LeaderIdAndEpoch, int]:
    leader_id, leader_epoch, tags = _read_iiB(data, pos)
    pos += 9
    if tags:
        pos = skip_tags(data, pos, tags)
    return LeaderIdAndEpoch(leader_id, leader_epoch), pos


def _decode_snapshot_id_v12(data: bytes | memoryview, pos: int) -> tuple[SnapshotId, int]:
    end_offset, epoch, tags = _read_qiB(data, pos)
    pos += 13
    if tags:
        pos = skip_tags(data, pos, tags)
    return SnapshotId(end_offset, epoch), pos


def _decode_aborted_transaction_v12(data: bytes | memoryview, pos: int) -> tuple[AbortedTransaction, int]:
    producer_id, first_offset, tags = _read_qqB(data, pos)
    pos += 17
    if tags:
        pos = skip_tags(data, pos, tags)
    return AbortedTransaction(producer_id, first_offset), pos


def _decode_partition_data_v12(data: bytes | memoryview, pos: int) -> tuple[PartitionData, int]:
    partition_index, error_code, high_watermark, last_stable_offset, log_start_offset, n = _read_ihqqqB(data, pos)
    pos += 31
    if n > 127:
        n, pos = long_varint(data, pos)
    aborted_transactions: list[AbortedTransaction] | None = None
    if n:
        n -= 1
        if n * 17 > len(data) - pos:
            raise absurd_count("aborted_transactions", n)
        aborted_transactions = []
        for _ in range(n):
            aborted_transactions_item, pos = _decode_aborted_transaction_v12(data, pos)
            aborted_transactions.append(aborted_transactions_item)
    preferred_read_replica, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    records: bytes | memoryview | None = None
    if n:
        end = pos + n - 1
        records = data[pos:end]
        pos = end
    tags = data[pos]
    pos += 1
    item = PartitionData(
        partition_index,
        error_code,
        high_watermark,
        last_stable_offset,
        log_start_offset,
        aborted_transactions=aborted_transactions,
        preferred_read_replica=preferred_read_replica,
        records=records,
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                diverging_epoch, pos = _decode_epoch_end_offset_v12(data, pos)
                item.diverging_epoch = diverging_epoch
                if pos != tag_end:
                    raise wrong_tag_size("diverging_epoch")
            elif tag == 1:
                current_leader, pos = _decode_leader_id_and_epoch_v12(data, pos)
                item.current_leader = current_leader
                if pos != tag_end:
                    raise wrong_tag_size("current_leader")
            elif tag == 2:
                snapshot_id, pos = _decode_snapshot_id_v12(data, pos)
                item.snapshot_id = snapshot_id
                if pos != tag_end:
                    raise wrong_tag_size("snapshot_id")
            else:
                pos = tag_end
    return item, pos


def _decode_fetchable_topic_response_v12(data: bytes | memoryview, pos: int) -> tuple[FetchableTopicResponse, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic")
    end = pos + n - 1
    topic = str(data[pos:end], "utf-8")
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 37 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v12(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return FetchableTopicResponse(topic, partitions=partitions), pos


def _decode_fetch_response_v12(data: bytes | memoryview, pos: int) -> tuple[FetchResponse, int]:
    throttle_time_ms, error_code, session_id, n = _read_ihiB(data, pos)
    pos += 11
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("responses")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[FetchableTopicResponse] = []
    for _ in range(n):
        responses_item, pos = _decode_fetchable_topic_response_v12(data, pos)
        responses.append(responses_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return FetchResponse(throttle_time_ms, error_code, session_id, responses), pos


def _decode_fetchable_topic_response_v13(data: bytes | memoryview, pos: int) -> tuple[FetchableTopicResponse, int]:
    topic_id, n = _read_uB(data, pos)
    pos += 17
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partitions")
    n -= 1
    if n * 37 > len(data) - pos:
        raise absurd_count("partitions", n)
    partitions: list[PartitionData] = []
    for _ in range(n):
        partitions_item, pos = _decode_partition_data_v12(data, pos)
        partitions.append(partitions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return FetchableTopicResponse(topic_id=topic_id, partitions=partitions), pos


def _decode_fetch_response_v13(data: bytes | memoryview, pos: int) -> tuple[FetchResponse, int]:
    throttle_time_ms, error_code, session_id, n = _read_ihiB(data, pos)
    pos += 11
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("responses")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[FetchableTopicResponse] = []
    for _ in range(n):
        responses_item, pos = _decode_fetchable_topic_response_v13(data, pos)
        responses.append(responses_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return FetchResponse(throttle_time_ms, error_code, session_id, responses), pos


def _decode_node_endpoint_v16(data: bytes | memoryview, pos: int) -> tuple[NodeEndpoint, int]:
    node_id, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("host")
    end = pos + n - 1
    host = str(data[pos:end], "utf-8")
    pos = end
    port, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_string_length(data, pos)
    rack: str | None = None
    if n:
        end = pos + n - 1
        rack = str(data[pos:end], "utf-8")
        pos = end
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return NodeEndpoint(node_id, host, port, rack), pos


def _decode_fetch_response_v16(data: bytes | memoryview, pos: int) -> tuple[FetchResponse, int]:
    throttle_time_ms, error_code, session_id, n = _read_ihiB(data, pos)
    pos += 11
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("responses")
    n -= 1
    if n * 18 > len(data) - pos:
        raise absurd_count("responses", n)
    responses: list[FetchableTopicResponse] = []
    for _ in range(n):
        responses_item, pos = _decode_fetchable_topic_response_v13(data, pos)
        responses.append(responses_item)
    tags = data[pos]
    pos += 1
    item = FetchResponse(throttle_time_ms, error_code, session_id, responses)
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                n = data[pos]
                pos += 1
                if n > 127:
                    n, pos = long_varint(data, pos)
                if not n:
                    raise null_refused("node_endpoints")
                n -= 1
                if n * 11 > len(data) - pos:
                    raise absurd_count("node_endpoints", n)
                node_endpoints: list[NodeEndpoint] = []
                for _ in range(n):
                    node_endpoints_item, pos = _decode_node_endpoint_v16(data, pos)
                    node_endpoints.append(node_endpoints_item)
                item.node_endpoints = node_endpoints
                if pos != tag_end:
                    raise wrong_tag_size("node_endpoints")
            else:
                pos = tag_end
    return item, pos


def _encode_epoch_end_offset_v12(push: Push, this: EpochEndOffset) -> None:
    push(_pack_iqx(this.epoch, this.end_offset))


def _encode_leader_id_and_epoch_v12(push: Push, this: LeaderIdAndEpoch) -> None:
    push(_pack_iix(this.leader_id, this.leader_epoch))


def _encode_snapshot_id_v12(push: Push, this: SnapshotId) -> None:
    push(_pack_qix(this.end_offset, this.epoch))


def _encode_aborted_transaction_v12(push: Push, this: AbortedTransaction) -> None:
    push(_pack_qqx(this.producer_id, this.first_offset))


def _encode_partition_data_v12(push: Push, this: PartitionData) -> None:
    aborted_transactions = this.aborted_transactions
    n = 0 if aborted_transactions is None else len(aborted_transactions) + 1
    push(
        _pack_ihqqqB(
            this.partition_index,
            this.error_code,
            this.high_watermark,
            this.last_stable_offset,
            this.log_start_offset,
            n,
        )
        if n < 128
        else _pack_ihqqq(
            this.partition_index, this.error_code, this.high_watermark, this.last_stable_offset, this.log_start_offset
        )
        + uvarint(n)
    )
    if aborted_transactions:
        for aborted_transactions_item in aborted_transactions:
            _encode_aborted_transaction_v12(push, aborted_transactions_item)
    records = this.records
    if records is None:
        records_sent: Buffer = b""
        n = 0
    else:
        records_sent = records
        n = len(records_sent) + 1
    push(_pack_iB(this.preferred_read_replica, n) if n < 128 else _pack_i(this.preferred_read_replica) + uvarint(n))
    push(records_sent)
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.diverging_epoch != _DEFAULT_DIVERGING_EPOCH:
        part = []
        _encode_epoch_end_offset_v12(part.append, this.diverging_epoch)
        tagged.append(tagged_field(0, part))
    if this.current_leader != _DEFAULT_CURRENT_LEADER:
        part = []
        _encode_leader_id_and_epoch_v12(part.append, this.current_leader)
        tagged.append(tagged_field(1, part))
    if this.snapshot_id != _DEFAULT_SNAPSHOT_ID:
        part = []
        _encode_snapshot_id_v12(part.append, this.snapshot_id)
        tagged.append(tagged_field(2, part))
    push(tag_section(tagged) if tagged else b"\0")


def _encode_fetchable_topic_response_v12(push: Push, this: FetchableTopicResponse) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_sent)
    partitions = this.partitions
    n = len(partitions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v12(push, partitions_item)
    push(b"\0")


def _encode_fetch_response_v12(push: Push, this: FetchResponse) -> None:
    if len(this.node_endpoints):
        raise field_refused("node_endpoints")
    responses = this.responses
    n = len(responses) + 1
    push(
        _pack_ihiB(this.throttle_time_ms, this.error_code, this.session_id, n)
        if n < 128
        else _pack_ihi(this.throttle_time_ms, this.error_code, this.session_id) + uvarint(n)
    )
    for responses_item in responses:
        _encode_fetchable_topic_response_v12(push, responses_item)
    push(b"\0")


def _encode_fetchable_topic_response_v13(push: Push, this: FetchableTopicResponse) -> None:
    partitions = this.partitions
    n = len(partitions) + 1
    push(_pack_uB(this.topic_id, n) if n < 128 else _pack_u(this.topic_id) + uvarint(n))
    for partitions_item in partitions:
        _encode_partition_data_v12(push, partitions_item)
    push(b"\0")


def _encode_fetch_response_v13(push: Push, this: FetchResponse) -> None:
    if len(this.node_endpoints):
        raise field_refused("node_endpoints")
    responses = this.responses
    n = len(responses) + 1
    push(
        _pack_ihiB(this.throttle_time_ms, this.error_code, this.session_id, n)
        if n < 128
        else _pack_ihi(this.throttle_time_ms, this.error_code, this.session_id) + uvarint(n)
    )
    for responses_item in responses:
        _encode_fetchable_topic_response_v13(push, responses_item)
    push(b"\0")


def _encode_node_endpoint_v16(push: Push, this: NodeEndpoint) -> None:
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


def _encode_fetch_response_v16(push: Push, this: FetchResponse) -> None:
    responses = this.responses
    n = len(responses) + 1
    push(
        _pack_ihiB(this.throttle_time_ms, this.error_code, this.session_id, n)
        if n < 128
        else _pack_ihi(this.throttle_time_ms, this.error_code, this.session_id) + uvarint(n)
    )
    for responses_item in responses:
        _encode_fetchable_topic_response_v13(push, responses_item)
    tagged: list[bytes] = []
    part: list[Buffer]
    if len(this.node_endpoints):
        part = []
        node_endpoints = this.node_endpoints
        n = len(node_endpoints) + 1
        part.append(BYTE[n] if n < 128 else uvarint(n))
        for node_endpoints_item in node_endpoints:
            _encode_node_endpoint_v16(part.append, node_endpoints_item)
        tagged.append(tagged_field(0, part))
    push(tag_section(tagged) if tagged else b"\0")


DECODERS |= {
    12: _decode_fetch_response_v12,
    13: _decode_fetch_response_v13,
    14: _decode_fetch_response_v13,
    15: _decode_fetch_response_v13,
    16: _decode_fetch_response_v16,
    17: _decode_fetch_response_v16,
    18: _decode_fetch_response_v16,
}
ENCODERS |= {
    12: _encode_fetch_response_v12,
    13: _encode_fetch_response_v13,
    14: _encode_fetch_response_v13,
    15: _encode_fetch_response_v13,
    16: _encode_fetch_response_v16,
    17: _encode_fetch_response_v16,
    18: _encode_fetch_response_v16,
}

_DEFAULT_DIVERGING_EPOCH = EpochEndOffset()
_DEFAULT_CURRENT_LEADER = LeaderIdAndEpoch()
_DEFAULT_SNAPSHOT_ID = SnapshotId()
