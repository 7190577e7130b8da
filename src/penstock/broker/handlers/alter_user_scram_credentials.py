"""AlterUserScramCredentials: add users, change their passwords, take them away. Each user stands for itself.
Which groups users are in is changed by the same request, in a field of our own.

A client sends the salted password; what is kept are keys made from it, sealed. Whoever is logged in stays so until its
session ends.
"""

from penstock.access.authorizer import Authorizer
from penstock.access.rights import ALTER_CLUSTER, ResourceKind
from penstock.access.users.accounts import Users, change_users
from penstock.access.users.scram_requests import changes_of, users_in
from penstock.broker.registry import RequestContext, answers
from penstock.cluster import Controller, EntryKind
from penstock.errors import Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages.alter_user_scram_credentials_request import AlterUserScramCredentialsRequest
from penstock.wire.messages.alter_user_scram_credentials_response import (
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)


@answers(ApiKey.ALTER_USER_SCRAM_CREDENTIALS, versions=(0, 0), requires=(ALTER_CLUSTER,), audits=(ResourceKind.USER,))
async def alter_user_scram_credentials(
    request: AlterUserScramCredentialsRequest,
    context: RequestContext,
    authorizer: Authorizer,
    users: Users,
    controller: Controller,
) -> AlterUserScramCredentialsResponse:
    outcomes: dict[str, Refusal | None]
    try:
        authorizer.require(context.caller.subject, ALTER_CLUSTER)
        refused, changes = changes_of(request, users.sealing, users.record)
        outcomes = {**refused}
        if changes:
            done = await controller.change_entries(EntryKind.USERS, change_users(changes))
            outcomes |= done
    except Refusal as refusal:
        outcomes = dict.fromkeys(users_in(request), refusal)
    return AlterUserScramCredentialsResponse(results=[_result(user, outcomes[user]) for user in users_in(request)])


def _result(user: str, refusal: Refusal | None) -> AlterUserScramCredentialsResult:
    if refusal is None:
        return AlterUserScramCredentialsResult(user, 0, None)
    return AlterUserScramCredentialsResult(user, refusal.code, refusal.message)
