"""What is kept in `__share_group_state`, in Kafka's own bytes, so that tools which read that topic understand it.

A key begins with its record type, a value with its schema version, two bytes each. A snapshot says all there is to know
of a share partition; the updates after it are increments, all of them needed until the next snapshot. A snapshot
without a value takes the partition back.
"""

import struct
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from penstock.coordinators.shares.progress import Progress
from penstock.coordinators.shares.states import SharePartitionKey, StateBatch
from penstock.model import TopicId
from penstock.wire.messages import share_snapshot_value as snapshots
from penstock.wire.messages import share_update_value as updates
from penstock.wire.messages.share_snapshot_key import ShareSnapshotKey
from penstock.wire.messages.share_update_key import ShareUpdateKey

_SHORT = struct.Struct(">h")
_SNAPSHOT_KEY, _UPDATE_KEY = _SHORT.pack(ShareSnapshotKey.api_key), _SHORT.pack(ShareUpdateKey.api_key)
_VERSION = 0
_VALUE = _SHORT.pack(_VERSION)


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    key: SharePartitionKey
    snapshot_epoch: int
    state_epoch: int
    leader_epoch: int
    progress: Progress
    create_timestamp: int
    write_timestamp: int
    batches: Sequence[StateBatch] = ()
    relay: bytes = b""


class Update(msgspec.Struct, frozen=True, kw_only=True):
    """On top of the snapshot of that epoch and the updates after it."""

    key: SharePartitionKey
    snapshot_epoch: int
    leader_epoch: int
    progress: Progress
    batches: Sequence[StateBatch] = ()
    relay: bytes = b""
    """Empty: as it was."""


class Forgotten(msgspec.Struct, frozen=True):
    key: SharePartitionKey


ShareRecord = Snapshot | Update | Forgotten


class ShareCodec:
    def encode(self, record: ShareRecord) -> tuple[bytes, bytes | None]:
        group_id, topic_id, partition = record.key
        match record:
            case Update():
                key = _UPDATE_KEY + ShareUpdateKey(group_id, topic_id, partition).encode(_VERSION)
                return key, _VALUE + _update(record).encode(_VERSION)
            case Snapshot():
                key = _SNAPSHOT_KEY + ShareSnapshotKey(group_id, topic_id, partition).encode(_VERSION)
                return key, _VALUE + _snapshot(record).encode(_VERSION)
            case Forgotten():
                return _SNAPSHOT_KEY + ShareSnapshotKey(group_id, topic_id, partition).encode(_VERSION), None

    def decode(self, key: bytes, value: bytes | None) -> ShareRecord | None:
        kind = key[:2]
        if kind not in (_SNAPSHOT_KEY, _UPDATE_KEY) or (value is not None and value[:2] != _VALUE):
            return None
        if kind == _UPDATE_KEY:
            of = ShareUpdateKey.decode(key, _VERSION, 2)
            where = SharePartitionKey(of.group_id, TopicId(of.topic_id), of.partition)
            return None if value is None else _read_update(where, updates.ShareUpdateValue.decode(value, _VERSION, 2))
        named = ShareSnapshotKey.decode(key, _VERSION, 2)
        where = SharePartitionKey(named.group_id, TopicId(named.topic_id), named.partition)
        if value is None:
            return Forgotten(where)
        return _read_snapshot(where, snapshots.ShareSnapshotValue.decode(value, _VERSION, 2))


def _snapshot(record: Snapshot) -> snapshots.ShareSnapshotValue:
    return snapshots.ShareSnapshotValue(
        snapshot_epoch=record.snapshot_epoch,
        state_epoch=record.state_epoch,
        leader_epoch=record.leader_epoch,
        start_offset=record.progress.start_offset,
        delivery_complete_count=record.progress.delivery_complete_count,
        create_timestamp=record.create_timestamp,
        write_timestamp=record.write_timestamp,
        state_batches=as_wire(record.batches, snapshots.StateBatch),
        relay=record.relay,
    )


def _update(record: Update) -> updates.ShareUpdateValue:
    return updates.ShareUpdateValue(
        snapshot_epoch=record.snapshot_epoch,
        leader_epoch=record.leader_epoch,
        start_offset=record.progress.start_offset,
        delivery_complete_count=record.progress.delivery_complete_count,
        state_batches=as_wire(record.batches, updates.StateBatch),
        relay=record.relay,
    )


def _read_snapshot(key: SharePartitionKey, value: snapshots.ShareSnapshotValue) -> Snapshot:
    return Snapshot(
        key=key,
        snapshot_epoch=value.snapshot_epoch,
        state_epoch=value.state_epoch,
        leader_epoch=value.leader_epoch,
        progress=Progress(value.start_offset, value.delivery_complete_count),
        create_timestamp=value.create_timestamp,
        write_timestamp=value.write_timestamp,
        batches=from_wire(value.state_batches),
        relay=bytes(value.relay),
    )


def _read_update(key: SharePartitionKey, value: updates.ShareUpdateValue) -> Update:
    return Update(
        key=key,
        snapshot_epoch=value.snapshot_epoch,
        leader_epoch=value.leader_epoch,
        progress=Progress(value.start_offset, value.delivery_complete_count),
        batches=from_wire(value.state_batches),
        relay=bytes(value.relay),
    )


def as_wire(batches: Iterable[StateBatch], made: type[Any]) -> list[Any]:
    """Every message that holds such batches has a struct of its own for them, with the same fields."""
    return [made(*_fields(each)) for each in batches]


def from_wire(batches: Iterable[Any]) -> tuple[StateBatch, ...]:
    return tuple(StateBatch(*_fields(each)) for each in batches)


def _fields(each: Any) -> tuple[int, int, int, int, int, int]:
    """Of a batch, be it ours or a message's."""
    return (
        each.first_offset,
        each.last_offset,
        each.delivery_state,
        each.delivery_count,
        each.not_before_ms,
        each.dead_letter_reason,
    )
