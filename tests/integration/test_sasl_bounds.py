"""What strangers may cost on a listener with SASL before they have logged in."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.faults import ProgramBroker
from tests.support.kafka import free_ports

import penstock.testing
from penstock.access.users.first import first_user_lines
from penstock.client import Client, Sasl
from penstock.testing import BrokerFailed
from penstock.wire.framing import SIZE, RequestHeader
from penstock.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from penstock.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from penstock.wire.primitives import Message

ADMIN = Sasl("admin", "of all")
PATIENCE_S = 60.0


@pytest.fixture
def first_users(tmp_path: Path) -> Path:
    first = tmp_path / "first"
    first.touch(0o600)
    first.write_text(first_user_lines(ADMIN.username, ADMIN.password))
    return first


@pytest.fixture
def port(first_users: Path) -> Iterator[int]:
    (port,) = free_ports(1)
    settings = {
        "listeners": f"SASL_PLAINTEXT://127.0.0.1:{port}",
        "penstock.bootstrap.users.file": str(first_users),
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512",
        "penstock.logins.in.flight.max": "5",
        "penstock.login.timeout.ms": "20000",
        "penstock.login.failures.max": "1000",
        "connection.failed.authentication.delay.ms": "1000",
    }
    with penstock.testing.broker(settings, mode="process"):
        yield port


def a_socket(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)


def framed(request: Message, version: int) -> bytes:
    frame = RequestHeader(request.api_key, version, 7, "me").encode() + request.encode(version)
    return SIZE.pack(len(frame)) + frame


def test_those_who_say_nothing_make_room_for_others(port: int) -> None:
    silent = [a_socket(port) for _ in range(20)]
    try:
        with Client(f"127.0.0.1:{port}", timeout_s=PATIENCE_S, sasl=ADMIN) as client:
            assert list(client.describe_cluster().brokers) == [1]
        assert [each.recv(1) for each in silent[:10]] == [b""] * 10
    finally:
        for each in silent:
            each.close()


def test_others_are_served_while_passwords_are_guessed(port: int) -> None:
    """Each guess waits for its answer; more than may be under way are closed, the oldest first."""
    with Client(f"127.0.0.1:{port}", timeout_s=PATIENCE_S, sasl=ADMIN) as client:
        client.list_topics()
        guessing = []
        try:
            for number in range(200):
                guessing.append(each := a_socket(port))
                token = b"\0admin\0guess %d" % number
                try:
                    each.sendall(framed(SaslHandshakeRequest("PLAIN"), 1) + framed(SaslAuthenticateRequest(token), 1))
                except OSError:
                    pass  # closed already, to make room
            for _ in range(20):
                client.list_topics()
        finally:
            for each in guessing:
                each.close()


def test_who_is_slow_is_closed(first_users: Path) -> None:
    (port,) = free_ports(1)
    settings = {
        "listeners": f"SASL_PLAINTEXT://127.0.0.1:{port}",
        "penstock.bootstrap.users.file": str(first_users),
        "penstock.login.timeout.ms": "300",
    }
    with penstock.testing.broker(settings, mode="process"), a_socket(port) as slow:
        slow.sendall(framed(SaslHandshakeRequest("SCRAM-SHA-512"), 1)[:6])
        assert slow.recv(100) == b""
        with Client(f"127.0.0.1:{port}", timeout_s=PATIENCE_S, sasl=ADMIN) as client:
            assert list(client.describe_cluster().brokers) == [1]


@pytest.mark.parametrize(
    ("content", "mode", "words"),
    [("no key\n", 0o600, "not base64"), ("A" * 43 + "=\n", 0o644, "chmod 600"), (None, 0o600, "cannot be read")],
    ids=["no base64", "readable by all", "not there"],
)
def test_a_secrets_key_that_cannot_be_used_starts_nothing(
    tmp_path: Path, content: str | None, mode: int, words: str
) -> None:
    path = tmp_path / "keys"
    if content is not None:
        path.write_text(content)
        path.chmod(mode)
    settings = {"listeners": "SASL_PLAINTEXT://127.0.0.1:0", "penstock.secrets.key.file": str(path)}
    with pytest.raises(BrokerFailed, match=words), penstock.testing.broker(settings):
        pass


def test_users_sealed_under_another_key_refuse_the_start(tmp_path: Path, first_users: Path) -> None:
    (port,) = free_ports(1)
    settings = {
        "listeners": f"SASL_PLAINTEXT://127.0.0.1:{port}",
        "penstock.bootstrap.users.file": str(first_users),
    }
    broker = ProgramBroker(tmp_path / "broker", settings)
    key = broker.data_dir / "penstock-secrets.key"
    try:
        broker.start()
        broker.stop()
        assert key.stat().st_mode & 0o777 == 0o600
        key.unlink()
        with pytest.raises(
            BrokerFailed, match=r"the broker cannot run: penstock\.secrets\.key\.file: .*sealed under the key"
        ):
            broker.start()
    finally:
        broker.kill()
