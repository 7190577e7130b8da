"""LeaveGroup: members go, so that the others need not wait for their sessions to end.

v1 throttle time, v3 many members, also by instance id (KIP-345), v4 flexible, v5 reason.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import READ_GROUP, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.groups import Groups
from penstock.wire.api import ApiKey
from penstock.wire.messages.leave_group_request import LeaveGroupRequest, MemberIdentity
from penstock.wire.messages.leave_group_response import LeaveGroupResponse

MANY_MEMBERS_FROM = 3


@answers(ApiKey.LEAVE_GROUP, versions=(0, 5), requires=(READ_GROUP,), audits=(ResourceKind.GROUP,))
async def leave_group(
    request: LeaveGroupRequest, context: RequestContext, groups: Groups, authorizer: Authorizer
) -> LeaveGroupResponse:
    authorizer.require(context.caller.subject, READ_GROUP, request.group_id)
    if context.api_version >= MANY_MEMBERS_FROM:
        return await groups.leave(request.group_id, request.members)
    response = await groups.leave(request.group_id, [MemberIdentity(request.member_id)])
    return LeaveGroupResponse(error_code=response.members[0].error_code)
