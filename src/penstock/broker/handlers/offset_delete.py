"""OffsetDelete: forget what a group committed on some partitions; not on topics that its members are subscribed to."""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DELETE_GROUP, READ_TOPIC, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import ClusterImage
from penstock.coordinators.groups import Groups
from penstock.errors import Refusal, TopicAuthorizationFailed, UnknownTopicOrPartition
from penstock.wire.api import ApiKey
from penstock.wire.messages.offset_delete_request import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from penstock.wire.messages.offset_delete_response import (
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)


@answers(ApiKey.OFFSET_DELETE, versions=(0, 0), requires=(DELETE_GROUP, READ_TOPIC), audits=(ResourceKind.GROUP,))
async def offset_delete(
    request: OffsetDeleteRequest,
    context: RequestContext,
    groups: Groups,
    image: ClusterImage,
    authorizer: Authorizer,
) -> OffsetDeleteResponse:
    subject = context.caller.subject
    authorizer.require(subject, DELETE_GROUP, request.group_id)
    known: list[OffsetDeleteRequestTopic] = []
    refused: dict[str, OffsetDeleteResponseTopic] = {}
    for topic in request.topics:
        if not authorizer.allows(subject, READ_TOPIC, topic.name):
            refused[topic.name] = _refused(topic.name, topic.partitions, TopicAuthorizationFailed())
            continue
        found = image.topics.get(topic.name)
        count = 0 if found is None else len(found.partitions)
        there = [part for part in topic.partitions if 0 <= part.partition_index < count]
        if there:
            known.append(OffsetDeleteRequestTopic(topic.name, there))
        absent = [part for part in topic.partitions if not 0 <= part.partition_index < count]
        if absent:
            refused[topic.name] = _refused(topic.name, absent, UnknownTopicOrPartition())
    # Asked even if nothing is left to delete: what is wrong with the group is said first.
    response = await groups.delete_offsets(OffsetDeleteRequest(request.group_id, known))
    for answered in response.topics:
        if answered.name in refused:
            answered.partitions = refused.pop(answered.name).partitions + answered.partitions
    response.topics = [*refused.values(), *response.topics]
    return response


def _refused(topic: str, partitions: list[OffsetDeleteRequestPartition], refusal: Refusal) -> OffsetDeleteResponseTopic:
    parts = [OffsetDeleteResponsePartition(part.partition_index, refusal.code) for part in partitions]
    return OffsetDeleteResponseTopic(topic, parts)
