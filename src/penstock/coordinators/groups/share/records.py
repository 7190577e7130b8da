"""What share groups keep in `__consumer_offsets`, in Kafka's own bytes (record types 10 to 15)."""

import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from penstock.coordinators.groups.assigned.records import (
    AssignedRecord,
    CurrentRecord,
    EpochRecord,
    Kept,
    TargetEpoch,
    TargetRecord,
    ToldRecord,
)
from penstock.coordinators.groups.assignors import Assignment
from penstock.coordinators.groups.share.state import KeptStates, ShareMember, TopicPart, TopicParts
from penstock.model import Millis, TopicId
from penstock.wire.messages import share_group_current_member_assignment_value as current
from penstock.wire.messages import share_group_state_partition_metadata_value as states
from penstock.wire.messages import share_group_target_assignment_member_value as target
from penstock.wire.messages.share_group_current_member_assignment_key import ShareGroupCurrentMemberAssignmentKey
from penstock.wire.messages.share_group_member_metadata_key import ShareGroupMemberMetadataKey
from penstock.wire.messages.share_group_member_metadata_value import ShareGroupMemberMetadataValue
from penstock.wire.messages.share_group_metadata_key import ShareGroupMetadataKey
from penstock.wire.messages.share_group_metadata_value import ShareGroupMetadataValue
from penstock.wire.messages.share_group_state_partition_metadata_key import ShareGroupStatePartitionMetadataKey
from penstock.wire.messages.share_group_target_assignment_member_key import ShareGroupTargetAssignmentMemberKey
from penstock.wire.messages.share_group_target_assignment_metadata_key import ShareGroupTargetAssignmentMetadataKey
from penstock.wire.messages.share_group_target_assignment_metadata_value import (
    ShareGroupTargetAssignmentMetadataValue,
)

_TYPE = struct.Struct(">h")
_VERSION_0 = _TYPE.pack(0)
STABLE = 0


class ShareEpochRecord(EpochRecord, frozen=True, gc=False):
    pass


class ShareMemberRecord(ToldRecord, frozen=True):
    pass


class ShareTargetEpochRecord(TargetEpoch, frozen=True, gc=False):
    pass


class ShareTargetRecord(TargetRecord, frozen=True):
    pass


class ShareCurrentRecord(CurrentRecord, frozen=True):
    pass


class KeptStatesRecord(msgspec.Struct, frozen=True):
    """Of which partitions a state is kept, all of them in one record; None: of none, and never was."""

    group_id: str
    states: KeptStates | None

    @property
    def size(self) -> int:
        kept = self.states or KeptStates()
        parts = (*kept.initializing.values(), *kept.initialized.values())
        names = sum(len(part.name) + 4 * len(part.partitions) for part in parts) + sum(map(len, kept.deleting.values()))
        return len(self.group_id) + names


KEPT = Kept(ShareEpochRecord, ShareMemberRecord, ShareTargetEpochRecord, ShareTargetRecord, ShareCurrentRecord)
ShareRecord = AssignedRecord | KeptStatesRecord
RECORDS = (*KEPT, KeptStatesRecord)


class _Row(NamedTuple):
    """How one record is written and read: its key has the ids that the record begins with; of the rest the record is
    `facts`, which the value has.
    """

    record: type[Any]
    key: type[Any]
    value: type[Any]
    write: Callable[[Any], Any]
    read: Callable[[str, Any], tuple[Any, ...]]
    """With the member's id, where there is one."""


def encode(record: Any) -> tuple[bytes, bytes | None]:
    row = _BY_RECORD[type(record)]
    ids = msgspec.structs.astuple(record)[: len(row.key.__struct_fields__)]
    fact = getattr(record, record.__struct_fields__[len(ids)])
    value = None if fact is None else _VERSION_0 + row.write(record).encode(0)
    return _TYPE.pack(row.key.api_key) + row.key(*ids).encode(0), value


def decode(kind: int, key: bytes, value: bytes | None) -> ShareRecord | None:
    """None for a record that is not about share groups."""
    row = _BY_KIND.get(kind)
    if row is None:
        return None
    ids = msgspec.structs.astuple(row.key.decode(key, 0, _TYPE.size))
    record: ShareRecord
    if value is None:
        record = row.record(*ids, None)
    else:
        read = row.value.decode(value, _TYPE.unpack_from(value)[0], _TYPE.size)
        record = row.record(*ids, *row.read(ids[-1], read))
    return record


# Members --------------------------------------------------------------------------------------------------------


def _write_member(record: ShareMemberRecord) -> ShareGroupMemberMetadataValue:
    member: ShareMember = record.member
    return ShareGroupMemberMetadataValue(member.rack, member.client_id, member.client_host, sorted(member.names))


