"""What `penstock init --secure` makes: a broker that serves who logs in and nobody else, and files for every client."""

from __future__ import annotations

import json
import re
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from tests.support import java
from tests.support.command import PATIENCE_S, Penstock
from tests.support.faults import eventually
from tests.support.secured import secured_broker

from penstock.cli import profiles
from penstock.cli.exits import ExitCode
from penstock.cli.properties import write_properties
from penstock.processes.secured import SecureFolder

PATIENT_S = PATIENCE_S[1]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureFolder]:
    with secured_broker(tmp_path_factory.mktemp("secured") / "secure") as made:
        yield made


@pytest.fixture
def penstock(made: SecureFolder, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Penstock:
    """As the administrator, unless another --profile is named."""
    monkeypatch.setenv(profiles.VARIABLE, str(made.profile))
    return Penstock("127.0.0.1:1", monkeypatch, capfd)


def login(made: SecureFolder) -> dict[str, str]:
    found: dict[str, str] = json.loads(made.confluent.read_text())
    return found


def test_the_administrator_is_let_in_by_password_and_by_certificate(penstock: Penstock, made: SecureFolder) -> None:
    assert penstock("topic", "create", "orders").code == ExitCode.OK
    listed = penstock("topic", "list", "--profile", str(made.certificate_profile), "--names")
    assert "orders" in listed.out.split()
    assert penstock("produce", "orders", stdin="one\n").code == ExitCode.OK
    assert penstock("consume", "orders").out == "one\n"


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"sasl.password": "wrong"}, ExitCode.FAILED),
        ({"sasl.username": "nobody"}, ExitCode.FAILED),
        ({"security.protocol": "SSL"}, ExitCode.UNREACHABLE),
        ({"security.protocol": "PLAINTEXT"}, ExitCode.UNREACHABLE),
        ({"security.protocol": "SASL_PLAINTEXT"}, ExitCode.UNREACHABLE),
        ({"ssl.ca.location": ""}, ExitCode.UNREACHABLE),
    ],
    ids=str,
)
def test_nobody_else_is(
    penstock: Penstock, made: SecureFolder, tmp_path: Path, changed: dict[str, str], code: ExitCode
) -> None:
    properties = {name: value for name, value in {**login(made), **changed}.items() if value}
    write_properties(tmp_path / "p.properties", properties, comment="of the test")
    refused = penstock("topic", "list", "--profile", str(tmp_path / "p"), "--timeout", "5")
    assert refused.code == code, refused.err


def test_a_stranger_without_a_certificate_is_not(made: SecureFolder) -> None:
    host, port = profiles.read(made.certificate_profile)[profiles.BOOTSTRAP].split(":")
    context = ssl.create_default_context(cafile=str(made.authority))
    with (
        socket.create_connection((host, int(port)), PATIENT_S) as plain,
        pytest.raises(ssl.SSLError, match="certificate required"),
        context.wrap_socket(plain, server_hostname=host) as secured,
    ):
        secured.recv(1)


def test_the_file_for_confluent_kafka_works(made: SecureFolder) -> None:
    producer = Producer(json.loads(made.confluent.read_text()))
    failures: list[object] = []
    producer.produce("by-confluent", b"x", on_delivery=lambda error, _: failures.append(error))
    assert producer.flush(PATIENT_S) == 0 and failures == [None]
    assert "by-confluent" in AdminClient({**login(made)}).list_topics(timeout=PATIENT_S).topics


def test_the_file_for_java_works(made: SecureFolder) -> None:
    address = login(made)["bootstrap.servers"]
    listing = ("--list", "--bootstrap-server", address, "--command-config", str(made.java))
    java.run("org.apache.kafka.tools.TopicCommand", "--create", "--topic", "by-java", *listing[1:])
    assert "by-java" in java.run("org.apache.kafka.tools.TopicCommand", *listing).stdout


