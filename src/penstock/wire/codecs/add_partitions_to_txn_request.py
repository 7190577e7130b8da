# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, field_refused, null_refused
from penstock.wire.messages.add_partitions_to_txn_request import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
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
_read_qhtB = Struct(">qh?B").unpack_from
_read_qhB = Struct(">qhB").unpack_from
_read_qhi = Struct(">qhi").unpack_from
_pack_h = Struct(">h").pack
_pack_qh = Struct(">qh").pack
_pack_qht = Struct(">qh?").pack
_pack_qhtB = Struct(">qh?B").pack
_pack_qhB = Struct(">qhB").pack
_pack_qhi = Struct(">qhi").pack


def _decode_add_partitions_to_txn_topic_v0(data: bytes, pos: int) -> tuple[AddPartitionsToTxnTopic, int]:
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
    return AddPartitionsToTxnTopic(name, partitions), pos


def _decode_add_partitions_to_txn_request_v0(data: bytes, pos: int) -> tuple[AddPartitionsToTxnRequest, int]:
    (n,) = _read_h(data, pos)
    pos += 2
    if n < 0:
        raise null_refused("v3_and_below_transactional_id")
    end = pos + n
    v3_and_below_transactional_id = data[pos:end].decode()
    pos = end
    v3_and_below_producer_id, v3_and_below_producer_epoch, n = _read_qhi(data, pos)
    pos += 14
    if n < 0:
        raise null_refused("v3_and_below_topics")
    if n * 6 > len(data) - pos:
        raise absurd_count("v3_and_below_topics", n)
    v3_and_below_topics: list[AddPartitionsToTxnTopic] = []
    for _ in range(n):
        v3_and_below_topics_item, pos = _decode_add_partitions_to_txn_topic_v0(data, pos)
        v3_and_below_topics.append(v3_and_below_topics_item)
    return AddPartitionsToTxnRequest(
        v3_and_below_transactional_id=v3_and_below_transactional_id,
        v3_and_below_producer_id=v3_and_below_producer_id,
        v3_and_below_producer_epoch=v3_and_below_producer_epoch,
        v3_and_below_topics=v3_and_below_topics,
    ), pos


def _decode_add_partitions_to_txn_topic_v3(data: bytes, pos: int) -> tuple[AddPartitionsToTxnTopic, int]:
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
    return AddPartitionsToTxnTopic(name, partitions), pos


