"""What consumer groups keep in `__consumer_offsets`, in Kafka's own bytes: a record of the group, and three a member.

Each of them is about one key alone, so that a change of one member writes what changed and no more, however large the
group. A value of None takes back what was kept under the key.
"""

import struct
from typing import Any, assert_never

import msgspec

from penstock.coordinators.groups.assignors import Assignment
from penstock.coordinators.groups.consumer.state import ClassicSide, ConsumerMember, MemberState, Owned, Resolved
from penstock.model import Millis, TopicId
from penstock.wire.messages import consumer_group_current_member_assignment_value as current
from penstock.wire.messages import consumer_group_target_assignment_member_value as target
from penstock.wire.messages.consumer_group_current_member_assignment_key import ConsumerGroupCurrentMemberAssignmentKey
from penstock.wire.messages.consumer_group_member_metadata_key import ConsumerGroupMemberMetadataKey
from penstock.wire.messages.consumer_group_member_metadata_value import (
    ClassicMemberMetadata,
    ClassicProtocol,
    ConsumerGroupMemberMetadataValue,
)
from penstock.wire.messages.consumer_group_metadata_key import ConsumerGroupMetadataKey
from penstock.wire.messages.consumer_group_metadata_value import ConsumerGroupMetadataValue
from penstock.wire.messages.consumer_group_regular_expression_key import ConsumerGroupRegularExpressionKey
from penstock.wire.messages.consumer_group_regular_expression_value import ConsumerGroupRegularExpressionValue
from penstock.wire.messages.consumer_group_target_assignment_member_key import ConsumerGroupTargetAssignmentMemberKey
from penstock.wire.messages.consumer_group_target_assignment_metadata_key import (
    ConsumerGroupTargetAssignmentMetadataKey,
)
from penstock.wire.messages.consumer_group_target_assignment_metadata_value import (
    ConsumerGroupTargetAssignmentMetadataValue,
)

_TYPE = struct.Struct(">h")
_VERSION_0 = _TYPE.pack(0)
_KEY_AT = 2


class EpochKept(msgspec.Struct, frozen=True, gc=False):
    """The group and its epoch, or with None that there is no such group any more."""

    group_id: str
    epoch: int | None
    topics_hash: int = 0


class MemberKept(msgspec.Struct, frozen=True):
    """Who a member is and what it wants; of `member` only that is kept here."""

    group_id: str
    member_id: str
    member: ConsumerMember | None


class TargetEpochKept(msgspec.Struct, frozen=True, gc=False):
    group_id: str
    epoch: int | None
    at: Millis | None = None


class TargetKept(msgspec.Struct, frozen=True):
    """What a member is to own."""

    group_id: str
    member_id: str
    target: Assignment | None


class CurrentKept(msgspec.Struct, frozen=True):
    """How far a member has come; of `member` only that is kept here."""

    group_id: str
    member_id: str
    member: ConsumerMember | None


class PatternKept(msgspec.Struct, frozen=True):
    group_id: str
    pattern: str
    resolved: Resolved | None


ConsumerRecord = EpochKept | MemberKept | TargetEpochKept | TargetKept | CurrentKept | PatternKept


# Writing --------------------------------------------------------------------------------------------------------


def encode(record: ConsumerRecord) -> tuple[bytes, bytes | None]:
    key: Any
    value: Any = None
    match record:
        case EpochKept(group_id, epoch, topics_hash):
            key = ConsumerGroupMetadataKey(group_id)
            value = None if epoch is None else ConsumerGroupMetadataValue(epoch, topics_hash)
        case MemberKept(group_id, member_id, member):
            key = ConsumerGroupMemberMetadataKey(group_id, member_id)
            value = None if member is None else _metadata(member)
        case TargetEpochKept(group_id, epoch, at):
            key = ConsumerGroupTargetAssignmentMetadataKey(group_id)
            value = None if epoch is None else ConsumerGroupTargetAssignmentMetadataValue(epoch, at or 0)
        case TargetKept(group_id, member_id, assignment):
            key = ConsumerGroupTargetAssignmentMemberKey(group_id, member_id)
            value = None if assignment is None else _target(assignment)
        case CurrentKept(group_id, member_id, member):
            key = ConsumerGroupCurrentMemberAssignmentKey(group_id, member_id)
            value = None if member is None else _current(member)
        case PatternKept(group_id, pattern, resolved):
            key = ConsumerGroupRegularExpressionKey(group_id, pattern)
            value = None if resolved is None else _resolved(resolved)
        case _:
            assert_never(record)
    return _TYPE.pack(key.api_key) + key.encode(0), None if value is None else _VERSION_0 + value.encode(0)


def _metadata(member: ConsumerMember) -> ConsumerGroupMemberMetadataValue:
    classic = member.classic
    return ConsumerGroupMemberMetadataValue(
        instance_id=member.instance_id,
        rack_id=member.rack,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=sorted(member.names),
        subscribed_topic_regex=member.pattern,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        server_assignor=member.assignor,
        classic_member_metadata=None
        if classic is None
        else ClassicMemberMetadata(
            classic.session_timeout_ms, [ClassicProtocol(name, told) for name, told in classic.protocols]
        ),
    )


def _target(assignment: Assignment) -> target.ConsumerGroupTargetAssignmentMemberValue:
    return target.ConsumerGroupTargetAssignmentMemberValue(
        [target.TopicPartition(topic_id, sorted(partitions)) for topic_id, partitions in assignment.items()]
    )


def _current(member: ConsumerMember) -> current.ConsumerGroupCurrentMemberAssignmentValue:
    return current.ConsumerGroupCurrentMemberAssignmentValue(
        member_epoch=member.epoch,
        previous_member_epoch=member.previous_epoch,
        state=member.state,
        assigned_partitions=_owned(member.assigned),
        partitions_pending_revocation=_owned(member.revoking),
    )


