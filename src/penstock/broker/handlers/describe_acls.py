"""DescribeAcls: the access rules that a filter finds, by what they are about.

Without an authorizer that is the answer, as Kafka's: MirrorMaker, consoles and scripts ask before they look at rules,
and go on without them. v2 flexible, v3 resources of users.
"""

import asyncio

from penstock.access.acl_requests import by_resource, filter_of
from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_CLUSTER, NOTHING
from penstock.broker.acl_changes import AclChanges
from penstock.broker.large_answers import LARGE, encoded_if_large
from penstock.broker.registry import RequestContext, answers
from penstock.errors import SecurityDisabled
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_acls_request import DescribeAclsRequest
from penstock.wire.messages.describe_acls_response import DescribeAclsResponse


@answers(ApiKey.DESCRIBE_ACLS, versions=(1, 3), requires=(DESCRIBE_CLUSTER,), audits=NOTHING)
async def describe_acls(
    request: DescribeAclsRequest, context: RequestContext, authorizer: Authorizer, changes: AclChanges
) -> DescribeAclsResponse:
    authorizer.require(context.caller.subject, DESCRIBE_CLUSTER)
    if not authorizer.is_on:
        raise SecurityDisabled
    found = await changes.find(filter_of(request))
    rules = list(found.values())
    resources = by_resource(rules) if len(rules) < LARGE else await asyncio.to_thread(by_resource, rules)
    response = DescribeAclsResponse(error_message=None, resources=resources)
    return await encoded_if_large(response, context.api_version, size=len(found))
