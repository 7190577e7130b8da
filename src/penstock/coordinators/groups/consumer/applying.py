"""What each record changes in a consumer group. Nothing here decides, fails or looks at a clock."""

import msgspec

from penstock.coordinators.groups.consumer import commands
from penstock.coordinators.groups.consumer.records import (
    ConsumerRecord,
    CurrentAssignmentRecord,
    GroupEpochRecord,
    MemberRecord,
    PatternRecord,
    SilenceRecord,
    TargetAssignmentRecord,
    TargetEpochRecord,
)
from penstock.coordinators.groups.consumer.state import ConsumerGroup, ConsumerMember

_KEPT_AS_CURRENT = ("epoch", "previous_epoch", "state", "assigned", "revoking")
NO_ASSIGNMENT_EPOCH = -1


def takes_back(record: ConsumerRecord) -> bool:
    match record:
        case GroupEpochRecord(epoch=kept) | TargetEpochRecord(epoch=kept):
            return kept is None
        case MemberRecord(member=kept) | CurrentAssignmentRecord(member=kept):
            return kept is None
        case TargetAssignmentRecord(target=kept):
            return kept is None
        case SilenceRecord(heard_at=heard_at):
            return heard_at is None
        case PatternRecord(resolved=kept):
            return kept is None


def apply_record(group: ConsumerGroup, record: ConsumerRecord) -> None:
    """All but the end of the group, which is its owner's to note."""
    match record:
        case GroupEpochRecord(_, epoch, topics_hash):
            if epoch is not None:
                group.epoch, group.topics_hash = epoch, topics_hash
        case MemberRecord(_, member_id, None):
            group.drop(member_id)
        case MemberRecord(_, member_id, ConsumerMember() as told):
            group.put(_with_current(told, _member(group, member_id)))
        case CurrentAssignmentRecord(_, member_id, None):
            known = group.members.get(member_id)
            if known is not None:
                group.put(msgspec.structs.replace(known, epoch=-1, previous_epoch=-1, assigned={}, revoking={}))
        case CurrentAssignmentRecord(_, member_id, ConsumerMember() as current):
            group.put(_with_current(_member(group, member_id), current))
        case SilenceRecord(_, member_id, heard_at):
            group.silences.pop(member_id, None)
            if heard_at is not None and member_id in group.members:
                group.silences[member_id] = heard_at
        case TargetAssignmentRecord(_, member_id, target):
            group.targets.pop(member_id, None)
            if target is not None:
                group.targets[member_id] = target
        case TargetEpochRecord(_, epoch, at):
            group.assignment_epoch = NO_ASSIGNMENT_EPOCH if epoch is None else epoch
            group.assigned_at = at
        case PatternRecord(_, pattern, resolved):
            group.resolved.pop(pattern, None)
            if resolved is not None:
                group.resolved[pattern] = resolved


def _member(group: ConsumerGroup, member_id: str) -> ConsumerMember:
    return group.members.get(member_id) or ConsumerMember(member_id)


def _with_current(member: ConsumerMember, current: ConsumerMember) -> ConsumerMember:
    return msgspec.structs.replace(member, **{name: getattr(current, name) for name in _KEPT_AS_CURRENT})


def apply_note(group: ConsumerGroup, note: commands.ConsumerNote) -> None:
    match note:
        case commands.MemberSeen(_, member_id, deadline):
            if member_id in group.members:
                group.deadlines[member_id] = deadline
        case commands.SessionsLookedAt(_, at):
            group.sessions_looked_at = at
        case commands.TopicsSeen(_, revision):
            group.topics_seen_at = revision
        case commands.CalledToJoin(_, member_id, is_called):
            if is_called:
                group.called_to_join[member_id] = None
            else:
                group.called_to_join.pop(member_id, None)
        case commands.Emptied(_, at):
            group.empty_since = at
        case commands.Working(_, kind, ticket):
            group.working.pop(kind, None)
            if ticket is not None:
                group.working[kind] = ticket
