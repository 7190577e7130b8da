"""What is kept in `__transaction_state`, in Kafka's own bytes, so that tools which read that topic understand it.

A key begins with its record type, a value with its schema version, two bytes each. A record without a value takes a
transactional id back. The last epoch is not part of Kafka's format: a producer there that asks for the same epoch twice
across a change of coordinator is fenced. It goes into a tagged field of our own, which Kafka's readers pass over.
"""

import struct

import msgspec

from penstock.coordinators.transactions.sorted_partitions import SortedPartitions
from penstock.coordinators.transactions.state import (
    NO_EPOCH,
    NO_PRODUCER_ID,
    STATE_BY_NUMBER,
    Transaction,
    TransactionState,
    TransactionVersion,
)
from penstock.model import Millis, PartitionIndex, TopicPartition
from penstock.wire.messages.transaction_log_key import TransactionLogKey
from penstock.wire.messages.transaction_log_value import TransactionLogValue

_VERSION = struct.Struct(">h")
_KEY_TYPE, _VALUE_VERSION = 0, 1

_EPOCH = struct.Struct(">h")
_OWN_TAG = b"\x90\x4e\x02"
"""The last epoch's field: its number, 10000, and its size."""
_ID_TAG_SIZE, _SHORT_TAG_SIZE = 10, 4


class TransactionRecord(msgspec.Struct, frozen=True):
    """A transactional id as it is from here on, or with None that it is forgotten."""

    transactional_id: str
    transaction: Transaction | None


class TransactionCodec:
    def __init__(self) -> None:
        self._sorted = SortedPartitions()

    def encode(self, record: TransactionRecord) -> tuple[bytes, bytes | None]:
        key = _VERSION.pack(_KEY_TYPE) + TransactionLogKey(record.transactional_id).encode(0)
        if record.transaction is None:
            return key, None
        value = self._value(record.transaction)
        return key, _VERSION.pack(_VALUE_VERSION) + _with_last_epoch(value, record.transaction.last_epoch)

    def decode(self, key: bytes, value: bytes | None) -> TransactionRecord | None:
        (kind,) = _VERSION.unpack_from(key)
        if kind != _KEY_TYPE:
            return None
        transactional_id = TransactionLogKey.decode(key, 0, 2).transactional_id
        if value is None:
            return TransactionRecord(transactional_id, None)
        (version,) = _VERSION.unpack_from(value)
        if not 0 <= version <= _VALUE_VERSION:
            return None
        read = TransactionLogValue.decode(value, version, 2)
        return TransactionRecord(transactional_id, _read(transactional_id, read, _last_epoch_in(value, read)))

    def _value(self, transaction: Transaction) -> TransactionLogValue:
        is_empty = transaction.state is TransactionState.EMPTY
        return TransactionLogValue(
            producer_id=transaction.producer_id,
            previous_producer_id=transaction.previous_producer_id,
            next_producer_id=transaction.next_producer_id,
            producer_epoch=transaction.producer_epoch,
            transaction_timeout_ms=transaction.timeout_ms,
            transaction_status=transaction.state.number,
            transaction_partitions=None if is_empty else self._sorted.of(transaction),
            transaction_last_update_timestamp_ms=transaction.updated_at,
            transaction_start_timestamp_ms=transaction.started_at,
            client_transaction_version=transaction.client_version,
        )


def _with_last_epoch(value: TransactionLogValue, last_epoch: int) -> bytes:
    encoded = value.encode(_VALUE_VERSION)
    if last_epoch == NO_EPOCH:
        return encoded
    # Fields with tags come last, in the order of their numbers, and before them how many there are.
    ids = (value.previous_producer_id != NO_PRODUCER_ID) + (value.next_producer_id != NO_PRODUCER_ID)
    shorts = (value.client_transaction_version != 0) + (value.next_producer_epoch != NO_EPOCH)
    at = len(encoded) - ids * _ID_TAG_SIZE - shorts * _SHORT_TAG_SIZE - 1
    return encoded[:at] + bytes((ids + shorts + 1,)) + encoded[at + 1 :] + _OWN_TAG + _EPOCH.pack(last_epoch)


def _last_epoch_in(value: bytes, read: TransactionLogValue) -> int:
    """Bytes that end as if they had one must be those that are written with it."""
    if value[-_EPOCH.size - len(_OWN_TAG) : -_EPOCH.size] != _OWN_TAG:
        return NO_EPOCH
    (last_epoch,) = _EPOCH.unpack_from(value, len(value) - _EPOCH.size)
    return last_epoch if value[_VERSION.size :] == _with_last_epoch(read, last_epoch) else NO_EPOCH


def _read(transactional_id: str, value: TransactionLogValue, last_epoch: int) -> Transaction:
    state = STATE_BY_NUMBER.get(value.transaction_status)
    if state is None:
        raise ValueError(f"no transaction state has number {value.transaction_status}")
    return Transaction(
        transactional_id=transactional_id,
        producer_id=value.producer_id,
        producer_epoch=value.producer_epoch,
        last_epoch=last_epoch,
        previous_producer_id=value.previous_producer_id,
        next_producer_id=value.next_producer_id,
        timeout_ms=value.transaction_timeout_ms,
        state=state,
        partitions=frozenset(
            TopicPartition(topic.topic, PartitionIndex(partition))
            for topic in value.transaction_partitions or ()
            for partition in topic.partition_ids
        ),
        started_at=Millis(value.transaction_start_timestamp_ms),
        updated_at=Millis(value.transaction_last_update_timestamp_ms),
        client_version=TransactionVersion(value.client_transaction_version),
    )
