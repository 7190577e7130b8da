"""Members of a consumer group that speak the classic protocol, while a group changes from one to the other.

To them the group looks like a classic one that has been assigned already: a join is answered at once with the member's
epoch as the generation, a sync with what it owns by now, and a heartbeat calls it to join again when there is more to
give up or to get.
"""

import msgspec

from penstock.coordinators.decision import Decision
from penstock.coordinators.groups.commands import Heartbeat, Join, Leave, Sync
from penstock.coordinators.groups.consumer.commands import CalledToJoin, ClassicStepDue
from penstock.coordinators.groups.consumer.embedded_protocol import owned_by, read_subscription, write_assignment
from penstock.coordinators.groups.consumer.heartbeat import follow_target
from penstock.coordinators.groups.consumer.leaving import remove
from penstock.coordinators.groups.consumer.members import check_room, known_instance, known_member, replace
from penstock.coordinators.groups.consumer.migration import to_classic
from penstock.coordinators.groups.consumer.reconciliation import Wanted, reconciled
from penstock.coordinators.groups.consumer.records import CurrentKept, MemberKept
from penstock.coordinators.groups.consumer.state import ClassicSide, ConsumerGroup, ConsumerMember, MemberState
from penstock.coordinators.groups.consumer.step import JOIN, SYNC, Step
from penstock.coordinators.groups.consumer.subscriptions import (
    PatternChange,
    follow_patterns,
    follow_topics,
    topic_ids,
)
from penstock.coordinators.groups.draft import join_refused
from penstock.coordinators.groups.joining import check_join
from penstock.coordinators.groups.state import CONSUMER, Waiter
from penstock.errors import (
    FencedInstanceId,
    IllegalGeneration,
    InconsistentGroupProtocol,
    MemberIdRequired,
    RebalanceInProgress,
    Refusal,
    UnknownMemberId,
    UnknownServerError,
)
from penstock.wire.malformed import Malformed
from penstock.wire.messages.consumer_protocol_subscription import ConsumerProtocolSubscription
from penstock.wire.messages.heartbeat_response import HeartbeatResponse
from penstock.wire.messages.join_group_response import JoinGroupResponse
from penstock.wire.messages.leave_group_request import MemberIdentity
from penstock.wire.messages.leave_group_response import LeaveGroupResponse, MemberResponse
from penstock.wire.messages.sync_group_response import SyncGroupResponse

MEMBER_ID_REQUIRED_FROM = 4


# Join -----------------------------------------------------------------------------------------------------------


def join(step: Step, command: Join) -> Decision:
    request = command.request
    waiter = Waiter(command.address, command.api_version)
    try:
        check_join(command, step.classic_limits)
        return _join(step, command)
    except MemberIdRequired as refusal:
        step.reply(command.address, join_refused(refusal, command.new_member_id, waiter))
    except Refusal as refusal:
        step.reply(command.address, join_refused(refusal, request.member_id, waiter))
    return Decision(replies=step.replies)


def _join(step: Step, command: Join) -> Decision:
    request, group = command.request, step.group
    check_room(group, request.member_id, step.limits)
    _check_protocols(group, command)
    is_dynamic = request.group_instance_id is None
    if not request.member_id and is_dynamic and command.api_version >= MEMBER_ID_REQUIRED_FROM:
        raise MemberIdRequired
    subscription = _subscription(command)
    replaced = None if is_dynamic else group.static_member(request.group_instance_id or "")
    former = _sender(step, command)
    member = _told(former, command, subscription)
    if member != former:
        step.keep(MemberKept(group.group_id, member.member_id, member))
    patterns = follow_patterns(step, former, member)
    patterns = PatternChange(is_changed=patterns.is_changed, is_resolved=patterns.is_changed)
    if replaced is not None and _is_the_last_of_its_protocol(group, replaced, step):
        return _take_back(step, command, former, member, patterns, subscription)
    member = follow_target(step, former, member, patterns, owned_by(subscription, step.around))
    step.stop(JOIN, member.member_id)
    step.note(CalledToJoin(group.group_id, member.member_id, is_called=False))
    step.expect(member.member_id, request.session_timeout_ms)
    due = ClassicStepDue(group_id=group.group_id, member_id=member.member_id)
    step.after(member.rebalance_timeout_ms, SYNC, member.member_id, due)
    step.reply(command.address, _joined(member))
    return step.decision()


