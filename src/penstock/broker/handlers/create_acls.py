"""CreateAcls: refused one by one, since there is no authorizer that would heed them.

v2 flexible, v3 resources of users.
"""

from penstock.access.rights import ALTER_CLUSTER, ResourceKind
from penstock.broker.registry import answers
from penstock.errors import SecurityDisabled
from penstock.wire.api import ApiKey
from penstock.wire.messages.create_acls_request import CreateAclsRequest
from penstock.wire.messages.create_acls_response import AclCreationResult, CreateAclsResponse


@answers(ApiKey.CREATE_ACLS, versions=(1, 3), requires=(ALTER_CLUSTER,), audits=(ResourceKind.CLUSTER,))
def create_acls(request: CreateAclsRequest) -> CreateAclsResponse:
    refusal = SecurityDisabled()
    return CreateAclsResponse(results=[AclCreationResult(refusal.code, refusal.message) for _ in request.creations])
