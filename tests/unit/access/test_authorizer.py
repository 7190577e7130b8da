"""Who may do what, as the broker asks it: super users, brokers, what a login remembers, and what is said of denials."""

import pytest
from structlog.testing import capture_logs

from penstock.access.acls import Acl, PatternType, Permission, encode, entry_name
from penstock.access.authorizer import CLUSTER_NAME, REMEMBERED_MAX, Authorizer
from penstock.access.few_lines import LINES_A_MINUTE
from penstock.access.principal import BROKER, Principal
from penstock.access.rights import (
    ALTER_CLUSTER,
    CLUSTER_ACTION,
    DESCRIBE_TOPIC,
    READ_GROUP,
    READ_TOPIC,
    WRITE_TOPIC,
    Operation,
    ResourceKind,
    Right,
)
from penstock.access.subject import Subject
from penstock.errors import ClusterAuthorizationFailed, GroupAuthorizationFailed, TopicAuthorizationFailed
from penstock.settings import Config

ON = {"authorizer.class.name": "penstock"}
READ_ORDERS = Acl(
    ResourceKind.TOPIC, "orders", PatternType.LITERAL, "User:alice", "*", Operation.READ, Permission.ALLOW
)


def an_authorizer(*acls: Acl, **settings: str) -> Authorizer:
    given = {name.replace("__", "."): text for name, text in settings.items()}
    authorizer = Authorizer(Config.for_broker(ON | given))
    for acl in acls:
        learn(authorizer, acl)
    return authorizer


def learn(authorizer: Authorizer, acl: Acl) -> None:
    authorizer.learn(entry_name(acl), encode(acl))


def forget(authorizer: Authorizer, acl: Acl) -> None:
    authorizer.learn(entry_name(acl), None)


def alice(*groups: str) -> Subject:
    return Subject(Principal("User", "alice"), host="10.0.0.1", groups=groups)


def test_without_an_authorizer_everybody_may_everything() -> None:
    for authorizer in (Authorizer(), Authorizer(Config.for_broker())):
        assert not authorizer.is_on
        assert authorizer.allows(Subject(), ALTER_CLUSTER)
        assert authorizer.split(Subject(), READ_TOPIC, ["a", "b"]) == (["a", "b"], [])
        assert authorizer.operations(Subject(), ResourceKind.GROUP, "g") == sum(1 << each for each in (3, 6, 8, 10, 11))


def test_what_no_rule_allows_is_denied() -> None:
    authorizer = an_authorizer(READ_ORDERS)
    assert authorizer.allows(alice(), READ_TOPIC, "orders")
    assert not authorizer.allows(alice(), READ_TOPIC, "bills")
    assert not authorizer.allows(Subject(), READ_TOPIC, "orders")
    assert authorizer.split(alice(), DESCRIBE_TOPIC, ["orders", "bills"]) == (["orders"], ["bills"])
    assert authorizer.operations(alice(), ResourceKind.TOPIC, "orders") == 1 << 3 | 1 << 8
    for right, refusal in (
        (READ_TOPIC, TopicAuthorizationFailed),
        (READ_GROUP, GroupAuthorizationFailed),
        (ALTER_CLUSTER, ClusterAuthorizationFailed),
    ):
        with pytest.raises(refusal):
            authorizer.require(alice(), right, "else")


def test_a_super_user_may_everything_whatever_is_denied() -> None:
    deny = READ_ORDERS._replace(permission=Permission.DENY, principal="User:*")
    settings = {"super__users": "User:root; User:CN=a,O=b ;Group:admins"}
    authorizer = an_authorizer(deny, **settings)
    for subject in (
        Subject(Principal("User", "root")),
        Subject(Principal("User", "CN=a,O=b")),
        alice("admins"),
    ):
        assert authorizer.allows(subject, READ_TOPIC, "orders")
        assert authorizer.allows(subject, ALTER_CLUSTER)
    assert not authorizer.allows(alice(), READ_TOPIC, "orders")


def test_a_broker_may_what_brokers_do_and_no_more() -> None:
    broker = Subject(Principal(BROKER, "2"))
    authorizer = an_authorizer()
    assert authorizer.allows(broker, CLUSTER_ACTION)
    assert authorizer.allows(broker, DESCRIBE_TOPIC, "orders")
    assert not authorizer.allows(broker, ALTER_CLUSTER)
    assert not authorizer.allows(broker, WRITE_TOPIC, "orders")
    assert not authorizer.allows_some(broker, WRITE_TOPIC)


