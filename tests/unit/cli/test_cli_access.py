"""Rules, quotas and users as options say them: what they mean, and what is nonsense before any connection."""

import click
import pytest

from penstock.access.rights import Operation, ResourceKind
from penstock.cli.acl.rules import Pattern, Permission, Rule, Target, operations, preset, principal
from penstock.cli.exits import ExitCode
from penstock.cli.program import run
from penstock.cli.quota.values import LIMITS, shown
from penstock.cli.user.credentials import NUMBERS, credential

NOTHING_LISTENS = "127.0.0.1:1"
ORDERS, READERS = Target(ResourceKind.TOPIC, "orders"), Target(ResourceKind.GROUP, "readers")
PRODUCE, CONSUME, REQUESTS, MUTATIONS, CONNECTIONS, STORED, PARTITIONS, OPEN_CONNECTIONS = LIMITS


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("alice", "User:alice"),
        ("User:alice", "User:alice"),
        ("Group:sales", "Group:sales"),
        ("CN=a,O=b", "User:CN=a,O=b"),
        ("a:b", "User:a:b"),
        ("User:User:x", "User:User:x"),
        ("日本", "User:日本"),
    ],
)
def test_whom_a_rule_names(text: str, meant: str) -> None:
    assert principal(text) == meant


def test_operations_as_people_write_them() -> None:
    assert operations(["read,Describe-Configs", "READ", "alter_configs"]) == [
        Operation.READ,
        Operation.DESCRIBE_CONFIGS,
        Operation.ALTER_CONFIGS,
    ]
    with pytest.raises(click.UsageError, match="Did you mean describe"):
        operations(["descrbe"])


def test_what_a_preset_gives() -> None:
    transaction = Target(ResourceKind.TRANSACTIONAL_ID, "tx-", Pattern.PREFIXED)
    assert preset([ORDERS, transaction], is_producer=True, is_consumer=False) == [
        (Operation.WRITE, ORDERS),
        (Operation.DESCRIBE, ORDERS),
        (Operation.CREATE, ORDERS),
        (Operation.WRITE, transaction),
        (Operation.DESCRIBE, transaction),
    ]
    both = preset([ORDERS, READERS], is_producer=True, is_consumer=True)
    assert both.count((Operation.DESCRIBE, ORDERS)) == 1 and (Operation.READ, READERS) in both


def test_a_rule_in_words_and_of_a_newer_cluster() -> None:
    rule = Rule("User:a", Operation.ALTER_CONFIGS, ORDERS._replace(pattern=Pattern.PREFIXED), Permission.DENY, "::1")
    assert str(rule) == "User:a deny alter-configs topic orders... from ::1"
    newer = Rule("User:a", 99, Target(98, "x", 97))
    assert str(newer) == "User:a allow 99 98 x" and newer.as_json()["operation"] == "99"


@pytest.mark.parametrize(
    "arguments",
    [
        ["acl", "add", "alice"],
        ["acl", "add", "alice", "--producer"],
        ["acl", "add", "alice", "--consumer", "--topic", "t"],
        ["acl", "add", "alice", "--producer", "--topic", "t", "--group", "g"],
        ["acl", "add", "alice", "--producer", "--topic", "t", "--deny"],
        ["acl", "add", "alice", "--producer", "-o", "read", "--topic", "t"],
        ["acl", "add", "alice", "-o", "read"],
        ["acl", "add", "alice", "-o", "reed", "--topic", "t"],
        ["acl", "delete", "--yes"],
        ["quota", "set", "--user", "alice"],
        ["quota", "set", "--produce", "1MB/s"],
        ["quota", "set", "--user", "alice", "--user-default", "--produce", "1MB/s"],
        ["quota", "set", "--user", "alice", "--ip", "192.0.2.1", "--connections", "1/s"],
        ["quota", "set", "--user", "alice", "--produce", "fast"],
        ["quota", "set", "--tenant", "sales-", "--user", "alice", "--produce", "1MB/s"],
        ["quota", "delete"],
        ["acl", "explain", "alice", "read", "orders"],
        ["acl", "explain", "alice", "read", "topic:"],
        ["acl", "explain", "alice", "reed", "topic:orders"],
        ["token", "create", "--lifetime", "long"],
        ["user", "add", "alice", "--iterations", "10", "--generate"],
        ["user", "add", "alice", "--mechanism", "PLAIN", "--generate"],
    ],
)
def test_nonsense_is_a_usage_error_before_any_connection(arguments: list[str]) -> None:
    assert run([*arguments, "-b", NOTHING_LISTENS]) == ExitCode.USAGE


@pytest.mark.parametrize(
    ("text", "bytes_per_s"),
    [("10MB/s", 10e6), ("10 mb/s", 10e6), ("1.5MiB/s", 1_572_864), ("1GB", 1e9), ("500", 500), ("64 KiB /s", 65_536)],
)
def test_bytes_a_second(text: str, bytes_per_s: float) -> None:
    assert PRODUCE.parse(text) == bytes_per_s


@pytest.mark.parametrize("text", ["", "MB/s", "-1MB/s", "0", "10MB/h", "1e3", "10Mb it", "nan", "inf", "10%"])
def test_what_is_no_amount(text: str) -> None:
    with pytest.raises(ValueError, match="10MB/s"):
        PRODUCE.parse(text)


def test_other_amounts() -> None:
    assert (REQUESTS.parse("50%"), REQUESTS.parse("12.5"), MUTATIONS.parse("10/s"), CONNECTIONS.parse("5")) == (
        50,
        12.5,
        10,
        5,
    )
    assert (STORED.parse("100GB"), PARTITIONS.parse("500"), OPEN_CONNECTIONS.parse("7")) == (100e9, 500, 7)
    assert (STORED.show(100e9), PARTITIONS.show(500)) == ("100 GB", "500")
    for limit, text in ((REQUESTS, "5/s"), (MUTATIONS, "10MB/s")):
        with pytest.raises(ValueError, match="50"):
            limit.parse(text)


def test_quotas_are_shown_in_round_words() -> None:
    values = {"producer_byte_rate": 10e6, "consumer_byte_rate": 1_500.0, "request_percentage": 50.0, "new_key": 2.5}
    assert shown(values) == {"consume": "1.5 KB/s", "new_key": "2.5", "produce": "10 MB/s", "requests": "50%"}


def test_the_password_is_not_in_what_travels() -> None:
    made = credential("me", "my password", "SCRAM-SHA-256", 4096)
    assert made.mechanism == NUMBERS["SCRAM-SHA-256"] and len(made.salted_password) == 32
    assert b"my password" not in repr(made).encode()
    assert credential("me", "my password", "SCRAM-SHA-256", 4096).salt != made.salt