def _owned(owned: Owned) -> list[current.TopicPartitions]:
    return [
        current.TopicPartitions(topic_id, list(partitions), list(partitions.values()))
        for topic_id, partitions in owned.items()
    ]


def _resolved(resolved: Resolved) -> ConsumerGroupRegularExpressionValue:
    return ConsumerGroupRegularExpressionValue(sorted(resolved.topics), resolved.revision, resolved.at)


# Reading --------------------------------------------------------------------------------------------------------


def decode(kind: int, key: bytes, value: bytes | None) -> ConsumerRecord | None:
    """None for a record that is not about consumer groups, or says nothing any more."""
    match kind:
        case ConsumerGroupMetadataKey.api_key:
            return _read_epoch(ConsumerGroupMetadataKey.decode(key, 0, _KEY_AT).group_id, value)
        case ConsumerGroupMemberMetadataKey.api_key:
            of_member = ConsumerGroupMemberMetadataKey.decode(key, 0, _KEY_AT)
            return MemberKept(of_member.group_id, of_member.member_id, _read_metadata(of_member.member_id, value))
        case ConsumerGroupTargetAssignmentMetadataKey.api_key:
            group_id = ConsumerGroupTargetAssignmentMetadataKey.decode(key, 0, _KEY_AT).group_id
            return _read_target_epoch(group_id, value)
        case ConsumerGroupTargetAssignmentMemberKey.api_key:
            of_target = ConsumerGroupTargetAssignmentMemberKey.decode(key, 0, _KEY_AT)
            return TargetKept(of_target.group_id, of_target.member_id, _read_target(value))
        case ConsumerGroupCurrentMemberAssignmentKey.api_key:
            of_current = ConsumerGroupCurrentMemberAssignmentKey.decode(key, 0, _KEY_AT)
            return CurrentKept(of_current.group_id, of_current.member_id, _read_current(of_current.member_id, value))
        case ConsumerGroupRegularExpressionKey.api_key:
            of_pattern = ConsumerGroupRegularExpressionKey.decode(key, 0, _KEY_AT)
            return PatternKept(of_pattern.group_id, of_pattern.regular_expression, _read_resolved(value))
        case _:
            return None


def _body(value: bytes) -> tuple[bytes, int, int]:
    return value, _TYPE.unpack_from(value)[0], _TYPE.size


def _read_epoch(group_id: str, value: bytes | None) -> EpochKept:
    if value is None:
        return EpochKept(group_id, None)
    read = ConsumerGroupMetadataValue.decode(*_body(value))
    return EpochKept(group_id, read.epoch, read.metadata_hash)


def _read_metadata(member_id: str, value: bytes | None) -> ConsumerMember | None:
    if value is None:
        return None
    read = ConsumerGroupMemberMetadataValue.decode(*_body(value))
    told = read.classic_member_metadata
    classic = None
    if told is not None:
        protocols = tuple((protocol.name, protocol.metadata) for protocol in told.supported_protocols)
        classic = ClassicSide(told.session_timeout_ms, protocols)
    return ConsumerMember(
        member_id=member_id,
        instance_id=read.instance_id,
        rack=read.rack_id,
        rebalance_timeout_ms=read.rebalance_timeout_ms,
        client_id=read.client_id,
        client_host=read.client_host,
        names=frozenset(read.subscribed_topic_names),
        pattern=read.subscribed_topic_regex or "",
        assignor=read.server_assignor,
        classic=classic,
    )


def _read_target_epoch(group_id: str, value: bytes | None) -> TargetEpochKept:
    if value is None:
        return TargetEpochKept(group_id, None)
    read = ConsumerGroupTargetAssignmentMetadataValue.decode(*_body(value))
    return TargetEpochKept(group_id, read.assignment_epoch, Millis(read.assignment_timestamp) or None)


def _read_target(value: bytes | None) -> Assignment | None:
    if value is None:
        return None
    read = target.ConsumerGroupTargetAssignmentMemberValue.decode(*_body(value))
    return {TopicId(topic.topic_id): frozenset(topic.partitions) for topic in read.topic_partitions}


def _read_current(member_id: str, value: bytes | None) -> ConsumerMember | None:
    if value is None:
        return None
    read = current.ConsumerGroupCurrentMemberAssignmentValue.decode(*_body(value))
    return ConsumerMember(
        member_id=member_id,
        epoch=read.member_epoch,
        previous_epoch=read.previous_member_epoch,
        state=_state(read.state),
        assigned=_read_owned(read.assigned_partitions, read.member_epoch),
        revoking=_read_owned(read.partitions_pending_revocation, read.member_epoch),
    )


def _state(number: int) -> MemberState:
    try:
        return MemberState(number)
    except ValueError:
        return MemberState.UNKNOWN


def _read_owned(topics: list[current.TopicPartitions], epoch: int) -> Owned:
    """Kafka before 4.3 kept no epochs: then all count as assigned at the member's own."""
    owned: Owned = {}
    for topic in topics:
        epochs = topic.assignment_epochs or ()
        if len(epochs) != len(topic.partitions):
            epochs = [max(epoch, 0)] * len(topic.partitions)
        owned[TopicId(topic.topic_id)] = dict(zip(topic.partitions, epochs, strict=True))
    return owned


def _read_resolved(value: bytes | None) -> Resolved | None:
    if value is None:
        return None
    read = ConsumerGroupRegularExpressionValue.decode(*_body(value))
    return Resolved(frozenset(read.topics), read.version, Millis(read.timestamp))
