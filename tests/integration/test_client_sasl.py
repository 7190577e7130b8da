"""The client says who it is to Apache Kafka, by each mechanism that it speaks."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator

import pytest
from tests.support.faults import eventually
from tests.support.kafka import WITH_LOGINS, ApacheKafka

from penstock.client import AsyncClient, Client, Sasl
from penstock.errors import SaslAuthenticationFailed
from penstock.wire.messages.alter_user_scram_credentials_request import ScramCredentialUpsertion

PATIENCE_S = 60.0
ITERATIONS, SALT = 4096, b"a pinch"
ADMIN = Sasl("admin", "of all", "PLAIN")


@pytest.fixture(scope="module")
def bootstrap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with ApacheKafka(tmp_path_factory.mktemp("kafka"), settings=WITH_LOGINS) as kafka:
        yield kafka.bootstrap


def test_who_knows_the_password_is_let_in(bootstrap: str) -> None:
    sizes = {1: "sha256", 2: "sha512"}
    with Client(bootstrap, timeout_s=PATIENCE_S, sasl=ADMIN) as client:
        put = [
            ScramCredentialUpsertion("me", kind, ITERATIONS, SALT, hashlib.pbkdf2_hmac(size, b"mine", SALT, ITERATIONS))
            for kind, size in sizes.items()
        ]
        for each in put:
            client.alter_scram(put=[each]).all()
        eventually(lambda: len(client.describe_scram(["me"]).done.get("me", [])) == len(put), "the user is known")
    for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
        me = Sasl("me", "mine", mechanism)
        with Client(bootstrap, timeout_s=PATIENCE_S, sasl=me) as client:
            assert list(client.describe_cluster().brokers) == [1]

        async def brokers(me: Sasl = me) -> list[int]:
            async with AsyncClient(bootstrap, timeout_s=PATIENCE_S, sasl=me) as client:
                return list((await client.describe_cluster()).brokers)

        assert asyncio.run(brokers()) == [1]


def test_who_does_not_is_told_at_once(bootstrap: str) -> None:
    for mechanism in ("PLAIN", "SCRAM-SHA-256"):
        with (
            Client(bootstrap, timeout_s=PATIENCE_S, sasl=Sasl("admin", "wrong", mechanism)) as client,
            pytest.raises(SaslAuthenticationFailed),
        ):
            client.list_topics()
