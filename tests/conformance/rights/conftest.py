"""Both brokers with their authorizers, and the table as they answered it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.conformance.rights.play import Connect, Played, play
from tests.conformance.rights.table import SUPER_USER, USERS
from tests.support.kafka import ApacheKafka, free_ports
from tests.support.raw import RawClient

import penstock.testing
from penstock.access.users.first import first_user_lines

PASSWORD = "known to all"
AUTHORIZER = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"
OF_BOTH = {
    "authorizer.class.name": AUTHORIZER,
    "sasl.enabled.mechanisms": "PLAIN",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
}
OF_KAFKA = OF_BOTH | {
    "super.users": f"User:{SUPER_USER};User:ANONYMOUS",  # its controller knows its broker by no name
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:SASL_PLAINTEXT",
    "inter.broker.listener.name": "PLAINTEXT",
    "sasl.mechanism.inter.broker.protocol": "PLAIN",
    "listener.name.plaintext.plain.sasl.jaas.config": " ".join(
        [
            f'{_MODULE} required username="{SUPER_USER}" password="{PASSWORD}"',
            *(f'user_{user.name}="{PASSWORD}"' for user in USERS),
        ]
    )
    + ";",
}


def connecting(port: int) -> Connect:
    def connect(user: str) -> RawClient:
        client = RawClient(port)
        client.request("SaslHandshake", 1, {"mechanism": "PLAIN"})
        answer = client.request("SaslAuthenticate", 2, {"auth_bytes": f"\0{user}\0{PASSWORD}".encode()})
        assert answer["error_code"] == 0, answer
        return client

    return connect


@pytest.fixture(scope="session")
def kafka_played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    with ApacheKafka(tmp_path_factory.mktemp("kafka"), settings=OF_KAFKA) as kafka:
        return play(connecting(kafka.port))


@pytest.fixture(scope="session")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Penstock's, with the users of the table."""
    first = tmp_path_factory.mktemp("users") / "first"
    first.touch(0o600)
    first.write_text("".join(first_user_lines(user.name, PASSWORD) for user in USERS))
    (port,) = free_ports(1)
    settings = OF_BOTH | {
        "super.users": f"User:{SUPER_USER}",
        "listeners": f"SASL_PLAINTEXT://127.0.0.1:{port}",
        "penstock.bootstrap.users.file": str(first),
    }
    with penstock.testing.broker(settings, mode="process"):
        yield port


@pytest.fixture(scope="session")
def penstock_played(port: int) -> Played:
    return play(connecting(port))
