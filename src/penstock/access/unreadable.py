"""What an access rule that cannot be read stands for until somebody mends it: the safest that it may have said.

It may have denied something. So its resource is denied to everybody but super users and brokers, or, where it does not
even say which, all of the kind or all kinds. Where it says that it allows, it allows nothing, and that is enough.
"""

from collections.abc import Mapping

import msgspec

from penstock.access.acls import ANYBODY, ANYTHING, Acl, PatternType, Permission
from penstock.access.rights import Operation, ResourceKind


def stand_ins(value: bytes) -> tuple[Acl, ...]:
    """Rules to keep to in the place of what an entry holds."""
    try:
        read = msgspec.json.decode(value)
    except (msgspec.MsgspecError, ValueError):
        read = None
    said: Mapping[object, object] = read if isinstance(read, dict) else {}
    if said.get("permission") == Permission.ALLOW.name:
        return ()
    kind = said.get("resource")
    if not isinstance(kind, str) or kind not in ResourceKind.__members__:
        return tuple(_denied(each, ANYTHING, PatternType.LITERAL) for each in ResourceKind)
    name, pattern = said.get("name"), said.get("pattern")
    if isinstance(name, str) and pattern in (PatternType.LITERAL.name, PatternType.PREFIXED.name):
        return (_denied(ResourceKind[kind], name, PatternType[str(pattern)]),)
    return (_denied(ResourceKind[kind], ANYTHING, PatternType.LITERAL),)


def _denied(kind: ResourceKind, name: str, pattern: PatternType) -> Acl:
    return Acl(kind, name, pattern, ANYBODY, ANYTHING, Operation.ALL, Permission.DENY)
