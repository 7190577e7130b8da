"""Stock clients log in by each mechanism; whoever does not, gets nowhere."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from tests.support.kafka import free_ports

import penstock.testing
from penstock.access.users.first import first_user_lines
from penstock.client import Client, Sasl
from penstock.errors import SaslAuthenticationFailed, UnsupportedSaslMechanism
from penstock.wire.framing import SIZE, RequestHeader
from penstock.wire.messages.metadata_request import MetadataRequest
from penstock.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from penstock.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from penstock.wire.messages.sasl_handshake_response import SaslHandshakeResponse
from penstock.wire.primitives import Message

ADMIN, PASSWORD = "admin,=ü", "of all, =ü"
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
PATIENCE_S = 30.0


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    first = tmp_path_factory.mktemp("users") / "first"
    first.touch(0o600)
    first.write_text(first_user_lines(ADMIN, PASSWORD))
    (port,) = free_ports(1)
    settings = {
        "listeners": f"SASL_PLAINTEXT://127.0.0.1:{port}",
        "penstock.bootstrap.users.file": str(first),
        "sasl.enabled.mechanisms": ",".join(MECHANISMS),
        "connection.failed.authentication.delay.ms": "0",
        "penstock.login.failures.max": "3",
        "connections.max.reauth.ms": "1500",
        "socket.request.max.bytes": "2097152",
        "queued.max.request.bytes": "2097152",
    }
    with penstock.testing.broker(settings, mode="process"):
        yield port


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_confluents_client_logs_in_and_stays_beyond_its_session(port: int, mechanism: str) -> None:
    from confluent_kafka import Consumer, Producer

    told: list[str] = []
    settings = {
        "bootstrap.servers": f"127.0.0.1:{port}",
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": mechanism,
        "sasl.username": ADMIN,
        "sasl.password": PASSWORD,
        "error_cb": lambda error: told.append(str(error)),
    }
    producer = Producer(settings)
    ends = time.monotonic() + 2.5  # the session is renewed meanwhile
    sent = 0
    while time.monotonic() < ends:
        producer.produce(mechanism, str(sent), on_delivery=lambda error, _: told.append(str(error)) if error else None)
        sent += 1
        producer.poll(0.1)
    assert producer.flush(PATIENCE_S) == 0
    consumer = Consumer(
        {**settings, "group.id": f"of {mechanism}", "auto.offset.reset": "earliest", "enable.auto.commit": False}
    )
    try:
        consumer.subscribe([mechanism])
        seen = 0
        while seen < sent:
            seen += len(consumer.consume(100, 1.0))
    finally:
        consumer.close()
    assert not told


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_our_client_logs_in(port: int, mechanism: str) -> None:
    with Client(f"127.0.0.1:{port}", timeout_s=PATIENCE_S, sasl=Sasl(ADMIN, PASSWORD, mechanism)) as client:
        assert list(client.describe_cluster().brokers) == [1]
    for wrong in (Sasl(ADMIN, "wrong", mechanism), Sasl("nobody", PASSWORD, mechanism)):
        with (
            Client(f"127.0.0.1:{port}", timeout_s=PATIENCE_S, sasl=wrong) as client,
            pytest.raises(SaslAuthenticationFailed),
        ):
            client.list_topics()


async def test_aiokafka_logs_in(port: int) -> None:
    from aiokafka import AIOKafkaProducer

    for mechanism in MECHANISMS:
        producer = AIOKafkaProducer(
            bootstrap_servers=f"127.0.0.1:{port}",
            security_protocol="SASL_PLAINTEXT",
            sasl_mechanism=mechanism,
            sasl_plain_username=ADMIN,
            sasl_plain_password=PASSWORD,
        )
        await producer.start()
        try:
            await producer.send_and_wait("aio", b"x")
        finally:
            await producer.stop()


class Raw:
    """Frames by hand."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def ask(self, request: Message, version: int) -> bytes:
        """The whole answer; empty where the connection ends."""
        frame = RequestHeader(request.api_key, version, 7, "me").encode() + request.encode(version)
        return self.say(frame)

    def say(self, frame: bytes) -> bytes:
        self.socket.sendall(SIZE.pack(len(frame)) + frame)
        return self.hear()

    def hear(self) -> bytes:
        try:
            size = self._exactly(4)
            return self._exactly(SIZE.unpack(size)[0]) if size else b""
        except ConnectionResetError:
            return b""

    def _exactly(self, count: int) -> bytes:
        received = b""
        while len(received) < count:
            data = self.socket.recv(count - len(received))
            if not data:
                return b""
            received += data
        return received


def test_nobody_is_served_before_a_login(port: int) -> None:
    with Raw(port) as stranger:
        assert stranger.ask(MetadataRequest(None), 5) == b""
    with Raw(port) as stranger:
        stranger.ask(SaslHandshakeRequest("PLAIN"), 1)
        assert stranger.ask(MetadataRequest(None), 5) == b""
    with Raw(port) as stranger:  # more than sasl.server.max.receive.size
        stranger.socket.sendall(SIZE.pack(1_000_000))
        assert stranger.hear() == b""


def test_strangers_who_announce_much_do_not_keep_others_from_being_read(port: int) -> None:
    with ExitStack() as strangers, Raw(port) as client:
        for _ in range(20):
            stranger = strangers.enter_context(Raw(port))
            stranger.socket.sendall(SIZE.pack(500_000) + b"x")
        handshake = SaslHandshakeRequest("PLAIN")
        frame = RequestHeader(handshake.api_key, 1, 7, "me").encode() + handshake.encode(1)
        client.socket.sendall(SIZE.pack(len(frame)) + frame[:5])
        time.sleep(0.1)  # so that it mostly comes in pieces, which take memory
        client.socket.sendall(frame[5:])
        assert client.hear()


def test_bare_tokens_of_old_clients(port: int) -> None:
    with Raw(port) as client:
        assert client.ask(SaslHandshakeRequest("PLAIN"), 0)[4:6] == b"\0\0"
        token = b"\0".join((b"", ADMIN.encode(), PASSWORD.encode()))
        client.socket.sendall(SIZE.pack(len(token)) + token)
        assert client._exactly(4) == bytes(4)  # an empty token says welcome
        assert client.ask(MetadataRequest([]), 1)


def test_guessing_locks_out_one_name_and_nobody_else(port: int) -> None:
    def guess(user: str, password: str) -> int:
        with Raw(port) as client:
            client.ask(SaslHandshakeRequest("PLAIN"), 1)
            answer = client.ask(SaslAuthenticateRequest(b"\0" + user.encode() + b"\0" + password.encode()), 0)
            (code,) = struct.unpack_from(">h", answer, 4)
            return int(code)

    assert [guess("victim", "wrong") for _ in range(5)] == [58] * 5
    assert guess(ADMIN, PASSWORD) == 0


def test_a_session_that_is_not_renewed_ends_at_its_next_request(port: int) -> None:
    with Raw(port) as client:
        client.ask(SaslHandshakeRequest("PLAIN"), 1)
        token = b"\0".join((b"", ADMIN.encode(), PASSWORD.encode()))
        client.ask(SaslAuthenticateRequest(token), 1)
        while client.ask(MetadataRequest([]), 1):
            time.sleep(0.1)


def test_a_mechanism_that_is_off_is_refused(port: int) -> None:
    with Raw(port) as client:
        answer = client.ask(SaslHandshakeRequest("OAUTHBEARER"), 1)
        told = SaslHandshakeResponse.decode(answer, 1, 4)
        assert told.error_code == UnsupportedSaslMechanism.code and tuple(told.mechanisms) == MECHANISMS
        assert client.hear() == b""
