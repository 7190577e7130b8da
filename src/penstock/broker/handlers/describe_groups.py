"""DescribeGroups: the members of groups, what they told and what they got.

v1 throttle time, v3 authorized operations, v4 static members, v5 flexible, v6 GROUP_ID_NOT_FOUND.
"""

from penstock.access.rights import DESCRIBE_GROUP, NOTHING
from penstock.broker.cooperative import cooperatively
from penstock.broker.large_answers import encoded_if_large
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.groups import Groups
from penstock.errors import Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_groups_request import DescribeGroupsRequest
from penstock.wire.messages.describe_groups_response import DescribedGroup, DescribeGroupsResponse

READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS = 3, 6, 8, 10, 11
GROUP_OPERATIONS = sum(1 << operation for operation in (READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS))
"""All that can be done with a group: nobody is refused anything yet (RULES 42)."""


@answers(ApiKey.DESCRIBE_GROUPS, versions=(0, 6), requires=(DESCRIBE_GROUP,), audits=NOTHING)
async def describe_groups(
    request: DescribeGroupsRequest, context: RequestContext, groups: Groups
) -> DescribeGroupsResponse:
    response = DescribeGroupsResponse()
    async for group_id in cooperatively(request.groups, at_once=1):  # one may have thousands of members
        try:
            described = await groups.describe(group_id, api_version=context.api_version)
        except Refusal as refusal:
            described = DescribedGroup(group_id=group_id, error_code=refusal.code)
        if request.include_authorized_operations and not described.error_code:
            described.authorized_operations = GROUP_OPERATIONS
        response.groups.append(described)
    size = sum(1 + len(group.members) for group in response.groups)
    return await encoded_if_large(response, context.api_version, size=size)
