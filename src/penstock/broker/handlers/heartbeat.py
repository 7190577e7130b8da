"""Heartbeat: a member says that it is alive, and learns whether a rebalance has begun.

v1 throttle time, v3 static members (KIP-345), v4 flexible.
"""

from penstock.access.rights import NOTHING, READ_GROUP
from penstock.broker.registry import answers
from penstock.coordinators.groups import Groups
from penstock.errors import CoordinatorLoadInProgress
from penstock.replication import Promise
from penstock.wire.api import ApiKey
from penstock.wire.messages.heartbeat_request import HeartbeatRequest
from penstock.wire.messages.heartbeat_response import HeartbeatResponse


@answers(ApiKey.HEARTBEAT, versions=(0, 4), requires=(READ_GROUP,), audits=NOTHING)
def heartbeat(request: HeartbeatRequest, groups: Groups) -> HeartbeatResponse | Promise[HeartbeatResponse]:
    try:
        return groups.heartbeat(request)
    except CoordinatorLoadInProgress:
        return HeartbeatResponse()  # nobody is given up meanwhile, so all is well for all that is known