def test_java_logs_in_by_a_token_until_it_expires(penstock: Penstock, tmp_path: Path) -> None:
    file = tmp_path / "token.properties"
    made = penstock("token", "create", "--lifetime", "1h", "--java-file", str(file), "--json")
    assert made.code == ExitCode.OK, made.err
    token = json.loads(made.out)["token"]
    address = file.read_text().partition("bootstrap.servers=")[2].splitlines()[0]
    listing = ("--list", "--bootstrap-server", address, "--command-config", str(file))
    java.run("org.apache.kafka.tools.TopicCommand", *listing)
    assert penstock("token", "renew", token, "--by", "30m").code == ExitCode.OK
    assert penstock("token", "expire", token).code == ExitCode.OK
    assert token not in penstock("token", "list", "--json").out


def test_what_becomes_of_a_token_is_told_by_its_id(penstock: Penstock, made: SecureFolder) -> None:
    token = json.loads(penstock("token", "create", "--json").out)["token"]
    assert penstock("token", "renew", token).code == ExitCode.OK
    assert penstock("token", "expire", token).code == ExitCode.OK
    found = penstock("audit", "search", "--config", str(made.settings), "--resource", token, "--json").out
    told = [json.loads(line)["api"]["operation"] for line in found.splitlines()]
    assert told == ["RenewDelegationToken", "ExpireDelegationToken"]


def test_kcat_logs_in_by_certificate(made: SecureFolder) -> None:
    """Debian's librdkafka 2.0.2 answers SCRAM with a wrong nonce, which Apache Kafka 4.3 refuses too."""
    shown = subprocess.run(
        ["kcat", "-F", made.certificate_profile, "-L"], capture_output=True, text=True, timeout=PATIENT_S, check=True
    )
    assert re.search(r"1 brokers:\s+broker 1 at 127.0.0.1", shown.stdout)


def test_rules_are_explained(penstock: Penstock) -> None:
    write = ("acl", "explain", "alice", "write", "topic:invoices")
    refused = penstock(*write)
    assert refused.code == ExitCode.FAILED and refused.out == "not allowed: no rule mentions the resource\n"
    assert penstock("acl", "add", "alice", "--producer", "--topic", "inv", "--prefix").code == ExitCode.OK
    allowed = json.loads(penstock(*write, "--json").out)
    assert allowed["allowed"] and allowed["by"]["name"] == "inv" and allowed["right"] == "WRITE Topic"
    assert penstock("acl", "explain", "alice", "read", "topic:invoices").out.startswith(
        "not allowed: no rule allows it"
    )
    assert "super.users" in penstock("acl", "explain", "admin", "alter", "cluster").out
    assert penstock("acl", "delete", "--who", "alice", "--yes").code == ExitCode.OK


def test_a_rule_about_a_group_acts_for_whoever_is_in_it(penstock: Penstock, tmp_path: Path) -> None:
    gina, topic = tmp_path / "gina.properties", "of-a-group"
    assert penstock("topic", "create", topic).code == ExitCode.OK
    assert penstock("user", "add", "gina", "--generate", "--client-file", str(gina), "--group", "ops").code == 0
    assert penstock("acl", "add", "Group:ops", "--producer", "--topic", topic).code == ExitCode.OK
    assert penstock("produce", topic, "--profile", str(gina), stdin="one\n").code == ExitCode.OK
    allowed = json.loads(penstock("acl", "explain", "gina", "write", f"topic:{topic}", "--json").out)
    assert allowed["allowed"] and allowed["by"]["principal"] == "Group:ops"
    (listed,) = [each for each in json.loads(penstock("user", "list", "--json").out) if each["user"] == "gina"]
    assert listed["groups"] == ["ops"]
    changed = penstock("user", "groups", "gina", "--add", "others", "--remove", "ops", "--json")
    assert json.loads(changed.out) == {"user": "gina", "groups": ["others"]}
    assert penstock("produce", topic, "--profile", str(gina), stdin="two\n").code != ExitCode.OK
    assert penstock("acl", "explain", "gina", "write", f"topic:{topic}").code == ExitCode.FAILED
    assert penstock("user", "groups", "gina", "--remove", "ops").code == ExitCode.FAILED
    assert penstock("user", "groups", "nobody", "--add", "ops").code == ExitCode.NOT_FOUND


