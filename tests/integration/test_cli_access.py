"""`penstock user`, `acl`, `quota` and `token`, against Apache Kafka with its authorizer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.command import Outcome, Penstock
from tests.support.faults import eventually
from tests.support.kafka import WITH_LOGINS, ApacheKafka

from penstock.cli import profiles
from penstock.cli.exits import ExitCode
from penstock.cli.properties import read_properties, write_properties

NAMES = ["alice", "O=Acme, CN=a=b", "Zoë Müller", "日本", "with space", "%25"]
SETTINGS = {
    **WITH_LOGINS,
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": "User:admin;User:ANONYMOUS",
    "delegation.token.secret.key": "known to brokers only",
}


@pytest.fixture(scope="module")
def bootstrap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with ApacheKafka(tmp_path_factory.mktemp("kafka"), settings=SETTINGS) as kafka:
        yield kafka.bootstrap


@pytest.fixture
def admin(bootstrap: str, tmp_path: Path) -> Path:
    path = tmp_path / "admin.properties"
    properties = {
        profiles.BOOTSTRAP: bootstrap,
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "admin",
        "sasl.password": "of all",
    }
    write_properties(path, properties, comment="of the test")
    return path


@pytest.fixture
def penstock(
    bootstrap: str, admin: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Penstock:
    """As the administrator, unless another --profile is named."""
    monkeypatch.setenv(profiles.VARIABLE, str(admin))
    return Penstock(bootstrap, monkeypatch, capfd)


def told(outcome: Outcome) -> object:
    assert outcome.code == ExitCode.OK, outcome.err
    return json.loads(outcome.out)


def soon(penstock: Penstock, *arguments: str, until: Callable[[Outcome], bool]) -> Outcome:
    """Kafka's brokers learn of a change a moment after its controller has told that it is made."""
    found: list[Outcome] = []

    def holds() -> bool:
        found.append(penstock(*arguments))
        return until(found[-1])

    eventually(holds, f"{arguments}: {found[-1:]}")
    return found[-1]


def users(penstock: Penstock) -> dict[str, dict[str, int]]:
    listed = told(penstock("user", "list", "--json"))
    assert isinstance(listed, list)
    return {row["user"]: row["mechanisms"] for row in listed}


@pytest.mark.parametrize("name", [name for name in NAMES if name.isascii()])  # Kafka's SCRAM takes no others
def test_a_user_comes_logs_in_and_goes(penstock: Penstock, tmp_path: Path, name: str) -> None:
    login = str(tmp_path / "login.properties")
    added = penstock("user", "add", name, "--generate", "--client-file", login)
    assert added.code == ExitCode.OK and read_properties(Path(login))["sasl.password"] not in added.out + added.err
    soon(penstock, "topic", "list", "--profile", login, until=lambda outcome: outcome.code == ExitCode.OK)
    assert users(penstock)[name] == {"SCRAM-SHA-512": 4096}
    assert penstock("user", "add", name, "--generate").code == ExitCode.FAILED

    assert penstock("user", "password", name, "--password-file", "-", stdin="another, one=\n").code == ExitCode.OK
    refused = soon(penstock, "topic", "list", "--profile", login, until=lambda outcome: outcome.code != ExitCode.OK)
    assert refused.code == ExitCode.FAILED and "could not log in" in refused.err
    file = tmp_path / "password"
    file.write_text("another, one=\nmore lines\n")
    assert penstock("user", "scram", name, "--add", "SCRAM-SHA-256", "--password-file", str(file)).code == ExitCode.OK
    eventually(lambda: len(users(penstock)[name]) == 2, "both mechanisms are there")
    assert penstock("user", "scram", name, "--remove", "SCRAM-SHA-512").code == ExitCode.OK
    eventually(lambda: list(users(penstock)[name]) == ["SCRAM-SHA-256"], "one is gone")
    assert penstock("user", "delete", name).code == ExitCode.USAGE  # nobody can be asked
    assert penstock("user", "delete", name, "--yes").code == ExitCode.OK
    eventually(lambda: name not in users(penstock), "the user is gone")


def test_a_generated_password_is_printed_once(penstock: Penstock) -> None:
    made = told(penstock("user", "add", "printed", "--generate", "--json"))
    assert isinstance(made, dict) and len(made["password"]) == 32
    eventually(lambda: "printed" in users(penstock), "the user is known")
    assert penstock("user", "delete", "printed", "--yes").code == ExitCode.OK