def _decode_add_partitions_to_txn_request_v3(data: bytes, pos: int) -> tuple[AddPartitionsToTxnRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("v3_and_below_transactional_id")
    end = pos + n - 1
    v3_and_below_transactional_id = data[pos:end].decode()
    pos = end
    v3_and_below_producer_id, v3_and_below_producer_epoch, n = _read_qhB(data, pos)
    pos += 11
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("v3_and_below_topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("v3_and_below_topics", n)
    v3_and_below_topics: list[AddPartitionsToTxnTopic] = []
    for _ in range(n):
        v3_and_below_topics_item, pos = _decode_add_partitions_to_txn_topic_v3(data, pos)
        v3_and_below_topics.append(v3_and_below_topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AddPartitionsToTxnRequest(
        v3_and_below_transactional_id=v3_and_below_transactional_id,
        v3_and_below_producer_id=v3_and_below_producer_id,
        v3_and_below_producer_epoch=v3_and_below_producer_epoch,
        v3_and_below_topics=v3_and_below_topics,
    ), pos


def _decode_add_partitions_to_txn_transaction_v4(data: bytes, pos: int) -> tuple[AddPartitionsToTxnTransaction, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("transactional_id")
    end = pos + n - 1
    transactional_id = data[pos:end].decode()
    pos = end
    producer_id, producer_epoch, verify_only, n = _read_qhtB(data, pos)
    pos += 12
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[AddPartitionsToTxnTopic] = []
    for _ in range(n):
        topics_item, pos = _decode_add_partitions_to_txn_topic_v3(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AddPartitionsToTxnTransaction(transactional_id, producer_id, producer_epoch, verify_only, topics), pos


def _decode_add_partitions_to_txn_request_v4(data: bytes, pos: int) -> tuple[AddPartitionsToTxnRequest, int]:
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("transactions")
    n -= 1
    if n * 14 > len(data) - pos:
        raise absurd_count("transactions", n)
    transactions: list[AddPartitionsToTxnTransaction] = []
    for _ in range(n):
        transactions_item, pos = _decode_add_partitions_to_txn_transaction_v4(data, pos)
        transactions.append(transactions_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return AddPartitionsToTxnRequest(transactions), pos


def _encode_add_partitions_to_txn_topic_v0(push: Push, this: AddPartitionsToTxnTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent)
    push(_pack_h(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(PLAIN_INT32S[n](n, *partitions) if n < 17 else plain_ints("i", partitions))


def _encode_add_partitions_to_txn_request_v0(push: Push, this: AddPartitionsToTxnRequest) -> None:
    if len(this.transactions):
        raise field_refused("transactions")
    v3_and_below_transactional_id_sent = this.v3_and_below_transactional_id.encode()
    n = len(v3_and_below_transactional_id_sent)
    push(_pack_h(n))
    push(v3_and_below_transactional_id_sent)
    v3_and_below_topics = this.v3_and_below_topics
    n = len(v3_and_below_topics)
    push(_pack_qhi(this.v3_and_below_producer_id, this.v3_and_below_producer_epoch, n))
    for v3_and_below_topics_item in v3_and_below_topics:
        _encode_add_partitions_to_txn_topic_v0(push, v3_and_below_topics_item)


def _encode_add_partitions_to_txn_topic_v3(push: Push, this: AddPartitionsToTxnTopic) -> None:
    name_sent = this.name.encode()
    n = len(name_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(name_sent)
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_add_partitions_to_txn_request_v3(push: Push, this: AddPartitionsToTxnRequest) -> None:
    if len(this.transactions):
        raise field_refused("transactions")
    v3_and_below_transactional_id_sent = this.v3_and_below_transactional_id.encode()
    n = len(v3_and_below_transactional_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(v3_and_below_transactional_id_sent)
    v3_and_below_topics = this.v3_and_below_topics
    n = len(v3_and_below_topics) + 1
    push(
        _pack_qhB(this.v3_and_below_producer_id, this.v3_and_below_producer_epoch, n)
        if n < 128
        else _pack_qh(this.v3_and_below_producer_id, this.v3_and_below_producer_epoch) + uvarint(n)
    )
    for v3_and_below_topics_item in v3_and_below_topics:
        _encode_add_partitions_to_txn_topic_v3(push, v3_and_below_topics_item)
    push(b"\0")


def _encode_add_partitions_to_txn_transaction_v4(push: Push, this: AddPartitionsToTxnTransaction) -> None:
    transactional_id_sent = this.transactional_id.encode()
    n = len(transactional_id_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(transactional_id_sent)
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_qhtB(this.producer_id, this.producer_epoch, this.verify_only, n)
        if n < 128
        else _pack_qht(this.producer_id, this.producer_epoch, this.verify_only) + uvarint(n)
    )
    for topics_item in topics:
        _encode_add_partitions_to_txn_topic_v3(push, topics_item)
    push(b"\0")


def _encode_add_partitions_to_txn_request_v4(push: Push, this: AddPartitionsToTxnRequest) -> None:
    if this.v3_and_below_transactional_id != "":
        raise field_refused("v3_and_below_transactional_id")
    if this.v3_and_below_producer_id != 0:
        raise field_refused("v3_and_below_producer_id")
    if this.v3_and_below_producer_epoch != 0:
        raise field_refused("v3_and_below_producer_epoch")
    if len(this.v3_and_below_topics):
        raise field_refused("v3_and_below_topics")
    transactions = this.transactions
    n = len(transactions) + 1
    push(BYTE[n] if n < 128 else uvarint(n))
    for transactions_item in transactions:
        _encode_add_partitions_to_txn_transaction_v4(push, transactions_item)
    push(b"\0")


DECODERS = {
    0: _decode_add_partitions_to_txn_request_v0,
    1: _decode_add_partitions_to_txn_request_v0,
    2: _decode_add_partitions_to_txn_request_v0,
    3: _decode_add_partitions_to_txn_request_v3,
    4: _decode_add_partitions_to_txn_request_v4,
    5: _decode_add_partitions_to_txn_request_v4,
}
ENCODERS = {
    0: _encode_add_partitions_to_txn_request_v0,
    1: _encode_add_partitions_to_txn_request_v0,
    2: _encode_add_partitions_to_txn_request_v0,
    3: _encode_add_partitions_to_txn_request_v3,
    4: _encode_add_partitions_to_txn_request_v4,
    5: _encode_add_partitions_to_txn_request_v4,
}
