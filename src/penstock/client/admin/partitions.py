"""Partitions: their offsets, what is cut off their begin, who leads them, where their replicas are and go."""

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

import msgspec

from penstock.client.core import Core
from penstock.client.network import Node
from penstock.client.outcomes import Outcomes, by_topic, outcome, place
from penstock.errors import Refusal
from penstock.model import TopicPartition
from penstock.wire.api import ApiKey
from penstock.wire.messages.alter_partition_reassignments_request import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from penstock.wire.messages.alter_partition_reassignments_response import AlterPartitionReassignmentsResponse
from penstock.wire.messages.delete_records_request import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from penstock.wire.messages.delete_records_response import DeleteRecordsResponse
from penstock.wire.messages.elect_leaders_request import ElectLeadersRequest, TopicPartitions
from penstock.wire.messages.elect_leaders_response import ElectLeadersResponse
from penstock.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from penstock.wire.messages.list_offsets_response import ListOffsetsResponse
from penstock.wire.messages.list_partition_reassignments_request import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from penstock.wire.messages.list_partition_reassignments_response import (
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
)
from penstock.wire.messages.offset_for_leader_epoch_request import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from penstock.wire.messages.offset_for_leader_epoch_response import EpochEndOffset, OffsetForLeaderEpochResponse


class OffsetSpec(IntEnum):
    """In place of a timestamp, where ListOffsets looks."""

    LATEST = -1
    EARLIEST = -2
    MAX_TIMESTAMP = -3
    EARLIEST_LOCAL = -4
    LATEST_TIERED = -5
    EARLIEST_PENDING_UPLOAD = -6


class FoundOffset(msgspec.Struct, frozen=True):
    offset: int
    """-1: there is none, as when every record is older than the timestamp."""
    timestamp: int
    leader_epoch: int


class OffsetRange(msgspec.Struct, frozen=True):
    """A partition's records are at [begin, end)."""

    begin: int
    end: int


class Election(IntEnum):
    PREFERRED = 0
    UNCLEAN = 1


_VERSION_FOR = {
    OffsetSpec.MAX_TIMESTAMP: 7,
    OffsetSpec.EARLIEST_LOCAL: 8,
    OffsetSpec.LATEST_TIERED: 9,
    OffsetSpec.EARLIEST_PENDING_UPLOAD: 11,
}
TIMEOUT_FROM = 10


async def list_offsets(
    core: Core, at: Mapping[TopicPartition, int], *, read_committed: bool = False, patiently: bool = True
) -> Outcomes[TopicPartition, FoundOffset]:
    """The offset at a timestamp, or at an OffsetSpec, of each partition. Each leader is asked for its own.

    `patiently`: ask again while a leader is away or being replaced; else say what is known now.
    """
    at_least = max((_VERSION_FOR.get(OffsetSpec(spec), 1) for spec in at.values() if spec < 0), default=1)

    async def ask(node: Node | None, some: list[TopicPartition]) -> dict[TopicPartition, FoundOffset | Refusal]:
        def request(version: int) -> ListOffsetsRequest:
            return ListOffsetsRequest(
                replica_id=-1,
                isolation_level=int(read_committed),
                topics=[
                    ListOffsetsTopic(topic, [_asked(core, place(topic, index), at) for index in indexes])
                    for topic, indexes in by_topic(some).items()
                ],
                timeout_ms=core.timeout_ms if version >= TIMEOUT_FROM else 0,
            )

        answer: ListOffsetsResponse = await core.ask(
            node, request, api_key=ApiKey.LIST_OFFSETS, at_least=max(at_least, 4)
        )
        return {
            place(topic.name, each.partition_index): outcome(
                each.error_code, FoundOffset(each.offset, each.timestamp, each.leader_epoch)
            )
            for topic in answer.topics
            for each in topic.partitions
        }

    return await core.scatter(ApiKey.LIST_OFFSETS, at, ask, patiently=patiently)


async def offset_ranges(
    core: Core, partitions: Iterable[TopicPartition], *, read_committed: bool = False, patiently: bool = True
) -> Outcomes[TopicPartition, OffsetRange]:
    """Where each partition begins and ends. `read_committed`: the end is where the first open transaction begins."""
    wanted = list(partitions)
    # Both at once: a leader that is silent then costs the time once.
    ends = await core.scheduler.together(
        list_offsets(core, dict.fromkeys(wanted, spec), read_committed=read_committed, patiently=patiently)
        for spec in (OffsetSpec.EARLIEST, OffsetSpec.LATEST)
    )
    begin, end = (Outcomes(dict.fromkeys(wanted, each)) if isinstance(each, Refusal) else each for each in ends)
    return Outcomes({each: _range(begin[each], end[each]) for each in wanted})


def _range(begin: FoundOffset | Refusal, end: FoundOffset | Refusal) -> OffsetRange | Refusal:
    if isinstance(begin, Refusal):
        return begin
    return end if isinstance(end, Refusal) else OffsetRange(begin.offset, end.offset)


