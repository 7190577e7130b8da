"""DeleteShareGroupOffsets (KIP-932): forget what a share group that nobody is in knows of topics."""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DELETE_GROUP, READ_TOPIC, ResourceKind
from penstock.broker.cooperative import cooperatively
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.groups.share_service import ShareGroupService
from penstock.errors import TopicAuthorizationFailed
from penstock.wire.api import ApiKey
from penstock.wire.messages.delete_share_group_offsets_request import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
)
from penstock.wire.messages.delete_share_group_offsets_response import (
    DeleteShareGroupOffsetsResponse,
    DeleteShareGroupOffsetsResponseTopic,
)


@answers(
    ApiKey.DELETE_SHARE_GROUP_OFFSETS,
    versions=(0, 0),
    requires=(DELETE_GROUP, READ_TOPIC),
    audits=(ResourceKind.GROUP,),
)
async def delete_share_group_offsets(
    request: DeleteShareGroupOffsetsRequest,
    context: RequestContext,
    share_groups: ShareGroupService,
    authorizer: Authorizer,
) -> DeleteShareGroupOffsetsResponse:
    subject = context.caller.subject
    authorizer.require(subject, DELETE_GROUP, request.group_id)
    allowed: list[DeleteShareGroupOffsetsRequestTopic] = []
    refused: list[DeleteShareGroupOffsetsResponseTopic] = []
    refusal = TopicAuthorizationFailed()
    async for topic in cooperatively(request.topics):
        if authorizer.allows(subject, READ_TOPIC, topic.topic_name):
            allowed.append(topic)
        else:
            row = DeleteShareGroupOffsetsResponseTopic(topic.topic_name, error_code=refusal.code)
            row.error_message = refusal.message
            refused.append(row)
    response = await share_groups.delete_offsets(DeleteShareGroupOffsetsRequest(request.group_id, allowed))
    response.responses = refused + response.responses
    return response
