# Made by tools/generate_messages.py from tools/wire/facts.json: change those, then make it again.
from struct import Struct

from penstock.wire.malformed import absurd_count, null_refused
from penstock.wire.messages.describe_transactions_response import (
    DescribeTransactionsResponse,
    TopicData,
    TransactionState,
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

_read_hB = Struct(">hB").unpack_from
_read_iB = Struct(">iB").unpack_from
_read_iqqhB = Struct(">iqqhB").unpack_from
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_iqqh = Struct(">iqqh").pack
_pack_iqqhB = Struct(">iqqhB").pack


def _decode_topic_data_v0(data: bytes, pos: int) -> tuple[TopicData, int]:
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
        raise null_refused("partitions")
    n -= 1
    partitions = list(UNPACK_INT32S[n](data, pos)) if n < 17 else read_ints("i", data, pos, n)
    pos += 4 * n
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TopicData(topic, partitions), pos


def _decode_transaction_state_v0(data: bytes, pos: int) -> tuple[TransactionState, int]:
    error_code, n = _read_hB(data, pos)
    pos += 3
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("transactional_id")
    end = pos + n - 1
    transactional_id = data[pos:end].decode()
    pos = end
    n = data[pos]
    pos += 1
    if n > 127:
        n, pos = long_string_length(data, pos)
    if not n:
        raise null_refused("transaction_state")
    end = pos + n - 1
    transaction_state = data[pos:end].decode()
    pos = end
    transaction_timeout_ms, transaction_start_time_ms, producer_id, producer_epoch, n = _read_iqqhB(data, pos)
    pos += 23
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("topics")
    n -= 1
    if n * 3 > len(data) - pos:
        raise absurd_count("topics", n)
    topics: list[TopicData] = []
    for _ in range(n):
        topics_item, pos = _decode_topic_data_v0(data, pos)
        topics.append(topics_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return TransactionState(
        error_code,
        transactional_id,
        transaction_state,
        transaction_timeout_ms,
        transaction_start_time_ms,
        producer_id,
        producer_epoch,
        topics,
    ), pos


def _decode_describe_transactions_response_v0(data: bytes, pos: int) -> tuple[DescribeTransactionsResponse, int]:
    throttle_time_ms, n = _read_iB(data, pos)
    pos += 5
    if n > 127:
        n, pos = long_varint(data, pos)
    if not n:
        raise null_refused("transaction_states")
    n -= 1
    if n * 28 > len(data) - pos:
        raise absurd_count("transaction_states", n)
    transaction_states: list[TransactionState] = []
    for _ in range(n):
        transaction_states_item, pos = _decode_transaction_state_v0(data, pos)
        transaction_states.append(transaction_states_item)
    tags = data[pos]
    pos += 1
    if tags:
        pos = skip_tags(data, pos, tags)
    return DescribeTransactionsResponse(throttle_time_ms, transaction_states), pos


def _encode_topic_data_v0(push: Push, this: TopicData) -> None:
    topic_sent = this.topic.encode()
    n = len(topic_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(topic_sent)
    partitions = this.partitions
    n = len(partitions)
    push(COMPACT_INT32S[n](n + 1, *partitions) if n < 17 else compact_ints("i", partitions))
    push(b"\0")


def _encode_transaction_state_v0(push: Push, this: TransactionState) -> None:
    transactional_id_sent = this.transactional_id.encode()
    n = len(transactional_id_sent) + 1
    push(_pack_hB(this.error_code, n) if n < 128 else _pack_h(this.error_code) + string_length(n))
    push(transactional_id_sent)
    transaction_state_sent = this.transaction_state.encode()
    n = len(transaction_state_sent) + 1
    push(BYTE[n] if n < 128 else string_length(n))
    push(transaction_state_sent)
    topics = this.topics
    n = len(topics) + 1
    push(
        _pack_iqqhB(
            this.transaction_timeout_ms, this.transaction_start_time_ms, this.producer_id, this.producer_epoch, n
        )
        if n < 128
        else _pack_iqqh(
            this.transaction_timeout_ms, this.transaction_start_time_ms, this.producer_id, this.producer_epoch
        )
        + uvarint(n)
    )
    for topics_item in topics:
        _encode_topic_data_v0(push, topics_item)
    push(b"\0")


def _encode_describe_transactions_response_v0(push: Push, this: DescribeTransactionsResponse) -> None:
    transaction_states = this.transaction_states
    n = len(transaction_states) + 1
    push(_pack_iB(this.throttle_time_ms, n) if n < 128 else _pack_i(this.throttle_time_ms) + uvarint(n))
    for transaction_states_item in transaction_states:
        _encode_transaction_state_v0(push, transaction_states_item)
    push(b"\0")


DECODERS = {
    0: _decode_describe_transactions_response_v0,
}
ENCODERS = {
    0: _encode_describe_transactions_response_v0,
}
