"""CreateDelegationToken: a login of a limited life, for oneself or, with CREATE_TOKENS, for another.

v2 flexible, v3 an owner who is not the requester.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.principal import USER, Principal
from penstock.access.rights import CREATE_TOKENS, ResourceKind
from penstock.access.tokens.tokens import Wanted
from penstock.broker.registry import RequestContext, answers
from penstock.broker.token_authority import TokenAuthority
from penstock.errors import InvalidPrincipalType, Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.create_delegation_token_request import CreateDelegationTokenRequest
from penstock.wire.messages.create_delegation_token_response import CreateDelegationTokenResponse


@answers(
    ApiKey.CREATE_DELEGATION_TOKEN,
    versions=(1, 3),
    requires=(CREATE_TOKENS,),
    audits=(ResourceKind.DELEGATION_TOKEN,),
)
async def create_delegation_token(
    request: CreateDelegationTokenRequest, context: RequestContext, authorizer: Authorizer, authority: TokenAuthority
) -> CreateDelegationTokenResponse:
    subject = context.caller.subject
    requester = owner = subject.principal
    if request.owner_principal_name:
        owner = Principal(request.owner_principal_type or "", request.owner_principal_name)
    response = CreateDelegationTokenResponse(principal_type=owner.kind, principal_name=owner.name)
    if context.api_version >= 3:
        response.token_requester_principal_type = requester.kind
        response.token_requester_principal_name = requester.name
    try:
        authority.require_login(subject)
        if owner.kind != USER:
            raise InvalidPrincipalType  # a token logs its owner in as a user
        if owner != requester:
            authorizer.require(subject, CREATE_TOKENS, str(owner))
        renewers = tuple(Principal(each.principal_type, each.principal_name) for each in request.renewers)
        token_id, record, secret = await authority.create(Wanted(owner, requester, renewers, request.max_lifetime_ms))
    except Refusal as refusal:
        response.error_code = refusal.code
        response.issue_timestamp_ms = response.expiry_timestamp_ms = response.max_timestamp_ms = -1
        return response
    response.issue_timestamp_ms, response.expiry_timestamp_ms = record.issued_ms, record.ends_ms
    response.max_timestamp_ms, response.token_id, response.hmac = record.max_ms, token_id, secret
    return response
