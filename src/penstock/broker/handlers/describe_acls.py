"""DescribeAcls: who may do what. There is no authorizer, and that is the answer, as Kafka's without one.

MirrorMaker, consoles and scripts ask before they look at ACLs, and go on without them.
v2 flexible, v3 resources of users.
"""

from penstock.access.rights import DESCRIBE_CLUSTER, NOTHING
from penstock.broker.registry import answers
from penstock.errors import SecurityDisabled
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_acls_request import DescribeAclsRequest
from penstock.wire.messages.describe_acls_response import DescribeAclsResponse


@answers(ApiKey.DESCRIBE_ACLS, versions=(1, 3), requires=(DESCRIBE_CLUSTER,), audits=NOTHING)
def describe_acls(request: DescribeAclsRequest) -> DescribeAclsResponse:
    raise SecurityDisabled
