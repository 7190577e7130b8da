"""DeleteShareGroupState: a group coordinator has it forgotten what was kept of a partition."""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import CLUSTER_ACTION, ResourceKind
from penstock.broker.peer_authentication import PeerAuthenticator
from penstock.broker.registry import RequestContext, answers
from penstock.broker.share_state_requests import answer
from penstock.coordinators.shares.commands import Delete
from penstock.coordinators.shares.service import Shares
from penstock.wire.api import ApiKey
from penstock.wire.messages.delete_share_group_state_request import DeleteShareGroupStateRequest
from penstock.wire.messages.delete_share_group_state_response import DeleteShareGroupStateResponse


@answers(ApiKey.DELETE_SHARE_GROUP_STATE, versions=(0, 0), requires=(CLUSTER_ACTION,), audits=(ResourceKind.GROUP,))
async def delete_share_group_state(
    request: DeleteShareGroupStateRequest,
    context: RequestContext,
    shares: Shares,
    authenticator: PeerAuthenticator,
    authorizer: Authorizer,
) -> DeleteShareGroupStateResponse:
    response: DeleteShareGroupStateResponse = await answer(
        Delete, request, context.caller, shares=shares, authenticator=authenticator, authorizer=authorizer
    )
    return response