def test_brokers_that_know_no_groups_are_told_of(penstock: Penstock, tmp_path: Path) -> None:
    assert penstock("user", "add", "grouped", "--generate", "--client-file", str(tmp_path / "g")).code == ExitCode.OK
    soon(penstock, "user", "groups", "grouped", until=lambda outcome: outcome.code == ExitCode.OK)
    refused = penstock("user", "groups", "grouped", "--add", "ops")
    assert refused.code == ExitCode.FAILED and "know no groups of users" in refused.err
    assert penstock("user", "delete", "grouped", "--yes").code == ExitCode.OK


def test_users_that_are_not_there(penstock: Penstock) -> None:
    for command in (("password",), ("delete", "--yes"), ("scram",)):
        missing = penstock("user", command[0], "nobody", *command[1:])
        assert missing.code == ExitCode.NOT_FOUND and "there is no user 'nobody'" in missing.err
    nobody_asks = penstock("user", "add", "nobody")
    assert nobody_asks.code == ExitCode.USAGE and "--password-file" in nobody_asks.err


def rules(penstock: Penstock, *more: str) -> set[tuple[str, ...]]:
    listed = told(penstock("acl", "list", "--json", *more))
    assert isinstance(listed, list)
    return {(row["principal"], row["permission"], row["operation"], row["resource"], row["name"]) for row in listed}


def test_presets_let_somebody_produce_and_consume(penstock: Penstock, tmp_path: Path) -> None:
    login = str(tmp_path / "bob.properties")
    assert penstock("topic", "create", "orders").code == ExitCode.OK
    assert penstock("user", "add", "bob", "--generate", "--client-file", login).code == ExitCode.OK
    soon(penstock, "topic", "list", "--profile", login, until=lambda outcome: outcome.code == ExitCode.OK)
    write = ("produce", "orders", "--profile", login, "--json", "--timeout", "60")
    assert penstock(*write, stdin="one\n").code != ExitCode.OK

    added = penstock("acl", "add", "bob", "--producer", "--topic", "orders")
    assert added.code == ExitCode.OK and "added User:bob allow write topic orders" in added.out
    eventually(lambda: penstock(*write, stdin="one\n").code == ExitCode.OK, "bob writes")
    read = ("consume", "orders", "--group", "readers", "--profile", login, "--timeout", "60")
    refused = penstock(*read)
    assert refused.code != ExitCode.OK
    assert penstock("acl", "add", "bob", "--consumer", "--topic", "orders", "--group", "readers").code == ExitCode.OK
    assert "one" in soon(penstock, *read, until=lambda outcome: outcome.code == ExitCode.OK).out

    assert rules(penstock, "--who", "bob") == {
        ("User:bob", "ALLOW", operation, "TOPIC", "orders") for operation in ("WRITE", "READ", "CREATE", "DESCRIBE")
    } | {("User:bob", "ALLOW", "READ", "GROUP", "readers")}
    assert penstock("acl", "delete", "--who", "bob", "--operation", "write", "--yes").code == ExitCode.OK
    eventually(lambda: len(rules(penstock, "--who", "bob")) == 4, "one rule is gone")
    assert penstock("acl", "delete", "--who", "bob", "--yes").code == ExitCode.OK
    eventually(lambda: not rules(penstock, "--who", "bob"), "all are gone")
    assert penstock("acl", "delete", "--who", "bob", "--yes").code == ExitCode.NOT_FOUND


@pytest.mark.parametrize("name", NAMES)
def test_rules_of_all_names(penstock: Penstock, name: str) -> None:
    deny = ("acl", "add", f"User:{name}", "--deny", "-o", "describe-configs,alter", "--cluster", "--host", "192.0.2.7")
    assert penstock(*deny).code == ExitCode.OK
    expected = {(f"User:{name}", "DENY", each, "CLUSTER", "kafka-cluster") for each in ("ALTER", "DESCRIBE_CONFIGS")}
    eventually(lambda: rules(penstock, "--who", name) == expected, "the rules are there")
    assert penstock("acl", "delete", "--who", name, "--yes", "--json").code == ExitCode.OK


