"""RenewDelegationToken: put a token's end off, for its owner and those whom it names as renewers.

Whoever has the token has its HMAC, and says it. v2 flexible.
"""

from penstock.access.rights import NOTHING, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.broker.token_authority import TokenAuthority
from penstock.errors import Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.renew_delegation_token_request import RenewDelegationTokenRequest
from penstock.wire.messages.renew_delegation_token_response import RenewDelegationTokenResponse


@answers(ApiKey.RENEW_DELEGATION_TOKEN, versions=(1, 2), requires=NOTHING, audits=(ResourceKind.DELEGATION_TOKEN,))
async def renew_delegation_token(
    request: RenewDelegationTokenRequest, context: RequestContext, authority: TokenAuthority
) -> RenewDelegationTokenResponse:
    subject = context.caller.subject
    try:
        authority.require_login(subject)
        ends_ms = await authority.renew(bytes(request.hmac), subject.principal, request.renew_period_ms)
    except Refusal as refusal:
        return RenewDelegationTokenResponse(refusal.code, -1)
    return RenewDelegationTokenResponse(expiry_timestamp_ms=ends_ms)
