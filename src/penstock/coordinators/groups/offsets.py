"""Committed offsets: how far a group has read each partition, kept until nobody has used them for long enough.

A commit is taken from a member of the group's present generation, or from anyone (generation -1) while the group has no
members: tools, and consumers that assign partitions by themselves. A group that is only ever committed for is simple:
it has no protocol type.
"""

from collections.abc import Iterator, Mapping

from penstock.coordinators.decision import Decision, Reply, Timer
from penstock.coordinators.groups.commands import CommitOffsets, DeleteOffsets, ExpiryDue, FetchOffsets, ForgetTopic
from penstock.coordinators.groups.joining import known_member
from penstock.coordinators.groups.membership import seen
from penstock.coordinators.groups.records import GroupKept, GroupRecord, OffsetKept
from penstock.coordinators.groups.state import CONSUMER, CommittedOffset, Group, GroupLimits, GroupState
from penstock.errors import (
    GroupIdNotFound,
    GroupSubscribedToTopic,
    IllegalGeneration,
    InvalidGroupId,
    NonEmptyGroup,
    OffsetMetadataTooLarge,
    RebalanceInProgress,
    UnknownMemberId,
)
from penstock.model import Millis
from penstock.wire.messages.offset_commit_request import OffsetCommitRequest, OffsetCommitRequestPartition
from penstock.wire.messages.offset_commit_response import (
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from penstock.wire.messages.offset_delete_response import (
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)
from penstock.wire.messages.offset_fetch_response import (
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopics,
)

PartitionOffsets = dict[int, CommittedOffset]
GroupOffsets = dict[str, PartitionOffsets]
"""Committed offsets of one group, by topic and partition."""

GROUP_ID_NOT_FOUND_FROM = 9
FORGET_AT_ONCE = 1_000
"""Records that are taken back in one batch; the rest follow in the next."""


# Commit ---------------------------------------------------------------------------------------------------------


def commit(command: CommitOffsets, group: Group | None, now: Millis, limits: GroupLimits) -> Decision:
    request = command.request
    _check_commit(command, group)
    response = OffsetCommitResponse()
    records: list[GroupRecord] = []
    for topic in request.topics:
        answered = OffsetCommitResponseTopic(topic.name, topic.topic_id)
        response.topics.append(answered)
        for part in topic.partitions:
            code = 0
            if _length(part.committed_metadata or "") > limits.offset_metadata_max:
                code = OffsetMetadataTooLarge.code
            else:
                committed = _committed(request, part, topic.topic_id, now)
                records.append(OffsetKept(request.group_id, topic.name, part.partition_index, committed))
            answered.partitions.append(OffsetCommitResponsePartition(part.partition_index, code))
    notes = []
    if group is not None and group.state in (GroupState.STABLE, GroupState.PREPARING_REBALANCE):
        member = group.members.get(request.member_id)
        if member is not None:
            notes.append(seen(group, member, now))
    return Decision(records=records, notes=notes, replies=(Reply(command.address, response),))


def _check_commit(command: CommitOffsets, group: Group | None) -> None:
    request = command.request
    generation = request.generation_id_or_member_epoch
    if group is None:
        if generation < 0:
            return  # it becomes a simple group
        if command.api_version >= GROUP_ID_NOT_FOUND_FROM:
            raise GroupIdNotFound
        raise IllegalGeneration
    if group.state is GroupState.EMPTY and generation < 0:
        return
    if generation >= 0 or request.member_id or request.group_instance_id is not None:
        known_member(group, request.member_id, request.group_instance_id)
        if generation != group.generation:
            raise IllegalGeneration(f"{generation}; the group is at {group.generation}")
    elif group.state is not GroupState.EMPTY:
        raise UnknownMemberId
    if group.state is GroupState.COMPLETING_REBALANCE:
        raise RebalanceInProgress


def _length(text: str) -> int:
    """As Java counts it, in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _committed(
    request: OffsetCommitRequest, part: OffsetCommitRequestPartition, topic_id: bytes, now: Millis
) -> CommittedOffset:
    return CommittedOffset(
        offset=part.committed_offset,
        leader_epoch=part.committed_leader_epoch,
        metadata=part.committed_metadata or "",
        committed_at=now,
        expires_at=None if request.retention_time_ms == -1 else Millis(now + request.retention_time_ms),
        topic_id=topic_id,
    )


# Fetch ----------------------------------------------------------------------------------------------------------


def fetch(command: FetchOffsets, offsets: GroupOffsets) -> Decision:
    if command.topics is None:
        topics = [_fetched(topic, parts, sorted(parts)) for topic, parts in sorted(offsets.items())]
    else:
        topics = [_fetched(topic, offsets.get(topic, {}), indexes) for topic, indexes in command.topics]
    return Decision(replies=(Reply(command.address, OffsetFetchResponseGroup(command.group_id, topics)),))


def _fetched(topic: str, parts: PartitionOffsets, indexes: list[int]) -> OffsetFetchResponseTopics:
    answered = OffsetFetchResponseTopics(topic)
    for index in indexes:
        found = parts.get(index)
        answered.partitions.append(
            OffsetFetchResponsePartitions(index, -1, -1, "")
            if found is None
            else OffsetFetchResponsePartitions(index, found.offset, found.leader_epoch, found.metadata)
        )
    return answered


# Delete ---------------------------------------------------------------------------------------------------------


def delete(command: DeleteOffsets, group: Group | None, offsets: GroupOffsets) -> Decision:
    request = command.request
    if not request.group_id:
        raise InvalidGroupId
    if group is None:
        raise GroupIdNotFound
    if group.state is not GroupState.EMPTY and group.protocol_type != CONSUMER:
        raise NonEmptyGroup  # what its members use cannot be told
    response = OffsetDeleteResponse()
    records: list[GroupRecord] = []
    for topic in request.topics:
        answered = OffsetDeleteResponseTopic(topic.name)
        response.topics.append(answered)
        code = GroupSubscribedToTopic.code if group.is_subscribed_to(topic.name) else 0
        known = {} if code else offsets.get(topic.name, {})
        for part in topic.partitions:
            if part.partition_index in known:
                records.append(OffsetKept(request.group_id, topic.name, part.partition_index, None))
            answered.partitions.append(OffsetDeleteResponsePartition(part.partition_index, code))
    return Decision(records=records, replies=(Reply(command.address, response),))


def taken_back(group_id: str, offsets: GroupOffsets) -> list[GroupRecord]:
    return [OffsetKept(group_id, topic, partition, None) for topic, parts in offsets.items() for partition in parts]


def forget_topic(command: ForgetTopic, all_offsets: Mapping[str, GroupOffsets], now: Millis) -> Decision:
    records: list[GroupRecord] = []
    for group_id, offsets in all_offsets.items():
        records += [OffsetKept(group_id, command.topic, part, None) for part in offsets.get(command.topic, ())]
        if len(records) >= FORGET_AT_ONCE:
            return Decision(records=records, timers=(Timer(("forget", command.topic), now, command),))
    return Decision(records=records)


# Expiry ---------------------------------------------------------------------------------------------------------


def expire(
    groups: Mapping[str, Group], all_offsets: Mapping[str, GroupOffsets], now: Millis, limits: GroupLimits
) -> Decision:
    """Take back what is too old, and groups that have nothing left."""
    records: list[GroupRecord] = []
    again_at = Millis(now + limits.expiry_interval_ms)
    for group_id, group in groups.items():
        offsets = all_offsets.get(group_id, {})
        expired = list(_expired(group, offsets, now, limits))
        records += expired
        is_idle = group.state is GroupState.EMPTY and not group.promised
        if is_idle and len(expired) == sum(map(len, offsets.values())):
            records.append(GroupKept(group_id, None))
        if len(records) >= FORGET_AT_ONCE:
            again_at = now
            break
    return Decision(records=records, timers=(expiry_timer(again_at),))


def expiry_timer(at: Millis) -> Timer:
    return Timer(("expiry",), at, ExpiryDue())


def _expired(group: Group, offsets: GroupOffsets, now: Millis, limits: GroupLimits) -> Iterator[OffsetKept]:
    """Members use what they are subscribed to. Of the rest: in an empty group all counts from when it became empty, in
    a stable or a simple one each from its commit; while a group rebalances nothing expires.
    """
    if group.protocol_type is None or (
        group.protocol_type == CONSUMER and group.subscribed is not None and group.state is GroupState.STABLE
    ):
        since = None
    elif group.state is GroupState.EMPTY:
        since = group.state_since
    else:
        return
    for topic, parts in offsets.items():
        if group.is_subscribed_to(topic):
            continue
        for partition, committed in parts.items():
            start = committed.committed_at if since is None else since
            end = committed.expires_at or start + limits.offsets_retention_ms
            if now >= end:
                yield OffsetKept(group.group_id, topic, partition, None)
