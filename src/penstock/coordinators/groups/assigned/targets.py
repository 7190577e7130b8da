"""Who is to own what: a server-side assignor works out a target whenever the group has changed.

Not more often than the group's assignment interval, so that members who come together share one. Small groups are
assigned on the spot, as part of the heartbeat that changed them; large ones in a thread, from a copy, and members
learn of it at their next heartbeats.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from penstock.coordinators.decision import Decision, Timer, Work
from penstock.coordinators.groups.assigned.commands import TargetReady, WorkFailed
from penstock.coordinators.groups.assigned.notes import Working
from penstock.coordinators.groups.assigned.records import TargetRecord
from penstock.coordinators.groups.assigned.step import Step
from penstock.coordinators.groups.assignors import Assignment, GroupAssignment

ASSIGNING = "assigning"
AT_ONCE_MAX = 200
"""Members and partitions, taken together, up to which a target is worked out on the event loop."""
WRITTEN_AT_ONCE = 250
"""Members whose new targets are written in one batch; others have their turn before the next."""


class Plan(NamedTuple):
    size: int
    """Members and partitions, taken together."""
    assign: Callable[[], GroupAssignment]
    """Of values that nobody changes, so that it may run in a thread."""
    instances: Mapping[str, str] = {}
    """Static members, by instance id."""


def next_target(step: Step[Any, Any], epoch: int, member: Any, plan_of: Callable[[], Plan]) -> tuple[int, Assignment]:
    """The newest assignment epoch, and what the member is to own by it."""
    group = step.group
    last = group.assignment_epoch, group.target_of(member)
    if group.assignment_epoch >= epoch or ASSIGNING in group.working or not _is_due(step):
        return last
    plan = plan_of()
    if plan.size <= AT_ONCE_MAX:
        target = plan.assign()
        step.keep(*_changes(step, target), step.kept.target_epoch(group.group_id, epoch, step.wall))
        return epoch, target[member.member_id]
    group_id, ticket = group.group_id, step.ticket

    def run() -> TargetReady | WorkFailed:
        try:
            target = plan.assign()
            return TargetReady(group_id=group_id, epoch=epoch, target=target, ticket=ticket, instances=plan.instances)
        except Exception:
            return WorkFailed(group_id=group_id, kind=ASSIGNING)

    step.note(Working(group_id, ASSIGNING, ticket))
    step.work.append(Work((ASSIGNING, group_id), run))
    return last


def _is_due(step: Step[Any, Any]) -> bool:
    at = step.group.assigned_at
    # A clock that was set back must not keep a group waiting.
    return at is None or not at <= step.wall < at + step.settings.assignment_interval_ms


def _changes(step: Step[Any, Any], target: GroupAssignment) -> Iterator[TargetRecord]:
    group = step.group
    for member_id, assignment in target.items():
        if group.targets.get(member_id) != assignment:
            yield step.kept.target(group.group_id, member_id, assignment)


def target_ready(step: Step[Any, Any], command: TargetReady) -> Decision:
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
    target = group.renamed(command.target, command.instances)
    present = {member_id: assignment for member_id, assignment in target.items() if member_id in group.members}
    changes = list(_changes(step, present))
    step.keep(*changes[:WRITTEN_AT_ONCE])
    if len(changes) > WRITTEN_AT_ONCE:
        step.set_timer(Timer((ASSIGNING, group.group_id), step.now, command))
        return step.decision()
    step.keep(step.kept.target_epoch(group.group_id, command.epoch, step.wall))
    step.note(Working(group.group_id, ASSIGNING, None))
    return step.decision()
