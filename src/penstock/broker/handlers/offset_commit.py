"""OffsetCommit: a group has read a partition up to here.

v3 throttle time, v5 no retention time, v6 leader epoch, v7 static members (KIP-345), v8 flexible, v9
GROUP_ID_NOT_FOUND, v10 topic ids. Partitions that do not exist are refused alone; if none does, the
coordinator is not asked.
"""

from collections.abc import Callable

import msgspec

from penstock.access.authorizer import Authorizer
from penstock.access.rights import READ_GROUP, READ_TOPIC, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import ClusterImage
from penstock.coordinators.groups import Groups
from penstock.errors import (
    GroupAuthorizationFailed,
    Refusal,
    TopicAuthorizationFailed,
    UnknownTopicId,
    UnknownTopicOrPartition,
)
from penstock.model import TopicId
from penstock.replication import Promise, then
from penstock.wire.api import ApiKey
from penstock.wire.messages.offset_commit_request import OffsetCommitRequest, OffsetCommitRequestTopic
from penstock.wire.messages.offset_commit_response import (
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

TOPIC_IDS_FROM = 10


@answers(ApiKey.OFFSET_COMMIT, versions=(2, 10), requires=(READ_GROUP, READ_TOPIC), audits=(ResourceKind.GROUP,))
def offset_commit(
    request: OffsetCommitRequest,
    context: RequestContext,
    groups: Groups,
    image: ClusterImage,
    authorizer: Authorizer,
) -> OffsetCommitResponse | Promise[OffsetCommitResponse | Refusal]:
    by_id = context.api_version >= TOPIC_IDS_FROM
    subject = context.caller.subject
    if not authorizer.allows(subject, READ_GROUP, request.group_id):
        return OffsetCommitResponse(topics=[_refused(topic, GroupAuthorizationFailed()) for topic in request.topics])

    def may_read(name: str) -> bool:
        return authorizer.allows(subject, READ_TOPIC, name)

    known, refused = _split(request.topics, image, by_id=by_id, may_read=may_read)
    if not known:
        return OffsetCommitResponse(topics=refused)

    def joined(answer: OffsetCommitResponse | Refusal) -> OffsetCommitResponse:
        answered = [_refused(topic, answer) for topic in known] if isinstance(answer, Refusal) else answer.topics
        return OffsetCommitResponse(topics=_joined(refused, answered))

    asked = msgspec.structs.replace(request, topics=known)
    try:
        return then(groups.commit(asked, api_version=context.api_version), joined)
    except Refusal as refusal:
        return joined(refusal)


def _split(
    topics: list[OffsetCommitRequestTopic], image: ClusterImage, *, by_id: bool, may_read: Callable[[str], bool]
) -> tuple[list[OffsetCommitRequestTopic], list[OffsetCommitResponseTopic]]:
    """What can be committed, each topic with its name and id, and the answers for what cannot."""
    known: list[OffsetCommitRequestTopic] = []
    refused: list[OffsetCommitResponseTopic] = []
    for topic in topics:
        found = image.topics_by_id.get(TopicId(topic.topic_id)) if by_id else image.topics.get(topic.name)
        name = topic.name if found is None else found.name
        if not (found is None and by_id) and not may_read(name):
            refused.append(_refused(topic, TopicAuthorizationFailed()))
            continue
        if found is None:
            refused.append(_refused(topic, UnknownTopicId() if by_id else UnknownTopicOrPartition()))
            continue
        count = len(found.partitions)
        there = [part for part in topic.partitions if 0 <= part.partition_index < count]
        named = OffsetCommitRequestTopic(found.name, found.topic_id, there)
        if there:
            known.append(named)
        absent = [part for part in topic.partitions if not 0 <= part.partition_index < count]
        if absent:
            refused.append(_refused(msgspec.structs.replace(named, partitions=absent), UnknownTopicOrPartition()))
    return known, refused


def _refused(topic: OffsetCommitRequestTopic, refusal: Refusal) -> OffsetCommitResponseTopic:
    parts = [OffsetCommitResponsePartition(part.partition_index, refusal.code) for part in topic.partitions]
    return OffsetCommitResponseTopic(topic.name, topic.topic_id, parts)


def _joined(
    refused: list[OffsetCommitResponseTopic], answered: list[OffsetCommitResponseTopic]
) -> list[OffsetCommitResponseTopic]:
    """One entry a topic, though some of its partitions were refused here and some answered there."""
    topics = {topic.name or topic.topic_id: topic for topic in refused}
    for topic in answered:
        if topic.name in topics:
            topics[topic.name].partitions += topic.partitions
        else:
            topics[topic.name] = topic
    return list(topics.values())