def test_rules_are_tried_out_before_they_deny(penstock: Penstock, tmp_path: Path) -> None:
    login = str(tmp_path / "eve.properties")
    assert penstock("topic", "create", "hidden").code == ExitCode.OK
    assert penstock("user", "add", "eve", "--generate", "--client-file", login).code == ExitCode.OK

    def sees() -> bool:
        listed = penstock("topic", "list", "--names", "--profile", login)
        return listed.code == ExitCode.OK and "hidden" in listed.out.split()

    assert not sees() and "no dry run" in penstock("acl", "dry-run").out
    assert penstock("acl", "dry-run", "--on").code == ExitCode.OK
    eventually(sees, "what is denied is let through")
    assert json.loads(penstock("acl", "dry-run", "--json").out) == {"dry_run": True}
    assert penstock("acl", "dry-run", "--off").code == ExitCode.OK
    eventually(lambda: not sees(), "it is denied again")


def test_limits_of_a_tenant_are_set_listed_and_deleted(penstock: Penstock) -> None:
    def limits() -> list[object]:
        found: list[object] = json.loads(penstock("quota", "list", "--tenant", "acme.", "--json").out)
        return found

    asked = ("--stored", "10GB", "--partitions", "100", "--open-connections", "20", "--produce", "1MB/s")
    assert penstock("quota", "set", "--tenant", "acme.", *asked).code == ExitCode.OK
    quotas = {"stored_bytes": 1e10, "partitions": 100.0, "connections": 20.0, "producer_byte_rate": 1e6}
    eventually(lambda: limits() == [{"entity": {"tenant": "acme."}, "quotas": quotas}], "they are listed")
    assert "tenant acme." in penstock("quota", "list").out
    assert penstock("quota", "delete", "--tenant", "acme.").code == ExitCode.OK
    eventually(lambda: not limits(), "they are gone")


@pytest.mark.parametrize("name", ["O=Acme, CN=a=b", "Zoë Müller", "日本", "with space", "%25"])
def test_users_of_all_names_log_in(penstock: Penstock, tmp_path: Path, name: str) -> None:
    login = tmp_path / "login.properties"
    assert penstock("user", "add", name, "--generate", "--client-file", str(login)).code == ExitCode.OK
    assert penstock("topic", "list", "--profile", str(login)).code == ExitCode.OK
    assert name in {row["user"] for row in json.loads(penstock("user", "list", "--json").out)}
    assert AdminClient({**profiles.read(login)}).list_topics(timeout=PATIENT_S).brokers
    assert penstock("user", "delete", name, "--yes").code == ExitCode.OK


def test_a_lost_password_is_mended_by_the_certificate(penstock: Penstock, made: SecureFolder, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text(login(made)["sasl.password"])
    arguments = ("--password-file", str(file), "--profile", str(made.certificate_profile))
    assert penstock("user", "password", "admin", *arguments).code == ExitCode.OK
    assert penstock("topic", "list").code == ExitCode.OK


def test_a_renewed_certificate_is_shown_without_a_restart(penstock: Penstock, made: SecureFolder) -> None:
    address = login(made)["bootstrap.servers"]

    def fingerprint() -> str:
        (shown,) = json.loads(penstock("cert", "show", address, "--json").out)
        return str(shown["sha256"])

    before = fingerprint()
    assert penstock("cert", "renew", str(made.path)).code == ExitCode.OK
    eventually(lambda: fingerprint() != before, "the broker shows its new certificate")
    assert penstock("topic", "list").code == ExitCode.OK


def test_the_log_says_nothing_secret(made: SecureFolder) -> None:
    log = (made.path / "broker.log").read_text()
    assert "--profile" in log and login(made)["sasl.password"] not in log
