"""Stock clients fetch their tokens from somebody else's server and log in by them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import java
from tests.support.kafka import free_ports
from tests.support.mock_oauth2 import SCOPE, MockOAuth2Server

import penstock.testing

PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def issuer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MockOAuth2Server]:
    with MockOAuth2Server(tmp_path_factory.mktemp("issuer")) as issuer:
        yield issuer


@pytest.fixture(scope="module")
def bootstrap(issuer: MockOAuth2Server) -> Iterator[str]:
    (port,) = free_ports(1)
    settings = {
        "listeners": f"SASL_PLAINTEXT://127.0.0.1:{port}",
        "sasl.enabled.mechanisms": "OAUTHBEARER",
        "penstock.oidc.issuer": issuer.issuer,
        "sasl.oauthbearer.expected.audience": SCOPE,
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:alice",
    }
    with penstock.testing.broker(settings, mode="process"):
        yield f"127.0.0.1:{port}"


def test_librdkafka_logs_in_as_the_client_that_its_token_names(bootstrap: str, issuer: MockOAuth2Server) -> None:
    from confluent_kafka import KafkaError, Producer

    def outcomes(client_id: str) -> list[KafkaError | None]:
        told: list[KafkaError | None] = []
        producer = Producer(
            {
                "bootstrap.servers": bootstrap,
                "security.protocol": "SASL_PLAINTEXT",
                "sasl.mechanism": "OAUTHBEARER",
                "sasl.oauthbearer.method": "oidc",
                "sasl.oauthbearer.client.id": client_id,
                "sasl.oauthbearer.client.secret": "any",
                "sasl.oauthbearer.scope": SCOPE,
                "sasl.oauthbearer.token.endpoint.url": issuer.token_url,
            }
        )
        producer.produce("by-oidc", b"x", on_delivery=lambda error, _: told.append(error))
        assert producer.flush(PATIENCE_S) == 0
        return told

    assert outcomes("alice") == [None]
    (refused,) = outcomes("bob")
    assert refused is not None and refused.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED


def test_javas_client_logs_in(bootstrap: str, issuer: MockOAuth2Server, tmp_path: Path) -> None:
    properties = tmp_path / "client.properties"
    properties.write_text(
        "security.protocol=SASL_PLAINTEXT\n"
        "sasl.mechanism=OAUTHBEARER\n"
        "sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;\n"
        "sasl.login.callback.handler.class="
        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler\n"
        f"sasl.oauthbearer.token.endpoint.url={issuer.token_url}\n"
        "sasl.oauthbearer.client.credentials.client.id=alice\n"
        "sasl.oauthbearer.client.credentials.client.secret=any\n"
        f"sasl.oauthbearer.scope={SCOPE}\n"
    )
    done = subprocess.run(
        java.command(
            "org.apache.kafka.tools.TopicCommand",
            *("--bootstrap-server", bootstrap, "--command-config", str(properties), "--create", "--topic", "by-java"),
            jvm=(f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={issuer.token_url}", "-Xmx256m"),
        ),
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert "Created topic" in done.stdout, done.stdout + done.stderr
