# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, negative_length, null_refused, wrong_tag_size
from penstock.wire.messages.transaction_log_value import PartitionsSchema, TransactionLogValue
from penstock.wire.primitives import (
    BYTE,
    COMPACT_INT32S,
    PLAIN_INT32S,
    UNPACK_INT32S,
    Buffer,
    Push,
    compact_ints,
    long_string_length,
    long_varint,
    plain_ints,
    read_ints,
    read_tag,
    skip_tags,
    string_length,
    tag_section,
    tagged_field,
    uvarint,
)

_read_h = Struct(">h").unpack_from
_read_i = Struct(">i").unpack_from
_read_q = Struct(">q").unpack_from
_read_qhibB = Struct(">qhibB").unpack_from
_read_qhibi = Struct(">qhibi").unpack_from
_read_qq = Struct(">qq").unpack_from
_read_qqB = Struct(">qqB").unpack_from
_pack_h = Struct(">h").pack
_pack_q = Struct(">q").pack
_pack_qhib = Struct(">qhib").pack
_pack_qhibB = Struct(">qhibB").pack
_pack_qhibi = Struct(">qhibi").pack
_pack_qq = Struct(">qq").pack


def _decode_partitions_schema_v0(data: bytes, pos: int) -> tuple[PartitionsSchema, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("topic")
    end = pos + n
    topic = data[pos:end].decode()
    pos = end
    (n,) = _read_i(data, pos)
    pos += 4
    if n < 0:
        raise null_refused("partition_ids")
    partition_ids = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    return PartitionsSchema(topic, partition_ids), pos


def _decode_transaction_log_value_v0(data: bytes, pos: int) -> tuple[TransactionLogValue, int]:
    producer_id, producer_epoch, transaction_timeout_ms, transaction_status, n = _read_qhibi(data, pos)
    pos += 19
    transaction_partitions: list[PartitionsSchema] | None = None
    if n >= 0:
        if n * 6 > len(data) - pos:
            raise absurd_count("transaction_partitions", n)
        transaction_partitions = []
        for _ in range(n):
            transaction_partitions_item, pos = _decode_partitions_schema_v0(data, pos)
            transaction_partitions.append(transaction_partitions_item)
    elif n != -1:
        raise negative_length("transaction_partitions", n)
    transaction_last_update_timestamp_ms, transaction_start_timestamp_ms = _read_qq(data, pos)
    pos += 16
    return TransactionLogValue(
        producer_id,
        producer_epoch=producer_epoch,
        transaction_timeout_ms=transaction_timeout_ms,
        transaction_status=transaction_status,
        transaction_partitions=transaction_partitions,
        transaction_last_update_timestamp_ms=transaction_last_update_timestamp_ms,
        transaction_start_timestamp_ms=transaction_start_timestamp_ms,
    ), pos


def _decode_partitions_schema_v1(data: bytes, pos: int) -> tuple[PartitionsSchema, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("topic")
    end = pos + n - 1
    topic = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("partition_ids")
    n -= 1
    partition_ids = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return PartitionsSchema(topic, partition_ids), pos


def _decode_transaction_log_value_v1(data: bytes, pos: int) -> tuple[TransactionLogValue, int]:
    producer_id, producer_epoch, transaction_timeout_ms, transaction_status, n = _read_qhibB(data, pos)
    pos += 16
    if n > 127:
        n, pos = long_varint(data, pos)
    transaction_partitions: list[PartitionsSchema] | None = None
    if n:
        n -= 1
        if n * 3 > len(data) - pos:
            raise absurd_count("transaction_partitions", n)
        transaction_partitions = []
        for _ in range(n):
            transaction_partitions_item, pos = _decode_partitions_schema_v1(data, pos)
            transaction_partitions.append(transaction_partitions_item)
    transaction_last_update_timestamp_ms, transaction_start_timestamp_ms, tags = _read_qqB(data, pos)
    pos += 17
    item = TransactionLogValue(
        producer_id,
        producer_epoch=producer_epoch,
        transaction_timeout_ms=transaction_timeout_ms,
        transaction_status=transaction_status,
        transaction_partitions=transaction_partitions,
        transaction_last_update_timestamp_ms=transaction_last_update_timestamp_ms,
        transaction_start_timestamp_ms=transaction_start_timestamp_ms,
    )
    if tags:
        if tags > 127:
            tags, pos = long_varint(data, pos)
        for _ in range(tags):
            tag, tag_end, pos = read_tag(data, pos)
            if tag == 0:
                (previous_producer_id,) = _read_q(data, pos)
                pos += 8
                item.previous_producer_id = previous_producer_id
                if pos != tag_end:
                    raise wrong_tag_size("previous_producer_id")
            elif tag == 1:
                (next_producer_id,) = _read_q(data, pos)
                pos += 8
                item.next_producer_id = next_producer_id
                if pos != tag_end:
                    raise wrong_tag_size("next_producer_id")
            elif tag == 2:
                (client_transaction_version,) = _read_h(data, pos)
                pos += 2
                item.client_transaction_version = client_transaction_version
                if pos != tag_end:
                    raise wrong_tag_size("client_transaction_version")
            elif tag == 3:
                (next_producer_epoch,) = _read_h(data, pos)
                pos += 2
                item.next_producer_epoch = next_producer_epoch
                if pos != tag_end:
                    raise wrong_tag_size("next_producer_epoch")
            else:
                pos = tag_end
    return item, pos


def _encode_partitions_schema_v0(push: Push, this: PartitionsSchema) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent)
    push(_pack_h(n))
    push(topic_sent)
    partition_ids = this.partition_ids
    n = len(partition_ids)
    push(PLAIN_INT32S[n](n, *partition_ids) if n < 17 else plain_ints("i", partition_ids))


def _encode_transaction_log_value_v0(push: Push, this: TransactionLogValue) -> None:
    if this.previous_producer_id != -1:
        raise field_refused("previous_producer_id")
    if this.next_producer_id != -1:
        raise field_refused("next_producer_id")
    if this.next_producer_epoch != -1:
        raise field_refused("next_producer_epoch")
    if this.client_transaction_version != 0:
        raise field_refused("client_transaction_version")
    transaction_partitions = this.transaction_partitions
    n = -1 if transaction_partitions is None else len(transaction_partitions)
    push(_pack_qhibi(this.producer_id, this.producer_epoch, this.transaction_timeout_ms, this.transaction_status, n))
    if transaction_partitions:
        for transaction_partitions_item in transaction_partitions:
            _encode_partitions_schema_v0(push, transaction_partitions_item)
    push(_pack_qq(this.transaction_last_update_timestamp_ms, this.transaction_start_timestamp_ms))


def _encode_partitions_schema_v1(push: Push, this: PartitionsSchema) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_sent)
    partition_ids = this.partition_ids
    n = len(partition_ids)
    push(COMPACT_INT32S[n](n + 1, *partition_ids) if n < 17 else compact_ints("i", partition_ids))
    push(b"\0")


