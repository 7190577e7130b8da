"""The index of rules comes to what a look at every rule comes to, whatever was added and taken away before."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.access.acl_index import AclIndex, Verdict
from penstock.access.acls import Acl, PatternType, Permission, host_matches
from penstock.access.rights import Operation, ResourceKind

NAMES = ["*", "a", "ab", "abc", "b", "ba", "abcd"]
PRINCIPALS = ["User:*", "User:x", "User:y", "Group:g"]
HOSTS = ["*", "10.0.0.1", "10.0.0.0/8", "10.0.0.2"]
KINDS = [ResourceKind.TOPIC, ResourceKind.GROUP]
IMPLIED = {
    Operation.DESCRIBE: {Operation.READ, Operation.WRITE, Operation.DELETE, Operation.ALTER},
    Operation.DESCRIBE_CONFIGS: {Operation.ALTER_CONFIGS},
}

rules = st.builds(
    Acl,
    st.sampled_from(KINDS),
    st.sampled_from(NAMES),
    st.sampled_from([PatternType.LITERAL, PatternType.PREFIXED]),
    st.sampled_from(PRINCIPALS),
    st.sampled_from(HOSTS),
    st.sampled_from(list(Operation)),
    st.sampled_from([Permission.ALLOW, Permission.ALLOW, Permission.DENY]),
)


def naive(
    acls: set[Acl], kind: ResourceKind, name: str, operation: Operation, principals: tuple[str, ...], host: str
) -> Verdict:
    about = [
        acl
        for acl in acls
        if acl.kind == kind
        and (name.startswith(acl.name) if acl.pattern is PatternType.PREFIXED else acl.name in ("*", name))
    ]
    if not about:
        return Verdict.NO_RULE
    fit = [acl for acl in about if acl.principal in principals and host_matches(acl.host, host)]
    if any(acl.permission is Permission.DENY and acl.operation in (operation, Operation.ALL) for acl in fit):
        return Verdict.DENIED
    enough = {operation, Operation.ALL, *IMPLIED.get(operation, ())}
    allowed = any(acl.permission is Permission.ALLOW and acl.operation in enough for acl in fit)
    return Verdict.ALLOWED if allowed else Verdict.DENIED


def asked(index: AclIndex, kept: set[Acl], kind: ResourceKind, name: str, operation: Operation) -> None:
    for principals in (("User:x", "User:*"), ("User:y", "User:*", "Group:g")):
        for host in ("10.0.0.1", "10.2.3.4", "192.168.0.1"):
            found = index.find(kind, name, operation, principals=principals, host=host)
            assert found.verdict is naive(kept, kind, name, operation, principals, host), (name, operation, kept)


@given(st.lists(rules, max_size=14), st.data())
@settings(max_examples=150)
def test_the_index_decides_as_a_look_at_every_rule_does(added: list[Acl], data: st.DataObject) -> None:
    index = AclIndex()
    kept = set(added)
    for acl in kept:
        index.add(acl)
    removed = data.draw(st.sets(st.sampled_from(sorted(kept)))) if kept else set()
    for acl in removed:
        index.remove(acl)
    kept -= removed
    assert index.count == len(kept)
    for kind in KINDS:
        for name in (*NAMES, "zz"):
            asked(index, kept, kind, name, data.draw(st.sampled_from(list(Operation))))


@pytest.mark.parametrize(("count", "names", "looks"), [(5_000, 300, 60), (100_000, 30_000, 4)])
def test_so_it_does_among_thousands(count: int, names: int, looks: int) -> None:
    chance = random.Random(4)
    kept = {
        Acl(
            chance.choice(KINDS),
            f"{chance.choice('abc')}{chance.randrange(names)}"[: chance.randrange(1, len(str(names)) + 2)],
            chance.choice([PatternType.LITERAL, PatternType.PREFIXED]),
            chance.choice([*PRINCIPALS, f"User:{chance.randrange(500)}"]),
            chance.choice(HOSTS),
            chance.choice(list(Operation)),
            chance.choice([Permission.ALLOW, Permission.ALLOW, Permission.DENY]),
        )
        for _ in range(count)
    }
    index = AclIndex()
    for acl in kept:
        index.add(acl)
    for _ in range(looks):
        name = f"{chance.choice('abcd')}{chance.randrange(names + 100)}"
        asked(index, kept, chance.choice(KINDS), name, chance.choice(list(Operation)))
