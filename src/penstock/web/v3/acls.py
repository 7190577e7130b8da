"""Access rules: listed, added, deleted, by Confluent's names for their parts."""

from enum import IntEnum
from typing import Annotated, Any

import msgspec
from litestar import Controller, delete, get, post
from litestar.params import QueryParameter

from penstock.web.problems import Problem
from penstock.web.v3.here import Answer, Here
from penstock.wire.messages.create_acls_request import AclCreation
from penstock.wire.messages.delete_acls_request import DeleteAclsFilter
from penstock.wire.messages.describe_acls_request import DescribeAclsRequest

ANY = 1


class Kind(IntEnum):
    UNKNOWN, ANY, TOPIC, GROUP, CLUSTER, TRANSACTIONAL_ID, DELEGATION_TOKEN, USER = range(8)


class Pattern(IntEnum):
    UNKNOWN, ANY, MATCH, LITERAL, PREFIXED = range(5)


class Operation(IntEnum):
    (
        UNKNOWN, ANY, ALL, READ, WRITE, CREATE, DELETE, ALTER, DESCRIBE, CLUSTER_ACTION, DESCRIBE_CONFIGS,
        ALTER_CONFIGS, IDEMPOTENT_WRITE, CREATE_TOKENS, DESCRIBE_TOKENS, TWO_PHASE_COMMIT,
    ) = range(16)  # fmt: skip


class Permission(IntEnum):
    UNKNOWN, ANY, DENY, ALLOW = range(4)


class NewAcl(msgspec.Struct):
    resource_type: str
    resource_name: str
    pattern_type: str
    principal: str
    host: str
    operation: str
    permission: str


Text = Annotated[str | None, QueryParameter(max_length=1000)]


class Acls(Controller):
    path = "/{cluster_id:str}/acls"

    @get()
    async def list_acls(
        self, here: Here, cluster_id: str, resource_type: Text = None, resource_name: Text = None,
        pattern_type: Text = None, principal: Text = None, host: Text = None, operation: Text = None,
        permission: Text = None,
    ) -> Answer:  # fmt: skip
        """Those that fit; what is left out fits any."""
        wanted = _filter(resource_type, resource_name, pattern_type, principal, host, operation, permission)
        found = await here.client.describe_acls(DescribeAclsRequest(*wanted))
        shapes = [
            _shape(here, each.resource_type, each.resource_name, each.pattern_type, acl.principal, acl.host,
                   acl.operation, acl.permission_type)
            for each in found
            for acl in each.acls
        ]  # fmt: skip
        return here.many("Acl", shapes)

    @post()
    async def create_acl(self, here: Here, cluster_id: str, data: NewAcl) -> None:
        acl = AclCreation(
            _number(Kind, data.resource_type), data.resource_name, _number(Pattern, data.pattern_type), data.principal,
            data.host, _number(Operation, data.operation), _number(Permission, data.permission),
        )  # fmt: skip
        (await here.client.create_acls([acl])).all()

    @delete(status_code=200)
    async def delete_acls(
        self, here: Here, cluster_id: str, resource_type: Text = None, resource_name: Text = None,
        pattern_type: Text = None, principal: Text = None, host: Text = None, operation: Text = None,
        permission: Text = None,
    ) -> Answer:  # fmt: skip
        """Those that fit. The kind of resource has to be named, so that a forgotten filter does not delete all."""
        if resource_type is None or operation is None or permission is None:
            raise Problem(400, "filter-needed", "Name resource_type, operation and permission at least; ANY is any")
        wanted = _filter(resource_type, resource_name, pattern_type, principal, host, operation, permission)
        deleted = (await here.client.delete_acls([DeleteAclsFilter(*wanted)])).all()
        shapes = [
            _shape(here, each.resource_type, each.resource_name, each.pattern_type, each.principal, each.host,
                   each.operation, each.permission_type)
            for each in deleted[0]
        ]  # fmt: skip
        return {"data": shapes}


def _filter(
    kind: str | None, name: str | None, pattern: str | None, principal: str | None, host: str | None,
    operation: str | None, permission: str | None,
) -> tuple[Any, ...]:  # fmt: skip
    return (
        _number(Kind, kind), name, _number(Pattern, pattern), principal, host, _number(Operation, operation),
        _number(Permission, permission),
    )  # fmt: skip


def _number(names: type[IntEnum], name: str | None) -> int:
    if name is None:
        return ANY
    try:
        return names[name.upper()]
    except KeyError:
        known = ", ".join(each.name for each in names if each)
        raise Problem(400, "unknown-word", f"{name!r} is none of {known}") from None


def _shape(
    here: Here, kind: int, name: str, pattern: int, principal: str, host: str, operation: int, permission: int
) -> Answer:
    return here.one(
        "Acl", ("acls",), resource_type=Kind(kind).name, resource_name=name, pattern_type=Pattern(pattern).name,
        principal=principal, host=host, operation=Operation(operation).name, permission=Permission(permission).name,
    )  # fmt: skip
