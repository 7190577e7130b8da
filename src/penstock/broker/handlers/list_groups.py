"""ListGroups: the groups that this broker coordinates.

v1 throttle time, v3 flexible, v4 filter by state, v5 filter by type.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_CLUSTER, DESCRIBE_GROUP, NOTHING
from penstock.broker.cooperative import cooperatively
from penstock.broker.large_answers import encoded_if_large
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.groups import Groups
from penstock.wire.api import ApiKey
from penstock.wire.messages.list_groups_request import ListGroupsRequest
from penstock.wire.messages.list_groups_response import ListGroupsResponse


@answers(ApiKey.LIST_GROUPS, versions=(0, 5), requires=(DESCRIBE_CLUSTER, DESCRIBE_GROUP), audits=NOTHING)
async def list_groups(
    request: ListGroupsRequest, context: RequestContext, groups: Groups, authorizer: Authorizer
) -> ListGroupsResponse:
    listed = await groups.list(request.states_filter, request.types_filter)
    subject = context.caller.subject
    if authorizer.is_on and not authorizer.shows(subject, DESCRIBE_CLUSTER):
        listed = [
            group async for group in cooperatively(listed) if authorizer.shows(subject, DESCRIBE_GROUP, group.group_id)
        ]
    return await encoded_if_large(ListGroupsResponse(groups=listed), context.api_version, size=len(listed))
