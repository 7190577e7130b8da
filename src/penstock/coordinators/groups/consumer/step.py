"""A step through a consumer group (`assigned.step`), and the timers that only its members have."""

from penstock.coordinators.groups.assigned import step as assigned
from penstock.coordinators.groups.consumer.commands import RevocationDue
from penstock.coordinators.groups.consumer.limits import ConsumerLimits
from penstock.coordinators.groups.consumer.records import KEPT
from penstock.coordinators.groups.consumer.state import ConsumerGroup, ConsumerMember, MemberState

REVOCATION, JOIN, SYNC = "revocation", "consumer join", "consumer sync"
"""Names of timers, one of each a member."""

Context = assigned.Context[ConsumerLimits]
Step = assigned.Step[ConsumerGroup, ConsumerLimits]


def step_through(group: ConsumerGroup, context: Context) -> Step:
    return assigned.Step(group, context, context.environment.settings_of(group.group_id), KEPT)


def watch_revocation(step: Step, former: ConsumerMember, member: ConsumerMember) -> None:
    """A member may take its rebalance timeout to give up what it must; one of the classic protocol is called to
    join instead, and has a timer for that.
    """
    if member.classic is not None:
        return
    if member.state is MemberState.UNREVOKED:
        due = RevocationDue(group_id=step.group.group_id, member_id=member.member_id, epoch=member.epoch)
        step.after(member.rebalance_timeout_ms, REVOCATION, member.member_id, due)
    elif former.state is MemberState.UNREVOKED:
        step.stop(REVOCATION, member.member_id)


def stop_all(step: Step, member_id: str) -> None:
    for name in (REVOCATION, JOIN, SYNC):
        step.stop(name, member_id)
