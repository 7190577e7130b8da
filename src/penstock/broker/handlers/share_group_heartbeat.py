"""ShareGroupHeartbeat (KIP-932): join a share group, stay in it, learn what to read, and leave."""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_TOPIC, READ_GROUP, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.groups.share_service import ShareGroupService
from penstock.replication import Promise
from penstock.wire.api import ApiKey
from penstock.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from penstock.wire.messages.share_group_heartbeat_response import ShareGroupHeartbeatResponse


@answers(
    ApiKey.SHARE_GROUP_HEARTBEAT, versions=(1, 1), requires=(READ_GROUP, DESCRIBE_TOPIC), audits=(ResourceKind.GROUP,)
)
def share_group_heartbeat(
    request: ShareGroupHeartbeatRequest,
    context: RequestContext,
    share_groups: ShareGroupService,
    authorizer: Authorizer,
) -> Promise[ShareGroupHeartbeatResponse]:
    subject = context.caller.subject
    authorizer.require(subject, READ_GROUP, request.group_id)
    for name in request.subscribed_topic_names or ():
        authorizer.require(subject, DESCRIBE_TOPIC, name)
    return share_groups.heartbeat(
        request, client_id=context.client_id or "", client_host=f"/{context.peer.rpartition(':')[0]}"
    )
