"""ListGroups: the groups that this broker coordinates.

v1 throttle time, v3 flexible, v4 filter by state, v5 filter by type.
"""

from penstock.broker.registry import answers
from penstock.coordinators.groups import Groups
from penstock.wire.api import ApiKey
from penstock.wire.messages.list_groups_request import ListGroupsRequest
from penstock.wire.messages.list_groups_response import ListGroupsResponse


@answers(ApiKey.LIST_GROUPS, versions=(0, 5))
async def list_groups(request: ListGroupsRequest, groups: Groups) -> ListGroupsResponse:
    return ListGroupsResponse(groups=await groups.list(request.states_filter, request.types_filter))
