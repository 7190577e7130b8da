"""Attacks on a secured broker, each bounded in time: whoever comes in by them hurts nobody else, and all is told."""

from __future__ import annotations

import base64
import json
import os
import random
import socket
import struct
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from tests.support.batches import Rec, batch
from tests.support.kafka import free_ports
from tests.support.raw import ConnectionEnded, RawClient, request_frame

from penstock.access.audit.files import files_in, lines_of
from penstock.access.audit.reading import verify_folder
from penstock.access.users.first import first_user_lines
from penstock.testing import RunningBroker, broker

MIB = 1 << 20
PASSWORDS: Final = {"admin": "admins-marker-pw", "topics": "topics-marker-pw", "victim": "victims-marker-pw"}
LOGIN_TIMEOUT_MS = 1_500
STALL_MS = 500
IN_FLIGHT_MAX = 200
HALF_OPEN = int(os.environ.get("PENSTOCK_TESTS_HALF_OPEN", "1000"))
"""Ten times as many where somebody has the time."""
TOPIC_AUTHORIZATION_FAILED, CLUSTER_AUTHORIZATION_FAILED, SASL_AUTHENTICATION_FAILED = 29, 31, 58
TOPIC_OPERATIONS = (3, 4, 5, 6, 7, 8, 10, 11)


