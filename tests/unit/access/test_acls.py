"""Rules as they are kept and found."""

import pytest

from penstock.access import acls
from penstock.access.acls import Acl, AclFilter, PatternType, Permission
from penstock.access.rights import Operation, ResourceKind

LITERAL = Acl(ResourceKind.TOPIC, "orders", PatternType.LITERAL, "User:CN=a,O=b", "*", Operation.READ, Permission.ALLOW)
EVERY = LITERAL._replace(name="*")
PREFIXED = LITERAL._replace(name="or", pattern=PatternType.PREFIXED)
OTHER = LITERAL._replace(name="bills", operation=Operation.WRITE, permission=Permission.DENY, host="10.0.0.1")
ALL = [LITERAL, EVERY, PREFIXED, OTHER]


def test_a_rule_is_read_as_it_was_written() -> None:
    assert [acls.decode(acls.encode(acl)) for acl in ALL] == ALL
    assert b'"User:CN=a,O=b"' in acls.encode(LITERAL)


def test_each_rule_has_its_own_key() -> None:
    assert len({acls.entry_name(acl) for acl in ALL}) == len(ALL)


@pytest.mark.parametrize("value", [b"", b"{}", b"[]", acls.encode(LITERAL).replace(b"READ", b"SMELL")])
def test_what_is_no_rule_is_said_so(value: bytes) -> None:
    with pytest.raises(ValueError, match="no access rule"):
        acls.decode(value)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (AclFilter(), ALL),
        (AclFilter(kind=ResourceKind.GROUP), []),
        (AclFilter(name="orders"), [LITERAL]),
        (AclFilter(name="orders", pattern=PatternType.LITERAL), [LITERAL]),
        (AclFilter(name="orders", pattern=PatternType.PREFIXED), []),
        (AclFilter(pattern=PatternType.PREFIXED), [PREFIXED]),
        (AclFilter(name="orders", pattern=PatternType.MATCH), [LITERAL, EVERY, PREFIXED]),
        (AclFilter(name="or", pattern=PatternType.MATCH), [EVERY, PREFIXED]),
        (AclFilter(principal="User:CN=a,O=b", host="10.0.0.1"), [OTHER]),
        (AclFilter(operation=Operation.READ), [LITERAL, EVERY, PREFIXED]),
        (AclFilter(permission=Permission.DENY), [OTHER]),
    ],
)
def test_a_filter_finds(wanted: AclFilter, found: list[Acl]) -> None:
    assert [acl for acl in ALL if wanted.finds(acl)] == found
    assert wanted.only is None


def test_a_filter_that_leaves_nothing_open_names_its_rule() -> None:
    for acl in ALL:
        assert AclFilter(*acl).only == acl
        assert AclFilter(*acl).finds(acl)
