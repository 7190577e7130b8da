"""Partitions that a share group is to read, and of which no state is kept yet: the service has it begun at the share
coordinator of each, and says when it is done.

Every order has a state epoch of its own, which rises when a partition is ordered again. So what an old order does late,
be it of a coordinator that was replaced, is refused where the state is kept: it cannot take back how far the group has
come since. A partition is assigned only when the newest order for its topic is done.
"""

from collections.abc import Iterable, Mapping

from penstock.coordinators.decision import RUNNER, Decision
from penstock.coordinators.groups.assigned.environment import Environment
from penstock.coordinators.groups.commands import BeingDeleted
from penstock.coordinators.groups.share.commands import Ordered, StatesInitialized, StatesToInitialize
from penstock.coordinators.groups.share.records import KeptStatesRecord, ShareEpochRecord
from penstock.coordinators.groups.share.state import KeptStates, ShareGroup, TopicPart, TopicParts
from penstock.coordinators.groups.share.step import Step
from penstock.model import TopicId

UNKNOWN_START = -1
"""The leader of the partition finds out where to start, by the group's settings, when it is first read."""

Starts = Mapping[TopicId, Mapping[int, int]]


def is_overdue(step: Step) -> bool:
    """Something was ordered so long ago that it is ordered again."""
    group = step.group
    if not _pending(group):
        return False
    return group.ordered_at is None or step.now - group.ordered_at >= step.limits.initialize_retry_ms


def _pending(group: ShareGroup) -> dict[TopicId, frozenset[int]]:
    initialized = group.initialized()
    rest = {
        topic_id: partitions - initialized.get(topic_id, frozenset())
        for topic_id, partitions in group.initializing().items()
    }
    return {topic_id: partitions for topic_id, partitions in rest.items() if partitions}


def missing(step: Step, names: Iterable[str]) -> TopicParts:
    """Partitions of these topics that are neither initialized nor about to be."""
    known = step.group.initialized()
    if not is_overdue(step):
        for topic_id, partitions in _pending(step.group).items():
            known[topic_id] = known.get(topic_id, frozenset()) | partitions
    found: dict[TopicId, TopicPart] = {}
    for name in sorted(names):
        facts = step.environment.topic_named(name)
        if facts is None or len(known.get(facts.topic_id, ())) >= facts.partitions:
            continue
        partitions = frozenset(range(facts.partitions)) - known.get(facts.topic_id, frozenset())
        found[facts.topic_id] = TopicPart(name, partitions)
    return found


def is_begun_again(group: ShareGroup, parts: TopicParts) -> bool:
    begun = group.initializing()
    return any(part.partitions & begun.get(topic_id, frozenset()) for topic_id, part in parts.items())


def has_unassigned(group: ShareGroup, environment: Environment) -> bool:
    """Whether something is initialized that somebody wants and nobody has."""
    wanted = {facts.topic_id for name in group.name_counts if (facts := environment.topic_named(name)) is not None}
    initialized = {topic_id: parts for topic_id, parts in group.initialized().items() if topic_id in wanted}
    if not initialized:
        return False
    assigned: dict[TopicId, set[int]] = {}
    for target in group.targets.values():
        for topic_id, partitions in target.items():
            assigned.setdefault(topic_id, set()).update(partitions)
    return any(parts - assigned.get(topic_id, set()) for topic_id, parts in initialized.items())


def order(step: Step, state_epoch: int, parts: TopicParts, starts: Starts | None = None) -> StatesToInitialize:
    """Note that it is under way. Whoever is not given `starts` goes on without waiting for the outcome."""
    group = step.group
    step.keep(KeptStatesRecord(group.group_id, (group.states or KeptStates()).begin(parts)))
    step.note(Ordered(group.group_id, step.now, state_epoch, frozenset(parts)))
    if starts is not None:
        return StatesToInitialize(group.group_id, state_epoch, starts)
    unknown = {topic_id: dict.fromkeys(sorted(part.partitions), UNKNOWN_START) for topic_id, part in parts.items()}
    ordered = StatesToInitialize(group.group_id, state_epoch, unknown)
    step.reply(RUNNER, ordered)
    return ordered


def resume(step: Step) -> None:
    """After loading: whether what was under way has come about is not known, so it is ordered again."""
    group = step.group
    if group.states is None or not group.states.initializing or group.orders:
        return
    pending = _pending(group)
    parts = {topic_id: TopicPart(group.states.initializing[topic_id].name, each) for topic_id, each in pending.items()}
    there = {topic_id: part for topic_id, part in parts.items() if step.environment.topic_with(topic_id) is not None}
    if not there:
        return
    step.keep(ShareEpochRecord(group.group_id, group.epoch + 1, group.topics_hash))
    order(step, group.epoch + 1, there)


def initialized(step: Step, command: StatesInitialized) -> Decision:
    """Done, or not. What was ordered again meanwhile waits for the newer order; what is gone stays gone."""
    group = step.group
    kept = group.states or KeptStates()
    newest = {topic_id for topic_id, epoch in group.orders.items() if epoch == command.state_epoch}
    done = {topic_id: each for topic_id, each in command.done.items() if topic_id in newest}
    failed = {topic_id: each for topic_id, each in command.failed.items() if topic_id in newest}
    after = kept.finish(done, failed)
    if after != kept:
        step.keep(KeptStatesRecord(group.group_id, after))
    if command.known_epoch > group.epoch:
        # There is a state of a former group of this name: the next order must be above it.
        step.keep(ShareEpochRecord(group.group_id, command.known_epoch, group.topics_hash))
    if command.reopens:
        step.note(BeingDeleted(group.group_id, None))
    step.reply(command.address, None)
    return step.decision()
