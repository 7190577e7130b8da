"""Clients log in by tokens of an issuer, and are out when their token is over."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.issuers import AUDIENCE, Issuer
from tests.support.kafka import free_ports

import penstock.testing

PATIENCE_S = 30.0


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with Issuer() as issuer:
        yield issuer


@pytest.fixture(scope="module")
def bootstrap(issuer: Issuer) -> Iterator[str]:
    (port,) = free_ports(1)
    settings = {
        "listeners": f"SASL_PLAINTEXT://127.0.0.1:{port}",
        "sasl.enabled.mechanisms": "OAUTHBEARER",
        "penstock.oidc.issuer": issuer.url,
        "sasl.oauthbearer.expected.audience": AUDIENCE,
        "connection.failed.authentication.delay.ms": "0",
    }
    with penstock.testing.broker(settings, mode="process"):
        yield f"127.0.0.1:{port}"


def settings(
    bootstrap: str, issuer: Issuer, given: list[int], told: list[str], lifetime_s: int = 600
) -> dict[str, Any]:
    def token(_: str) -> tuple[str, float]:
        ends = int(time.time()) + lifetime_s
        given.append(ends)
        return issuer.token(exp=ends), float(ends)

    return {
        "bootstrap.servers": bootstrap,
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "OAUTHBEARER",
        "oauth_cb": token,
        "error_cb": lambda error: told.append(str(error)),
    }


def test_a_client_gets_new_tokens_and_goes_on(bootstrap: str, issuer: Issuer) -> None:
    from confluent_kafka import Producer

    given: list[int] = []
    told: list[str] = []
    producer = Producer(settings(bootstrap, issuer, given, [], lifetime_s=3))
    while len(given) < 3:
        producer.produce("by-token", b"x", on_delivery=lambda error, _: told.append(str(error)) if error else None)
        producer.poll(0.1)
    assert producer.flush(PATIENCE_S) == 0
    assert not told  # each was delivered, on a connection that logged in again or on a new one


@pytest.mark.parametrize(
    "wrong", [{"aud": "elsewhere"}, {"iss": "http://elsewhere"}, {"exp": 1}], ids=["aud", "iss", "exp"]
)
def test_who_comes_with_a_token_that_is_not_good_here_stays_out(
    bootstrap: str, issuer: Issuer, wrong: dict[str, Any]
) -> None:
    from confluent_kafka.admin import AdminClient

    told: list[str] = []
    client = settings(bootstrap, issuer, [], told) | {
        "oauth_cb": lambda _: (issuer.token(**wrong), time.time() + 600),
        "log_level": 0,
    }
    admin = AdminClient(client)
    while not any("Authentication failed" in each for each in told):
        admin.poll(0.1)


async def test_aiokafka_logs_in_by_a_token(bootstrap: str, issuer: Issuer) -> None:
    from aiokafka import AIOKafkaProducer
    from aiokafka.abc import AbstractTokenProvider

    class Provider(AbstractTokenProvider):  # type: ignore[misc]
        async def token(self) -> str:
            return issuer.token()

    producer = AIOKafkaProducer(
        bootstrap_servers=bootstrap,
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism="OAUTHBEARER",
        sasl_oauth_token_provider=Provider(),
    )
    await producer.start()
    try:
        await producer.send_and_wait("by-token", b"x")
    finally:
        await producer.stop()
