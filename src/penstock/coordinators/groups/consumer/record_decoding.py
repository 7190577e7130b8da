"""What is kept of consumer groups, read back from the bytes that `records` says it is kept in."""

import struct

from penstock.coordinators.groups.assignors import Assignment
from penstock.coordinators.groups.consumer.records import (
    ConsumerRecord,
    CurrentAssignmentRecord,
    GroupEpochRecord,
    MemberRecord,
    PatternRecord,
    TargetAssignmentRecord,
    TargetEpochRecord,
)
from penstock.coordinators.groups.consumer.state import ClassicSide, ConsumerMember, MemberState, Owned, Resolved
from penstock.model import Millis, TopicId
from penstock.wire.messages import consumer_group_current_member_assignment_value as current
from penstock.wire.messages import consumer_group_target_assignment_member_value as target
from penstock.wire.messages.consumer_group_current_member_assignment_key import ConsumerGroupCurrentMemberAssignmentKey
from penstock.wire.messages.consumer_group_member_metadata_key import ConsumerGroupMemberMetadataKey
from penstock.wire.messages.consumer_group_member_metadata_value import (
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
_KEY_AT = 2


def decode(kind: int, key: bytes, value: bytes | None) -> ConsumerRecord | None:
    """None for a record that is not about consumer groups, or says nothing any more."""
    match kind:
        case ConsumerGroupMetadataKey.api_key:
            return _read_epoch(ConsumerGroupMetadataKey.decode(key, 0, _KEY_AT).group_id, value)
        case ConsumerGroupMemberMetadataKey.api_key:
            of_member = ConsumerGroupMemberMetadataKey.decode(key, 0, _KEY_AT)
            return MemberRecord(of_member.group_id, of_member.member_id, _read_metadata(of_member.member_id, value))
        case ConsumerGroupTargetAssignmentMetadataKey.api_key:
            group_id = ConsumerGroupTargetAssignmentMetadataKey.decode(key, 0, _KEY_AT).group_id
            return _read_target_epoch(group_id, value)
        case ConsumerGroupTargetAssignmentMemberKey.api_key:
            of_target = ConsumerGroupTargetAssignmentMemberKey.decode(key, 0, _KEY_AT)
            return TargetAssignmentRecord(of_target.group_id, of_target.member_id, _read_target(value))
        case ConsumerGroupCurrentMemberAssignmentKey.api_key:
            of_current = ConsumerGroupCurrentMemberAssignmentKey.decode(key, 0, _KEY_AT)
            return CurrentAssignmentRecord(
                of_current.group_id, of_current.member_id, _read_current(of_current.member_id, value)
            )
        case ConsumerGroupRegularExpressionKey.api_key:
            of_pattern = ConsumerGroupRegularExpressionKey.decode(key, 0, _KEY_AT)
            return PatternRecord(of_pattern.group_id, of_pattern.regular_expression, _read_resolved(value))
        case _:
            return None


def _body(value: bytes) -> tuple[bytes, int, int]:
    return value, _TYPE.unpack_from(value)[0], _TYPE.size


def _read_epoch(group_id: str, value: bytes | None) -> GroupEpochRecord:
    if value is None:
        return GroupEpochRecord(group_id, None)
    read = ConsumerGroupMetadataValue.decode(*_body(value))
    return GroupEpochRecord(group_id, read.epoch, read.metadata_hash)


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


def _read_target_epoch(group_id: str, value: bytes | None) -> TargetEpochRecord:
    if value is None:
        return TargetEpochRecord(group_id, None)
    read = ConsumerGroupTargetAssignmentMetadataValue.decode(*_body(value))
    return TargetEpochRecord(group_id, read.assignment_epoch, Millis(read.assignment_timestamp) or None)


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
