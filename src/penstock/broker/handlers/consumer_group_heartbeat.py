"""ConsumerGroupHeartbeat (KIP-848): join a group, stay in it, learn what to read, and leave.

v1 patterns, and members that make their own ids.
"""

from functools import partial

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_TOPIC, READ_GROUP, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.coordinators.groups import Groups
from penstock.replication import Promise
from penstock.wire.api import ApiKey
from penstock.wire.messages.consumer_group_heartbeat_request import ConsumerGroupHeartbeatRequest
from penstock.wire.messages.consumer_group_heartbeat_response import ConsumerGroupHeartbeatResponse


@answers(
    ApiKey.CONSUMER_GROUP_HEARTBEAT,
    versions=(0, 1),
    requires=(READ_GROUP, DESCRIBE_TOPIC),
    audits=(ResourceKind.GROUP,),
)
def consumer_group_heartbeat(
    request: ConsumerGroupHeartbeatRequest, context: RequestContext, groups: Groups, authorizer: Authorizer
) -> Promise[ConsumerGroupHeartbeatResponse]:
    subject = context.caller.subject
    authorizer.require(subject, READ_GROUP, request.group_id)
    for name in request.subscribed_topic_names or ():
        authorizer.require(subject, DESCRIBE_TOPIC, name)
    return groups.consumer_heartbeat(
        request,
        api_version=context.api_version,
        client_id=context.client_id or "",
        client_host=f"/{context.peer.rpartition(':')[0]}",
        shows=partial(authorizer.shows, subject, DESCRIBE_TOPIC) if authorizer.is_on else None,
    )