def test_a_right_on_all_topics_is_not_meant_for_the_one_of_audit_events() -> None:
    all_topics = READ_ORDERS._replace(name="*", operation=Operation.ALL)
    authorizer = an_authorizer(all_topics)
    assert authorizer.allows(alice(), WRITE_TOPIC, "orders")
    assert authorizer.allows(alice(), READ_TOPIC, "__penstock_audit")
    for operation in (Operation.WRITE, Operation.DELETE, Operation.ALTER, Operation.ALTER_CONFIGS):
        assert not authorizer.allows(alice(), Right(operation, ResourceKind.TOPIC), "__penstock_audit")
    broker = Subject(Principal(BROKER, "2"))
    assert authorizer.allows(broker, WRITE_TOPIC, "__penstock_audit")
    assert not authorizer.allows(broker, WRITE_TOPIC, "orders")
    learn(authorizer, READ_ORDERS._replace(kind=ResourceKind.CLUSTER, name=CLUSTER_NAME, operation=Operation.ALTER))
    assert authorizer.allows(alice(), Right(Operation.DELETE, ResourceKind.TOPIC), "__penstock_audit")


def test_what_nobody_mentions_may_be_left_to_everybody() -> None:
    authorizer = an_authorizer(READ_ORDERS, allow__everyone__if__no__acl__found="true")
    assert authorizer.allows(Subject(), READ_TOPIC, "bills")
    assert authorizer.allows_some(Subject(), WRITE_TOPIC)
    assert not authorizer.allows(Subject(), READ_TOPIC, "orders")


def test_a_change_of_the_rules_acts_at_the_next_question() -> None:
    authorizer, subject = an_authorizer(READ_ORDERS), alice()
    assert authorizer.allows(subject, READ_TOPIC, "orders")
    assert authorizer.metrics.decided == 1
    assert authorizer.allows(subject, READ_TOPIC, "orders")
    assert authorizer.metrics.decided == 1, "remembered"
    forget(authorizer, READ_ORDERS)
    assert not authorizer.allows(subject, READ_TOPIC, "orders")
    assert not authorizer.shows(subject, READ_TOPIC, "orders")
    learn(authorizer, READ_ORDERS)
    assert authorizer.shows(subject, READ_TOPIC, "orders")


def test_a_login_remembers_so_much_and_no_more() -> None:
    anything = READ_ORDERS._replace(name="*", operation=Operation.ALL)
    groups = anything._replace(kind=ResourceKind.GROUP)
    authorizer, subject = an_authorizer(anything, groups), alice()
    for number in range(REMEMBERED_MAX):
        assert authorizer.shows(subject, READ_TOPIC, f"t-{number}")
        assert authorizer.shows(subject, WRITE_TOPIC, f"t-{number}")
        assert sum(map(len, subject.allowed.values())) < REMEMBERED_MAX
    assert authorizer.shows(subject, READ_GROUP, "g" * 30_000)
    assert not subject.allowed[READ_GROUP]
    assert not authorizer.shows(Subject(), READ_TOPIC, "t")


def test_a_dry_run_lets_through_what_it_tells() -> None:
    authorizer = an_authorizer(penstock__authorizer__dry__run="true")
    with capture_logs() as lines:
        assert authorizer.allows(alice(), READ_TOPIC, "orders")
        assert authorizer.allows_some(alice(), WRITE_TOPIC)
        assert authorizer.shows(alice(), READ_TOPIC, "orders")
    assert [line["let_through"] for line in lines] == [True] * 2
    assert (authorizer.metrics.denied, authorizer.metrics.would_be_denied) == (0, 2)


def test_denials_are_counted_and_told_up_to_a_bound() -> None:
    authorizer, subject = an_authorizer(), alice()
    with capture_logs() as lines:
        for _ in range(LINES_A_MINUTE + 5):
            authorizer.allows(subject, READ_TOPIC, "orders")
    assert authorizer.metrics.denied == len(lines) + 5 == LINES_A_MINUTE + 5
    first = lines[0]
    assert (first["principal"], first["operation"], first["resource"], first["name"]) == (
        "User:alice",
        "READ",
        "TOPIC",
        "orders",
    )


ALL_TOPICS = READ_ORDERS._replace(name="*", principal="User:*", operation=Operation.ALL)
DENY_ORDERS = READ_ORDERS._replace(permission=Permission.DENY)


