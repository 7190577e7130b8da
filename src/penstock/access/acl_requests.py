"""What CreateAcls, DeleteAcls and DescribeAcls ask for, and why some of it is refused: in Kafka's words."""

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

from penstock.access.acls import Acl, AclFilter, BadHost, PatternType, Permission, encode, network_of
from penstock.access.authorizer import CLUSTER_NAME
from penstock.access.rights import Operation, ResourceKind
from penstock.errors import InvalidRequest
from penstock.wire.messages.create_acls_request import AclCreation
from penstock.wire.messages.describe_acls_response import AclDescription, DescribeAclsResource

UNKNOWN, ANY = 0, 1
ACL_BYTES_MAX: Final = 4_096
"""Of one rule as it is kept: a name has 249 characters, a principal may be a certificate's."""

_KINDS: Final[Mapping[int, ResourceKind]] = {kind.value: kind for kind in ResourceKind}
_OPERATIONS: Final[Mapping[int, Operation]] = {operation.value: operation for operation in Operation}


class AclFilterFields(Protocol):
    """What DescribeAcls and a filter of DeleteAcls have in common."""

    resource_type_filter: int
    resource_name_filter: str | None
    pattern_type_filter: int
    principal_filter: str | None
    host_filter: str | None
    operation: int
    permission_type: int


def acl_to_create(asked: AclCreation) -> Acl:
    """Refuses what is no rule, or one that nobody could mean."""
    kind, operation = _KINDS.get(asked.resource_type), _OPERATIONS.get(asked.operation)
    pattern, permission = PatternType(asked.resource_pattern_type), Permission(asked.permission_type)
    if kind is ResourceKind.CLUSTER and asked.resource_name != CLUSTER_NAME:
        raise InvalidRequest(f"The only valid name for the CLUSTER resource is {CLUSTER_NAME}")
    if not asked.resource_name:
        raise InvalidRequest("Invalid empty resource name")
    if kind is None:
        raise InvalidRequest(f"Invalid resourceType {_open_word(asked.resource_type)}")
    if pattern not in (PatternType.LITERAL, PatternType.PREFIXED):
        raise InvalidRequest(f"Invalid patternType {pattern.name}")
    if operation is None:
        raise InvalidRequest(f"Invalid operation {_open_word(asked.operation)}")
    if permission not in (Permission.ALLOW, Permission.DENY):
        raise InvalidRequest(f"Invalid permissionType {permission.name}")
    if ":" not in asked.principal:
        raise InvalidRequest(
            f"Could not parse principal from `{asked.principal}` "
            "(no colon is present separating the principal type from the principal name)"
        )
    try:
        network_of(asked.host)
    except BadHost as error:
        raise InvalidRequest(str(error)) from None
    acl = Acl(kind, asked.resource_name, pattern, asked.principal, asked.host, operation, permission)
    if len(encode(acl)) > ACL_BYTES_MAX:
        raise InvalidRequest(f"the rule's name, principal and host together have more than {ACL_BYTES_MAX} bytes")
    return acl


def filter_of(asked: AclFilterFields) -> AclFilter:
    pattern, permission = PatternType(asked.pattern_type_filter), Permission(asked.permission_type)
    if pattern is PatternType.UNKNOWN or not _is_known(asked.resource_type_filter, _KINDS):
        raise InvalidRequest("Unknown patternFilter.")
    if permission is Permission.UNKNOWN or not _is_known(asked.operation, _OPERATIONS):
        raise InvalidRequest("Unknown entryFilter.")
    return AclFilter(
        _KINDS.get(asked.resource_type_filter),
        asked.resource_name_filter,
        pattern,
        asked.principal_filter,
        asked.host_filter,
        _OPERATIONS.get(asked.operation),
        permission,
    )


def by_resource(acls: Iterable[Acl]) -> list[DescribeAclsResource]:
    """As DescribeAcls tells them: the rules of a pattern together."""
    resources: dict[tuple[ResourceKind, str, PatternType], DescribeAclsResource] = {}
    for acl in acls:
        key = acl.kind, acl.name, acl.pattern
        if key not in resources:
            resources[key] = DescribeAclsResource(acl.kind, acl.name, acl.pattern)
        resources[key].acls.append(AclDescription(acl.principal, acl.host, acl.operation, acl.permission))
    return list(resources.values())


def _is_known(code: int, known: Mapping[int, object]) -> bool:
    return code == ANY or code in known


def _open_word(code: int) -> str:
    return "ANY" if code == ANY else "UNKNOWN"
