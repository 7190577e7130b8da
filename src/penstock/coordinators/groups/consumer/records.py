"""What consumer groups keep in `__consumer_offsets`, in Kafka's own bytes: a record of the group, three a member, and
one of each pattern.
"""

import struct
from typing import Any

import msgspec

from penstock.coordinators.groups.assigned.records import (
    CurrentRecord,
    EpochRecord,
    Kept,
    TargetEpoch,
    TargetRecord,
    ToldRecord,
)
from penstock.coordinators.groups.assignors import Assignment
from penstock.coordinators.groups.consumer.state import ConsumerMember, Owned, Resolved
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


class GroupEpochRecord(EpochRecord, frozen=True, gc=False):
    pass


class MemberRecord(ToldRecord, frozen=True):
    pass


class TargetEpochRecord(TargetEpoch, frozen=True, gc=False):
    pass


class TargetAssignmentRecord(TargetRecord, frozen=True):
    pass


class CurrentAssignmentRecord(CurrentRecord, frozen=True):
    pass


class PatternRecord(msgspec.Struct, frozen=True):
    group_id: str
    pattern: str
    resolved: Resolved | None


ConsumerRecord = (
    GroupEpochRecord
    | MemberRecord
    | TargetEpochRecord
    | TargetAssignmentRecord
    | CurrentAssignmentRecord
    | PatternRecord
)
KEPT = Kept(GroupEpochRecord, MemberRecord, TargetEpochRecord, TargetAssignmentRecord, CurrentAssignmentRecord)


# Writing --------------------------------------------------------------------------------------------------------


def encode(record: Any) -> tuple[bytes, bytes | None]:
    key: Any
    value: Any = None
    match record:
        case GroupEpochRecord(group_id, epoch, topics_hash):
            key = ConsumerGroupMetadataKey(group_id)
            value = None if epoch is None else ConsumerGroupMetadataValue(epoch, topics_hash)
        case MemberRecord(group_id, member_id, member):
            key = ConsumerGroupMemberMetadataKey(group_id, member_id)
            value = None if member is None else _metadata(member)
        case TargetEpochRecord(group_id, epoch, at):
            key = ConsumerGroupTargetAssignmentMetadataKey(group_id)
            value = None if epoch is None else ConsumerGroupTargetAssignmentMetadataValue(epoch, at or 0)
        case TargetAssignmentRecord(group_id, member_id, assignment):
            key = ConsumerGroupTargetAssignmentMemberKey(group_id, member_id)
            value = None if assignment is None else _target(assignment)
        case CurrentAssignmentRecord(group_id, member_id, member):
            key = ConsumerGroupCurrentMemberAssignmentKey(group_id, member_id)
            value = None if member is None else _current(member)
        case PatternRecord(group_id, pattern, resolved):
            key = ConsumerGroupRegularExpressionKey(group_id, pattern)
            value = None if resolved is None else _resolved(resolved)
        case _:
            raise TypeError(f"no record of consumer groups: {record}")
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