def test_rules_about_a_topic_are_also_those_by_prefix_and_for_all(penstock: Penstock) -> None:
    for target in (("--topic", "sales-2026"), ("--topic", "sales-", "--prefix"), ("--topic", "*"), ("--topic", "x")):
        assert penstock("acl", "add", "carol", "-o", "read", *target).code == ExitCode.OK

    def names(*more: str) -> set[str]:
        return {rule[-1] for rule in rules(penstock, "--who", "carol", *more)}

    eventually(lambda: len(names()) == 4, "all are there")
    assert names("--topic", "sales-2026") == {"sales-2026", "sales-", "*"}
    assert names("--topic", "sales-", "--prefix") == {"sales-"}
    assert penstock("acl", "delete", "--who", "carol", "--topic", "*", "--yes").code == ExitCode.OK
    eventually(lambda: names() == {"sales-2026", "sales-", "x"}, "one is gone")
    assert penstock("acl", "delete", "--who", "carol", "--yes").code == ExitCode.OK


def test_who_may_not_is_told_so(penstock: Penstock, tmp_path: Path) -> None:
    login = str(tmp_path / "eve.properties")
    assert penstock("user", "add", "eve", "--generate", "--client-file", login).code == ExitCode.OK
    soon(penstock, "topic", "list", "--profile", login, until=lambda outcome: outcome.code == ExitCode.OK)
    refused = penstock("acl", "add", "eve", "-o", "all", "--cluster", "--profile", login)
    assert refused.code == ExitCode.FAILED
    assert "CLUSTER_AUTHORIZATION_FAILED" in refused.err and "may not" in refused.err
    assert penstock("user", "delete", "eve", "--yes").code == ExitCode.OK


def test_quotas_are_set_listed_and_deleted(penstock: Penstock) -> None:
    for arguments in (
        ("--user", "alice", "--produce", "10MB/s", "--consume", "1.5 MiB/s", "--requests", "50%"),
        ("--user", "alice", "--client", "importer", "--mutations", "2/s"),
        ("--user-default", "--produce", "1KB/s"),
        ("--client", "O=Acme, CN=a=b", "--produce", "1KB"),
        ("--ip", "192.0.2.7", "--connections", "5/s"),
    ):
        assert penstock("quota", "set", *arguments).code == ExitCode.OK, arguments

    def quotas(*more: str) -> dict[str, dict[str, float]]:
        listed = told(penstock("quota", "list", "--json", *more))
        assert isinstance(listed, list)
        return {json.dumps(row["entity"], sort_keys=True): row["quotas"] for row in listed}

    eventually(lambda: len(quotas()) == 5, "all are there")
    assert quotas("--user", "alice") == {
        '{"user": "alice"}': {
            "producer_byte_rate": 10_000_000.0,
            "consumer_byte_rate": 1_572_864.0,
            "request_percentage": 50.0,
        },
        '{"client-id": "importer", "user": "alice"}': {"controller_mutation_rate": 2.0},
    }
    shown = penstock("quota", "list").out
    assert "10 MB/s" in shown and "user (default)" in shown and "1.573 MB/s" in shown and "50%" in shown
    assert penstock("quota", "delete", "--user", "alice", "--only", "produce").code == ExitCode.OK
    eventually(lambda: len(quotas("--user", "alice")['{"user": "alice"}']) == 2, "one is gone")
    for entity in (("--user", "alice"), ("--user", "alice", "--client", "importer"), ("--user-default",)):
        assert penstock("quota", "delete", *entity).code == ExitCode.OK
    eventually(lambda: len(quotas()) == 2, "three are gone")
    assert penstock("quota", "delete", "--user", "alice").code == ExitCode.NOT_FOUND


def test_a_token_is_made_renewed_and_expired(penstock: Penstock, tmp_path: Path) -> None:
    file = tmp_path / "token.properties"
    made = told(penstock("token", "create", "--renewer", "bob", "--lifetime", "2d", "--java-file", str(file), "--json"))
    assert isinstance(made, dict) and made["owner"] == "User:admin" and "secret" not in made
    assert 'tokenauth="true"' in file.read_text() and file.stat().st_mode & 0o077 == 0
    token = made["token"]

    def tokens() -> dict[str, dict[str, object]]:
        listed = told(penstock("token", "list", "--json"))
        assert isinstance(listed, list)
        return {row["token"]: row for row in listed}

    eventually(lambda: token in tokens(), "the token is known")
    assert tokens()[token]["renewers"] == ["User:bob"]
    assert "hmac" not in str(tokens()) and made["expires"] in penstock("token", "list").out
    assert penstock("token", "renew", token, "--by", "1h").code == ExitCode.OK
    assert penstock("token", "expire", token).code == ExitCode.OK
    eventually(lambda: token not in tokens(), "the token is gone")
    assert penstock("token", "renew", token).code == ExitCode.NOT_FOUND
