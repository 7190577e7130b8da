"""All access rules, found by what they are about, and what follows from them: the decisions of Kafka's
StandardAuthorizer.

A rule with a literal name is about that resource, or all of its kind (`*`); a prefixed one about every name that begins
so. Of these the ones count whose principal, host and operation fit. One DENY among them decides; else an ALLOW does. An
ALLOW of READ, WRITE, DELETE or ALTER lets DESCRIBE too, one of ALTER_CONFIGS DESCRIBE_CONFIGS; a DENY denies only what
it names.

Among 10,000 rules a decision looks at a handful: literal names are keys, prefixes are keys too and are tried by the
lengths that occur, and under each name the rules are kept by principal.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from typing import Final, NamedTuple

from penstock.access.acls import ANYTHING, Acl, PatternType, Permission, host_matches
from penstock.access.rights import Operation, ResourceKind

_DESCRIBED_BY: Final = (Operation.READ, Operation.WRITE, Operation.DELETE, Operation.ALTER)


class Verdict(Enum):
    ALLOWED = "allowed"
    DENIED = "denied"
    NO_RULE = "no rule"
    """Nothing is said about this resource, to nobody."""


class Finding(NamedTuple):
    verdict: Verdict
    by: Acl | None = None
    """The rule that decided; none where none fits."""


_Rules = dict[Acl, int]
"""With a bit for each operation that a rule has a say about."""
_ByPrincipal = dict[str, _Rules]
_NONE: Final[_Rules] = {}


class AclIndex:
    def __init__(self) -> None:
        self._kinds = {kind: _OfKind() for kind in ResourceKind}
        self.count = 0
        self._again: Counter[Acl] = Counter()
        """How often a rule was added that was there already: what is in the place of unreadable ones may be alike."""

    def add(self, acl: Acl) -> None:
        self.count += 1
        kind = self._kinds[acl.kind]
        if acl in kind.of(acl.principal):
            self._again[acl] += 1
        else:
            kind.add(acl)

    def remove(self, acl: Acl) -> None:
        self.count -= 1
        if acl not in self._again:
            self._kinds[acl.kind].remove(acl)
            return
        self._again[acl] -= 1
        if not self._again[acl]:
            del self._again[acl]

    def find(
        self, kind: ResourceKind, name: str, operation: Operation, *, principals: Sequence[str], host: str
    ) -> Finding:
        """Whether somebody who is all of these principals may do that to the resource."""
        bit = 1 << operation
        allowing: Acl | None = None
        is_mentioned = False
        for rules in self._kinds[kind].about(name):
            is_mentioned = True
            for principal in principals:
                for acl, operations in rules.get(principal, _NONE).items():
                    if operations & bit and host_matches(acl.host, host):
                        if acl.permission is Permission.DENY:
                            return Finding(Verdict.DENIED, acl)
                        allowing = allowing or acl
        if allowing is not None:
            return Finding(Verdict.ALLOWED, allowing)
        return Finding(Verdict.DENIED if is_mentioned else Verdict.NO_RULE)

    def allows_some(self, kind: ResourceKind, operation: Operation, *, principals: Collection[str], host: str) -> bool:
        """Whether there is a name of the kind that they may do that to: what a rule allows and none takes back."""
        bit = 1 << operation
        rules = [
            acl
            for principal in principals
            for acl, operations in self._kinds[kind].of(principal).items()
            if operations & bit and host_matches(acl.host, host)
        ]
        denied = {(acl.pattern, acl.name) for acl in rules if acl.permission is Permission.DENY}
        if (PatternType.LITERAL, ANYTHING) in denied:
            return False
        return any(_is_left(acl, denied) for acl in rules if acl.permission is Permission.ALLOW)


def _is_left(allowing: Acl, denied: set[tuple[PatternType, str]]) -> bool:
    """Whether something of what is allowed is not denied."""
    if allowing.pattern is PatternType.LITERAL and allowing.name == ANYTHING:
        return True
    if allowing.pattern is PatternType.LITERAL and (PatternType.LITERAL, allowing.name) in denied:
        return False
    if not denied:
        return True
    return not any(
        (PatternType.PREFIXED, allowing.name[:length]) in denied for length in range(1, len(allowing.name) + 1)
    )


class _OfKind:
    def __init__(self) -> None:
        self._literals: dict[str, _ByPrincipal] = {}
        self._prefixes: dict[str, _ByPrincipal] = {}
        self._lengths: Counter[int] = Counter()
        """Of the prefixes: how many are so long."""
        self._of_principals: _ByPrincipal = {}

    def add(self, acl: Acl) -> None:
        operations = _operations(acl)
        names = self._names(acl)
        if acl.pattern is PatternType.PREFIXED and acl.name not in names:
            self._lengths[len(acl.name)] += 1
        names.setdefault(acl.name, {}).setdefault(acl.principal, {})[acl] = operations
        self._of_principals.setdefault(acl.principal, {})[acl] = operations

    def remove(self, acl: Acl) -> None:
        names = self._names(acl)
        _take(self._of_principals, acl)
        _take(names[acl.name], acl)
        if names[acl.name]:
            return
        del names[acl.name]
        if acl.pattern is PatternType.PREFIXED:
            self._lengths[len(acl.name)] -= 1
            if not self._lengths[len(acl.name)]:
                del self._lengths[len(acl.name)]

    def about(self, name: str) -> Iterator[_ByPrincipal]:
        if (exact := self._literals.get(name)) is not None:
            yield exact
        if name != ANYTHING and (every := self._literals.get(ANYTHING)) is not None:
            yield every
        for length in self._lengths:
            if length <= len(name) and (prefixed := self._prefixes.get(name[:length])) is not None:
                yield prefixed

    def of(self, principal: str) -> _Rules:
        return self._of_principals.get(principal, _NONE)

    def _names(self, acl: Acl) -> dict[str, _ByPrincipal]:
        return self._prefixes if acl.pattern is PatternType.PREFIXED else self._literals


def _take(rules: _ByPrincipal, acl: Acl) -> None:
    del rules[acl.principal][acl]
    if not rules[acl.principal]:
        del rules[acl.principal]


def _operations(acl: Acl) -> int:
    if acl.operation is Operation.ALL:
        return sum(1 << operation for operation in Operation)
    bits = 1 << acl.operation
    if acl.permission is Permission.ALLOW:
        if acl.operation in _DESCRIBED_BY:
            bits |= 1 << Operation.DESCRIBE
        elif acl.operation is Operation.ALTER_CONFIGS:
            bits |= 1 << Operation.DESCRIBE_CONFIGS
    return bits
