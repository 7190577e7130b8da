"""Which member a request is from: by its id and epoch, or for a static member by the instance that it keeps over
restarts. Whoever has been replaced, or has missed what happened, is fenced: it must give up all and join again.
"""

import msgspec

from penstock.coordinators.groups.assigned.members import known_member, removal
from penstock.coordinators.groups.assigned.state import JOINING
from penstock.coordinators.groups.consumer.reconciliation import Reported
from penstock.coordinators.groups.consumer.records import CurrentAssignmentRecord, MemberRecord, TargetAssignmentRecord
from penstock.coordinators.groups.consumer.state import LEAVING_FOR_A_WHILE, ConsumerGroup, ConsumerMember
from penstock.coordinators.groups.consumer.step import Step, stop_all
from penstock.errors import (
    FencedInstanceId,
    FencedMemberEpoch,
    UnknownMemberId,
    UnreleasedInstanceId,
)


def known_instance(group: ConsumerGroup, instance_id: str, member_id: str) -> ConsumerMember:
    member = group.static_member(instance_id)
    if member is None:
        raise UnknownMemberId(f"no member of group {group.group_id} has the instance id {instance_id}")
    if member.member_id != member_id:
        raise FencedInstanceId(f"instance id {instance_id} is now that of member {member.member_id}")
    return member


def dynamic_member(
    group: ConsumerGroup, member_id: str, epoch: int, reported: Reported | None, *, joins: bool
) -> ConsumerMember:
    member = group.members.get(member_id)
    if member is None and joins:
        return ConsumerMember(member_id)
    member = known_member(group, member_id)
    check_epoch(member, epoch, reported)
    return member


def static_member(
    step: Step,
    member_id: str,
    instance_id: str,
    *,
    epoch: int,
    reported: Reported | None,
    joins: bool,
) -> ConsumerMember:
    group = step.group
    former = group.static_member(instance_id)
    if not joins:
        member = known_instance(group, instance_id, member_id)
        check_epoch(member, epoch, reported)
        return member
    if former is None:
        return group.members.get(member_id) or ConsumerMember(member_id)
    if former.classic is None and former.epoch != LEAVING_FOR_A_WHILE:
        if former.member_id == member_id:
            # Its own: the answer to its first request was lost, or it was fenced and has given up all. Kafka refuses
            # it like a stranger, which is the end of a Java consumer.
            return former
        raise UnreleasedInstanceId(f"instance id {instance_id} is in use by member {former.member_id}")
    return replace(step, former, member_id)


def replace(step: Step, former: ConsumerMember, member_id: str) -> ConsumerMember:
    """A static member is back under a new id: it takes its former self's place and share, and nobody else notices."""
    group_id = step.group.group_id
    member = msgspec.structs.replace(former, member_id=member_id, epoch=JOINING, previous_epoch=JOINING)
    step.keep(
        *removal(step.group, former.member_id, step.kept),
        MemberRecord(group_id, member_id, member),
        TargetAssignmentRecord(group_id, member_id, step.group.targets.get(former.member_id, {})),
        CurrentAssignmentRecord(group_id, member_id, member),
    )
    stop_all(step, former.member_id)
    return member


def check_epoch(member: ConsumerMember, epoch: int, reported: Reported | None) -> None:
    if epoch in (JOINING, member.epoch):
        return
    if epoch > member.epoch:
        raise FencedMemberEpoch(f"member epoch {epoch} is newer than {member.epoch}: give up all and join again")
    # Its last answer was lost. What it had before it may keep using, if it has nothing else.
    if epoch != member.previous_epoch or not _owns_no_more(reported, member):
        raise FencedMemberEpoch(f"member epoch {epoch} is older than {member.epoch}: give up all and join again")


def _owns_no_more(reported: Reported | None, member: ConsumerMember) -> bool:
    return reported is not None and all(
        partition in member.assigned.get(topic_id, {})
        for topic_id, partitions in reported.items()
        for partition in partitions
    )
