"""Members that go: by themselves, for a while, or because they were silent or slow for too long.

If those who stay all speak the classic protocol the group becomes a classic one again (`migration`).
"""

from collections.abc import Sequence

import msgspec

from penstock.coordinators.decision import Decision
from penstock.coordinators.groups.assigned.members import known_member, removal
from penstock.coordinators.groups.assigned.notes import Emptied
from penstock.coordinators.groups.assigned.records import SilenceRecord
from penstock.coordinators.groups.assigned.topics import topics_hash
from penstock.coordinators.groups.consumer.commands import ClassicStepDue, ConsumerHeartbeat, RevocationDue
from penstock.coordinators.groups.consumer.members import known_instance
from penstock.coordinators.groups.consumer.migration import can_downgrade, to_classic
from penstock.coordinators.groups.consumer.records import CurrentAssignmentRecord, GroupEpochRecord, PatternRecord
from penstock.coordinators.groups.consumer.state import LEAVING_FOR_A_WHILE, ConsumerMember
from penstock.coordinators.groups.consumer.step import Step, stop_all
from penstock.wire.messages.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse


def leave(step: Step, command: ConsumerHeartbeat) -> Decision:
    request, group = command.request, step.group
    response = ConsumerGroupHeartbeatResponse(member_id=request.member_id, member_epoch=request.member_epoch)
    step.reply(command.address, response)
    if request.instance_id is None:
        return remove(step, [known_member(group, request.member_id)])
    member = known_instance(group, request.instance_id, request.member_id)
    if request.member_epoch != LEAVING_FOR_A_WHILE:
        return remove(step, [member])
    away = msgspec.structs.replace(
        member,
        epoch=LEAVING_FOR_A_WHILE,
        revoking={},
        # Whoever comes back may commit for all of it under whatever epoch it gets.
        assigned={topic_id: dict.fromkeys(partitions, 0) for topic_id, partitions in member.assigned.items()},
    )
    # It will be silent, and says so itself: its session goes on, whoever coordinates meanwhile.
    step.keep(
        CurrentAssignmentRecord(group.group_id, member.member_id, away),
        SilenceRecord(group.group_id, member.member_id, step.wall),
    )
    return step.decision()


def remove(step: Step, members: Sequence[ConsumerMember]) -> Decision:
    if not members:
        return step.decision()
    if can_downgrade(step.group, members, step.limits):
        return to_classic(step, leaving=members)
    group = step.group
    for member in members:
        step.keep(*removal(group, member.member_id, step.kept))
        stop_all(step, member.member_id)
    topics = _remaining_topics(step, members)
    step.keep(GroupEpochRecord(group.group_id, group.epoch + 1, topics_hash(topics, step.environment)))
    if len(members) == len(group.members):
        step.note(Emptied(group.group_id, step.wall))
    return step.decision()


def _remaining_topics(step: Step, members: Sequence[ConsumerMember]) -> set[str]:
    """What those who stay are subscribed to. Patterns that only the others had are forgotten."""
    group = step.group
    names, patterns = dict(group.name_counts), dict(group.pattern_counts)
    for member in members:
        for name in member.names:
            names[name] -= 1
        if member.pattern:
            patterns[member.pattern] -= 1
    topics = {name for name, count in names.items() if count > 0}
    for pattern, count in sorted(patterns.items()):
        if count <= 0:
            step.keep(PatternRecord(group.group_id, pattern, None))
        elif pattern in group.resolved:
            topics |= group.resolved[pattern].topics
    return topics


# Timers ---------------------------------------------------------------------------------------------------------


def revocation_due(step: Step, command: RevocationDue) -> Decision:
    member = step.group.members.get(command.member_id)
    if member is None or member.epoch != command.epoch:
        return Decision()  # it gave up what it had to
    return remove(step, [member])


def classic_step_due(step: Step, command: ClassicStepDue) -> Decision:
    member = step.group.members.get(command.member_id)
    return Decision() if member is None else remove(step, [member])
