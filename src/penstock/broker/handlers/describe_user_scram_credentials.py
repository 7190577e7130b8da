"""DescribeUserScramCredentials: which users can log in by SCRAM, and with how many iterations. Never their keys."""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import DESCRIBE_CLUSTER, NOTHING
from penstock.access.users.accounts import Users
from penstock.access.users.scram_requests import describe
from penstock.broker.registry import RequestContext, answers
from penstock.wire.api import ApiKey
from penstock.wire.messages.describe_user_scram_credentials_request import DescribeUserScramCredentialsRequest
from penstock.wire.messages.describe_user_scram_credentials_response import DescribeUserScramCredentialsResponse


@answers(ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, versions=(0, 0), requires=(DESCRIBE_CLUSTER,), audits=NOTHING)
def describe_user_scram_credentials(
    request: DescribeUserScramCredentialsRequest, context: RequestContext, authorizer: Authorizer, users: Users
) -> DescribeUserScramCredentialsResponse:
    authorizer.require(context.caller.subject, DESCRIBE_CLUSTER)
    wanted = [user.name for user in request.users or ()]
    return DescribeUserScramCredentialsResponse(results=describe(wanted, users.names(), users.record))
