"""Heartbeat: a member says that it is alive, and learns whether a rebalance has begun.

v1 throttle time, v3 static members (KIP-345), v4 flexible.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import NOTHING, READ_GROUP
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.groups import Groups
from penstock.errors import CoordinatorLoadInProgress
from penstock.replication import Promise
from penstock.wire.api import ApiKey
from penstock.wire.messages.heartbeat_request import HeartbeatRequest
from penstock.wire.messages.heartbeat_response import HeartbeatResponse


@answers(ApiKey.HEARTBEAT, versions=(0, 4), requires=(READ_GROUP,), audits=NOTHING)
def heartbeat(
    request: HeartbeatRequest, context: RequestContext, groups: Groups, authorizer: Authorizer
) -> HeartbeatResponse | Promise[HeartbeatResponse]:
    authorizer.require(context.caller.subject, READ_GROUP, request.group_id)
    try:
        return groups.heartbeat(request)
    except CoordinatorLoadInProgress:
        return HeartbeatResponse()  # nobody is given up meanwhile, so all is well for all that is known