class Target(NamedTuple):
    broker: RunningBroker
    port: int
    audit: Path

    def connect(self, *, timeout_s: float = 60, source: str = "127.0.0.1") -> RawClient:
        client = RawClient.__new__(RawClient)
        client._socket = socket.create_connection(("127.0.0.1", self.port), timeout_s, (source, 0))
        client._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client._correlation_id = 0
        return client

    def login(self, user: str, password: str | None = None, *, source: str = "127.0.0.1") -> tuple[RawClient, int]:
        client = self.connect(source=source)
        client.request("SaslHandshake", 1, {"mechanism": "PLAIN"})
        token = b"\0".join((b"", user.encode(), (password or PASSWORDS[user]).encode()))
        return client, int(client.request("SaslAuthenticate", 1, {"auth_bytes": token})["error_code"])

    def as_(self, user: str) -> RawClient:
        client, code = self.login(user)
        assert code == 0
        return client

    def metric(self, name: str) -> float:
        with urllib.request.urlopen(f"{self.broker.http_url}/metrics", timeout=60) as page:
            lines = page.read().decode().splitlines()
        return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith((f"{name} ", f"{name}{{")))

    def resident_bytes(self) -> int:
        return int(Path(f"/proc/{self.broker.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for each in files_in(self.audit) for line in lines_of(each.path)]


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    folder = tmp_path_factory.mktemp("attacked")
    first = folder / "first"
    first.touch(0o600)
    first.write_text("".join(first_user_lines(user, password) for user, password in PASSWORDS.items()))
    (port,) = free_ports(1)
    settings = {
        "listeners": f"SASL_PLAINTEXT://127.0.0.1:{port}",
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256",
        "penstock.bootstrap.users.file": str(first),
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:admin",
        "penstock.audit.dir": str(folder / "audit"),
        "penstock.audit.fold.ms": "100",
        "penstock.audit.topic.enable": "true",
        "penstock.login.timeout.ms": str(LOGIN_TIMEOUT_MS),
        "penstock.logins.in.flight.max": str(IN_FLIGHT_MAX),
        "penstock.login.failures.max": "3",
        "penstock.frame.stall.ms": str(STALL_MS),
        "connection.failed.authentication.delay.ms": "0",
        "auto.create.topics.enable": "false",
    }
    with broker(settings, mode="process") as running:
        target = Target(running, port, folder / "audit")
        with closing(target.as_("admin")) as admin:
            topic = {"name": "orders", "num_partitions": 1, "replication_factor": 1, "assignments": [], "configs": []}
            admin.request("CreateTopics", 7, {"topics": [topic], "timeout_ms": 30_000, "validate_only": False})
            acls = [
                {
                    "resource_type": 2, "resource_name": "*", "resource_pattern_type": 3, "principal": "User:topics",
                    "host": "*", "operation": operation, "permission_type": 3,
                }
                for operation in TOPIC_OPERATIONS
            ]  # fmt: skip
            answer = admin.request("CreateAcls", 3, {"creations": acls})
            assert {each["error_code"] for each in answer["results"]} == {0}
        yield target


@pytest.fixture(autouse=True)
def unharmed(target: Target) -> Iterator[None]:
    """Around every test: others are served, and nothing in the broker failed unforeseen."""
    yield
    with closing(target.as_("admin")) as admin:
        assert admin.request("Metadata", 8, {"topics": [{"name": "orders"}]})["topics"][0]["error_code"] == 0
    assert target.metric("penstock_requests_bugs_total") == 0, target.broker.log_tail()


def until(holds: Callable[[], bool], within_s: float = 60) -> None:
    deadline = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.02)


# Slow lorises --------------------------------------------------------------------------------------------------------


def drips(client: RawClient, raw: bytes) -> bool:
    """Say it a byte at a time, for ever; whether the broker hung up."""
    while True:
        for byte in raw:
            try:
                client.send_bytes(bytes([byte]))
            except ConnectionEnded:
                return True
            client._socket.settimeout(0.02)
            try:
                if client._socket.recv(65_536) == b"":
                    return True
            except TimeoutError:
                pass
            except ConnectionResetError:
                return True


@pytest.mark.parametrize("is_greeted", [False, True], ids=["before the handshake", "before the login"])
def test_a_login_that_drips_is_cut_off(target: Target, is_greeted: bool) -> None:
    with closing(target.connect()) as loris:
        if is_greeted:
            loris.request("SaslHandshake", 1, {"mechanism": "PLAIN"})
        frame = request_frame("SaslAuthenticate", 1, {"auth_bytes": b"x" * 100_000})
        assert drips(loris, struct.pack(">i", len(frame)) + frame)


def test_logins_that_are_begun_over_and_over_are_cut_off(target: Target) -> None:
    """Each frame is whole and in time; the login never comes."""
    with closing(target.connect()) as loris, pytest.raises(ConnectionEnded):
        while True:
            loris.request("ApiVersions", 0, {})
            loris.request("SaslHandshake", 1, {"mechanism": "SCRAM-SHA-256"})


def test_a_request_that_drips_is_cut_off(target: Target) -> None:
    with closing(target.as_("admin")) as loris:
        frame = request_frame("Produce", 9, bytes(20_000))
        assert drips(loris, struct.pack(">i", len(frame)) + frame)


# Floods --------------------------------------------------------------------------------------------------------------


def test_half_open_logins_take_little_memory_and_nobodys_place(target: Target) -> None:
    """Only so many wait to log in, the oldest makes room, and whoever logs in meanwhile does."""
    before = target.resident_bytes()
    with ExitStack() as open_ones:
        for number in range(HALF_OPEN):
            stranger = open_ones.enter_context(closing(target.connect()))
            frame = request_frame("SaslHandshake", 1, {"mechanism": "PLAIN"})
            stranger.send_bytes((struct.pack(">i", len(frame)) + frame)[: 10 + number % 20])
            if number % (HALF_OPEN // 4) == 0:
                target.as_("victim").close()
        assert target.resident_bytes() - before < 48 * MIB
        assert target.metric("kafka_server_socket_server_metrics_connection_count") <= IN_FLIGHT_MAX + 10
    until(lambda: target.metric("kafka_server_socket_server_metrics_connection_count") <= 1)


def test_guessing_from_one_address_does_not_lock_out_another(target: Target) -> None:
    codes = []
    for _ in range(8):
        client, code = target.login("victim", "guess", source="127.0.0.2")
        client.close()
        codes.append(code)
    assert set(codes) == {SASL_AUTHENTICATION_FAILED}
    client, code = target.login("victim", source="127.0.0.2")
    client.close()
    assert code == SASL_AUTHENTICATION_FAILED, "the right password does not help any more, from there"
    target.as_("victim").close()

    def is_told() -> bool:
        failed = [event for event in target.events() if event["class_uid"] == 3002 and event["status_id"] == 2]
        return bool(sum(each.get("count", 1) for each in failed if each["src_endpoint"]["ip"] == "127.0.0.2") == 9)

    until(is_told)


def test_refusals_in_masses_are_few_lines(target: Target) -> None:
    """Names and client ids that change each time: the log is not rotated away by them."""
    before = len(target.events())
    with closing(target.as_("victim")) as stranger:
        for number in range(400):
            stranger.send("DescribeGroups", 5, {"groups": [f"g-{number}"]}, client_id=f"client-{number}")
            stranger.receive_frame()

    def told() -> int:
        events = target.events()[before:]  # those of the test before may be among them
        denied = [event for event in events if event.get("action_id") == 2 and "victim" in json.dumps(event)]
        return sum(event.get("count", 1) for event in denied)

    until(lambda: told() == 400)
    assert len(target.events()) - before < 100


# Rights ---------------------------------------------------------------------------------------------------------------

_ACL = {
    "resource_type": 2, "resource_name": "orders", "resource_pattern_type": 3, "principal": "User:topics",
    "host": "*", "operation": 2, "permission_type": 3,
}  # fmt: skip
_ALTERED = {"config_operation": 0, "name": "max.connections", "value": "1"}
ELSEWHERE: dict[str, tuple[str, int, dict[str, Any]]] = {
    "a rule": ("CreateAcls", 3, {"creations": [_ACL, {**_ACL, "resource_type": 4, "resource_name": "kafka-cluster"}]}),
    "rules away": (
        "DeleteAcls",
        3,
        {
            "filters": [
                {
                    "resource_type_filter": 1, "resource_name_filter": None, "pattern_type_filter": 1,
                    "principal_filter": None, "host_filter": None, "operation": 1, "permission_type": 1,
                }
            ]
        },
    ),
    "rules read": (
        "DescribeAcls",
        3,
        {
            "resource_type_filter": 1, "resource_name_filter": None, "pattern_type_filter": 1,
            "principal_filter": None, "host_filter": None, "operation": 1, "permission_type": 1,
        },
    ),
    "the admin's password": (
        "AlterUserScramCredentials",
        0,
        {
            "deletions": [],
            "upsertions": [
                {"name": "admin", "mechanism": 1, "iterations": 4096, "salt": b"salt" * 4, "salted_password": b"p" * 32}
            ],
        },
    ),
    "a user away": (
        "AlterUserScramCredentials", 0, {"deletions": [{"name": "admin", "mechanism": 1}], "upsertions": []},
    ),
    "a quota": (
        "AlterClientQuotas",
        1,
        {
            "entries": [
                {
                    "entity": [{"entity_type": "user", "entity_name": "admin"}],
                    "ops": [{"key": "producer_byte_rate", "value": 1.0, "remove": False}],
                }
            ],
            "validate_only": False,
        },
    ),
    "a broker's settings": (
        "IncrementalAlterConfigs",
        1,
        {
            "resources": [{"resource_type": 4, "resource_name": "1", "configs": [_ALTERED]}],
            "validate_only": False,
        },
    ),
    "all brokers' settings": (
        "IncrementalAlterConfigs",
        1,
        {
            "resources": [{"resource_type": 4, "resource_name": "", "configs": [_ALTERED]}],
            "validate_only": False,
        },
    ),
    "a logger's level": (
        "IncrementalAlterConfigs",
        1,
        {
            "resources": [
                {
                    "resource_type": 8,
                    "resource_name": "1",
                    "configs": [{"config_operation": 0, "name": "root", "value": "TRACE"}],
                }
            ],
            "validate_only": False,
        },
    ),
    "a reassignment": (
        "AlterPartitionReassignments",
        0,
        {
            "timeout_ms": 1_000,
            "topics": [{"name": "orders", "partitions": [{"partition_index": 0, "replicas": [1]}]}],
        },
    ),
    "an election": (
        "ElectLeaders",
        2,
        {"election_type": 1, "topic_partitions": [{"topic": "orders", "partitions": [0]}], "timeout_ms": 1_000},
    ),
    "a feature": (
        "UpdateFeatures",
        1,
        {
            "timeout_ms": 1_000,
            "feature_updates": [{"feature": "group.version", "max_version_level": 0, "upgrade_type": 3}],
            "validate_only": False,
        },
    ),
    "a broker away": ("UnregisterBroker", 0, {"broker_id": 1}),
    "a folder": (
        "AlterReplicaLogDirs", 2, {"dirs": [{"path": "/", "topics": [{"name": "orders", "partitions": [0]}]}]},
    ),
    "a marker": (
        "WriteTxnMarkers",
        1,
        {
            "markers": [
                {
                    "producer_id": 1,
                    "producer_epoch": 0,
                    "transaction_result": False,
                    "topics": [{"name": "orders", "partition_indexes": [0]}],
                    "coordinator_epoch": 0,
                }
            ]
        },
    ),
}  # fmt: skip


def codes_in(answer: Any) -> list[int]:
    """Every error code anywhere in it."""
    if isinstance(answer, dict):
        own = [answer["error_code"]] if "error_code" in answer else []
        return own + [code for each in answer.values() for code in codes_in(each)]
    return [code for each in answer for code in codes_in(each)] if isinstance(answer, list) else []


@pytest.mark.parametrize("attempt", ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_who_may_touch_all_topics_may_touch_nothing_else(
    target: Target, attempt: tuple[str, int, dict[str, Any]]
) -> None:
    api, version, body = attempt
    with closing(target.as_("topics")) as insider:
        codes = codes_in(insider.request(api, version, body))
    assert set(codes) - {0} == {CLUSTER_AUTHORIZATION_FAILED}, codes
    with closing(target.as_("admin")) as admin:
        wanted = {
            "resource_type_filter": 1, "resource_name_filter": None, "pattern_type_filter": 1,
            "principal_filter": None, "host_filter": None, "operation": 1, "permission_type": 1,
        }  # fmt: skip
        rules = admin.request("DescribeAcls", 3, wanted)["resources"]
        assert sum(len(each["acls"]) for each in rules) == len(TOPIC_OPERATIONS)


def test_who_may_touch_all_topics_does_not_touch_the_one_of_audit_events(target: Target) -> None:
    topic = "__penstock_audit"
    records = bytes(batch([Rec(value=b"forged")]))
    data = [{"name": topic, "partition_data": [{"index": 0, "records": records}]}]
    attempts: list[tuple[str, int, dict[str, Any]]] = [
        ("Produce", 9, {"transactional_id": None, "acks": -1, "timeout_ms": 1_000, "topic_data": data}),
        ("DeleteTopics", 6, {"topics": [{"name": topic, "topic_id": bytes(16)}], "timeout_ms": 1_000}),
        (
            "DeleteRecords",
            2,
            {"topics": [{"name": topic, "partitions": [{"partition_index": 0, "offset": -1}]}], "timeout_ms": 1_000},
        ),
        (
            "IncrementalAlterConfigs",
            1,
            {
                "resources": [
                    {
                        "resource_type": 2,
                        "resource_name": topic,
                        "configs": [{"config_operation": 0, "name": "retention.ms", "value": "1"}],
                    }
                ],
                "validate_only": False,
            },
        ),
    ]
    with closing(target.as_("admin")) as admin:  # it is made with the first event
        until(lambda: not admin.request("Metadata", 8, {"topics": [{"name": topic}]})["topics"][0]["error_code"])
    with closing(target.as_("topics")) as insider:
        for api, version, body in attempts:
            assert set(codes_in(insider.request(api, version, body))) - {0} == {TOPIC_AUTHORIZATION_FAILED}, api
    assert not any("forged" in json.dumps(event) for event in target.events())


# Bad input at the doors -----------------------------------------------------------------------------------------------


def answered_or_closed(client: RawClient) -> None:
    try:
        client.receive_frame()
    except ConnectionEnded:
        pass


def test_noise_before_a_login_is_survived(target: Target) -> None:
    dice = random.Random(20_261_118)
    for _ in range(150):
        with closing(target.connect()) as stranger:
            api, version = dice.choice([0, 3, 17, 18, 36]), dice.randrange(0, 5)
            stranger.send_frame(struct.pack(">hhih", api, version, 1, -1) + dice.randbytes(dice.randrange(0, 300)))
            stranger.send_frame(struct.pack(">hhih", 10, 0, 2, -1))
            answered_or_closed(stranger)


TOKENS = {
    "nothing": b"",
    "no NULs": b"admin",
    "too many NULs": b"\0" * 100_000,
    "no UTF-8": b"\0\xff\xfe\0\xff",
    "64 KB of a name": b"\0" + b"n" * 65_536 + b"\0p",
    "64 KB of a password": b"\0admin\0" + b"p" * 65_536,
    "another's authzid": b"admin\0victim\0" + PASSWORDS["victim"].encode(),
    "a name with a line end": b"\0adm\nin\0p",
    "a name that moves the cursor": b"\0\x1b[2J\0p",
}


@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS.keys())
@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256"])
def test_bad_tokens_are_refused(target: Target, mechanism: str, token: bytes) -> None:
    with closing(target.connect()) as stranger:
        stranger.request("SaslHandshake", 1, {"mechanism": mechanism})
        try:
            code = stranger.request("SaslAuthenticate", 1, {"auth_bytes": token})["error_code"]
        except ConnectionEnded:
            return
        assert code == SASL_AUTHENTICATION_FAILED


NAMES = ["", "\0", "\n", "a,b=c", "ü", "x" * 30_000, "\x1b[2J", "../../etc", "User:", "🐟" * 100]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name[:8]))
def test_strange_names_are_taken_or_refused_in_words(target: Target, name: str) -> None:
    entity = [{"entity_type": "user", "entity_name": name}]
    requests: list[tuple[str, int, dict[str, Any]]] = [
        ("CreateAcls", 3, {"creations": [{**_ACL, "resource_name": name, "principal": f"User:{name}", "host": name}]}),
        (
            "AlterClientQuotas",
            1,
            {
                "entries": [{"entity": entity, "ops": [{"key": name, "value": 1.0, "remove": False}]}],
                "validate_only": False,
            },
        ),
        ("AlterUserScramCredentials", 0, {"deletions": [{"name": name, "mechanism": 1}], "upsertions": []}),
        ("DeleteTopics", 6, {"topics": [{"name": name, "topic_id": bytes(16)}], "timeout_ms": 1_000}),
    ]
    with closing(target.as_("admin")) as admin:
        for api, version, body in requests:
            assert -1 not in codes_in(admin.request(api, version, body)), api
        wanted = {**_ACL, "resource_name": name, "principal": f"User:{name}", "host": name}
        away = {
            "resource_type_filter": 2, "resource_name_filter": wanted["resource_name"], "pattern_type_filter": 3,
            "principal_filter": wanted["principal"], "host_filter": None, "operation": 1, "permission_type": 1,
        }  # fmt: skip
        assert -1 not in codes_in(admin.request("DeleteAcls", 3, {"filters": [away]}))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), -1.0, 0.0, 1e308])
