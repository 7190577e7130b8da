"""DeleteGroups: forget groups that nobody is in, with all that they committed.

v1 throttle time, v2 flexible.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DELETE_GROUP, ResourceKind
from penstock.broker.cooperative import cooperatively
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.groups import Groups
from penstock.coordinators.groups.share_service import ShareGroupService
from penstock.errors import Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.delete_groups_request import DeleteGroupsRequest
from penstock.wire.messages.delete_groups_response import DeletableGroupResult, DeleteGroupsResponse


@answers(ApiKey.DELETE_GROUPS, versions=(0, 2), requires=(DELETE_GROUP,), audits=(ResourceKind.GROUP,))
async def delete_groups(
    request: DeleteGroupsRequest,
    context: RequestContext,
    groups: Groups,
    share_groups: ShareGroupService,
    authorizer: Authorizer,
) -> DeleteGroupsResponse:
    response = DeleteGroupsResponse()
    async for group_id in cooperatively(dict.fromkeys(request.groups_names), at_once=1):
        code = 0
        try:
            authorizer.require(context.caller.subject, DELETE_GROUP, group_id)
            first = await groups.delete(group_id)
            if first is not None:
                await share_groups.delete_with_states(first)
        except Refusal as refusal:
            code = refusal.code
        response.results.append(DeletableGroupResult(group_id, code))
    return response
