"""What a consumer group's target is worked out from (`assigned.targets`): its members, the topics they want, and the
assignor that most of them ask for.
"""

from functools import partial

from penstock.coordinators.groups.assigned import targets
from penstock.coordinators.groups.assigned.counts import changed
from penstock.coordinators.groups.assigned.environment import Environment
from penstock.coordinators.groups.assignors import ASSIGNORS, Assignment, GroupSpec, MemberSpec, TopicShape
from penstock.coordinators.groups.consumer.state import ConsumerGroup, ConsumerMember, preferred
from penstock.coordinators.groups.consumer.step import Step
from penstock.coordinators.groups.consumer.subscriptions import topic_ids
from penstock.model import TopicId


def next_target(step: Step, epoch: int, former: ConsumerMember, member: ConsumerMember) -> tuple[int, Assignment]:
    return targets.next_target(step, epoch, member, lambda: _plan(step, former, member))


def _plan(step: Step, former: ConsumerMember, member: ConsumerMember) -> targets.Plan:
    group = step.group
    spec = _spec(group, member, step.environment)
    topics = _shapes(spec, step.environment)
    counts = changed(group.assignor_counts, less=former.assignor, more=member.assignor)
    assign = ASSIGNORS[preferred(counts, step.limits.assignors)]
    return targets.Plan(
        size=len(spec.members) + sum(shape.partitions for shape in topics.values()),
        assign=partial(assign, spec, topics),
        instances={m.instance_id: m_id for m_id, m in spec.members.items() if m.instance_id is not None},
    )


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
