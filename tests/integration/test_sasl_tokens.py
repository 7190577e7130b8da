"""Users and delegation tokens by Kafka's own tools, and logins by what they made."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import java
from tests.support.kafka import free_ports

import penstock.testing
from penstock.access.users.first import first_user_lines
from penstock.client import Client, Sasl
from penstock.errors import DelegationTokenRequestNotAllowed, SaslAuthenticationFailed

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


def test_who_has_not_logged_in_gets_none() -> None:
    with penstock.testing.broker() as broker, Client(broker.bootstrap, timeout_s=PATIENCE_S) as client:
        with pytest.raises(DelegationTokenRequestNotAllowed):
            client.create_token()
        with pytest.raises(DelegationTokenRequestNotAllowed):
            client.describe_tokens()
