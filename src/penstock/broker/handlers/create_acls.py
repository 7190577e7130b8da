"""CreateAcls: add access rules, each for itself. One that is there already is no error.

v2 flexible, v3 resources of users. Answered when this broker judges by them; others follow within milliseconds.
"""

from penstock.access.acl_requests import acl_to_create
from penstock.access.acls import Acl
from penstock.access.authorizer import Authorizer
from penstock.access.rights import ALTER_CLUSTER, ResourceKind
from penstock.broker.acl_changes import AclChanges
from penstock.broker.cooperative import cooperatively
from penstock.broker.large_answers import encoded_if_large
from penstock.broker.registry import RequestContext, answers
from penstock.errors import Refusal, SecurityDisabled
from penstock.wire.api import ApiKey
from penstock.wire.messages.create_acls_request import CreateAclsRequest
from penstock.wire.messages.create_acls_response import AclCreationResult, CreateAclsResponse


@answers(ApiKey.CREATE_ACLS, versions=(1, 3), requires=(ALTER_CLUSTER,), audits=(ResourceKind.CLUSTER,))
async def create_acls(
    request: CreateAclsRequest, context: RequestContext, authorizer: Authorizer, changes: AclChanges
) -> CreateAclsResponse:
    try:
        authorizer.require(context.caller.subject, ALTER_CLUSTER)
        if not authorizer.is_on:
            raise SecurityDisabled
    except Refusal as refusal:
        return CreateAclsResponse(results=[_result(refusal) for _ in request.creations])
    outcomes: dict[int, Refusal | None] = {}
    wanted: dict[int, Acl] = {}
    async for index, creation in cooperatively(enumerate(request.creations)):
        try:
            wanted[index] = acl_to_create(creation)
        except Refusal as refusal:
            outcomes[index] = refusal
    outcomes |= zip(wanted, await changes.add(list(wanted.values())), strict=True)
    response = CreateAclsResponse(results=[_result(outcomes[index]) for index in range(len(request.creations))])
    return await encoded_if_large(response, context.api_version, size=len(response.results))


def _result(refusal: Refusal | None) -> AclCreationResult:
    return AclCreationResult(0, None) if refusal is None else AclCreationResult(refusal.code, refusal.message)
