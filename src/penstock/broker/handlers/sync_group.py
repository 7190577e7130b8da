"""SyncGroup: the leader hands in who gets what; everyone else gets it, as soon as it is there.

v1 throttle time, v3 static members (KIP-345), v4 flexible, v5 protocol type and name, which must be the group's.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import READ_GROUP, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.groups import Groups
from penstock.errors import InconsistentGroupProtocol
from penstock.replication import Promise
from penstock.wire.api import ApiKey
from penstock.wire.messages.sync_group_request import SyncGroupRequest
from penstock.wire.messages.sync_group_response import SyncGroupResponse

PROTOCOL_NAMED_FROM = 5


@answers(ApiKey.SYNC_GROUP, versions=(0, 5), requires=(READ_GROUP,), audits=(ResourceKind.GROUP,))
def sync_group(
    request: SyncGroupRequest, context: RequestContext, groups: Groups, authorizer: Authorizer
) -> Promise[SyncGroupResponse]:
    authorizer.require(context.caller.subject, READ_GROUP, request.group_id)
    if context.api_version >= PROTOCOL_NAMED_FROM and (request.protocol_type is None or request.protocol_name is None):
        raise InconsistentGroupProtocol("the protocol's type and name are missing")
    return groups.sync(request, api_version=context.api_version)
