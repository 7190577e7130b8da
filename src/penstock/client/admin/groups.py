"""Groups: listed over all brokers, described, their offsets read and written, deleted. Each at its coordinator."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from penstock.client.core import Core
from penstock.client.network import Node
from penstock.client.outcomes import Outcomes, by_topic, one, outcome, place
from penstock.errors import Refusal, ShareSessionNotFound
from penstock.model import TopicPartition
from penstock.wire.api import ApiKey
from penstock.wire.messages.alter_share_group_offsets_request import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
)
from penstock.wire.messages.consumer_group_describe_request import ConsumerGroupDescribeRequest
from penstock.wire.messages.consumer_group_describe_response import DescribedGroup as ConsumerGroup
from penstock.wire.messages.delete_groups_request import DeleteGroupsRequest
from penstock.wire.messages.delete_share_group_offsets_request import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
)
from penstock.wire.messages.describe_groups_request import DescribeGroupsRequest
from penstock.wire.messages.describe_groups_response import DescribedGroup as ClassicGroup
from penstock.wire.messages.describe_share_group_offsets_request import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
)
from penstock.wire.messages.describe_share_group_offsets_response import DescribeShareGroupOffsetsResponsePartition
from penstock.wire.messages.leave_group_request import LeaveGroupRequest, MemberIdentity
from penstock.wire.messages.leave_group_response import LeaveGroupResponse
from penstock.wire.messages.list_groups_request import ListGroupsRequest
from penstock.wire.messages.list_groups_response import ListedGroup, ListGroupsResponse
from penstock.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from penstock.wire.messages.offset_commit_response import OffsetCommitResponse
from penstock.wire.messages.offset_delete_request import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from penstock.wire.messages.offset_delete_response import OffsetDeleteResponse
from penstock.wire.messages.offset_fetch_request import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from penstock.wire.messages.offset_fetch_response import OffsetFetchResponse
from penstock.wire.messages.share_acknowledge_request import ShareAcknowledgeRequest
from penstock.wire.messages.share_group_describe_request import ShareGroupDescribeRequest
from penstock.wire.messages.share_group_describe_response import DescribedGroup as ShareGroup
from penstock.wire.messages.streams_group_describe_request import StreamsGroupDescribeRequest
from penstock.wire.messages.streams_group_describe_response import DescribedGroup as StreamsGroup

LAST_OF_A_SESSION = -1
TOPIC_NAMES_TO = 9
"""Later versions of OffsetFetch and OffsetCommit name topics by their ids alone; offsets of topics that are gone have
no name there, and an operator wants to see them."""


class CommittedOffset(msgspec.Struct, frozen=True):
    offset: int
    leader_epoch: int = -1
    metadata: str = ""


async def list_groups(
    core: Core, *, states: Iterable[str] = (), types: Iterable[str] = ()
) -> Outcomes[int, list[ListedGroup]]:
    """The groups that each broker coordinates, by the broker's id: one that did not answer is seen to be missing."""
    request = ListGroupsRequest(list(states), list(types))

    async def ask(node: Node | None, some: list[int]) -> dict[int, list[ListedGroup]]:
        answer: ListGroupsResponse = await core.ask(node, request)
        return dict.fromkeys(some, answer.groups)

    return await core.scatter(ApiKey.LIST_GROUPS, await core.broker_ids(), ask)


async def describe_groups(core: Core, groups: Iterable[str]) -> Outcomes[str, ClassicGroup]:
    """Groups of the classic protocol, of any protocol type."""
    return await _described(core, groups, DescribeGroupsRequest)


async def describe_consumer_groups(core: Core, groups: Iterable[str]) -> Outcomes[str, ConsumerGroup]:
    """Groups of the consumer protocol (KIP-848)."""
    return await _described(core, groups, ConsumerGroupDescribeRequest)


async def describe_share_groups(core: Core, groups: Iterable[str]) -> Outcomes[str, ShareGroup]:
    return await _described(core, groups, ShareGroupDescribeRequest)


async def describe_streams_groups(core: Core, groups: Iterable[str]) -> Outcomes[str, StreamsGroup]:
    return await _described(core, groups, StreamsGroupDescribeRequest)


