"""ConsumerGroupDescribe (KIP-848): the members of consumer groups, what they own and what they are to own.

v1 which protocol a member speaks.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_GROUP, DESCRIBE_TOPIC, NOTHING, ResourceKind
from penstock.broker.cooperative import cooperatively, split
from penstock.broker.large_answers import encoded_if_large
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.groups import Groups
from penstock.errors import InvalidGroupId, Refusal, TopicAuthorizationFailed
from penstock.wire.api import ApiKey
from penstock.wire.messages.consumer_group_describe_request import ConsumerGroupDescribeRequest
from penstock.wire.messages.consumer_group_describe_response import ConsumerGroupDescribeResponse, DescribedGroup

NOT_ALL_TOPICS = "The group has described topic(s) that the client is not authorized to describe."


@answers(ApiKey.CONSUMER_GROUP_DESCRIBE, versions=(0, 1), requires=(DESCRIBE_GROUP, DESCRIBE_TOPIC), audits=NOTHING)
async def consumer_group_describe(
    request: ConsumerGroupDescribeRequest, context: RequestContext, groups: Groups, authorizer: Authorizer
) -> ConsumerGroupDescribeResponse:
    subject = context.caller.subject
    response = ConsumerGroupDescribeResponse()
    async for group_id in cooperatively(request.group_ids, at_once=1):  # one may have thousands of members
        try:
            authorizer.require(subject, DESCRIBE_GROUP, group_id)
            if not group_id:
                raise InvalidGroupId
            described = await groups.describe_consumer_group(group_id)
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
    """All that its members are subscribed to, own, or are to own."""
    return {
        name
        for member in group.members
        for name in (
            *member.subscribed_topic_names,
            *(topic.topic_name for topic in member.assignment.topic_partitions),
            *(topic.topic_name for topic in member.target_assignment.topic_partitions),
        )
    }
