"""ConsumerGroupHeartbeat: all of a member's life is in it. It joins, tells what it wants and owns, learns what it is to
own, and leaves.
"""

import msgspec

from penstock.coordinators.decision import Decision
from penstock.coordinators.groups.assigned import sessions
from penstock.coordinators.groups.assigned.members import check_room
from penstock.coordinators.groups.assigned.state import JOINING
from penstock.coordinators.groups.consumer.assigning import next_target
from penstock.coordinators.groups.consumer.commands import ConsumerHeartbeat
from penstock.coordinators.groups.consumer.members import dynamic_member, static_member
from penstock.coordinators.groups.consumer.reconciliation import Reported, Wanted, reconciled
from penstock.coordinators.groups.consumer.records import CurrentAssignmentRecord, MemberRecord
from penstock.coordinators.groups.consumer.state import ConsumerMember, Owned
from penstock.coordinators.groups.consumer.step import Step, watch_revocation
from penstock.coordinators.groups.consumer.subscriptions import PatternChange, follow_patterns, follow_topics, topic_ids
from penstock.model import TopicId
from penstock.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from penstock.wire.messages.consumer_group_heartbeat_response import (
    Assignment,
    ConsumerGroupHeartbeatResponse,
    TopicPartitions,
)


def heartbeat(step: Step, command: ConsumerHeartbeat) -> Decision:
    request, group = command.request, step.group
    check_room(group, request.member_id, step.limits.members_max)
    former = _sender(step, command)
    member = _told(former, command)
    if not _is_idle(step, former, member, request):
        member = _progress(step, former, member, command)
    sessions.expect(step, member.member_id, step.settings.session_timeout_ms)
    step.reply(command.address, _response(step, former, member, request))
    return step.decision()


def _sender(step: Step, command: ConsumerHeartbeat) -> ConsumerMember:
    request, group = command.request, step.group
    member_id = request.member_id or command.new_member_id
    reported = reported_in(request)
    joins = request.member_epoch == JOINING
    if request.instance_id is None:
        return dynamic_member(group, member_id, request.member_epoch, reported, joins=joins)
    return static_member(
        step, member_id, request.instance_id, epoch=request.member_epoch, reported=reported, joins=joins
    )


def reported_in(request: ConsumerGroupHeartbeatRequest) -> Reported | None:
    if request.topic_partitions is None:
        return None
    return {TopicId(topic.topic_id): topic.partitions for topic in request.topic_partitions}


def _told(member: ConsumerMember, command: ConsumerHeartbeat) -> ConsumerMember:
    """The member with what the request tells anew; None and -1 mean: as before."""
    request = command.request
    news: dict[str, object] = {}
    if request.instance_id is not None:
        news["instance_id"] = request.instance_id
    if request.rack_id is not None:
        news["rack"] = request.rack_id
    if request.rebalance_timeout_ms != -1:
        news["rebalance_timeout_ms"] = request.rebalance_timeout_ms
    if request.server_assignor is not None:
        news["assignor"] = request.server_assignor
    if request.subscribed_topic_names is not None:
        news["names"] = frozenset(request.subscribed_topic_names)
    if request.subscribed_topic_regex is not None:
        news["pattern"] = request.subscribed_topic_regex
    if member.client_id != command.client_id or member.client_host != command.client_host:
        news |= {"client_id": command.client_id, "client_host": command.client_host}
    if member.classic is not None:
        news["classic"] = None
    if not news:
        return member
    told = msgspec.structs.replace(member, **news)
    return member if told == member else told


def _is_idle(
    step: Step, former: ConsumerMember, member: ConsumerMember, request: ConsumerGroupHeartbeatRequest
) -> bool:
    """By far the commonest case: nothing is new, with the member or with the group."""
    group = step.group
    return (
        member is former
        and request.member_epoch != JOINING
        and group.assignment_epoch >= group.epoch
        and group.topics_seen_at >= step.environment.topics_changed_at
        and not group.pattern_counts
        and member.is_reconciled_to(group.assignment_epoch)
    )


def _progress(step: Step, former: ConsumerMember, member: ConsumerMember, command: ConsumerHeartbeat) -> ConsumerMember:
    if member != former:
        step.keep(MemberRecord(step.group.group_id, member.member_id, member))
    patterns = follow_patterns(step, former, member, command.shows)
    return follow_target(step, former, member, patterns, reported_in(command.request))


def follow_target(
    step: Step,
    former: ConsumerMember,
    member: ConsumerMember,
    patterns: PatternChange,
    reported: Reported | None,
) -> ConsumerMember:
    """The member one step nearer to what it is to own, which is worked out anew if need be."""
    group = step.group
    renamed = member.names != former.names
    epoch = follow_topics(step, former, member, must_rise=renamed or patterns.is_resolved)
    assignment_epoch, target = next_target(step, epoch, former, member)
    wanted = Wanted(assignment_epoch, target, topic_ids(member, group, step.environment))
    after = reconciled(group, member, wanted, reported=reported, resubscribed=renamed or patterns.is_changed)
    if after is not member:
        step.keep(CurrentAssignmentRecord(group.group_id, after.member_id, after))
        watch_revocation(step, member, after)
    return after


def _response(
    step: Step, former: ConsumerMember, member: ConsumerMember, request: ConsumerGroupHeartbeatRequest
) -> ConsumerGroupHeartbeatResponse:
    response = ConsumerGroupHeartbeatResponse(
        member_id=member.member_id,
        member_epoch=member.epoch,
        heartbeat_interval_ms=step.settings.heartbeat_interval_ms,
    )
    is_full = (
        request.rebalance_timeout_ms != -1
        and (request.subscribed_topic_names is not None or request.subscribed_topic_regex is not None)
        and request.topic_partitions is not None
    )
    if request.member_epoch == JOINING or is_full or former.assigned != member.assigned:
        response.assignment = Assignment(_topics(member.assigned))
    return response


def _topics(owned: Owned) -> list[TopicPartitions]:
    return [TopicPartitions(topic_id, list(partitions)) for topic_id, partitions in owned.items()]
