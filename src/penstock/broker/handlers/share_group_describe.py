"""ShareGroupDescribe (KIP-932): the members of share groups, and what they read."""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_GROUP, DESCRIBE_TOPIC, NOTHING, ResourceKind
from penstock.broker.cooperative import cooperatively, split
from penstock.broker.handlers.consumer_group_describe import NOT_ALL_TOPICS
from penstock.broker.large_answers import encoded_if_large
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.groups.share_service import ShareGroupService
from penstock.errors import Refusal, TopicAuthorizationFailed
from penstock.wire.api import ApiKey
from penstock.wire.messages.share_group_describe_request import ShareGroupDescribeRequest
from penstock.wire.messages.share_group_describe_response import DescribedGroup, ShareGroupDescribeResponse


@answers(ApiKey.SHARE_GROUP_DESCRIBE, versions=(1, 1), requires=(DESCRIBE_GROUP, DESCRIBE_TOPIC), audits=NOTHING)
async def share_group_describe(
    request: ShareGroupDescribeRequest,
    context: RequestContext,
    share_groups: ShareGroupService,
    authorizer: Authorizer,
) -> ShareGroupDescribeResponse:
    subject = context.caller.subject
    response = ShareGroupDescribeResponse()
    async for group_id in cooperatively(request.group_ids, at_once=1):
        try:
            authorizer.require(subject, DESCRIBE_GROUP, group_id)
            described = await share_groups.describe(group_id)
            if (await split(authorizer, subject, DESCRIBE_TOPIC, _topics(described)))[1]:
                raise TopicAuthorizationFailed(NOT_ALL_TOPICS)
        except Refusal as refusal:
            described = DescribedGroup(refusal.code, refusal.message, group_id)
        if request.include_authorized_operations and not described.error_code:
            described.authorized_operations = authorizer.operations(subject, ResourceKind.GROUP, group_id)
        response.groups.append(described)
    size = sum(1 + len(group.members) for group in response.groups)
    return await encoded_if_large(response, context.api_version, size=size)


def _topics(group: DescribedGroup) -> set[str]:
    return {
        name
        for member in group.members
        for name in (
            *member.subscribed_topic_names,
            *(topic.topic_name for topic in member.assignment.topic_partitions),
        )
    }
