"""A group changes its protocol while its members go on: to this one when the first member comes that speaks it, back to
the classic one when the last such member goes. Offsets stay; so do members, with what they own.
"""

from collections.abc import Iterator, Sequence

import msgspec

from penstock.coordinators.decision import Decision, Timer
from penstock.coordinators.groups.assigned import sessions
from penstock.coordinators.groups.assigned.environment import Environment
from penstock.coordinators.groups.assigned.members import removal
from penstock.coordinators.groups.assigned.records import AssignedRecord, SilenceRecord
from penstock.coordinators.groups.assigned.topics import topics_hash
from penstock.coordinators.groups.assignors import Assignment
from penstock.coordinators.groups.classic.draft import Draft
from penstock.coordinators.groups.classic.rebalancing import REBALANCE, SYNC, prepare
from penstock.coordinators.groups.consumer.applying import apply_record
from penstock.coordinators.groups.consumer.classic_protocol import (
    assignment_of,
    owned_by,
    read_assignment,
    read_subscription,
    write_assignment,
)
from penstock.coordinators.groups.consumer.limits import ConsumerLimits
from penstock.coordinators.groups.consumer.records import (
    KEPT,
    ConsumerRecord,
    CurrentAssignmentRecord,
    GroupEpochRecord,
    MemberRecord,
    PatternRecord,
    TargetAssignmentRecord,
    TargetEpochRecord,
)
from penstock.coordinators.groups.consumer.state import ClassicSide, ConsumerGroup, ConsumerMember
from penstock.coordinators.groups.consumer.step import Context, Step, step_through, stop_all
from penstock.coordinators.groups.records import GroupMetadataRecord
from penstock.coordinators.groups.state import CONSUMER, Group, GroupState, Member
from penstock.errors import GroupIdNotFound, RebalanceInProgress
from penstock.model import TopicId
from penstock.wire.malformed import Malformed

KNOWN_ASSIGNORS = frozenset(("range", "roundrobin", "sticky", "cooperative-sticky"))
"""Assignors of clients whose data in an assignment nobody needs: librdkafka's sticky one repeats what the member told.
Apache Kafka refuses to change a group with any such data, and with it all of librdkafka's cooperative groups."""
CLASSIC_TIMERS = ("sessions", REBALANCE, SYNC)


def tombstones(group: ConsumerGroup) -> Iterator[AssignedRecord | SilenceRecord | PatternRecord]:
    """All that is kept of a group, taken back."""
    for member_id in group.members:
        yield from removal(group, member_id, KEPT)
    for pattern in group.resolved:
        yield PatternRecord(group.group_id, pattern, None)
    yield TargetEpochRecord(group.group_id, None)
    yield GroupEpochRecord(group.group_id, None)


# To the consumer protocol ---------------------------------------------------------------------------------------


def to_consumer(classic: Group, context: Context) -> Step:
    """The group as one of this protocol, which the rest of the command then acts on."""
    group_id = classic.group_id
    step = step_through(ConsumerGroup(group_id=group_id), context)
    step.keep(GroupMetadataRecord(group_id, None))
    for name in CLASSIC_TIMERS:
        step.set_timer(Timer((name, group_id), None))
    if not classic.members:
        return step
    _check_upgrade(classic, context.limits)
    _call_back(step, classic, context)
    for record in _records(classic, context.environment):
        apply_record(step.group, record)
        step.keep(record)
    for member in classic.members.values():
        sessions.expect(step, member.member_id, member.session_timeout_ms)
    return step


def _check_upgrade(classic: Group, limits: ConsumerLimits) -> None:
    what = f"classic group {classic.group_id} cannot become a consumer group: "
    if not limits.upgrades:
        raise GroupIdNotFound(what + "group.consumer.migration.policy forbids it")
    if classic.protocol_type != CONSUMER:
        raise GroupIdNotFound(what + f"it is of type {classic.protocol_type}")
    if len(classic.members) > limits.members_max:
        raise GroupIdNotFound(what + f"it has {len(classic.members)} members, and may have {limits.members_max}")


def _call_back(step: Step, classic: Group, context: Context) -> None:
    """Whoever waits in the middle of a rebalance is told to join again, into the group as it is now."""
    draft = Draft(classic, context.now, context.classic_limits)
    for member in classic.members.values():
        draft.refuse_join(member, RebalanceInProgress(), member.member_id)
        draft.refuse_sync(member, RebalanceInProgress())
    step.replies += draft.decision().replies


def _records(classic: Group, environment: Environment) -> list[ConsumerRecord]:
    group_id, generation = classic.group_id, classic.generation
    members = _with_claims(
        classic, [_consumer_member(classic, m, environment) for m in classic.members.values()], environment
    )
    topics = {name for member in members for name in member.names}
    targets: list[ConsumerRecord] = [
        TargetAssignmentRecord(
            group_id,
            member.member_id,
            {topic_id: frozenset(partitions) for topic_id, partitions in member.assigned.items()},
        )
        for member in members
    ]
    return [
        *(MemberRecord(group_id, member.member_id, member) for member in members),
        GroupEpochRecord(group_id, generation, topics_hash(topics, environment)),
        *targets,
        TargetEpochRecord(group_id, generation),
        *(CurrentAssignmentRecord(group_id, member.member_id, member) for member in members),
    ]


