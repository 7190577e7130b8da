"""DeleteAcls: take away the access rules that filters find, and say which these were.

v2 flexible, v3 resources of users.
"""

from penstock.access.acl_requests import filter_of
from penstock.access.acls import Acl
from penstock.access.authorizer import Authorizer
from penstock.access.rights import ALTER_CLUSTER, ResourceKind
from penstock.broker.acl_changes import AclChanges
from penstock.broker.cooperative import cooperatively
from penstock.broker.large_answers import encoded_if_large
from penstock.broker.registry import RequestContext, answers
from penstock.errors import Refusal, SecurityDisabled
from penstock.wire.api import ApiKey
from penstock.wire.messages.delete_acls_request import DeleteAclsRequest
from penstock.wire.messages.delete_acls_response import (
    DeleteAclsFilterResult,
    DeleteAclsMatchingAcl,
    DeleteAclsResponse,
)


@answers(ApiKey.DELETE_ACLS, versions=(1, 3), requires=(ALTER_CLUSTER,), audits=(ResourceKind.CLUSTER,))
async def delete_acls(
    request: DeleteAclsRequest, context: RequestContext, authorizer: Authorizer, changes: AclChanges
) -> DeleteAclsResponse:
    try:
        authorizer.require(context.caller.subject, ALTER_CLUSTER)
        if not authorizer.is_on:
            raise SecurityDisabled
    except Refusal as refusal:
        return DeleteAclsResponse(filter_results=[_refused(refusal) for _ in request.filters])
    found: list[dict[str, Acl] | Refusal] = []
    async for each in cooperatively(request.filters):
        try:
            found.append(await changes.find(filter_of(each)))
        except Refusal as refusal:
            found.append(refusal)
    refused = await changes.remove([name for one in found if not isinstance(one, Refusal) for name in one])
    response = DeleteAclsResponse()
    async for one in cooperatively(found, at_once=1):
        if isinstance(one, Refusal):
            response.filter_results.append(_refused(one))
            continue
        deleted = [_deleted(acl, refused.get(name)) async for name, acl in cooperatively(one.items(), at_once=500)]
        response.filter_results.append(DeleteAclsFilterResult(0, None, deleted))
    size = sum(1 + len(result.matching_acls) for result in response.filter_results)
    return await encoded_if_large(response, context.api_version, size=size)


def _refused(refusal: Refusal) -> DeleteAclsFilterResult:
    return DeleteAclsFilterResult(refusal.code, refusal.message)


def _deleted(acl: Acl, refusal: Refusal | None) -> DeleteAclsMatchingAcl:
    return DeleteAclsMatchingAcl(
        error_code=0 if refusal is None else refusal.code,
        error_message=None if refusal is None else refusal.message,
        resource_type=acl.kind,
        resource_name=acl.name,
        pattern_type=acl.pattern,
        principal=acl.principal,
        host=acl.host,
        operation=acl.operation,
        permission_type=acl.permission,
    )
