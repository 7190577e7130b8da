"""DeleteAcls: refused one by one, since there is no authorizer that would have any.

v2 flexible, v3 resources of users.
"""

from penstock.access.rights import ALTER_CLUSTER, ResourceKind
from penstock.broker.registry import answers
from penstock.errors import SecurityDisabled
from penstock.wire.api import ApiKey
from penstock.wire.messages.delete_acls_request import DeleteAclsRequest
from penstock.wire.messages.delete_acls_response import DeleteAclsFilterResult, DeleteAclsResponse


@answers(ApiKey.DELETE_ACLS, versions=(1, 3), requires=(ALTER_CLUSTER,), audits=(ResourceKind.CLUSTER,))
def delete_acls(request: DeleteAclsRequest) -> DeleteAclsResponse:
    refusal = SecurityDisabled()
    return DeleteAclsResponse(
        filter_results=[DeleteAclsFilterResult(refusal.code, refusal.message) for _ in request.filters]
    )
