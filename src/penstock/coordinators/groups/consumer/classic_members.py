"""Members of a consumer group that speak the classic protocol, while a group changes from one to the other.

To them the group looks like a classic one that has been assigned already: a join is answered at once with the member's
epoch as the generation, a sync with what it owns by now, and a heartbeat calls it to join again when there is more to
give up or to get.
"""

from penstock.coordinators.decision import Decision
from penstock.coordinators.groups.assigned import sessions
from penstock.coordinators.groups.assigned.members import known_member
from penstock.coordinators.groups.commands import Heartbeat, Leave, Sync
from penstock.coordinators.groups.consumer.assigning import next_target
from penstock.coordinators.groups.consumer.classic_protocol import write_assignment
from penstock.coordinators.groups.consumer.commands import CalledToJoin, ClassicStepDue
from penstock.coordinators.groups.consumer.leaving import remove
from penstock.coordinators.groups.consumer.members import known_instance
from penstock.coordinators.groups.consumer.state import ClassicSide, ConsumerGroup, ConsumerMember, MemberState
from penstock.coordinators.groups.consumer.step import JOIN, SYNC, Step
from penstock.coordinators.groups.consumer.subscriptions import follow_topics
from penstock.coordinators.groups.state import CONSUMER
from penstock.errors import (
    FencedInstanceId,
    IllegalGeneration,
    InconsistentGroupProtocol,
    RebalanceInProgress,
    Refusal,
    UnknownMemberId,
)
from penstock.wire.messages.heartbeat_response import HeartbeatResponse
from penstock.wire.messages.leave_group_request import MemberIdentity
from penstock.wire.messages.leave_group_response import LeaveGroupResponse, MemberResponse
from penstock.wire.messages.sync_group_response import SyncGroupResponse

MEMBER_ID_REQUIRED_FROM = 4


# Sync and heartbeat ---------------------------------------------------------------------------------------------


def _classic_member(
    group: ConsumerGroup, member_id: str, instance_id: str | None, generation: int
) -> tuple[ConsumerMember, ClassicSide]:
    if instance_id is None:
        member = known_member(group, member_id)
    else:
        member = known_instance(group, instance_id, member_id)
    if member.classic is None:
        raise UnknownMemberId(f"member {member_id} speaks the consumer protocol")
    if member.epoch != generation:
        raise IllegalGeneration(f"{generation}; the member is at {member.epoch}")
    return member, member.classic


def sync(step: Step, command: Sync) -> Decision:
    request, group = command.request, step.group
    member, classic = _classic_member(group, request.member_id, request.group_instance_id, request.generation_id)
    name, subscription = classic.protocols[0]
    for told, known in ((request.protocol_type, CONSUMER), (request.protocol_name, name)):
        if told is not None and told != known:
            raise InconsistentGroupProtocol(f"{told}; the member joined with {known}")
    if group.assignment_epoch > member.epoch and member.state is not MemberState.UNREVOKED:
        _call_to_join(step, member)
        step.reply(command.address, SyncGroupResponse(error_code=RebalanceInProgress.code))
        return step.decision()
    step.stop(SYNC, member.member_id)
    sessions.expect(step, member.member_id, classic.session_timeout_ms)
    owned = {topic_id: frozenset(partitions) for topic_id, partitions in member.assigned.items()}
    step.reply(
        command.address,
        SyncGroupResponse(
            protocol_type=request.protocol_type,
            protocol_name=request.protocol_name,
            assignment=write_assignment(owned, subscription, step.environment),
        ),
    )
    return step.decision()


def heartbeat(step: Step, command: Heartbeat) -> Decision:
    request, group = command.request, step.group
    member, classic = _classic_member(group, request.member_id, request.group_instance_id, request.generation_id)
    sessions.expect(step, member.member_id, classic.session_timeout_ms)
    response = HeartbeatResponse()
    if _has_news(group, member, _assignment_epoch(step, member)):
        _call_to_join(step, member)
        response.error_code = RebalanceInProgress.code
    step.reply(command.address, response)
    return step.decision()


def _assignment_epoch(step: Step, member: ConsumerMember) -> int:
    """Heartbeats of the consumer protocol work targets out. Where the group may not go back to the classic protocol
    nobody may be left who sends any, and what those who went had would be nobody's.
    """
    group = step.group
    if group.classic_members < len(group.members):
        return group.assignment_epoch
    epoch = follow_topics(step, member, member, must_rise=False)
    return next_target(step, epoch, member, member)[0]


def _has_news(group: ConsumerGroup, member: ConsumerMember, assignment_epoch: int) -> bool:
    if member.epoch < assignment_epoch:
        return True
    match member.state:
        case MemberState.UNREVOKED:
            return True
        case MemberState.UNRELEASED:
            return not _waits(group, member)
        case _:
            return False


def _waits(group: ConsumerGroup, member: ConsumerMember) -> bool:
    """Whether any of what it is to get is still with others."""
    return any(
        group.owner_of(topic_id, partition) not in (None, member.member_id)
        for topic_id, partitions in group.targets.get(member.member_id, {}).items()
        for partition in partitions
    )


def _call_to_join(step: Step, member: ConsumerMember) -> None:
    group_id, member_id = step.group.group_id, member.member_id
    if member_id not in step.group.called_to_join:
        step.note(CalledToJoin(group_id, member_id, is_called=True))
        due = ClassicStepDue(group_id=group_id, member_id=member_id)
        step.after(member.rebalance_timeout_ms, JOIN, member_id, due)


# Leave ----------------------------------------------------------------------------------------------------------


def leave(step: Step, command: Leave) -> Decision:
    """Any member may be sent away by this, whichever protocol it speaks: it is what tools use."""
    leaving: dict[str, ConsumerMember] = {}
    answers = []
    for identity in command.members:
        code = 0
        try:
            member = _leaving(step.group, identity)
            leaving[member.member_id] = member
        except Refusal as refusal:
            code = refusal.code
        answers.append(MemberResponse(identity.member_id, identity.group_instance_id, code))
    step.reply(command.address, LeaveGroupResponse(members=answers))
    return remove(step, list(leaving.values()))


def _leaving(group: ConsumerGroup, identity: MemberIdentity) -> ConsumerMember:
    if identity.group_instance_id is None:
        return known_member(group, identity.member_id)
    member = group.static_member(identity.group_instance_id)
    if member is None:
        raise UnknownMemberId
    if identity.member_id and identity.member_id != member.member_id:
        raise FencedInstanceId
    return member
