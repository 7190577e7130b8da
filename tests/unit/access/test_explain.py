"""Why somebody may, or may not, in words."""

from penstock.access.acl_requests import by_resource
from penstock.access.acls import Acl, PatternType, Permission
from penstock.access.explain import Explanation, explain, rules_of
from penstock.access.rights import READ_TOPIC, WRITE_TOPIC, Operation, ResourceKind, Right

ALLOW = Acl(ResourceKind.TOPIC, "or", PatternType.PREFIXED, "User:alice", "*", Operation.READ, Permission.ALLOW)
DENY = ALLOW._replace(permission=Permission.DENY, principal="Group:guests")
OTHER = ALLOW._replace(principal="User:bert")


def asked(*acls: Acl, right: Right = READ_TOPIC, groups: tuple[str, ...] = (), **settings: object) -> Explanation:
    return explain(acls, right, "orders", principal="User:alice", groups=groups, **settings)  # type: ignore[arg-type]


def test_the_rule_that_decides_is_told() -> None:
    assert asked(ALLOW) == (True, f"allowed by the rule: {ALLOW}", ALLOW, ())
    assert asked(ALLOW, DENY, groups=("guests",)) == (False, f"denied by the rule: {DENY}", DENY, ())
    assert str(DENY) == "DENY Group:guests READ on TOPIC or* from *"


def test_rules_that_nearly_fit_are_told() -> None:
    denied = asked(ALLOW, OTHER, right=WRITE_TOPIC)
    assert not denied.is_allowed
    assert denied.near == (ALLOW,)
    assert "other operations" in denied.why
    assert "name others" in asked(OTHER).why
    assert "no rule mentions" in asked().why


def test_settings_decide_too() -> None:
    assert asked(DENY, groups=("guests",), super_users=["Group:guests"]).is_allowed
    assert "super.users" in asked(super_users=["User:alice"]).why
    assert asked(allows_without_rules=True).is_allowed
    assert not asked(OTHER, allows_without_rules=True).is_allowed


def test_what_describe_acls_answers_is_read() -> None:
    assert set(rules_of(by_resource([ALLOW, DENY, OTHER]))) == {ALLOW, DENY, OTHER}