def _read_member(member_id: str, read: ShareGroupMemberMetadataValue) -> tuple[ShareMember]:
    return (
        ShareMember(
            member_id,
            rack=read.rack_id,
            client_id=read.client_id,
            client_host=read.client_host,
            names=frozenset(read.subscribed_topic_names),
        ),
    )


def _write_current(record: ShareCurrentRecord) -> current.ShareGroupCurrentMemberAssignmentValue:
    member: ShareMember = record.member
    return current.ShareGroupCurrentMemberAssignmentValue(
        member.epoch,
        member.previous_epoch,
        STABLE,
        [current.TopicPartitions(*each) for each in _sorted(member.assigned)],
    )


def _read_current(member_id: str, read: current.ShareGroupCurrentMemberAssignmentValue) -> tuple[ShareMember]:
    assigned = _assignment(read.assigned_partitions)
    return (
        ShareMember(member_id, epoch=read.member_epoch, previous_epoch=read.previous_member_epoch, assigned=assigned),
    )


def _sorted(assignment: Assignment) -> Iterable[tuple[TopicId, list[int]]]:
    return ((topic_id, sorted(partitions)) for topic_id, partitions in assignment.items())


def _assignment(topics: "Iterable[current.TopicPartitions | target.TopicPartition]") -> dict[TopicId, frozenset[int]]:
    return {TopicId(topic.topic_id): frozenset(topic.partitions) for topic in topics}


# States ---------------------------------------------------------------------------------------------------------


def _write_states(record: KeptStatesRecord) -> states.ShareGroupStatePartitionMetadataValue:
    kept = record.states
    assert kept is not None
    return states.ShareGroupStatePartitionMetadataValue(
        _parts(kept.initializing),
        _parts(kept.initialized),
        [states.TopicInfo(topic_id, name) for topic_id, name in kept.deleting.items()],
    )


def _parts(parts: TopicParts) -> list[states.TopicPartitionsInfo]:
    return [
        states.TopicPartitionsInfo(topic_id, part.name, sorted(part.partitions)) for topic_id, part in parts.items()
    ]


def _read_states(_group_id: str, read: states.ShareGroupStatePartitionMetadataValue) -> tuple[KeptStates]:
    return (
        KeptStates(
            _read_parts(read.initializing_topics),
            _read_parts(read.initialized_topics),
            {TopicId(topic.topic_id): topic.topic_name for topic in read.deleting_topics},
        ),
    )


def _read_parts(topics: list[states.TopicPartitionsInfo]) -> TopicParts:
    return {TopicId(topic.topic_id): TopicPart(topic.topic_name, frozenset(topic.partitions)) for topic in topics}


_ROWS = (
    _Row(
        ShareMemberRecord,
        ShareGroupMemberMetadataKey,
        ShareGroupMemberMetadataValue,
        _write_member,
        _read_member,
    ),
    _Row(
        ShareEpochRecord,
        ShareGroupMetadataKey,
        ShareGroupMetadataValue,
        lambda record: ShareGroupMetadataValue(record.epoch, record.topics_hash),
        lambda _, read: (read.epoch, read.metadata_hash),
    ),
    _Row(
        ShareTargetEpochRecord,
        ShareGroupTargetAssignmentMetadataKey,
        ShareGroupTargetAssignmentMetadataValue,
        lambda record: ShareGroupTargetAssignmentMetadataValue(record.epoch, record.at or 0),
        lambda _, read: (read.assignment_epoch, Millis(read.assignment_timestamp) or None),
    ),
    _Row(
        ShareTargetRecord,
        ShareGroupTargetAssignmentMemberKey,
        target.ShareGroupTargetAssignmentMemberValue,
        lambda record: target.ShareGroupTargetAssignmentMemberValue(
            [target.TopicPartition(*each) for each in _sorted(record.target)]
        ),
        lambda _, read: (_assignment(read.topic_partitions),),
    ),
    _Row(
        ShareCurrentRecord,
        ShareGroupCurrentMemberAssignmentKey,
        current.ShareGroupCurrentMemberAssignmentValue,
        _write_current,
        _read_current,
    ),
    _Row(
        KeptStatesRecord,
        ShareGroupStatePartitionMetadataKey,
        states.ShareGroupStatePartitionMetadataValue,
        _write_states,
        _read_states,
    ),
)
_BY_RECORD: Mapping[type[Any], _Row] = {row.record: row for row in _ROWS}
_BY_KIND: Mapping[int, _Row] = {row.key.api_key: row for row in _ROWS}