def _with_claims(classic: Group, members: list[ConsumerMember], environment: Environment) -> list[ConsumerMember]:
    """Cooperative members read on while they rebalance, and say what; their assignments may have been dropped by then.
    What nobody was assigned belongs to whoever says that it has it.
    """
    taken = {(topic_id, index) for member in members for topic_id, parts in member.assigned.items() for index in parts}
    protocol = classic.protocol or classic.elected_protocol()
    complete = []
    for member in members:
        told = read_subscription(classic.members[member.member_id].metadata(protocol))
        claimed = [(topic_id, index) for topic_id, parts in owned_by(told, environment).items() for index in parts]
        assigned = {topic_id: dict(parts) for topic_id, parts in member.assigned.items()}
        for topic_id, index in claimed:
            if (topic_id, index) not in taken:
                assigned.setdefault(topic_id, {})[index] = member.epoch
        taken.update(claimed)
        complete.append(msgspec.structs.replace(member, assigned=assigned))
    return complete


def _consumer_member(classic: Group, member: Member, environment: Environment) -> ConsumerMember:
    generation = classic.generation
    try:
        subscription = read_subscription(member.metadata(classic.protocol or classic.elected_protocol()))
        assigned: Assignment = {}
        if member.assignment:
            told = read_assignment(member.assignment)
            if told.user_data and classic.protocol not in KNOWN_ASSIGNORS:
                raise GroupIdNotFound(
                    f"classic group {classic.group_id} cannot become a consumer group: "
                    "it has an assignor of its own, whose data would be lost"
                )
            assigned = assignment_of(told, environment)
    except Malformed as error:
        raise GroupIdNotFound(
            f"classic group {classic.group_id} cannot become a consumer group: "
            f"what its members told cannot be read ({error})"
        ) from None
    return ConsumerMember(
        member_id=member.member_id,
        epoch=generation,
        previous_epoch=generation,
        instance_id=member.instance_id,
        rack=subscription.rack_id or None,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        client_id=member.client_id,
        client_host=member.client_host,
        names=frozenset(subscription.topics),
        classic=ClassicSide(member.session_timeout_ms, member.protocols),
        assigned={topic_id: dict.fromkeys(sorted(parts), generation) for topic_id, parts in assigned.items()},
    )


# To the classic protocol ----------------------------------------------------------------------------------------


def can_downgrade(group: ConsumerGroup, leaving: Sequence[ConsumerMember], limits: ConsumerLimits) -> bool:
    staying = len(group.members) - len(leaving)
    classic = group.classic_members - sum(member.classic is not None for member in leaving)
    return staying > 0 and staying == classic and limits.downgrades and staying <= limits.classic_members_max


def to_classic(
    step: Step,
    *,
    leaving: Sequence[ConsumerMember] = (),
    joining: ConsumerMember | None = None,
    rebalances: bool = True,
) -> Decision:
    """`joining` is a static member that comes back with the classic protocol, in place of the last of this one."""
    group = step.group
    step.keep(*tombstones(group))
    if joining is not None:
        step.keep(*removal(group, joining.member_id, KEPT))
    step.set_timer(Timer((sessions.SESSIONS, group.group_id), None))
    for member_id in group.members:
        stop_all(step, member_id)
    draft = Draft(_classic_group(step, leaving, joining), step.now, step.classic_limits)
    draft.keep()
    for member in list(draft.group.members.values()):
        draft.expect(member.member_id, member.session_timeout_ms)
    if rebalances:
        prepare(draft)
    classic = draft.decision()
    ours = step.decision()
    return Decision(
        records=[*ours.records, *classic.records],
        notes=classic.notes,  # ours are about a group that is gone
        timers=[*ours.timers, *classic.timers],
        replies=[*ours.replies, *classic.replies],
    )


def _classic_group(step: Step, leaving: Sequence[ConsumerMember], joining: ConsumerMember | None) -> Group:
    group = step.group
    gone = {member.member_id for member in leaving}
    if joining is not None and joining.instance_id is not None:
        gone.add(group.instances.get(joining.instance_id, ""))
    staying = [member for member in group.members.values() if member.member_id not in gone]
    if joining is not None:
        staying.append(joining)
    classic = Group(
        group_id=group.group_id,
        state=GroupState.STABLE,
        state_since=step.wall,
        generation=group.epoch,
        protocol_type=CONSUMER,
        leader=staying[0].member_id,
        members={member.member_id: _classic_member(member) for member in staying},
        instances={member.instance_id: member.member_id for member in staying if member.instance_id is not None},
    )
    classic.protocol = classic.elected_protocol()
    classic.subscribed = classic.topics_of_members()
    for consumer in staying:
        member = classic.members[consumer.member_id]
        told = write_assignment(_may_read(consumer), member.metadata(classic.protocol), step.environment)
        classic.members[member.member_id] = msgspec.structs.replace(member, assignment=told)
    return classic


def _may_read(member: ConsumerMember) -> Assignment:
    """What it owns, and not what it was to own (which Kafka writes): until it has joined again it goes on reading that,
    and if the group changes back before, nobody else must get it.
    """
    owned: dict[TopicId, frozenset[int]] = {}
    for topic_id, partitions in (*member.assigned.items(), *member.revoking.items()):
        owned[topic_id] = owned.get(topic_id, frozenset()) | partitions.keys()
    return owned


def _classic_member(member: ConsumerMember) -> Member:
    assert member.classic is not None
    return Member(
        member_id=member.member_id,
        instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        session_timeout_ms=member.classic.session_timeout_ms,
        protocols=member.classic.protocols,
    )
