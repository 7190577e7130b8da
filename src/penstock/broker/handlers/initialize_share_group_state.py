"""InitializeShareGroupState: a group coordinator says where a share group begins in a partition."""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import CLUSTER_ACTION, ResourceKind
from penstock.broker.peer_authentication import PeerAuthenticator
from penstock.broker.registry import RequestContext, answers
from penstock.broker.share_state_requests import answer
from penstock.coordinators.shares.commands import Initialize
from penstock.coordinators.shares.service import Shares
from penstock.wire.api import ApiKey
from penstock.wire.messages.initialize_share_group_state_request import InitializeShareGroupStateRequest
from penstock.wire.messages.initialize_share_group_state_response import InitializeShareGroupStateResponse


@answers(ApiKey.INITIALIZE_SHARE_GROUP_STATE, versions=(0, 0), requires=(CLUSTER_ACTION,), audits=(ResourceKind.GROUP,))
async def initialize_share_group_state(
    request: InitializeShareGroupStateRequest,
    context: RequestContext,
    shares: Shares,
    authenticator: PeerAuthenticator,
    authorizer: Authorizer,
) -> InitializeShareGroupStateResponse:
    response: InitializeShareGroupStateResponse = await answer(
        Initialize, request, context.caller, shares=shares, authenticator=authenticator, authorizer=authorizer
    )
    return response