def _asked(core: Core, where: TopicPartition, at: Mapping[TopicPartition, int]) -> ListOffsetsPartition:
    known = core.metadata.partition(where)
    return ListOffsetsPartition(where.partition, known.leader_epoch if known else -1, at[where])


async def end_of_epoch(core: Core, epochs: Mapping[TopicPartition, int]) -> Outcomes[TopicPartition, EpochEndOffset]:
    """Where each partition's leader epoch ended (OffsetForLeaderEpoch): a position beyond it was cut off."""

    async def ask(node: Node | None, some: list[TopicPartition]) -> dict[TopicPartition, EpochEndOffset | Refusal]:
        topics = []
        for topic, indexes in by_topic(some).items():
            partitions = []
            for index in indexes:
                known = core.metadata.partition(place(topic, index))
                current = known.leader_epoch if known else -1
                partitions.append(OffsetForLeaderPartition(index, current, epochs[place(topic, index)]))
            topics.append(OffsetForLeaderTopic(topic, partitions))
        request = OffsetForLeaderEpochRequest(replica_id=-1, topics=topics)
        answer: OffsetForLeaderEpochResponse = await core.ask(node, request, at_least=3)
        return {
            place(topic.topic, each.partition): outcome(each.error_code, each)
            for topic in answer.topics
            for each in topic.partitions
        }

    return await core.scatter(ApiKey.OFFSET_FOR_LEADER_EPOCH, epochs, ask)


async def delete_records(core: Core, before: Mapping[TopicPartition, int]) -> Outcomes[TopicPartition, int]:
    """Drop what is before these offsets (-1: everything that is committed). The outcome is where the log begins now."""

    async def ask(node: Node | None, some: list[TopicPartition]) -> dict[TopicPartition, int | Refusal]:
        topics = [
            DeleteRecordsTopic(topic, [DeleteRecordsPartition(index, before[place(topic, index)]) for index in indexes])
            for topic, indexes in by_topic(some).items()
        ]
        answer: DeleteRecordsResponse = await core.ask(node, DeleteRecordsRequest(topics, core.timeout_ms))
        return {
            place(topic.name, each.partition_index): outcome(each.error_code, each.low_watermark)
            for topic in answer.topics
            for each in topic.partitions
        }

    return await core.scatter(ApiKey.DELETE_RECORDS, before, ask)


async def elect_leaders(
    core: Core, partitions: Iterable[TopicPartition] | None = None, *, kind: Election = Election.PREFERRED
) -> Outcomes[TopicPartition, None]:
    """Elect the preferred leaders, of all partitions where none are named. ElectionNotNeeded where it leads already."""
    topics = None
    if partitions is not None:
        topics = [TopicPartitions(topic, indexes) for topic, indexes in by_topic(partitions).items()]
    answer: ElectLeadersResponse = await core.routed(
        ElectLeadersRequest(kind, topics, timeout_ms=core.timeout_ms), at_least=1
    )
    return Outcomes(
        {
            place(topic.topic, each.partition_id): outcome(each.error_code, None, each.error_message)
            for topic in answer.replica_election_results
            for each in topic.partition_result
        }
    )


async def alter_reassignments(
    core: Core, replicas: Mapping[TopicPartition, Sequence[int] | None]
) -> Outcomes[TopicPartition, None]:
    """Move partitions to these replicas; None calls off the move that is under way."""

    async def ask(node: Node | None, some: list[TopicPartition]) -> dict[TopicPartition, Refusal | None]:
        topics = [
            ReassignableTopic(topic, [ReassignablePartition(i, _listed(replicas[place(topic, i)])) for i in indexes])
            for topic, indexes in by_topic(some).items()
        ]
        request = AlterPartitionReassignmentsRequest(timeout_ms=core.timeout_ms, topics=topics)
        answer: AlterPartitionReassignmentsResponse = await core.ask(node, request)
        return {
            place(topic.name, each.partition_index): outcome(each.error_code, None, each.error_message)
            for topic in answer.responses
            for each in topic.partitions
        }

    return await core.scatter(ApiKey.ALTER_PARTITION_REASSIGNMENTS, replicas, ask)


def _listed(ids: Sequence[int] | None) -> list[int] | None:
    return None if ids is None else list(ids)


async def list_reassignments(
    core: Core, partitions: Iterable[TopicPartition] | None = None
) -> dict[TopicPartition, OngoingPartitionReassignment]:
    """The moves that are under way, of all partitions where none are named."""
    topics = None
    if partitions is not None:
        topics = [ListPartitionReassignmentsTopics(name, indexes) for name, indexes in by_topic(partitions).items()]
    request = ListPartitionReassignmentsRequest(timeout_ms=core.timeout_ms, topics=topics)
    answer: ListPartitionReassignmentsResponse = await core.routed(request)
    return {place(topic.name, each.partition_index): each for topic in answer.topics for each in topic.partitions}
