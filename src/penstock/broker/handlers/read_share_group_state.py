"""ReadShareGroupState: a partition's leader asks what is kept of it, and fences those before it."""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import CLUSTER_ACTION, NOTHING
from penstock.broker.peer_authentication import PeerAuthenticator
from penstock.broker.registry import RequestContext, answers
from penstock.broker.share_state_requests import answer
from penstock.coordinators.shares.commands import Read
from penstock.coordinators.shares.service import Shares
from penstock.wire.api import ApiKey
from penstock.wire.messages.read_share_group_state_request import ReadShareGroupStateRequest
from penstock.wire.messages.read_share_group_state_response import ReadShareGroupStateResponse


@answers(ApiKey.READ_SHARE_GROUP_STATE, versions=(0, 0), requires=(CLUSTER_ACTION,), audits=NOTHING)
async def read_share_group_state(
    request: ReadShareGroupStateRequest,
    context: RequestContext,
    shares: Shares,
    authenticator: PeerAuthenticator,
    authorizer: Authorizer,
) -> ReadShareGroupStateResponse:
    response: ReadShareGroupStateResponse = await answer(
        Read, request, context.caller, shares=shares, authenticator=authenticator, authorizer=authorizer
    )
    return response
