"""What a group is subscribed to: topics by name, topics by pattern, and whether any of them has changed.

Patterns are matched in a thread, since there may be many topics; a member that brings a new one learns of its topics a
heartbeat or two later.
"""

import msgspec

from penstock.coordinators.decision import Decision, Work
from penstock.coordinators.groups.assigned import topics
from penstock.coordinators.groups.assigned.commands import WorkFailed
from penstock.coordinators.groups.assigned.counts import changed
from penstock.coordinators.groups.assigned.environment import Environment
from penstock.coordinators.groups.assigned.notes import TopicsSeen, Working
from penstock.coordinators.groups.assigned.topics import topics_hash
from penstock.coordinators.groups.commands import Shows
from penstock.coordinators.groups.consumer.commands import PatternsResolved
from penstock.coordinators.groups.consumer.records import GroupEpochRecord, PatternRecord
from penstock.coordinators.groups.consumer.state import ConsumerGroup, ConsumerMember, Resolved
from penstock.coordinators.groups.consumer.step import Step
from penstock.coordinators.patterns import compile_pattern
from penstock.model import Millis, TopicId

RESOLVING = "resolving"
REFRESH_AT_MOST_EVERY_MS = 10_000
"""However often members change their patterns, topics are gone through no more often than this."""


def topic_ids(member: ConsumerMember, group: ConsumerGroup, environment: Environment) -> frozenset[TopicId]:
    names = member.names
    if member.pattern and member.pattern in group.resolved:
        names |= group.resolved[member.pattern].topics
    found = (environment.topic_named(name) for name in names)
    return frozenset(facts.topic_id for facts in found if facts is not None)


def topics_with(group: ConsumerGroup, former: ConsumerMember, member: ConsumerMember | None) -> set[str]:
    """Topics of the group with one member in place of its former self."""
    names = group.names_without(former)
    patterns = changed(group.pattern_counts, less=former.pattern, more=None)
    if member is not None:
        names |= member.names
        patterns = changed(patterns, less=None, more=member.pattern)
    for pattern in patterns:
        if pattern in group.resolved:
            names |= group.resolved[pattern].topics
    return names


class PatternChange(msgspec.Struct, frozen=True):
    is_changed: bool = False
    is_resolved: bool = False
    """The topics of the new pattern are known, or there is none: a new target can be worked out."""


def follow_patterns(
    step: Step, former: ConsumerMember, member: ConsumerMember, shows: Shows | None = None
) -> PatternChange:
    """A pattern finds what is shown to the member for which topics are gone through."""
    group = step.group
    change, must_resolve = _pattern_change(step, former, member)
    if not must_resolve and not group.pattern_counts:
        return change
    if RESOLVING in group.working:
        return change
    last = next(iter(group.resolved.values()), None)
    if last is not None and _is_within(REFRESH_AT_MOST_EVERY_MS, last, step):
        return change
    patterns = changed(group.pattern_counts, less=former.pattern, more=member.pattern)
    is_old = last is None or not _is_within(step.limits.pattern_refresh_interval_ms, last, step)
    has_news = (0 if last is None else last.revision) < step.environment.topics_created_at
    if patterns and (must_resolve or is_old or has_news or len(patterns) != len(group.resolved)):
        _resolve(step, sorted(patterns), shows)
    return change


def _is_within(interval_ms: int, last: Resolved, step: Step) -> bool:
    """What was found in the future was found before the clock was set back, or by a broker with another clock."""
    return last.at <= step.wall <= last.at + interval_ms


def _pattern_change(step: Step, former: ConsumerMember, member: ConsumerMember) -> tuple[PatternChange, bool]:
    """What the change means, and whether topics must be gone through for it."""
    group, old, new = step.group, former.pattern, member.pattern
    if old == new:
        return PatternChange(), False
    if old and group.pattern_counts.get(old) == 1:
        step.keep(PatternRecord(group.group_id, old, None))
    if not new:
        return PatternChange(is_changed=True, is_resolved=bool(old)), False
    if new in group.pattern_counts:
        return PatternChange(is_changed=True, is_resolved=new in group.resolved), False
    compile_pattern(new)  # an invalid one is refused
    return PatternChange(is_changed=True), True


def _resolve(step: Step, patterns: list[str], shows: Shows | None) -> None:
    group_id = step.group.group_id
    names, revision, wall = step.environment.topic_names(), step.environment.revision, step.wall

    def run() -> PatternsResolved | WorkFailed:
        try:
            resolved = resolve(patterns, names, revision=revision, at=wall)
            return PatternsResolved(group_id=group_id, resolved=resolved, shows=shows)
        except Exception:
            return WorkFailed(group_id=group_id, kind=RESOLVING)

    step.note(Working(group_id, RESOLVING, step.ticket))
    step.work.append(Work((RESOLVING, group_id), run))


def resolve(patterns: list[str], names: list[str], *, revision: int, at: Millis) -> dict[str, Resolved]:
    return {
        pattern: Resolved(frozenset(filter(compile_pattern(pattern).matches, names)), revision, at)
        for pattern in patterns
    }


def patterns_resolved(step: Step, command: PatternsResolved) -> Decision:
    group = step.group
    step.note(Working(group.group_id, RESOLVING, None))
    names = set(group.name_counts)
    is_new = False
    for pattern in sorted(group.pattern_counts):
        resolved = _shown(command.resolved.get(pattern), command.shows)
        known = group.resolved.get(pattern)
        if resolved is not None:
            is_new |= resolved.topics != (frozenset() if known is None else known.topics)
            step.keep(PatternRecord(group.group_id, pattern, resolved))
            names |= resolved.topics
        elif known is not None:
            names |= known.topics
    new_hash = topics_hash(names, step.environment)
    if is_new or new_hash != group.topics_hash:
        step.keep(GroupEpochRecord(group.group_id, group.epoch + 1, new_hash))
        step.note(TopicsSeen(group.group_id, step.environment.topics_changed_at))
    return step.decision()


def _shown(resolved: Resolved | None, shows: Shows | None) -> Resolved | None:
    """Here and not in the thread that matched: rights are the loop's."""
    if resolved is None or shows is None:
        return resolved
    return msgspec.structs.replace(resolved, topics=frozenset(filter(shows, resolved.topics)))


def follow_topics(step: Step, former: ConsumerMember, member: ConsumerMember, *, must_rise: bool) -> int:
    return topics.follow_topics(step, lambda: topics_with(step.group, former, member), must_rise=must_rise)