def _encode_transaction_log_value_v1(push: Push, this: TransactionLogValue) -> None:
    transaction_partitions = this.transaction_partitions
    n = 0 if transaction_partitions is None else len(transaction_partitions) + 1
    push(
        _pack_qhibB(this.producer_id, this.producer_epoch, this.transaction_timeout_ms, this.transaction_status, n)
        if n < 128
        else _pack_qhib(this.producer_id, this.producer_epoch, this.transaction_timeout_ms, this.transaction_status)
        + uvarint(n)
    )
    if transaction_partitions:
        for transaction_partitions_item in transaction_partitions:
            _encode_partitions_schema_v1(push, transaction_partitions_item)
    push(_pack_qq(this.transaction_last_update_timestamp_ms, this.transaction_start_timestamp_ms))
    tagged: list[bytes] = []
    part: list[Buffer]
    if this.previous_producer_id != -1:
        part = []
        part.append(_pack_q(this.previous_producer_id))
        tagged.append(tagged_field(0, part))
    if this.next_producer_id != -1:
        part = []
        part.append(_pack_q(this.next_producer_id))
        tagged.append(tagged_field(1, part))
    if this.client_transaction_version != 0:
        part = []
        part.append(_pack_h(this.client_transaction_version))
        tagged.append(tagged_field(2, part))
    if this.next_producer_epoch != -1:
        part = []
        part.append(_pack_h(this.next_producer_epoch))
        tagged.append(tagged_field(3, part))
    push(tag_section(tagged) if tagged else b"\0")


DECODERS = {
    0: _decode_transaction_log_value_v0,
    1: _decode_transaction_log_value_v1,
}
ENCODERS = {
    0: _encode_transaction_log_value_v0,
    1: _encode_transaction_log_value_v1,
}
