"""WriteShareGroupState: a partition's leader has it kept what became of records.

v1 how many records beyond the start are done (KIP-1226).
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import CLUSTER_ACTION, ResourceKind
from penstock.broker.peer_authentication import PeerAuthenticator
from penstock.broker.registry import RequestContext, answers
from penstock.broker.share_state_requests import answer
from penstock.coordinators.shares.commands import Write
from penstock.coordinators.shares.service import Shares
from penstock.wire.api import ApiKey
from penstock.wire.messages.write_share_group_state_request import WriteShareGroupStateRequest
from penstock.wire.messages.write_share_group_state_response import WriteShareGroupStateResponse


@answers(ApiKey.WRITE_SHARE_GROUP_STATE, versions=(0, 1), requires=(CLUSTER_ACTION,), audits=(ResourceKind.GROUP,))
async def write_share_group_state(
    request: WriteShareGroupStateRequest,
    context: RequestContext,
    shares: Shares,
    authenticator: PeerAuthenticator,
    authorizer: Authorizer,
) -> WriteShareGroupStateResponse:
    response: WriteShareGroupStateResponse = await answer(
        Write, request, context.caller, shares=shares, authenticator=authenticator, authorizer=authorizer
    )
    return response
