"""From what a member owns to what it is to own, one step a heartbeat: first give up, say so, then get.

A member is told to revoke what its target does not name and keeps its epoch until it reports that it owns none of that
any more; then it moves to the target's epoch and gets whatever of its target nobody else owns. What others have not
given up yet it gets at a later heartbeat. So a partition has one owner at any time, however far apart members are.
"""

from collections.abc import Container, Iterable, Mapping

import msgspec

from penstock.coordinators.groups.assignors import Assignment
from penstock.coordinators.groups.consumer.state import ConsumerGroup, ConsumerMember, MemberState, Owned
from penstock.errors import FencedMemberEpoch
from penstock.model import TopicId

Reported = Mapping[TopicId, Iterable[int]]
"""Partitions that a member says it owns."""


class Wanted(msgspec.Struct, frozen=True):
    """What a member is to own, and of which topics it may own anything at all."""

    epoch: int
    target: Assignment
    topic_ids: Container[TopicId]


def reconciled(
    group: ConsumerGroup, member: ConsumerMember, wanted: Wanted, *, reported: Reported | None, resubscribed: bool
) -> ConsumerMember:
    """The member after one step. None reported: it owns what it owned at its last heartbeat."""
    if not resubscribed and member.is_reconciled_to(wanted.epoch):
        return member
    match member.state:
        case MemberState.STABLE if member.epoch == wanted.epoch:
            return _unsubscribed(member, wanted, reported)
        case MemberState.UNREVOKED if _owns_any(reported, member.revoking):
            return _unsubscribed(member, wanted, reported) if resubscribed else member
        case MemberState.UNKNOWN if reported is None or any(reported.values()):
            raise FencedMemberEpoch("where the member stands is not known: it must give up all and join again")
        case MemberState.UNKNOWN:
            return _next(group, msgspec.structs.replace(member, epoch=wanted.epoch), wanted, reported)
        case _:
            return _next(group, member, wanted, reported)


def _owns_any(reported: Reported | None, revoking: Owned) -> bool:
    if reported is None:
        return True  # as far as is known
    return any(
        partition in revoking[topic_id]
        for topic_id, partitions in reported.items()
        if topic_id in revoking
        for partition in partitions
    )


def _unsubscribed(member: ConsumerMember, wanted: Wanted, reported: Reported | None) -> ConsumerMember:
    """Within an epoch: a member gives up the topics it no longer wants before there is a new target."""
    kept = {topic_id: parts for topic_id, parts in member.assigned.items() if topic_id in wanted.topic_ids}
    if len(kept) == len(member.assigned):
        return member
    revoking = {topic_id: dict(parts) for topic_id, parts in member.revoking.items()}
    for topic_id, parts in member.assigned.items():
        if topic_id not in kept:
            revoking.setdefault(topic_id, {}).update(parts)
    changes = {"previous_epoch": member.epoch, "assigned": kept}
    if _owns_any(reported, revoking):
        return msgspec.structs.replace(member, state=MemberState.UNREVOKED, revoking=revoking, **changes)
    return msgspec.structs.replace(member, **changes)


def _next(group: ConsumerGroup, member: ConsumerMember, wanted: Wanted, reported: Reported | None) -> ConsumerMember:
    kept: Owned = {}
    revoking: Owned = {}
    for topic_id, parts in member.assigned.items():
        target = wanted.target.get(topic_id, frozenset()) if topic_id in wanted.topic_ids else frozenset()
        for partition, epoch in parts.items():
            (kept if partition in target else revoking).setdefault(topic_id, {})[partition] = epoch
    if revoking and _owns_any(reported, revoking):
        return msgspec.structs.replace(
            member, state=MemberState.UNREVOKED, previous_epoch=member.epoch, assigned=kept, revoking=revoking
        )
    is_waiting = _add_what_is_free(kept, group, member, wanted)
    return msgspec.structs.replace(
        member,
        state=MemberState.UNRELEASED if is_waiting else MemberState.STABLE,
        epoch=wanted.epoch,
        previous_epoch=member.epoch,
        assigned=kept,
        revoking={},
    )


def _add_what_is_free(owned: Owned, group: ConsumerGroup, member: ConsumerMember, wanted: Wanted) -> bool:
    """Whether some of the target is still with others."""
    is_waiting = False
    for topic_id, target in wanted.target.items():
        if topic_id not in wanted.topic_ids:
            continue
        mine = owned.get(topic_id, {})
        given_up = member.revoking.get(topic_id, {})
        owners = group.owners.get(topic_id, {})
        for partition in sorted(target):
            if partition in mine:
                continue
            if partition in owners and partition not in given_up:
                is_waiting = True
            else:
                owned.setdefault(topic_id, {})[partition] = wanted.epoch
    return is_waiting
