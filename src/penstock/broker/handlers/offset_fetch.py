"""OffsetFetch: how far a group has read.

v2 all topics and an error for the group, v3 throttle time, v5 leader epoch, v6 flexible, v7 stable offsets only, v8
many groups, v9 member and epoch, v10 topic ids. A group that does not exist has no offsets, which is no error.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_GROUP, DESCRIBE_TOPIC, NOTHING
from penstock.access.subject import Subject
from penstock.broker.cooperative import cooperatively, split
from penstock.broker.large_answers import encoded_if_large
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import ClusterImage
from penstock.coordinators.groups import Groups
from penstock.errors import Refusal, TopicAuthorizationFailed, UnknownTopicId
from penstock.model import TopicId
from penstock.wire.api import ApiKey
from penstock.wire.messages.offset_fetch_request import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from penstock.wire.messages.offset_fetch_response import (
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)

GROUP_ERROR_FROM = 2
MANY_GROUPS_FROM = 8
TOPIC_IDS_FROM = 10


@answers(ApiKey.OFFSET_FETCH, versions=(1, 10), requires=(DESCRIBE_GROUP, DESCRIBE_TOPIC), audits=NOTHING)
async def offset_fetch(
    request: OffsetFetchRequest,
    context: RequestContext,
    groups: Groups,
    image: ClusterImage,
    authorizer: Authorizer,
) -> OffsetFetchResponse:
    reading = _Reading(groups, authorizer, context.caller.subject)
    response = await _answered(request, context, reading, image)
    size = sum(len(topic.partitions) for group in response.groups for topic in group.topics)
    size += sum(len(topic.partitions) for topic in response.topics)
    return await encoded_if_large(response, context.api_version, size=size)


async def _answered(
    request: OffsetFetchRequest, context: RequestContext, reading: "_Reading", image: ClusterImage
) -> OffsetFetchResponse:
    asked, require_stable = cooperatively(request.groups), request.require_stable
    if context.api_version >= TOPIC_IDS_FROM:
        return OffsetFetchResponse(
            groups=[await _by_id(group, require_stable, reading, image) async for group in asked]
        )
    if context.api_version >= MANY_GROUPS_FROM:
        return OffsetFetchResponse(groups=[await _by_name(group, require_stable, reading) async for group in asked])
    return await _of_one_group(request, context, reading)


class _Reading:
    """Reads offsets of groups as far as the client may: of a topic that it may not see it is told so where it named it,
    and nothing where it asked for all.
    """

    def __init__(self, groups: Groups, authorizer: Authorizer, subject: Subject) -> None:
        self._groups = groups
        self._authorizer = authorizer
        self._subject = subject

    async def fetch(
        self, asked: OffsetFetchRequestGroup, wanted: list[tuple[str, list[int]]] | None, *, require_stable: bool
    ) -> OffsetFetchResponseGroup:
        self._authorizer.require(self._subject, DESCRIBE_GROUP, asked.group_id)
        forbidden: frozenset[str] = frozenset()
        if wanted is not None and self._authorizer.is_on:
            names = dict.fromkeys(name for name, _ in wanted)
            forbidden = frozenset((await split(self._authorizer, self._subject, DESCRIBE_TOPIC, names))[1])
        answer = await self._groups.fetch_offsets(
            asked.group_id,
            wanted if wanted is None else [(name, indexes) for name, indexes in wanted if name not in forbidden],
            require_stable=require_stable,
            member_id=asked.member_id,
            member_epoch=asked.member_epoch,
        )
        if wanted is None and self._authorizer.is_on:
            shows, subject = self._authorizer.shows, self._subject
            answer.topics = [
                topic async for topic in cooperatively(answer.topics) if shows(subject, DESCRIBE_TOPIC, topic.name)
            ]
        if not answer.error_code:
            answer.topics += [_forbidden(name, indexes) for name, indexes in wanted or () if name in forbidden]
        return answer


def _forbidden(topic: str, indexes: list[int]) -> OffsetFetchResponseTopics:
    code = TopicAuthorizationFailed.code
    return OffsetFetchResponseTopics(
        name=topic, partitions=[OffsetFetchResponsePartitions(index, -1, -1, "", code) for index in indexes]
    )


async def _by_name(
    asked: OffsetFetchRequestGroup, require_stable: bool, reading: "_Reading"
) -> OffsetFetchResponseGroup:
    return await _fetch(reading, asked, _wanted(asked.topics), require_stable=require_stable)


def _wanted(
    topics: list[OffsetFetchRequestTopics] | list[OffsetFetchRequestTopic] | None,
) -> list[tuple[str, list[int]]] | None:
    return None if topics is None else [(topic.name, topic.partition_indexes) for topic in topics]


async def _fetch(
    reading: "_Reading",
    asked: OffsetFetchRequestGroup,
    wanted: list[tuple[str, list[int]]] | None,
    *,
    require_stable: bool,
) -> OffsetFetchResponseGroup:
    try:
        return await reading.fetch(asked, wanted, require_stable=require_stable)
    except Refusal as refusal:
        return OffsetFetchResponseGroup(asked.group_id, error_code=refusal.code)


async def _by_id(
    asked: OffsetFetchRequestGroup, require_stable: bool, reading: "_Reading", image: ClusterImage
) -> OffsetFetchResponseGroup:
    if asked.topics is None:
        answered = await _fetch(reading, asked, None, require_stable=require_stable)
        answered.topics = [topic for topic in answered.topics if topic.name in image.topics]
        unknown = []
    else:
        known = [topic for topic in asked.topics if TopicId(topic.topic_id) in image.topics_by_id]
        unknown = [_unknown(topic) for topic in asked.topics if TopicId(topic.topic_id) not in image.topics_by_id]
        wanted = [(image.topics_by_id[TopicId(topic.topic_id)].name, topic.partition_indexes) for topic in known]
        # Asked even if no topic is known: a member that the group does not have is told so.
        answered = await _fetch(reading, asked, wanted, require_stable=require_stable)
    for topic in answered.topics:
        found = image.topics.get(topic.name)
        if found is not None:
            topic.topic_id = found.topic_id
    if not answered.error_code:
        answered.topics += unknown
    return answered


def _unknown(topic: OffsetFetchRequestTopics) -> OffsetFetchResponseTopics:
    return OffsetFetchResponseTopics(
        topic_id=topic.topic_id,
        partitions=[
            OffsetFetchResponsePartitions(index, -1, -1, "", UnknownTopicId.code) for index in topic.partition_indexes
        ],
    )


async def _of_one_group(
    request: OffsetFetchRequest, context: RequestContext, reading: "_Reading"
) -> OffsetFetchResponse:
    asked = OffsetFetchRequestGroup(request.group_id)
    answered = await _fetch(reading, asked, _wanted(request.topics), require_stable=request.require_stable)
    if answered.error_code and context.api_version < GROUP_ERROR_FROM:
        return OffsetFetchResponse(topics=[_refused(topic, answered.error_code) for topic in request.topics or ()])
    topics = [
        OffsetFetchResponseTopic(
            topic.name,
            [
                OffsetFetchResponsePartition(
                    part.partition_index,
                    part.committed_offset,
                    part.committed_leader_epoch,
                    part.metadata,
                    part.error_code,
                )
                for part in topic.partitions
            ],
        )
        for topic in answered.topics
    ]
    return OffsetFetchResponse(topics=topics, error_code=answered.error_code)


def _refused(topic: OffsetFetchRequestTopic, error_code: int) -> OffsetFetchResponseTopic:
    return OffsetFetchResponseTopic(
        topic.name,
        [OffsetFetchResponsePartition(index, -1, -1, "", error_code) for index in topic.partition_indexes],
    )
