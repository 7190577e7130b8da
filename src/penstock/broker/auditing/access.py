"""How the APIs about ACLs, users, quotas and delegation tokens are told in the audit log. Never a password, a salted
one, a key or the HMAC of a token.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from penstock.access.audit import Activity
from penstock.access.rights import Operation, ResourceKind
from penstock.access.users.scram_requests import users_in
from penstock.broker.auditing.row import Key, Outcome, Row, State, Subject, none_of_its_own
from penstock.errors import Refusal
from penstock.wire.api import ApiKey
from penstock.wire.messages import (
    alter_client_quotas_response,
    alter_user_scram_credentials_response,
    create_acls_response,
    delete_acls_response,
)

# ACLs ---------------------------------------------------------------------------------------------------------------

_KINDS: Final = {1: "any", **{kind.value: kind.name.lower() for kind in ResourceKind}}
_PATTERNS: Final = {1: "any", 2: "match", 3: "literal", 4: "prefixed"}
_OPERATIONS: Final = {1: "any", **{each.value: each.name.lower() for each in Operation}}
_EFFECTS: Final = {1: "any", 2: "deny", 3: "allow"}


def binding(
    *,
    effect: int,
    principal: str | None,
    host: str | None,
    operation: int,
    kind: int,
    pattern: int,
    name: str | None,
) -> str:
    """An ACL, or a filter of some, in a line."""
    what = f"{_of(_PATTERNS, pattern)} {_of(_KINDS, kind)} {_or_any(name)}"
    return f"{_of(_EFFECTS, effect)} {_or_any(principal)} from {_or_any(host)} {_of(_OPERATIONS, operation)} on {what}"


def _of(names: dict[int, str], number: int) -> str:
    return names.get(number, str(number))


def _or_any(text: str | None) -> str:
    return "any" if text is None else text


def _created(each: Any) -> str:
    return binding(
        effect=each.permission_type,
        principal=each.principal,
        host=each.host,
        operation=each.operation,
        kind=each.resource_type,
        pattern=each.resource_pattern_type,
        name=each.resource_name,
    )


def _filtered(each: Any) -> str:
    return binding(
        effect=each.permission_type,
        principal=each.principal_filter,
        host=each.host_filter,
        operation=each.operation,
        kind=each.resource_type_filter,
        pattern=each.pattern_type_filter,
        name=each.resource_name_filter,
    )


def _matched(each: Any) -> str:
    return binding(
        effect=each.permission_type,
        principal=each.principal,
        host=each.host,
        operation=each.operation,
        kind=each.resource_type,
        pattern=each.pattern_type,
        name=each.resource_name,
    )


def _acls(request: Any, _state: State) -> list[Subject]:
    return [Subject("acl", text, asked=text) for text in map(_created, request.creations)]


def _in_order(results: Iterable[Any], subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return {
        subject.key: (result.error_code, result.error_message)
        for subject, result in zip(subjects, results, strict=False)
    }


def _acls_created(_request: Any, response: Any, subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return _in_order(response.results, subjects)


def _acls_not_created(request: Any, refusal: Refusal) -> Any:
    result = create_acls_response.AclCreationResult(refusal.code, refusal.message)
    return create_acls_response.CreateAclsResponse(results=[result] * len(request.creations))


def _filters(request: Any, _state: State) -> list[Subject]:
    return [Subject("acl filter", _filtered(each)) for each in request.filters]


def _acls_deleted(_request: Any, response: Any, subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return _in_order(response.filter_results, subjects)


def _deleted_bindings(_request: Any, response: Any, subjects: Sequence[Subject]) -> dict[Key, tuple[Any, Any]]:
    return {
        subject.key: ([_matched(each) for each in result.matching_acls if not each.error_code], None)
        for subject, result in zip(subjects, response.filter_results, strict=False)
    }


def _acls_kept(request: Any, refusal: Refusal) -> Any:
    result = delete_acls_response.DeleteAclsFilterResult(refusal.code, refusal.message)
    return delete_acls_response.DeleteAclsResponse(filter_results=[result] * len(request.filters))


# Quotas -------------------------------------------------------------------------------------------------------------


def _entity(whom: Iterable[tuple[str, str | None]]) -> str:
    return ", ".join(f"{kind} {'(default)' if name is None else name}" for kind, name in whom)


def _quotas(request: Any, state: State) -> list[Subject]:
    return [_quota(state, [(part.entity_type, part.entity_name) for part in entry.entity]) for entry in request.entries]


def _quota(state: State, whom: list[tuple[str, str | None]]) -> Subject:
    return Subject("quota", _entity(whom), lambda: state.quota(whom))


def _quotas_altered(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return {
        ("quota", _entity((part.entity_type, part.entity_name) for part in each.entity)): (
            each.error_code,
            each.error_message,
        )
        for each in response.entries
    }


def _quotas_kept(request: Any, refusal: Refusal) -> Any:
    messages = alter_client_quotas_response
    return messages.AlterClientQuotasResponse(
        entries=[
            messages.EntryData(
                refusal.code,
                refusal.message,
                [messages.EntityData(part.entity_type, part.entity_name) for part in entry.entity],
            )
            for entry in request.entries
        ]
    )


# Users --------------------------------------------------------------------------------------------------------------


def _users(request: Any, state: State) -> list[Subject]:
    return [_user(state, name) for name in users_in(request)]


def _user(state: State, name: str) -> Subject:
    return Subject("user", name, lambda: state.user(name))


def _users_altered(_request: Any, response: Any, _subjects: Sequence[Subject]) -> dict[Key, Outcome]:
    return {("user", each.user): (each.error_code, each.error_message) for each in response.results}


def _users_kept(request: Any, refusal: Refusal) -> Any:
    messages = alter_user_scram_credentials_response
    made = messages.AlterUserScramCredentialsResult
    return messages.AlterUserScramCredentialsResponse(
        results=[made(name, refusal.code, refusal.message) for name in users_in(request)]
    )


# Delegation tokens --------------------------------------------------------------------------------------------------


def _new_token(request: Any, _state: State) -> list[Subject]:
    renewers = [f"{each.principal_type}:{each.principal_name}" for each in request.renewers]
    return [Subject("delegation token", "", asked={"renewers": renewers})]


def _token_made(request: Any, response: Any, subjects: Sequence[Subject]) -> dict[Key, tuple[Any, Any]]:
    if response.error_code:
        return {}
    made = {
        **subjects[0].asked,
        "token_id": response.token_id,
        "owner": f"{response.principal_type}:{response.principal_name}",
        "expires": response.expiry_timestamp_ms,
        "expires_at_last": response.max_timestamp_ms,
    }
    return {subjects[0].key: (None, made)}


def _token(request: Any, state: State) -> list[Subject]:
    """The request has its HMAC alone, which is a secret; its id is none."""
    return [Subject("delegation token", state.token(bytes(request.hmac)))]


def _token_expires(_request: Any, response: Any, subjects: Sequence[Subject]) -> dict[Key, tuple[Any, Any]]:
    return {} if response.error_code else {subjects[0].key: (None, {"expires": response.expiry_timestamp_ms})}


ROWS = {
    ApiKey.CREATE_ACLS: Row(Activity.CREATE, _acls, _acls_created, _acls_not_created),
    ApiKey.DELETE_ACLS: Row(Activity.DELETE, _filters, _acls_deleted, _acls_kept, _deleted_bindings),
    ApiKey.ALTER_CLIENT_QUOTAS: Row(Activity.UPDATE, _quotas, _quotas_altered, _quotas_kept),
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: Row(Activity.UPDATE, _users, _users_altered, _users_kept),
    ApiKey.CREATE_DELEGATION_TOKEN: Row(Activity.CREATE, _new_token, none_of_its_own, values=_token_made),
    ApiKey.RENEW_DELEGATION_TOKEN: Row(Activity.UPDATE, _token, none_of_its_own, values=_token_expires),
    ApiKey.EXPIRE_DELEGATION_TOKEN: Row(Activity.DELETE, _token, none_of_its_own, values=_token_expires),
}
