"""Whether a member may commit, or look at committed offsets, at the epoch it is at.

A commit with an older epoch counts if the partition was the member's at that epoch already: heartbeats move epochs on
while a commit is under way. One for a partition that it got since, or has no more, is refused (KIP-1251).
"""

from collections.abc import Iterable

import msgspec

from penstock.coordinators.decision import Decision
from penstock.coordinators.groups import offsets
from penstock.coordinators.groups.assigned.members import known_member
from penstock.coordinators.groups.commands import CommitInTransaction, CommitOffsets
from penstock.coordinators.groups.consumer.state import ConsumerGroup, ConsumerMember
from penstock.coordinators.groups.state import CONSUMER, Group, GroupLimits, GroupState
from penstock.errors import IllegalGeneration, Refusal, StaleMemberEpoch, UnsupportedVersion
from penstock.model import Millis, TopicId

EPOCHS_FROM = 9
"""The version of OffsetCommit in which a member of this protocol may commit."""


NOT_A_MEMBER = -1


def commit(command: CommitOffsets, group: ConsumerGroup, now: Millis, limits: GroupLimits) -> Decision:
    request = command.request
    check_commit(
        group,
        member_id=request.member_id,
        instance_id=request.group_instance_id,
        epoch=request.generation_id_or_member_epoch,
        partitions=(
            (TopicId(topic.topic_id), part.partition_index) for topic in request.topics for part in topic.partitions
        ),
        api_version=command.api_version,
    )
    checked = msgspec.structs.replace(request, generation_id_or_member_epoch=NOT_A_MEMBER)
    return offsets.commit(msgspec.structs.replace(command, request=checked), _memberless(group), now, limits)


def commit_in_transaction(
    command: CommitInTransaction, group: ConsumerGroup, now: Millis, limits: GroupLimits
) -> Decision:
    """A producer knows generations only, so that is what it is told of."""
    request = command.request
    try:
        check_commit(
            group,
            member_id=request.member_id,
            instance_id=request.group_instance_id,
            epoch=request.generation_id,
            partitions=(
                (TopicId(command.topic_ids.get(topic.name, bytes(16))), part.partition_index)
                for topic in request.topics
                for part in topic.partitions
            ),
            api_version=EPOCHS_FROM,
            is_transactional=True,
        )
    except StaleMemberEpoch as refusal:
        raise IllegalGeneration(refusal.message) from None
    checked = msgspec.structs.replace(request, generation_id=NOT_A_MEMBER, member_id="", group_instance_id=None)
    asked = msgspec.structs.replace(command, request=checked)
    return offsets.commit_in_transaction(asked, _memberless(group), now, limits)


def _memberless(group: ConsumerGroup) -> Group:
    """Who commits has been checked: what is left is as for a group without members."""
    return Group(group_id=group.group_id)


def as_group(group: ConsumerGroup) -> Group:
    """What a classic group would be that is used in the same way, to those who ask which offsets are in use."""
    known = Group(group_id=group.group_id, protocol_type=CONSUMER, subscribed=group.topics)
    if group.members:
        known.state = GroupState.STABLE
    else:
        known.state_since = group.empty_since
    return known


def check_commit(
    group: ConsumerGroup,
    *,
    member_id: str,
    instance_id: str | None,
    epoch: int,
    partitions: Iterable[tuple[TopicId, int]],
    api_version: int,
    is_transactional: bool = False,
) -> None:
    if epoch < 0 and not group.members:
        return
    if is_transactional and epoch == -1 and not member_id and instance_id is None:
        return  # a producer that says nothing of its group, as before KIP-447
    member = known_member(group, member_id)
    if not is_transactional and member.classic is None and api_version < EPOCHS_FROM:
        raise UnsupportedVersion(f"members of the consumer protocol commit in version {EPOCHS_FROM} or above")
    if epoch == member.epoch:
        return
    if epoch > member.epoch:
        raise _stale(member, f"member epoch {epoch} is newer than {member.epoch}")
    for topic_id, partition in partitions:
        since = member.assigned.get(topic_id, {}).get(partition)
        if since is None:
            since = member.revoking.get(topic_id, {}).get(partition)
        if since is None:
            raise _stale(member, f"partition {partition} is not the member's")
        if epoch < since:
            raise _stale(member, f"member epoch {epoch} is older than {since}, at which partition {partition} came")


def check_fetch(group: ConsumerGroup, *, member_id: str | None, epoch: int) -> None:
    if member_id is None and epoch < 0:
        return
    member = known_member(group, member_id or "")
    if epoch != member.epoch:
        raise _stale(member, f"member epoch {epoch}; the member is at {member.epoch}")


def _stale(member: ConsumerMember, why: str) -> Refusal:
    return StaleMemberEpoch(why) if member.classic is None else IllegalGeneration(why)