async def _described(core: Core, groups: Iterable[str], request: Any) -> Outcomes[str, Any]:
    async def ask(node: Node | None, some: list[str]) -> dict[str, Any]:
        answer = await core.ask(node, request(some))
        return {each.group_id: outcome(each.error_code, each, each.error_message) for each in answer.groups}

    return await core.scatter(ApiKey(request.api_key), groups, ask)


async def delete_groups(core: Core, groups: Iterable[str]) -> Outcomes[str, None]:
    async def ask(node: Node | None, some: list[str]) -> dict[str, Refusal | None]:
        answer = await core.ask(node, DeleteGroupsRequest(some))
        return {each.group_id: outcome(each.error_code, None) for each in answer.results}

    return await core.scatter(ApiKey.DELETE_GROUPS, groups, ask)


async def remove_members(core: Core, group: str, members: Iterable[MemberIdentity]) -> Outcomes[str, None]:
    """Members by their id, or by group_instance_id with an empty id; the outcome is by whichever was given."""
    request = LeaveGroupRequest(group_id=group, members=list(members))
    answer: LeaveGroupResponse = await core.routed(request, group, at_least=3)
    return Outcomes(
        {each.group_instance_id or each.member_id: outcome(each.error_code, None) for each in answer.members}
    )


# Offsets ------------------------------------------------------------------------------------------------------------


async def committed_offsets(
    core: Core,
    group: str,
    partitions: Iterable[TopicPartition] | None = None,
    *,
    require_stable: bool = False,
) -> Outcomes[TopicPartition, CommittedOffset]:
    """What a group has committed, of all partitions where none are named; those without a commit are left out."""
    topics = None
    if partitions is not None:
        topics = [OffsetFetchRequestTopics(name, partition_indexes=ids) for name, ids in by_topic(partitions).items()]
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group, topics=topics)], require_stable=require_stable)

    async def ask(node: Node | None, _: list[str]) -> dict[str, Outcomes[TopicPartition, CommittedOffset] | Refusal]:
        answer: OffsetFetchResponse = await core.ask(node, request, at_least=8, at_most=TOPIC_NAMES_TO)
        (found,) = answer.groups
        offsets = {
            place(topic.name, each.partition_index): outcome(
                each.error_code,
                CommittedOffset(each.committed_offset, each.committed_leader_epoch, each.metadata or ""),
            )
            for topic in found.topics
            for each in topic.partitions
            if each.error_code or each.committed_offset >= 0
        }
        return {group: outcome(found.error_code, Outcomes(offsets))}

    return one(await core.scatter(ApiKey.OFFSET_FETCH, [group], ask))


async def commit_offsets(
    core: Core,
    group: str,
    offsets: Mapping[TopicPartition, CommittedOffset | int],
    *,
    member_id: str = "",
    generation: int = -1,
) -> Outcomes[TopicPartition, None]:
    """Write a group's offsets: for a group without members, or as the member that is named."""

    async def ask(node: Node | None, some: list[TopicPartition]) -> dict[TopicPartition, Refusal | None]:
        topics = [
            OffsetCommitRequestTopic(topic, partitions=[_commit(i, offsets[place(topic, i)]) for i in indexes])
            for topic, indexes in by_topic(some).items()
        ]
        request = OffsetCommitRequest(group, generation, member_id, topics=topics)
        answer: OffsetCommitResponse = await core.ask(node, request, at_least=6, at_most=TOPIC_NAMES_TO)
        return {
            place(topic.name, each.partition_index): outcome(each.error_code, None)
            for topic in answer.topics
            for each in topic.partitions
        }

    return await core.scatter(ApiKey.OFFSET_COMMIT, offsets, ask, place=lambda _: group)


def _commit(index: int, wanted: CommittedOffset | int) -> OffsetCommitRequestPartition:
    if isinstance(wanted, int):
        wanted = CommittedOffset(wanted)
    return OffsetCommitRequestPartition(index, wanted.offset, wanted.leader_epoch, wanted.metadata)


