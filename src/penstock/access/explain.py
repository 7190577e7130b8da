"""Says why somebody may do something, or may not, from the rules alone: for `penstock acl explain`.

Whoever has DESCRIBE on the cluster can read the rules (DescribeAcls) and the broker's settings, and need not try.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from penstock.access.acl_index import AclIndex, Verdict
from penstock.access.acls import ANYTHING, Acl, PatternType, Permission
from penstock.access.authorizer import CLUSTER_NAME, principals_of
from penstock.access.principal import Principal
from penstock.access.rights import Operation, ResourceKind, Right
from penstock.access.subject import Subject
from penstock.wire.messages.describe_acls_response import DescribeAclsResource


class Explanation(NamedTuple):
    is_allowed: bool
    why: str
    """A sentence."""
    by: Acl | None = None
    """The rule that decided; none where nothing fits, or a setting decided."""
    near: tuple[Acl, ...] = ()
    """Where nothing allows it: rules about this resource and this principal, for another operation or host."""


def explain(
    acls: Iterable[Acl],
    right: Right,
    name: str = CLUSTER_NAME,
    *,
    principal: str,
    groups: Sequence[str] = (),
    host: str = "",
    super_users: Iterable[str] = (),
    allows_without_rules: bool = False,
) -> Explanation:
    """`principal` as rules name it (`User:alice`); the settings are `super.users` and
    `allow.everyone.if.no.acl.found`.
    """
    kind, _, own = principal.partition(":")
    principals = principals_of(Subject(Principal(kind, own), groups=tuple(groups)))
    for each in principals:
        if each in set(super_users):
            return Explanation(True, f"{each} is one of super.users, who may do everything")
    known = list(acls)
    index = AclIndex()
    for acl in dict.fromkeys(known):
        index.add(acl)
    found = index.find(right.on, name, right.operation, principals=principals, host=host)
    if found.verdict is Verdict.NO_RULE:
        if allows_without_rules:
            return Explanation(True, "no rule mentions the resource, and allow.everyone.if.no.acl.found is true")
        return Explanation(False, "no rule mentions the resource")
    if found.by is None:
        near = tuple(acl for acl in known if acl.principal in principals and _is_about(acl, right.on, name))
        others = "rules are for other operations or hosts" if near else "rules about it name others"
        return Explanation(False, f"no rule allows it: {others}", near=near)
    if found.verdict is Verdict.DENIED:
        return Explanation(False, f"denied by the rule: {found.by}", found.by)
    return Explanation(True, f"allowed by the rule: {found.by}", found.by)


def rules_of(resources: Iterable[DescribeAclsResource]) -> list[Acl]:
    """What DescribeAcls answered, as rules."""
    return [
        Acl(
            ResourceKind(resource.resource_type),
            resource.resource_name,
            PatternType(resource.pattern_type),
            acl.principal,
            acl.host,
            Operation(acl.operation),
            Permission(acl.permission_type),
        )
        for resource in resources
        for acl in resource.acls
    ]


def _is_about(acl: Acl, kind: ResourceKind, name: str) -> bool:
    if acl.kind is not kind:
        return False
    return name.startswith(acl.name) if acl.pattern is PatternType.PREFIXED else acl.name in (name, ANYTHING)