def _check_protocols(group: ConsumerGroup, command: Join) -> None:
    request = command.request
    names = [protocol.name for protocol in request.protocols]
    is_common = any(group.classic_counts.get(name, 0) == group.classic_members for name in names)
    if request.protocol_type != CONSUMER or not is_common:
        raise InconsistentGroupProtocol


def _subscription(command: Join) -> ConsumerProtocolSubscription:
    try:
        return read_subscription(command.request.protocols[0].metadata)
    except Malformed as error:
        raise UnknownServerError(f"a consumer's subscription that cannot be read: {error}") from None


def _sender(step: Step, command: Join) -> ConsumerMember:
    request, group = command.request, step.group
    member_id = request.member_id or command.new_member_id
    if request.group_instance_id is None:
        return group.members.get(member_id) or ConsumerMember(member_id)
    if request.member_id:
        return known_instance(group, request.group_instance_id, member_id)
    former = group.static_member(request.group_instance_id)
    return ConsumerMember(member_id) if former is None else replace(step, former, member_id)


def _told(member: ConsumerMember, command: Join, subscription: ConsumerProtocolSubscription) -> ConsumerMember:
    request = command.request
    rebalance_ms = request.session_timeout_ms if command.api_version == 0 else request.rebalance_timeout_ms
    protocols = tuple((protocol.name, protocol.metadata) for protocol in request.protocols)
    return msgspec.structs.replace(
        member,
        instance_id=request.group_instance_id or member.instance_id,
        rack=subscription.rack_id or member.rack,
        rebalance_timeout_ms=member.rebalance_timeout_ms if rebalance_ms == -1 else rebalance_ms,
        names=frozenset(subscription.topics),
        pattern="",
        client_id=command.client_id,
        client_host=command.client_host,
        classic=ClassicSide(request.session_timeout_ms, protocols),
    )


def _joined(member: ConsumerMember) -> JoinGroupResponse:
    assert member.classic is not None
    return JoinGroupResponse(
        generation_id=member.epoch,
        protocol_type=CONSUMER,
        protocol_name=member.classic.protocols[0][0],
        member_id=member.member_id,
    )


def _is_the_last_of_its_protocol(group: ConsumerGroup, member: ConsumerMember, step: Step) -> bool:
    if member.classic is not None or group.classic_members != len(group.members) - 1:
        return False
    return step.limits.downgrades and len(group.members) <= step.limits.classic_members_max


def _take_back(
    step: Step,
    command: Join,
    former: ConsumerMember,
    member: ConsumerMember,
    patterns: PatternChange,
    subscription: ConsumerProtocolSubscription,
) -> Decision:
    """The last member of this protocol is back with the classic one: so is the group."""
    group = step.group
    must_rise = member.names != former.names or patterns.is_changed
    epoch = follow_topics(step, former, member, must_rise=must_rise)
    others = (other for other in group.members.values() if other.instance_id != member.instance_id)
    rebalances = group.assignment_epoch < epoch or not all(
        other.is_reconciled_to(group.assignment_epoch) for other in others
    )
    if not rebalances:
        wanted = Wanted(group.assignment_epoch, group.target_of(member), topic_ids(member, group, step.around))
        reported = owned_by(subscription, step.around)
        member = reconciled(group, member, wanted, reported=reported, resubscribed=must_rise)
        step.keep(CurrentKept(group.group_id, member.member_id, member))
        rebalances = not member.is_reconciled_to(group.assignment_epoch)
    step.reply(command.address, _joined(member))
    return to_classic(step, joining=member, rebalances=rebalances)


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
    step.expect(member.member_id, classic.session_timeout_ms)
    owned = {topic_id: frozenset(partitions) for topic_id, partitions in member.assigned.items()}
    step.reply(
        command.address,
        SyncGroupResponse(
            protocol_type=request.protocol_type,
            protocol_name=request.protocol_name,
            assignment=write_assignment(owned, subscription, step.around),
        ),
    )
    return step.decision()


def heartbeat(step: Step, command: Heartbeat) -> Decision:
    request, group = command.request, step.group
    member, classic = _classic_member(group, request.member_id, request.group_instance_id, request.generation_id)
    step.expect(member.member_id, classic.session_timeout_ms)
    response = HeartbeatResponse()
    if _has_news(group, member):
        _call_to_join(step, member)
        response.error_code = RebalanceInProgress.code
    step.reply(command.address, response)
    return step.decision()


def _has_news(group: ConsumerGroup, member: ConsumerMember) -> bool:
    if member.epoch < group.assignment_epoch:
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
