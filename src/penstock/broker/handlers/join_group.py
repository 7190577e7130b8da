"""JoinGroup: become a member of a group, or say that one still is; answered when the next generation begins.

v1 rebalance timeout, v2 throttle time, v4 a member id is required, v5 static members (KIP-345), v6 flexible, v7
protocol type, v8 reason, v9 a restarted static leader need not assign.
"""

from functools import partial

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_TOPIC, READ_GROUP, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.groups import Groups
from penstock.replication import Promise
from penstock.wire.api import ApiKey
from penstock.wire.messages.join_group_request import JoinGroupRequest
from penstock.wire.messages.join_group_response import JoinGroupResponse


@answers(ApiKey.JOIN_GROUP, versions=(0, 9), requires=(READ_GROUP,), audits=(ResourceKind.GROUP,))
def join_group(
    request: JoinGroupRequest, context: RequestContext, groups: Groups, authorizer: Authorizer
) -> Promise[JoinGroupResponse]:
    subject = context.caller.subject
    authorizer.require(subject, READ_GROUP, request.group_id)
    return groups.join(
        request,
        api_version=context.api_version,
        client_id=context.client_id or "",
        client_host=f"/{context.peer.rpartition(':')[0]}",
        shows=partial(authorizer.shows, subject, DESCRIBE_TOPIC) if authorizer.is_on else None,
    )
