"""ReadShareGroupStateSummary: a group coordinator asks how far a share group is in a partition.

v1 how many records beyond the start are done (KIP-1226).
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import CLUSTER_ACTION, NOTHING
from penstock.broker.peer_authentication import PeerAuthenticator
from penstock.broker.registry import RequestContext, answers
from penstock.broker.share_state_requests import answer
from penstock.coordinators.shares.commands import Summarize
from penstock.coordinators.shares.service import Shares
from penstock.wire.api import ApiKey
from penstock.wire.messages.read_share_group_state_summary_request import ReadShareGroupStateSummaryRequest
from penstock.wire.messages.read_share_group_state_summary_response import ReadShareGroupStateSummaryResponse


@answers(ApiKey.READ_SHARE_GROUP_STATE_SUMMARY, versions=(0, 1), requires=(CLUSTER_ACTION,), audits=NOTHING)
async def read_share_group_state_summary(
    request: ReadShareGroupStateSummaryRequest,
    context: RequestContext,
    shares: Shares,
    authenticator: PeerAuthenticator,
    authorizer: Authorizer,
) -> ReadShareGroupStateSummaryResponse:
    response: ReadShareGroupStateSummaryResponse = await answer(
        Summarize, request, context.caller, shares=shares, authenticator=authenticator, authorizer=authorizer
    )
    return response
