"""JoinGroup into a consumer group: answered at once, with the member's epoch as the generation."""

import msgspec

from penstock.coordinators.decision import Decision
from penstock.coordinators.groups.assigned import sessions
from penstock.coordinators.groups.assigned.members import check_room
from penstock.coordinators.groups.classic.draft import join_refused
from penstock.coordinators.groups.classic.joining import check_join
from penstock.coordinators.groups.commands import Join
from penstock.coordinators.groups.consumer.classic_protocol import owned_by, read_subscription
from penstock.coordinators.groups.consumer.commands import CalledToJoin, ClassicStepDue
from penstock.coordinators.groups.consumer.heartbeat import follow_target
from penstock.coordinators.groups.consumer.members import known_instance, replace
from penstock.coordinators.groups.consumer.migration import to_classic
from penstock.coordinators.groups.consumer.reconciliation import Wanted, reconciled
from penstock.coordinators.groups.consumer.records import CurrentAssignmentRecord, MemberRecord
from penstock.coordinators.groups.consumer.state import ClassicSide, ConsumerGroup, ConsumerMember
from penstock.coordinators.groups.consumer.step import JOIN, SYNC, Step
from penstock.coordinators.groups.consumer.subscriptions import PatternChange, follow_patterns, follow_topics, topic_ids
from penstock.coordinators.groups.state import CONSUMER, Waiter
from penstock.errors import (
    InconsistentGroupProtocol,
    MemberIdRequired,
    Refusal,
    UnknownServerError,
)
from penstock.wire.malformed import Malformed
from penstock.wire.messages.consumer_protocol_subscription import ConsumerProtocolSubscription
from penstock.wire.messages.join_group_response import JoinGroupResponse

MEMBER_ID_REQUIRED_FROM = 4


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
    check_room(group, request.member_id, step.limits.members_max)
    _check_protocols(group, command)
    is_dynamic = request.group_instance_id is None
    if not request.member_id and is_dynamic and command.api_version >= MEMBER_ID_REQUIRED_FROM:
        raise MemberIdRequired
    subscription = _subscription(command)
    replaced = None if is_dynamic else group.static_member(request.group_instance_id or "")
    former = _sender(step, command)
    member = _told(former, command, subscription)
    if member != former:
        step.keep(MemberRecord(group.group_id, member.member_id, member))
    patterns = follow_patterns(step, former, member, command.shows)
    patterns = PatternChange(is_changed=patterns.is_changed, is_resolved=patterns.is_changed)
    if replaced is not None and _is_the_last_of_its_protocol(group, replaced, step):
        return _take_back(step, command, former, member, patterns, subscription)
    member = follow_target(step, former, member, patterns, owned_by(subscription, step.environment))
    step.stop(JOIN, member.member_id)
    step.note(CalledToJoin(group.group_id, member.member_id, is_called=False))
    sessions.expect(step, member.member_id, request.session_timeout_ms)
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
        wanted = Wanted(group.assignment_epoch, group.target_of(member), topic_ids(member, group, step.environment))
        reported = owned_by(subscription, step.environment)
        member = reconciled(group, member, wanted, reported=reported, resubscribed=must_rise)
        step.keep(CurrentAssignmentRecord(group.group_id, member.member_id, member))
        rebalances = not member.is_reconciled_to(group.assignment_epoch)
    step.reply(command.address, _joined(member))
    return to_classic(step, joining=member, rebalances=rebalances)
