"""DescribeGroups: the members of groups, what they told and what they got.

v1 throttle time, v3 authorized operations, v4 static members, v5 flexible, v6 GROUP_ID_NOT_FOUND.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_GROUP, NOTHING, ResourceKind
from penstock.broker.cooperative import cooperatively
from penstock.broker.large_answers import encoded_if_large
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.groups import Groups
from penstock.errors import Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_groups_request import DescribeGroupsRequest
from penstock.wire.messages.describe_groups_response import DescribedGroup, DescribeGroupsResponse


@answers(ApiKey.DESCRIBE_GROUPS, versions=(0, 6), requires=(DESCRIBE_GROUP,), audits=NOTHING)
async def describe_groups(
    request: DescribeGroupsRequest, context: RequestContext, groups: Groups, authorizer: Authorizer
) -> DescribeGroupsResponse:
    subject = context.caller.subject
    response = DescribeGroupsResponse()
    async for group_id in cooperatively(request.groups, at_once=1):  # one may have thousands of members
        try:
            authorizer.require(subject, DESCRIBE_GROUP, group_id)
            described = await groups.describe(group_id, api_version=context.api_version)
        except Refusal as refusal:
            described = DescribedGroup(group_id=group_id, error_code=refusal.code)
        if request.include_authorized_operations and not described.error_code:
            described.authorized_operations = authorizer.operations(subject, ResourceKind.GROUP, group_id)
        response.groups.append(described)
    size = sum(1 + len(group.members) for group in response.groups)
    return await encoded_if_large(response, context.api_version, size=size)
