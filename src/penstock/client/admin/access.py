"""Who may do what and how much: ACLs, quotas, SCRAM credentials, delegation tokens.

Filters, entries and tokens are the structs of the wire messages: they are flat, and say all there is.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from penstock.client.core import Core
from penstock.client.outcomes import Outcomes, outcome
from penstock.wire.messages.alter_client_quotas_request import (
    AlterClientQuotasRequest,
    EntityData,
    EntryData,
    OpData,
)
from penstock.wire.messages.alter_user_scram_credentials_request import (
    AlterUserScramCredentialsRequest,
    GroupsOfUser,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from penstock.wire.messages.create_acls_request import AclCreation, CreateAclsRequest
from penstock.wire.messages.create_delegation_token_request import CreatableRenewers, CreateDelegationTokenRequest
from penstock.wire.messages.create_delegation_token_response import CreateDelegationTokenResponse
from penstock.wire.messages.delete_acls_request import DeleteAclsFilter, DeleteAclsRequest
from penstock.wire.messages.delete_acls_response import DeleteAclsMatchingAcl
from penstock.wire.messages.describe_acls_request import DescribeAclsRequest
from penstock.wire.messages.describe_acls_response import DescribeAclsResource
from penstock.wire.messages.describe_client_quotas_request import ComponentData, DescribeClientQuotasRequest
from penstock.wire.messages.describe_client_quotas_response import DescribeClientQuotasResponse
from penstock.wire.messages.describe_delegation_token_request import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from penstock.wire.messages.describe_delegation_token_response import DescribedDelegationToken
from penstock.wire.messages.describe_user_scram_credentials_request import DescribeUserScramCredentialsRequest, UserName
from penstock.wire.messages.describe_user_scram_credentials_response import CredentialInfo
from penstock.wire.messages.expire_delegation_token_request import ExpireDelegationTokenRequest
from penstock.wire.messages.renew_delegation_token_request import RenewDelegationTokenRequest

ANY_ACL = DescribeAclsRequest(1, None, 1, None, None, 1, 1)
"""The filter that every ACL passes."""


class QuotaOf(NamedTuple):
    """Whom a quota is for: a type (`user`, `client-id`, `ip`) and a name, None for whoever has no own quota."""

    type: str
    name: str | None


async def describe_acls(core: Core, wanted: DescribeAclsRequest = ANY_ACL) -> list[DescribeAclsResource]:
    found: list[DescribeAclsResource] = (await core.routed(wanted)).resources
    return found


async def create_acls(core: Core, acls: Iterable[AclCreation]) -> Outcomes[int, None]:
    """The outcome is by the place in `acls`."""
    answer = await core.routed(CreateAclsRequest(list(acls)))
    return Outcomes({i: outcome(each.error_code, None, each.error_message) for i, each in enumerate(answer.results)})


async def delete_acls(core: Core, filters: Iterable[DeleteAclsFilter]) -> Outcomes[int, list[DeleteAclsMatchingAcl]]:
    """What each filter took away, by its place in `filters`."""
    answer = await core.routed(DeleteAclsRequest(list(filters)))
    return Outcomes(
        {
            index: outcome(each.error_code, each.matching_acls, each.error_message)
            for index, each in enumerate(answer.filter_results)
        }
    )


async def describe_quotas(
    core: Core, wanted: Iterable[ComponentData] = (), *, strict: bool = False
) -> dict[tuple[QuotaOf, ...], dict[str, float]]:
    answer: DescribeClientQuotasResponse = await core.routed(DescribeClientQuotasRequest(list(wanted), strict))
    return {
        tuple(QuotaOf(part.entity_type, part.entity_name) for part in each.entity): {
            value.key: value.value for value in each.values
        }
        for each in answer.entries or ()
    }


async def alter_quotas(
    core: Core, quotas: Mapping[tuple[QuotaOf, ...], Mapping[str, float | None]], *, validate_only: bool = False
) -> Outcomes[tuple[QuotaOf, ...], None]:
    """Set quotas; None takes one away."""
    entries = [
        EntryData(
            [EntityData(part.type, part.name) for part in entity],
            [OpData(key, value or 0.0, value is None) for key, value in values.items()],
        )
        for entity, values in quotas.items()
    ]
    answer = await core.routed(AlterClientQuotasRequest(entries, validate_only))
    return Outcomes(
        {
            tuple(QuotaOf(part.entity_type, part.entity_name) for part in each.entity): outcome(
                each.error_code, None, each.error_message
            )
            for each in answer.entries
        }
    )


async def describe_scram(core: Core, users: Iterable[str] | None = None) -> Outcomes[str, list[CredentialInfo]]:
    """Mechanisms and iterations, never secrets; of all users where none are named."""
    wanted = None if users is None else [UserName(user) for user in users]
    answer = await core.routed(DescribeUserScramCredentialsRequest(wanted))
    return Outcomes(
        {each.user: outcome(each.error_code, each.credential_infos, each.error_message) for each in answer.results}
    )


async def groups_of_users(core: Core, users: Iterable[str] | None = None) -> Outcomes[str, list[str]]:
    """Which groups users are in. Apache Kafka's brokers know of none."""
    wanted = None if users is None else [UserName(user) for user in users]
    answer = await core.routed(DescribeUserScramCredentialsRequest(wanted))
    return Outcomes(
        {each.user: outcome(each.error_code, each.member_of, each.error_message) for each in answer.results}
    )


async def alter_scram(
    core: Core,
    *,
    put: Iterable[ScramCredentialUpsertion] = (),
    delete: Iterable[ScramCredentialDeletion] = (),
    groups: Mapping[str, Iterable[str]] | None = None,
) -> Outcomes[str, None]:
    """`groups`: those that a user is in from now on. Apache Kafka's brokers pass over them, without an outcome."""
    of_users = [GroupsOfUser(user, list(names)) for user, names in (groups or {}).items()]
    answer = await core.routed(AlterUserScramCredentialsRequest(list(delete), list(put), of_users))
    return Outcomes({each.user: outcome(each.error_code, None, each.error_message) for each in answer.results})


async def create_token(
    core: Core, *, renewers: Iterable[CreatableRenewers] = (), lifetime_ms: int = -1
) -> CreateDelegationTokenResponse:
    request = CreateDelegationTokenRequest(None, None, list(renewers), lifetime_ms)
    token: CreateDelegationTokenResponse = await core.routed(request, at_least=3)
    return token


async def renew_token(core: Core, hmac: bytes, *, period_ms: int = -1) -> int:
    """When it ends now."""
    return int((await core.routed(RenewDelegationTokenRequest(hmac, period_ms))).expiry_timestamp_ms)


async def expire_token(core: Core, hmac: bytes, *, period_ms: int = -1) -> int:
    return int((await core.routed(ExpireDelegationTokenRequest(hmac, period_ms))).expiry_timestamp_ms)


async def describe_tokens(
    core: Core, owners: Iterable[DescribeDelegationTokenOwner] | None = None
) -> list[DescribedDelegationToken]:
    wanted = None if owners is None else list(owners)
    found: list[DescribedDelegationToken] = (await core.routed(DescribeDelegationTokenRequest(wanted))).tokens
    return found
