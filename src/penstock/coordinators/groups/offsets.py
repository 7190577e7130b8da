"""Committing offsets: how far a group has read each partition.

A commit is taken from a member of the group's present generation, or from anyone (generation -1) while the group has no
members: tools, and consumers that assign partitions by themselves. A group that is only ever committed for is simple:
it has no protocol type. A commit within a transaction is checked for who commits, but not for where the group stands:
its producer is fenced by the transaction's own means.
"""

from penstock.coordinators.decision import Decision, Reply
from penstock.coordinators.groups.classic.joining import known_member
from penstock.coordinators.groups.classic.membership import seen
from penstock.coordinators.groups.commands import CommitInTransaction, CommitOffsets
from penstock.coordinators.groups.records import GroupRecord, OffsetRecord
from penstock.coordinators.groups.state import CommittedOffset, Group, GroupLimits, GroupState
from penstock.errors import (
    GroupIdNotFound,
    IllegalGeneration,
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
from penstock.wire.messages.txn_offset_commit_response import (
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)

PartitionOffsets = dict[int, CommittedOffset]
GroupOffsets = dict[str, PartitionOffsets]
"""Committed offsets of one group, by topic and partition."""

GROUP_ID_NOT_FOUND_FROM = 9
NO_TOPIC_ID = bytes(16)


def commit(command: CommitOffsets, group: Group | None, now: Millis, limits: GroupLimits) -> Decision:
    request = command.request
    _check_commit(command, group)
    response = OffsetCommitResponse()
    records: list[GroupRecord] = []
    for topic in request.topics:
        answered = OffsetCommitResponseTopic(topic.name, topic.topic_id)
        response.topics.append(answered)
        for part in topic.partitions:
            code = _metadata_code(part.committed_metadata, limits)
            if not code:
                committed = _committed(request, part, topic.topic_id, limits.wall(now))
                records.append(OffsetRecord(request.group_id, topic.name, part.partition_index, committed))
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
    if not _check_member(group, generation, request.member_id, request.group_instance_id):
        raise UnknownMemberId
    if group.state is GroupState.COMPLETING_REBALANCE:
        raise RebalanceInProgress


def _check_member(group: Group, generation: int, member_id: str, instance_id: str | None) -> bool:
    """Whether it says who commits; if it does, that must be a member of the present generation."""
    if generation < 0 and not member_id and instance_id is None:
        return False
    known_member(group, member_id, instance_id)
    if generation != group.generation:
        raise IllegalGeneration(f"{generation}; the group is at {group.generation}")
    return True


def commit_in_transaction(
    command: CommitInTransaction, group: Group | None, now: Millis, limits: GroupLimits
) -> Decision:
    """The offsets are written under the producer's id, and pending until its marker."""
    request = command.request
    if group is None:
        if request.generation_id >= 0:
            raise IllegalGeneration
    elif group.state is not GroupState.EMPTY or request.generation_id >= 0:
        _check_member(group, request.generation_id, request.member_id, request.group_instance_id)
    response = TxnOffsetCommitResponse()
    records: list[GroupRecord] = []
    for topic in request.topics:
        answered = TxnOffsetCommitResponseTopic(topic.name)
        response.topics.append(answered)
        topic_id = command.topic_ids.get(topic.name, NO_TOPIC_ID)
        for part in topic.partitions:
            code = _metadata_code(part.committed_metadata, limits)
            if not code:
                metadata = part.committed_metadata or ""
                committed = CommittedOffset(
                    part.committed_offset, part.committed_leader_epoch, metadata, limits.wall(now), None, topic_id
                )
                records.append(OffsetRecord(request.group_id, topic.name, part.partition_index, committed))
            answered.partitions.append(TxnOffsetCommitResponsePartition(part.partition_index, code))
    return Decision(
        records=records,
        producer=(request.producer_id, request.producer_epoch),
        guard=command.guard,
        replies=(Reply(command.address, response),),
    )


def _metadata_code(metadata: str | None, limits: GroupLimits) -> int:
    return OffsetMetadataTooLarge.code if _length(metadata or "") > limits.offset_metadata_max else 0


def _length(text: str) -> int:
    """As Java counts it, in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def _committed(
    request: OffsetCommitRequest, part: OffsetCommitRequestPartition, topic_id: bytes, wall: Millis
) -> CommittedOffset:
    return CommittedOffset(
        offset=part.committed_offset,
        leader_epoch=part.committed_leader_epoch,
        metadata=part.committed_metadata or "",
        committed_at=wall,
        expires_at=None if request.retention_time_ms == -1 else Millis(wall + request.retention_time_ms),
        topic_id=topic_id,
    )
