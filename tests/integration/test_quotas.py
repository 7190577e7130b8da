"""Quotas, judged by Kafka's own tools and by clients that are held to them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support import java

import penstock.testing
from penstock.client import Client, QuotaOf
from penstock.errors import InvalidRequest

CONFIGS = "kafka.admin.ConfigCommand"


@pytest.fixture(scope="module")
def broker() -> Iterator[penstock.testing.RunningBroker]:
    with penstock.testing.broker({"node.id": "1"}) as running:
        yield running


@pytest.fixture
def client(broker: penstock.testing.RunningBroker) -> Iterator[Client]:
    with Client(broker.bootstrap) as client:
        yield client


def configs(broker: penstock.testing.RunningBroker, *arguments: str) -> str:
    return java.run(CONFIGS, "--bootstrap-server", broker.bootstrap, *arguments).stdout


def test_kafkas_tool_sets_and_shows_quotas(broker: penstock.testing.RunningBroker, client: Client) -> None:
    whom = ("--entity-type", "users", "--entity-name", "tool", "--entity-type", "clients", "--entity-default")
    configs(broker, *whom, "--alter", "--add-config", "producer_byte_rate=1024,request_percentage=7.5")
    described = configs(broker, "--entity-type", "users", "--entity-type", "clients", "--describe")
    assert "user-principal 'tool', the default client-id" in described
    assert "producer_byte_rate=1024.0" in described
    assert "request_percentage=7.5" in described
    tool = (QuotaOf("client-id", None), QuotaOf("user", "tool"))
    assert client.describe_quotas()[tool] == {"producer_byte_rate": 1024.0, "request_percentage": 7.5}
    configs(broker, *whom, "--alter", "--delete-config", "producer_byte_rate,request_percentage")
    assert tool not in client.describe_quotas()


def test_kafkas_tool_sets_what_an_address_may(broker: penstock.testing.RunningBroker) -> None:
    whom = ("--entity-type", "ips", "--entity-name", "192.0.2.1")
    configs(broker, *whom, "--alter", "--add-config", "connection_creation_rate=20")
    assert "connection_creation_rate=20.0" in configs(broker, *whom, "--describe")


def test_kafkas_tool_does_not_stumble_over_tenants(broker: penstock.testing.RunningBroker, client: Client) -> None:
    client.alter_quotas({(QuotaOf("tenant", "acme."),): {"partitions": 3.0}}).all()
    assert "acme" not in configs(broker, "--entity-type", "users", "--entity-type", "clients", "--describe")


def test_our_client_is_told_what_cannot_be(client: Client) -> None:
    whom = (QuotaOf("ip", "192.0.2.2"),)
    outcome = client.alter_quotas({whom: {"producer_byte_rate": 1.0}}, validate_only=True)[whom]
    assert isinstance(outcome, InvalidRequest)