def test_what_cannot_be_read_is_told_and_denies_everything() -> None:
    groups = ALL_TOPICS._replace(kind=ResourceKind.GROUP)
    authorizer = an_authorizer(ALL_TOPICS, groups, super__users="User:root")
    with capture_logs() as lines:
        authorizer.learn("broken", b"{}")
    assert (lines[0]["log_level"], lines[0]["entry"]) == ("error", "broken")
    assert set(authorizer.unreadable) == {"broken"} and "broken" not in authorizer.acls
    assert not authorizer.allows(alice(), READ_TOPIC, "orders")
    assert not authorizer.allows(alice(), READ_GROUP, "g")
    assert not authorizer.allows_some(alice(), WRITE_TOPIC)
    assert authorizer.allows(Subject(Principal("User", "root")), READ_TOPIC, "orders")
    assert authorizer.allows(Subject(Principal(BROKER, "2")), READ_TOPIC, "orders")
    authorizer.learn("broken", None)
    assert not authorizer.unreadable
    assert authorizer.allows(alice(), READ_TOPIC, "orders")
    assert authorizer.allows_some(alice(), WRITE_TOPIC)


@pytest.mark.parametrize(
    ("value", "denied"),
    [
        (b"\xff", {"orders", "order", "bills"}),
        (b"[1]", {"orders", "order", "bills"}),
        (encode(DENY_ORDERS).replace(b"READ", b"SMELL"), {"orders"}),
        (encode(DENY_ORDERS).replace(b"DENY", b"FORBID"), {"orders"}),
        (encode(DENY_ORDERS).replace(b"DENY", b"ANY"), {"orders"}),
        (encode(DENY_ORDERS._replace(host="10.0.0.0/99")), {"orders"}),
        (
            encode(DENY_ORDERS._replace(name="order", pattern=PatternType.PREFIXED)).replace(b"READ", b""),
            {"orders", "order"},
        ),
        (encode(DENY_ORDERS).replace(b"LITERAL", b"MATCH"), {"orders", "order", "bills"}),
        (encode(DENY_ORDERS).replace(b'"orders"', b"7"), {"orders", "order", "bills"}),
        (encode(DENY_ORDERS).replace(b"TOPIC", b"TOPICS"), {"orders", "order", "bills"}),
        (encode(DENY_ORDERS).replace(b"TOPIC", b"GROUP").replace(b"READ", b""), set()),
        (encode(READ_ORDERS).replace(b"READ", b"SMELL"), set()),
    ],
)
def test_of_what_cannot_be_read_the_safest_counts(value: bytes, denied: set[str]) -> None:
    authorizer = an_authorizer(ALL_TOPICS)
    authorizer.learn("broken", value)
    names = ("orders", "order", "bills")
    assert {name for name in names if not authorizer.allows(alice(), READ_TOPIC, name)} == denied
    assert not authorizer.acls.keys() - {entry_name(ALL_TOPICS)}


def test_a_denial_that_becomes_unreadable_still_denies() -> None:
    authorizer, name = an_authorizer(ALL_TOPICS, DENY_ORDERS), entry_name(DENY_ORDERS)
    for value in (b"garbage", b"rubbish"):
        authorizer.learn(name, value)
        authorizer.learn("another", value)  # stands for the same
        assert not authorizer.allows(alice(), READ_TOPIC, "orders")
    authorizer.learn("another", None)
    assert not authorizer.allows(alice(), READ_TOPIC, "orders")
    authorizer.learn(name, encode(DENY_ORDERS))
    assert not authorizer.allows(alice(), READ_TOPIC, "orders")
    assert authorizer.allows(alice(), READ_TOPIC, "bills")


def test_a_dry_run_does_not_take_an_alternative_for_granted() -> None:
    authorizer = an_authorizer(READ_ORDERS, penstock__authorizer__dry__run="true")
    assert not authorizer.has(alice(), ALTER_CLUSTER)
    assert authorizer.has(alice(), READ_TOPIC, "orders")
    assert authorizer.metrics.would_be_denied == 0
    assert Authorizer().has(Subject(), ALTER_CLUSTER)


def test_a_name_that_comes_again_is_asked_for_once() -> None:
    authorizer = an_authorizer(READ_ORDERS)
    names = ["bills", "orders", "bills", "bills", "orders"]
    assert authorizer.split(alice(), READ_TOPIC, names) == (["orders"] * 2, ["bills"] * 3)
    assert authorizer.metrics.denied == 1