def test_strange_quotas_are_taken_or_refused_in_words(target: Target, value: float) -> None:
    key = "consumer_byte_rate"
    entity = [{"entity_type": "user", "entity_name": "somebody"}]
    with closing(target.as_("admin")) as admin:
        for ops in ([{"key": key, "value": value, "remove": False}], [{"key": key, "value": 0.0, "remove": True}]):
            body = {"entries": [{"entity": entity, "ops": ops}], "validate_only": False}
            assert -1 not in codes_in(admin.request("AlterClientQuotas", 1, body))


# What all that left ---------------------------------------------------------------------------------------------------


def spellings(secret: bytes) -> list[bytes]:
    return [secret, base64.b64encode(secret).rstrip(b"=")[:-1], secret.hex().encode()]


def test_no_secret_is_in_the_audit_log_and_it_is_whole(target: Target) -> None:
    key, salt = b"a-salted-password-nobody-is-told", b"a-salt-to-be-kept"
    setting = {"config_operation": 0, "name": "ssl.key.password", "value": "key-marker-pw"}
    unknown = {"config_operation": 0, "name": "some.secret.of.somebody", "value": "unknown-marker-pw"}
    with closing(target.as_("admin")) as admin:
        credentials = {"name": "new", "mechanism": 1, "iterations": 4096, "salt": salt, "salted_password": key}
        admin.request("AlterUserScramCredentials", 0, {"deletions": [], "upsertions": [credentials]})
        for one in (setting, unknown):
            resource = {"resource_type": 4, "resource_name": "1", "configs": [one]}
            admin.request("IncrementalAlterConfigs", 1, {"resources": [resource], "validate_only": False})
    target.login("admin", "guess-marker-pw")[0].close()

    def log() -> bytes:
        return b"".join(each.path.read_bytes() for each in files_in(target.audit))

    until(lambda: log().count(b'"IncrementalAlterConfigs"') >= 2 and b'"name":"new"' in log())
    secrets = [
        key,
        salt,
        b"key-marker-pw",
        b"unknown-marker-pw",
        b"guess-marker-pw",
        *map(str.encode, PASSWORDS.values()),
    ]
    found = [text for secret in secrets for text in spellings(secret) if text in log()]
    assert not found
    (report,) = verify_folder(target.audit, {})
    assert report.is_whole, report.problems
