"""Who is to own what: a server-side assignor works out a target whenever the group has changed.

Not more often than `consumer.assignment.interval.ms`, so that members who come together share one. Small groups are
assigned on the spot, as part of the heartbeat that changed them; large ones in a thread, from a copy, and members
learn of it at their next heartbeats.
"""

from collections.abc import Iterator

from penstock.coordinators.decision import Decision, Timer, Work
from penstock.coordinators.groups.assignors import (
    ASSIGNORS,
    Assignment,
    GroupAssignment,
    GroupSpec,
    MemberSpec,
    TopicShape,
)
from penstock.coordinators.groups.consumer.commands import TargetReady, WorkFailed, Working
from penstock.coordinators.groups.consumer.environment import Environment
from penstock.coordinators.groups.consumer.records import ConsumerRecord, TargetAssignmentRecord, TargetEpochRecord
from penstock.coordinators.groups.consumer.state import ConsumerGroup, ConsumerMember, changed, preferred
from penstock.coordinators.groups.consumer.step import Step
from penstock.coordinators.groups.consumer.subscriptions import topic_ids
from penstock.model import TopicId

ASSIGNING = "assigning"
AT_ONCE_MAX = 200
"""Members and partitions, taken together, up to which a target is worked out on the event loop."""
WRITTEN_AT_ONCE = 250
"""Members whose new targets are written in one batch; others have their turn before the next."""


def next_target(step: Step, epoch: int, former: ConsumerMember, member: ConsumerMember) -> tuple[int, Assignment]:
    """The newest assignment epoch, and what the member is to own by it."""
    group = step.group
    last = group.assignment_epoch, group.target_of(member)
    if group.assignment_epoch >= epoch or ASSIGNING in group.working or not _is_due(step):
        return last
    spec = _spec(group, member, step.environment)
    topics = _shapes(spec, step.environment)
    counts = changed(group.assignor_counts, less=former.assignor, more=member.assignor)
    assign = ASSIGNORS[preferred(counts, step.limits.assignors)]
    if len(spec.members) + sum(shape.partitions for shape in topics.values()) <= AT_ONCE_MAX:
        target = assign(spec, topics)
        step.keep(*_changes(group, target), TargetEpochRecord(group.group_id, epoch, step.wall))
        return epoch, target[member.member_id]
    group_id, ticket = group.group_id, step.ticket
    instances = {m.instance_id: m_id for m_id, m in spec.members.items() if m.instance_id is not None}

    def run() -> TargetReady | WorkFailed:
        try:
            target = assign(spec, topics)
            return TargetReady(group_id=group_id, epoch=epoch, target=target, ticket=ticket, instances=instances)
        except Exception:
            return WorkFailed(group_id=group_id, kind=ASSIGNING)

    step.note(Working(group_id, ASSIGNING, ticket))
    step.work.append(Work((ASSIGNING, group_id), run))
    return last


def _is_due(step: Step) -> bool:
    at = step.group.assigned_at
    # A clock that was set back must not keep a group waiting.
    return at is None or not at <= step.wall < at + step.settings.assignment_interval_ms


def _spec(group: ConsumerGroup, changed_member: ConsumerMember, environment: Environment) -> GroupSpec:
    """All members, with one as it will be. Most have the same subscription, which is looked up once."""
    known: dict[tuple[frozenset[str], str], frozenset[TopicId]] = {}
    members: dict[str, MemberSpec] = {}
    former_id = None if changed_member.instance_id is None else group.instances.get(changed_member.instance_id)
    others = (m for m_id, m in group.members.items() if m_id not in (changed_member.member_id, former_id))
    for member in (*others, changed_member):
        wish = (member.names, member.pattern)
        if wish not in known:
            known[wish] = topic_ids(member, group, environment)
        members[member.member_id] = MemberSpec(known[wish], group.target_of(member), member.rack, member.instance_id)
    return GroupSpec(members)


def _shapes(spec: GroupSpec, environment: Environment) -> dict[TopicId, TopicShape]:
    wanted: set[TopicId] = set()
    for subscribed in {member.subscribed for member in spec.members.values()}:
        wanted |= subscribed
    found = (environment.topic_with(topic_id) for topic_id in sorted(wanted))
    return {facts.topic_id: TopicShape(facts.partitions, facts.racks) for facts in found if facts is not None}


def _changes(group: ConsumerGroup, target: GroupAssignment) -> Iterator[ConsumerRecord]:
    for member_id, assignment in target.items():
        if group.targets.get(member_id) != assignment:
            yield TargetAssignmentRecord(group.group_id, member_id, assignment)


def target_ready(step: Step, command: TargetReady) -> Decision:
    """Work is done. Members may have come and gone meanwhile: those who went get nothing, for the others it holds until
    the next target, since nobody gets what another still owns. The epoch is written last: if that does not come about,
    the target is worked out anew.
    """
    group = step.group
    if group.working.get(ASSIGNING) != command.ticket:
        return Decision()  # it was worked out for a group of this name that is gone: its epochs say nothing here
    if command.epoch <= group.assignment_epoch:
        step.note(Working(group.group_id, ASSIGNING, None))
        return step.decision()
    target = dict(command.target)
    for instance_id, former_id in command.instances.items():
        member_id = group.instances.get(instance_id)
        if member_id is not None and former_id not in group.members:
            target[member_id] = target.pop(former_id)
    present = {member_id: assignment for member_id, assignment in target.items() if member_id in group.members}
    changes = list(_changes(group, present))
    step.keep(*changes[:WRITTEN_AT_ONCE])
    if len(changes) > WRITTEN_AT_ONCE:
        step.set_timer(Timer((ASSIGNING, group.group_id), step.now, command))
        return step.decision()
    step.keep(TargetEpochRecord(group.group_id, command.epoch, step.wall))
    step.note(Working(group.group_id, ASSIGNING, None))
    return step.decision()
