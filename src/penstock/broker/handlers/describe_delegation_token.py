"""DescribeDelegationToken: one's own tokens, and those of others that one may see. With them come their HMACs.

v2 flexible, v3 who asked for a token.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_TOKEN, DESCRIBE_TOKENS, NOTHING
from penstock.access.tokens.records import TokenRecord, principal_of
from penstock.broker.registry import RequestContext, answers
from penstock.broker.token_authority import TokenAuthority
from penstock.errors import Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_delegation_token_request import DescribeDelegationTokenRequest
from penstock.wire.messages.describe_delegation_token_response import (
    DescribedDelegationToken,
    DescribedDelegationTokenRenewer,
    DescribeDelegationTokenResponse,
)


@answers(ApiKey.DESCRIBE_DELEGATION_TOKEN, versions=(1, 3), requires=(DESCRIBE_TOKEN, DESCRIBE_TOKENS), audits=NOTHING)
def describe_delegation_token(
    request: DescribeDelegationTokenRequest, context: RequestContext, authorizer: Authorizer, authority: TokenAuthority
) -> DescribeDelegationTokenResponse:
    subject = context.caller.subject
    me = str(subject.principal)
    owners = (
        None if request.owners is None else [f"{each.principal_type}:{each.principal_name}" for each in request.owners]
    )

    def may_see(token_id: str, record: TokenRecord) -> bool:
        if owners is not None and not any(record.is_of(owner) for owner in owners):
            return False
        return (
            record.is_of(me)
            or authorizer.allows(subject, DESCRIBE_TOKEN, token_id)
            or authorizer.allows(subject, DESCRIBE_TOKENS, record.owner)
        )

    try:
        authority.require_login(subject)
        authority.require_secrets()
    except Refusal as refusal:
        return DescribeDelegationTokenResponse(refusal.code)
    if owners == []:
        return DescribeDelegationTokenResponse()
    shown = [(token_id, record) for token_id, record in authority.shown() if may_see(token_id, record)]
    described = [_described(each, record, authority.tokens.hmac_of(each, record)) for each, record in shown]
    if context.api_version < 3:
        for token in described:
            token.token_requester_principal_type = token.token_requester_principal_name = ""
    return DescribeDelegationTokenResponse(tokens=described)


def _described(token_id: str, record: TokenRecord, secret: bytes) -> DescribedDelegationToken:
    owner, requester = principal_of(record.owner), principal_of(record.requester)
    return DescribedDelegationToken(
        principal_type=owner.kind,
        principal_name=owner.name,
        token_requester_principal_type=requester.kind,
        token_requester_principal_name=requester.name,
        issue_timestamp=record.issued_ms,
        expiry_timestamp=record.ends_ms,
        max_timestamp=record.max_ms,
        token_id=token_id,
        hmac=secret,
        renewers=[DescribedDelegationTokenRenewer(*principal_of(renewer)) for renewer in record.renewers],
    )
