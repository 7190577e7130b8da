"""ExpireDelegationToken: end a token at a time, or at once, for its owner and its renewers.

Whoever has the token has its HMAC, and says it. v2 flexible.
"""

from penstock.access.rights import NOTHING, ResourceKind
from penstock.broker.registry import RequestContext, answers
from penstock.broker.token_authority import TokenAuthority
from penstock.errors import Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.expire_delegation_token_request import ExpireDelegationTokenRequest
from penstock.wire.messages.expire_delegation_token_response import ExpireDelegationTokenResponse


@answers(ApiKey.EXPIRE_DELEGATION_TOKEN, versions=(1, 2), requires=NOTHING, audits=(ResourceKind.DELEGATION_TOKEN,))
async def expire_delegation_token(
    request: ExpireDelegationTokenRequest, context: RequestContext, authority: TokenAuthority
) -> ExpireDelegationTokenResponse:
    subject = context.caller.subject
    try:
        authority.require_login(subject)
        ends_ms = await authority.expire(bytes(request.hmac), subject.principal, request.expiry_time_period_ms)
    except Refusal as refusal:
        return ExpireDelegationTokenResponse(refusal.code, -1)
    return ExpireDelegationTokenResponse(expiry_timestamp_ms=ends_ms)