async def delete_offsets(
    core: Core, group: str, partitions: Iterable[TopicPartition]
) -> Outcomes[TopicPartition, None]:
    """GroupSubscribedToTopic where a member still reads the topic."""
    topics = [
        OffsetDeleteRequestTopic(topic, [OffsetDeleteRequestPartition(index) for index in indexes])
        for topic, indexes in by_topic(partitions).items()
    ]
    answer: OffsetDeleteResponse = await core.routed(OffsetDeleteRequest(group, topics), group)
    return Outcomes(
        {
            place(topic.name, each.partition_index): outcome(each.error_code, None)
            for topic in answer.topics
            for each in topic.partitions
        }
    )


# Share groups -------------------------------------------------------------------------------------------------------


async def share_group_offsets(
    core: Core, group: str
) -> Outcomes[TopicPartition, DescribeShareGroupOffsetsResponsePartition]:
    """Where a share group begins to read, in every partition that it has read."""
    request = DescribeShareGroupOffsetsRequest([DescribeShareGroupOffsetsRequestGroup(group, None)])

    async def ask(node: Node | None, _: list[str]) -> dict[str, Any]:
        (found,) = (await core.ask(node, request)).groups
        offsets = {
            place(topic.topic_name, each.partition_index): outcome(each.error_code, each, each.error_message)
            for topic in found.topics
            for each in topic.partitions
        }
        return {group: outcome(found.error_code, Outcomes(offsets), found.error_message)}

    return one(await core.scatter(ApiKey.DESCRIBE_SHARE_GROUP_OFFSETS, [group], ask))


InFlight = dict[TopicPartition, DescribeShareGroupOffsetsResponsePartition]


async def share_group_in_flight(core: Core, group: str) -> Outcomes[int, InFlight]:
    """What members have now of the partitions that each broker leads, by the broker's id. Only Penstock's brokers know
    the question: of others a row's `in_flight` is None, or they refuse because they do not coordinate the group.
    """
    request = DescribeShareGroupOffsetsRequest([DescribeShareGroupOffsetsRequestGroup(group, None, of_leader=True)])

    async def ask(node: Node | None, some: list[int]) -> dict[int, Any]:
        (told,) = (await core.ask(node, request)).groups
        rows = {
            place(topic.topic_name, each.partition_index): each for topic in told.topics for each in topic.partitions
        }
        return dict.fromkeys(some, outcome(told.error_code, rows, told.error_message))

    return await core.scatter(ApiKey.LIST_GROUPS, await core.broker_ids(), ask, patiently=False)


async def release_share_member(core: Core, group: str, member: str) -> Outcomes[int, bool]:
    """End a member's sessions, as its own last request does: what it has goes to others. By broker, whether there was
    one.
    """
    request = ShareAcknowledgeRequest(group_id=group, member_id=member, share_session_epoch=LAST_OF_A_SESSION)

    async def ask(node: Node | None, some: list[int]) -> dict[int, bool]:
        try:
            await core.ask(node, request)
        except ShareSessionNotFound:
            return dict.fromkeys(some, False)
        return dict.fromkeys(some, True)

    return await core.scatter(ApiKey.LIST_GROUPS, await core.broker_ids(), ask, patiently=False)


async def alter_share_group_offsets(
    core: Core, group: str, offsets: Mapping[TopicPartition, int]
) -> Outcomes[TopicPartition, None]:
    topics = [
        AlterShareGroupOffsetsRequestTopic(
            topic, [AlterShareGroupOffsetsRequestPartition(index, offsets[place(topic, index)]) for index in indexes]
        )
        for topic, indexes in by_topic(offsets).items()
    ]
    answer = await core.routed(AlterShareGroupOffsetsRequest(group, topics), group)
    return Outcomes(
        {
            place(topic.topic_name, each.partition_index): outcome(each.error_code, None, each.error_message)
            for topic in answer.responses
            for each in topic.partitions
        }
    )


async def delete_share_group_offsets(core: Core, group: str, topics: Iterable[str]) -> Outcomes[str, None]:
    wanted = [DeleteShareGroupOffsetsRequestTopic(topic) for topic in topics]
    answer = await core.routed(DeleteShareGroupOffsetsRequest(group, wanted), group)
    return Outcomes({each.topic_name: outcome(each.error_code, None, each.error_message) for each in answer.responses})
