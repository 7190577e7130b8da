"""What the rules come to, by example: each line of Kafka's semantics once."""

import pytest

from penstock.access.acl_index import AclIndex, Verdict
from penstock.access.acls import Acl, PatternType, Permission
from penstock.access.rights import Operation, ResourceKind

TOPIC, GROUP = ResourceKind.TOPIC, ResourceKind.GROUP
READ, WRITE, DESCRIBE, ALL = Operation.READ, Operation.WRITE, Operation.DESCRIBE, Operation.ALL
ALLOWED, DENIED, NO_RULE = Verdict.ALLOWED, Verdict.DENIED, Verdict.NO_RULE


def allow(operation: Operation, name: str, who: str = "User:a", host: str = "*", *, prefixed: bool = False) -> Acl:
    pattern = PatternType.PREFIXED if prefixed else PatternType.LITERAL
    return Acl(TOPIC, name, pattern, who, host, operation, Permission.ALLOW)


def deny(operation: Operation, name: str, who: str = "User:a", host: str = "*", *, prefixed: bool = False) -> Acl:
    return allow(operation, name, who, host, prefixed=prefixed)._replace(permission=Permission.DENY)


def verdict(
    acls: list[Acl], operation: Operation, name: str, *groups: str, host: str = "10.0.0.1", kind: ResourceKind = TOPIC
) -> Verdict:
    index = AclIndex()
    for acl in acls:
        index.add(acl)
    return index.find(kind, name, operation, principals=("User:a", "User:*", *groups), host=host).verdict


@pytest.mark.parametrize(
    ("acls", "operation", "name", "expected"),
    [
        ([], READ, "t", NO_RULE),
        ([allow(READ, "t")], READ, "t", ALLOWED),
        ([allow(READ, "t")], READ, "u", NO_RULE),
        ([allow(READ, "t", "User:b")], READ, "t", DENIED),
        ([allow(READ, "*")], READ, "t", ALLOWED),
        ([allow(READ, "t", "User:*")], READ, "t", ALLOWED),
        ([allow(READ, "or", prefixed=True)], READ, "orders", ALLOWED),
        ([allow(READ, "or", prefixed=True)], READ, "o", NO_RULE),
        ([allow(READ, "or")], READ, "orders", NO_RULE),
        ([allow(READ, "*", prefixed=True)], READ, "orders", NO_RULE),
        ([allow(ALL, "t")], Operation.ALTER_CONFIGS, "t", ALLOWED),
        ([allow(READ, "t"), deny(READ, "*")], READ, "t", DENIED),
        ([allow(READ, "t"), deny(READ, "", prefixed=True)], READ, "t", DENIED),
        ([allow(READ, "t"), deny(ALL, "t", "User:*")], READ, "t", DENIED),
        ([allow(READ, "t"), deny(READ, "t", "User:b")], READ, "t", ALLOWED),
        # An ALLOW brings what it implies; a DENY does not take that.
        ([allow(READ, "t"), deny(WRITE, "t")], DESCRIBE, "t", ALLOWED),
        ([allow(Operation.DELETE, "t")], DESCRIBE, "t", ALLOWED),
        ([allow(Operation.CREATE, "t")], DESCRIBE, "t", DENIED),
        ([allow(Operation.ALTER_CONFIGS, "t")], Operation.DESCRIBE_CONFIGS, "t", ALLOWED),
        ([allow(Operation.ALTER, "t")], Operation.DESCRIBE_CONFIGS, "t", DENIED),
        ([allow(DESCRIBE, "t")], READ, "t", DENIED),
        ([allow(READ, "t"), deny(DESCRIBE, "t")], READ, "t", ALLOWED),
    ],
)
def test_rules_decide_as_in_kafka(acls: list[Acl], operation: Operation, name: str, expected: Verdict) -> None:
    assert verdict(acls, operation, name) is expected


@pytest.mark.parametrize(
    ("wanted", "host", "fits"),
    [
        ("*", "anything", True),
        ("10.0.0.1", "10.0.0.1", True),
        ("10.0.0.1", "10.0.0.2", False),
        ("10.0.0.0/24", "10.0.0.9", True),
        ("10.0.0.0/24", "10.0.1.9", False),
        ("10.0.0.0/24", "::ffff:10.0.0.9", True),
        ("0:0:0:0:0:0:0:1", "::1", True),
        ("fd00::/8", "fd12::3", True),
        ("fd00::/8", "10.0.0.1", False),
        ("10.0.0.0/99", "10.0.0.1", False),
        ("10.0.0.0/24", "no address", False),
    ],
)
def test_a_host_is_an_address_or_a_range_of_them(wanted: str, host: str, fits: bool) -> None:
    assert verdict([allow(READ, "t", host=wanted)], READ, "t", host=host) is (ALLOWED if fits else DENIED)


def test_a_group_is_one_more_principal() -> None:
    rules = [allow(READ, "t", "Group:ops"), deny(READ, "secret", "Group:ops"), allow(READ, "secret")]
    assert verdict(rules, READ, "t") is DENIED
    assert verdict(rules, READ, "t", "Group:ops") is ALLOWED
    assert verdict(rules, READ, "secret", "Group:ops") is DENIED


def test_a_rule_is_about_one_kind_of_resource() -> None:
    assert verdict([allow(READ, "t")], READ, "t", kind=GROUP) is NO_RULE


@pytest.mark.parametrize(
    ("acls", "expected"),
    [
        ([], False),
        ([allow(WRITE, "t")], True),
        ([allow(READ, "t")], False),
        ([allow(WRITE, "t", "User:b")], False),
        ([allow(WRITE, "t"), deny(WRITE, "t")], False),
        ([allow(WRITE, "t"), deny(WRITE, "u")], True),
        ([allow(WRITE, "t"), deny(ALL, "*")], False),
        ([allow(WRITE, "orders"), deny(WRITE, "or", prefixed=True)], False),
        ([allow(WRITE, "or", prefixed=True), deny(WRITE, "orders")], True),
        ([allow(WRITE, "or", prefixed=True), deny(WRITE, "o", prefixed=True)], False),
        ([allow(WRITE, "*"), deny(WRITE, "o", prefixed=True)], True),
        ([allow(WRITE, "t", host="10.9.9.9")], False),
    ],
)
def test_whether_any_topic_may_be_written_to(acls: list[Acl], expected: bool) -> None:
    index = AclIndex()
    for acl in acls:
        index.add(acl)
    assert index.allows_some(TOPIC, WRITE, principals=("User:a", "User:*"), host="10.0.0.1") is expected


def test_what_is_taken_away_is_gone() -> None:
    index = AclIndex()
    rules = [allow(READ, "t"), allow(WRITE, "t"), allow(READ, "o", prefixed=True), deny(READ, "*", "User:*")]
    for acl in rules:
        index.add(acl)
    for acl in rules:
        index.remove(acl)
    assert index.count == 0
    assert index.find(TOPIC, "t", READ, principals=("User:a", "User:*"), host="h").verdict is NO_RULE
    assert index.find(TOPIC, "ox", READ, principals=("User:a",), host="h").verdict is NO_RULE
    assert not index.allows_some(TOPIC, READ, principals=("User:a",), host="h")
