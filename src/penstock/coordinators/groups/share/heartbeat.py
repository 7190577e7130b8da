"""ShareGroupHeartbeat: all of a member's life is in it. It joins, tells what it wants, learns what to read, and leaves.

A heartbeat is also when a group looks whether partitions of its topics are not initialized yet, or not assigned: with
the answer to one the first are ordered, with that to a later one they are given out.
"""

from functools import partial

import msgspec

from penstock.coordinators.decision import Decision
from penstock.coordinators.groups.assigned import sessions, targets
from penstock.coordinators.groups.assigned.members import check_room, known_member, removal
from penstock.coordinators.groups.assigned.state import JOINING
from penstock.coordinators.groups.assigned.topics import follow_topics, topics_hash
from penstock.coordinators.groups.assignors import Assignment, MemberSpec
from penstock.coordinators.groups.assignors.simple import assign_shared
from penstock.coordinators.groups.share import initialization
from penstock.coordinators.groups.share.commands import Settled, ShareHeartbeat
from penstock.coordinators.groups.share.records import ShareCurrentRecord, ShareEpochRecord, ShareMemberRecord
from penstock.coordinators.groups.share.state import ShareGroup, ShareMember
from penstock.coordinators.groups.share.step import Step
from penstock.errors import FencedMemberEpoch
from penstock.model import TopicId
from penstock.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from penstock.wire.messages.share_group_heartbeat_response import (
    Assignment as ToldAssignment,
)
from penstock.wire.messages.share_group_heartbeat_response import (
    ShareGroupHeartbeatResponse,
    TopicPartitions,
)


def heartbeat(step: Step, command: ShareHeartbeat) -> Decision:
    request, group = command.request, step.group
    check_room(group, request.member_id, step.limits.members_max)
    former = _sender(group, request)
    member = _told(former, command)
    if not _is_idle(step, former, member, request):
        member = _progress(step, former, member)
    sessions.expect(step, member.member_id, step.settings.session_timeout_ms)
    step.reply(command.address, _response(step, former, member, request))
    return step.decision()


def _sender(group: ShareGroup, request: ShareGroupHeartbeatRequest) -> ShareMember:
    epoch = request.member_epoch
    if epoch == JOINING:
        return group.members.get(request.member_id) or ShareMember(request.member_id)
    member = known_member(group, request.member_id)
    # The answer with a newer epoch may have been lost: then it comes again with the one before.
    if epoch > member.epoch or (epoch < member.epoch and epoch != member.previous_epoch):
        raise FencedMemberEpoch(f"member epoch {epoch}, where {member.epoch} is due: give up all and join again")
    return member


def _told(member: ShareMember, command: ShareHeartbeat) -> ShareMember:
    """The member with what the request tells anew; None means: as before."""
    request = command.request
    told = msgspec.structs.replace(
        member,
        rack=member.rack if request.rack_id is None else request.rack_id,
        names=member.names if request.subscribed_topic_names is None else frozenset(request.subscribed_topic_names),
        client_id=command.client_id,
        client_host=command.client_host,
    )
    return member if told == member else told


def _is_idle(step: Step, former: ShareMember, member: ShareMember, request: ShareGroupHeartbeatRequest) -> bool:
    """By far the commonest case: nothing is new, with the member or with the group."""
    group = step.group
    return (
        member is former
        and request.member_epoch != JOINING
        and group.is_settled
        and group.assignment_epoch >= group.epoch
        and group.topics_seen_at >= step.environment.topics_changed_at
        and member.epoch == group.assignment_epoch
        and not initialization.is_overdue(step)
    )


def _progress(step: Step, former: ShareMember, member: ShareMember) -> ShareMember:
    group, group_id = step.group, step.group.group_id
    if member != former:
        step.keep(ShareMemberRecord(group_id, member.member_id, member))
    names = group.names_without(former) | member.names
    missing = initialization.missing(step, names)
    # What an assignment to come will cover anyway is no reason for another one.
    is_unassigned = group.epoch <= group.assignment_epoch and initialization.has_unassigned(group, step.environment)
    must_rise = member.names != former.names or is_unassigned or initialization.is_begun_again(group, missing)
    epoch = follow_topics(step, lambda: names, must_rise=must_rise)
    assignment_epoch, target = targets.next_target(step, epoch, member, partial(_plan, step, member))
    after = _reconciled(step, member, assignment_epoch, target)
    if after != member:
        step.keep(ShareCurrentRecord(group_id, after.member_id, after))
    if missing:
        initialization.order(step, epoch, missing)
    elif epoch == group.epoch and epoch <= group.assignment_epoch:
        step.note(Settled(group_id))
    return after


def _plan(step: Step, member: ShareMember) -> targets.Plan:
    group = step.group
    assignable = {
        topic_id: partitions
        for topic_id, partitions in group.initialized().items()
        if step.environment.topic_with(topic_id) is not None
    }
    members = {**group.members, member.member_id: member}
    known = {names: _ids(step, names) for names in {each.names for each in members.values()}}
    spec = {member_id: MemberSpec(known[each.names], group.target_of(each)) for member_id, each in members.items()}
    size = len(spec) + sum(map(len, assignable.values()))
    return targets.Plan(size, partial(assign_shared, spec, assignable))


def _ids(step: Step, names: frozenset[str]) -> frozenset[TopicId]:
    found = (step.environment.topic_named(name) for name in names)
    return frozenset(facts.topic_id for facts in found if facts is not None)


def _reconciled(step: Step, member: ShareMember, epoch: int, target: Assignment) -> ShareMember:
    """At its target at once, but for topics that it does not want any more."""
    wanted = _ids(step, member.names)
    assigned = {topic_id: partitions for topic_id, partitions in target.items() if topic_id in wanted}
    if epoch == member.epoch:
        return member if assigned == member.assigned else msgspec.structs.replace(member, assigned=assigned)
    return msgspec.structs.replace(member, epoch=epoch, previous_epoch=member.epoch, assigned=assigned)


def _response(
    step: Step, former: ShareMember, member: ShareMember, request: ShareGroupHeartbeatRequest
) -> ShareGroupHeartbeatResponse:
    response = ShareGroupHeartbeatResponse(
        member_id=member.member_id,
        member_epoch=member.epoch,
        heartbeat_interval_ms=step.settings.heartbeat_interval_ms,
    )
    is_full = request.member_epoch == JOINING or request.subscribed_topic_names is not None
    if is_full or former.assigned != member.assigned:
        response.assignment = ToldAssignment(
            [TopicPartitions(topic_id, sorted(partitions)) for topic_id, partitions in member.assigned.items()]
        )
    return response


# Going ----------------------------------------------------------------------------------------------------------


def leave(step: Step, command: ShareHeartbeat) -> Decision:
    request = command.request
    member = known_member(step.group, request.member_id)
    response = ShareGroupHeartbeatResponse(member_id=request.member_id, member_epoch=request.member_epoch)
    step.reply(command.address, response)
    return remove(step, [member])


def remove(step: Step, members: list[ShareMember]) -> Decision:
    if not members:
        return step.decision()
    group = step.group
    gone = {member.member_id for member in members}
    for member_id in sorted(gone):
        step.keep(*removal(group, member_id, step.kept))
    names = {name for member_id, member in group.members.items() if member_id not in gone for name in member.names}
    step.keep(ShareEpochRecord(group.group_id, group.epoch + 1, topics_hash(names, step.environment)))
    return step.decision()
