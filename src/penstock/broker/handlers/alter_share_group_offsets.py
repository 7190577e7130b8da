"""AlterShareGroupOffsets (KIP-932): move where a share group that nobody is in reads on."""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import READ_GROUP, READ_TOPIC, ResourceKind
from penstock.broker.cooperative import cooperatively
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.groups.share_service import ShareGroupService
from penstock.errors import TopicAuthorizationFailed
from penstock.wire.api import ApiKey
from penstock.wire.messages.alter_share_group_offsets_request import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestTopic,
)
from penstock.wire.messages.alter_share_group_offsets_response import (
    AlterShareGroupOffsetsResponse,
    AlterShareGroupOffsetsResponsePartition,
    AlterShareGroupOffsetsResponseTopic,
)


@answers(
    ApiKey.ALTER_SHARE_GROUP_OFFSETS, versions=(0, 0), requires=(READ_GROUP, READ_TOPIC), audits=(ResourceKind.GROUP,)
)
async def alter_share_group_offsets(
    request: AlterShareGroupOffsetsRequest,
    context: RequestContext,
    share_groups: ShareGroupService,
    authorizer: Authorizer,
) -> AlterShareGroupOffsetsResponse:
    subject = context.caller.subject
    authorizer.require(subject, READ_GROUP, request.group_id)
    allowed: list[AlterShareGroupOffsetsRequestTopic] = []
    refused: list[AlterShareGroupOffsetsResponseTopic] = []
    async for topic in cooperatively(request.topics):
        if authorizer.allows(subject, READ_TOPIC, topic.topic_name):
            allowed.append(topic)
        else:
            refused.append(_refused(topic))
    response = await share_groups.alter_offsets(AlterShareGroupOffsetsRequest(request.group_id, allowed))
    response.responses = refused + response.responses
    return response


def _refused(topic: AlterShareGroupOffsetsRequestTopic) -> AlterShareGroupOffsetsResponseTopic:
    refusal = TopicAuthorizationFailed()
    rows = [
        AlterShareGroupOffsetsResponsePartition(part.partition_index, refusal.code, refusal.message)
        for part in topic.partitions
    ]
    return AlterShareGroupOffsetsResponseTopic(topic.topic_name, partitions=rows)
