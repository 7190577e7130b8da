"""ConsumerGroupDescribe (KIP-848): the members of consumer groups, what they own and what they are to own.

v1 which protocol a member speaks.
"""

from penstock.access.rights import DESCRIBE_GROUP, DESCRIBE_TOPIC, NOTHING
from penstock.broker.cooperative import cooperatively
from penstock.broker.handlers.describe_groups import GROUP_OPERATIONS
from penstock.broker.large_answers import encoded_if_large
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.groups import Groups
from penstock.errors import InvalidGroupId, Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.consumer_group_describe_request import ConsumerGroupDescribeRequest
from penstock.wire.messages.consumer_group_describe_response import ConsumerGroupDescribeResponse, DescribedGroup


@answers(ApiKey.CONSUMER_GROUP_DESCRIBE, versions=(0, 1), requires=(DESCRIBE_GROUP, DESCRIBE_TOPIC), audits=NOTHING)
async def consumer_group_describe(
    request: ConsumerGroupDescribeRequest, context: RequestContext, groups: Groups
) -> ConsumerGroupDescribeResponse:
    response = ConsumerGroupDescribeResponse()
    async for group_id in cooperatively(request.group_ids, at_once=1):  # one may have thousands of members
        try:
            if not group_id:
                raise InvalidGroupId
            described = await groups.describe_consumer_group(group_id)
        except Refusal as refusal:
            described = DescribedGroup(refusal.code, refusal.message, group_id)
        if request.include_authorized_operations and not described.error_code:
            described.authorized_operations = GROUP_OPERATIONS
        response.groups.append(described)
    size = sum(1 + len(group.members) for group in response.groups)
    return await encoded_if_large(response, context.api_version, size=size)
