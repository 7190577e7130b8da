"""Users and delegation tokens by Kafka's own tools, and logins by what they made."""

from __future__ import annotations

import base64
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import java
from tests.support.kafka import free_ports

import penstock.testing
from penstock.access.users.first import first_user_lines
from penstock.client import Client, Sasl
from penstock.errors import DelegationTokenRequestNotAllowed, SaslAuthenticationFailed
from penstock.wire.framing import SIZE, RequestHeader
from penstock.wire.messages.create_delegation_token_request import CreateDelegationTokenRequest
from penstock.wire.messages.create_delegation_token_response import CreateDelegationTokenResponse
from penstock.wire.messages.describe_delegation_token_request import DescribeDelegationTokenRequest
from penstock.wire.messages.describe_delegation_token_response import DescribeDelegationTokenResponse
from penstock.wire.messages.sasl_authenticate_request import SaslAuthenticateRequest
from penstock.wire.messages.sasl_handshake_request import SaslHandshakeRequest
from penstock.wire.primitives import Message

CONFIGS = "kafka.admin.ConfigCommand"
TOKENS = "org.apache.kafka.tools.DelegationTokenCommand"
TOPICS = "org.apache.kafka.tools.TopicCommand"
LOGIN = 'org.apache.kafka.common.security.scram.ScramLoginModule required username="{}" password="{}"{};'
ADMIN = Sasl("admin", "of all", "SCRAM-SHA-256")
ALICE = Sasl("alice", "a secret", "SCRAM-SHA-256")
PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def bootstrap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    first = tmp_path_factory.mktemp("users") / "first"
    first.touch(0o600)
    first.write_text(first_user_lines(ADMIN.username, ADMIN.password))
    (port,) = free_ports(1)
    settings = {
        "listeners": f"SASL_PLAINTEXT://127.0.0.1:{port}",
        "penstock.bootstrap.users.file": str(first),
        "sasl.enabled.mechanisms": "SCRAM-SHA-256,PLAIN",
        "delegation.token.expiry.check.interval.ms": "100",
    }
    with penstock.testing.broker(settings, mode="process"):
        yield f"127.0.0.1:{port}"


def tool(folder: Path, bootstrap: str, login: str, main_class: str, *arguments: str) -> str:
    path = folder / "client.properties"
    path.write_text(f"security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-256\nsasl.jaas.config={login}\n")
    return java.run(main_class, "--bootstrap-server", bootstrap, "--command-config", str(path), *arguments).stdout


def test_kafkas_tools_make_users_and_tokens_and_log_in_by_them(bootstrap: str, tmp_path: Path) -> None:
    admin = LOGIN.format(ADMIN.username, ADMIN.password, "")
    alter = ("--alter", "--entity-type", "users", "--entity-name", ALICE.username)
    password = f"SCRAM-SHA-256=[iterations=8192,password={ALICE.password}]"
    assert "Completed" in tool(tmp_path, bootstrap, admin, CONFIGS, *alter, "--add-config", password)
    alice = LOGIN.format(ALICE.username, ALICE.password, "")
    create = ("--create", "--max-life-time-period", "-1", "--renewer-principal", "User:admin")
    assert "Created delegation token" in tool(tmp_path, bootstrap, alice, TOKENS, *create)
    with Client(bootstrap, timeout_s=PATIENCE_S, sasl=ALICE) as client:
        (token,) = client.describe_tokens()
    secret = base64.b64encode(token.hmac).decode()
    by_token = LOGIN.format(token.token_id, secret, ' tokenauth="true"')
    assert "Created topic" in tool(tmp_path, bootstrap, by_token, TOPICS, "--create", "--topic", "by-token")
    with Client(bootstrap, timeout_s=PATIENCE_S, sasl=ADMIN) as client:
        assert client.renew_token(token.hmac) > token.issue_timestamp
        client.expire_token(token.hmac)
        assert client.describe_tokens() == []
    with (  # without tokenauth a token's id is the name of no user
        Client(bootstrap, timeout_s=PATIENCE_S, sasl=Sasl(token.token_id, secret, "SCRAM-SHA-256")) as client,
        pytest.raises(SaslAuthenticationFailed),
    ):
        client.list_topics()


def test_tokens_that_are_over_are_taken_away(bootstrap: str) -> None:
    with Client(bootstrap, timeout_s=PATIENCE_S, sasl=ADMIN) as client:
        token = client.create_token(lifetime_ms=1)
        assert token.max_timestamp_ms == token.issue_timestamp_ms + 1
        while any(each.token_id == token.token_id for each in client.describe_tokens()):
            pass


def test_tokens_are_made_and_described_in_every_version(bootstrap: str) -> None:
    """Clients before version 3 are not told who asked for a token: their answers have no place for it."""
    host, _, port = bootstrap.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE_S) as client:

        def ask(request: Message, version: int) -> bytes:
            frame = RequestHeader(request.api_key, version, 7, "me").encode() + request.encode(version)
            client.sendall(SIZE.pack(len(frame)) + frame)
            with client.makefile("rb", buffering=0) as answers:
                (size,) = SIZE.unpack(answers.read(SIZE.size) or b"")
                return answers.read(size) or b""

        ask(SaslHandshakeRequest("PLAIN"), 1)
        ask(SaslAuthenticateRequest(b"\0admin\0" + ADMIN.password.encode()), 0)
        for version, head in ((1, 4), (2, 5), (3, 5)):
            made = ask(CreateDelegationTokenRequest(max_lifetime_ms=-1), version)
            token = CreateDelegationTokenResponse.decode(made, version, head)
            told = DescribeDelegationTokenResponse.decode(
                ask(DescribeDelegationTokenRequest(None), version), version, head
            )
            (described,) = [each for each in told.tokens if each.token_id == token.token_id]
            assert described.hmac == token.hmac
            assert token.token_requester_principal_name == ("admin" if version >= 3 else "")
    with Client(bootstrap, timeout_s=PATIENCE_S, sasl=ADMIN) as admin:  # other tests count what is there
        for each in admin.describe_tokens():
            admin.expire_token(each.hmac)


def test_who_has_not_logged_in_gets_none() -> None:
    with penstock.testing.broker() as broker, Client(broker.bootstrap, timeout_s=PATIENCE_S) as client:
        with pytest.raises(DelegationTokenRequestNotAllowed):
            client.create_token()
        with pytest.raises(DelegationTokenRequestNotAllowed):
            client.describe_tokens()
