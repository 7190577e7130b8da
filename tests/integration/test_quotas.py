"""Quotas, judged by Kafka's own tools and by clients that are held to them."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from tests.support import java
from tests.support.clients import WITHIN_S, fresh_name, make_topic, read_to_end
from tests.support.faults import eventually

import penstock.testing
from penstock.client import Client, NewTopic, QuotaOf
from penstock.errors import InvalidRequest, PolicyViolation

CONFIGS = "kafka.admin.ConfigCommand"
PRODUCER_PERFORMANCE = "org.apache.kafka.tools.ProducerPerformance"
CONSUMER_PERFORMANCE = "org.apache.kafka.tools.ConsumerPerformance"


@pytest.fixture(scope="module")
def broker() -> Iterator[penstock.testing.RunningBroker]:
    with penstock.testing.broker({"node.id": "1", "quota.window.num": "3"}) as running:
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


# Held back ------------------------------------------------------------------------------------------------------------

RATE = {"producer_byte_rate": 300_000.0, "consumer_byte_rate": 300_000.0}
LOAD = 1_000
"""Records of a kilobyte: more than two windows of the rate, so that some must wait."""


def number_in(message: Message) -> int:
    value = message.value()
    assert value is not None, message.error()
    return int(value[:4])


@contextmanager
def held_to(client: Client, *whom: QuotaOf, **limits: float) -> Iterator[None]:
    client.alter_quotas({whom: limits}).all()
    yield
    client.alter_quotas({whom: dict.fromkeys(limits)}).all()


def test_a_producer_and_a_consumer_are_told_to_wait_and_lose_nothing(
    broker: penstock.testing.RunningBroker, client: Client
) -> None:
    topic = make_topic(broker.bootstrap, "held")
    told: list[float] = []
    own: dict[str, Any] = {"client.id": "held", "throttle_cb": lambda event: told.append(event.throttle_time)}
    with held_to(client, QuotaOf("client-id", "held"), **RATE):
        producer = Producer({"bootstrap.servers": broker.bootstrap, "batch.size": 20_000, **own})
        for number in range(LOAD):
            producer.produce(topic, b"%04d" % number + bytes(1_000))
            producer.poll(0)
        assert producer.flush(WITHIN_S) == 0
        assert max(told, default=0) > 0
        told.clear()
        consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "unused", **own})
        consumer.assign([TopicPartition(topic, 0, 0)])
        found = [number_in(each) for each in consumer.consume(LOAD, timeout=WITHIN_S)]
        consumer.close()
        assert found == list(range(LOAD))
        assert max(told, default=0) > 0


def test_others_are_not_held_back(broker: penstock.testing.RunningBroker, client: Client) -> None:
    topic = make_topic(broker.bootstrap, "others")
    told: list[float] = []
    with held_to(client, QuotaOf("client-id", "held"), **RATE):
        producer = Producer(
            {
                "bootstrap.servers": broker.bootstrap,
                "client.id": "other",
                "throttle_cb": lambda event: told.append(event.throttle_time),
            }
        )
        for _ in range(LOAD):
            producer.produce(topic, bytes(1_000))
        assert producer.flush(WITHIN_S) == 0
    assert told == []


def metric(said: str, name: str) -> float:
    (value,) = re.findall(rf"^\S*:{name}:\S*\s*:\s*([0-9.]+)$", said, re.MULTILINE)
    return float(value)


def test_kafkas_load_tools_are_held_to_their_rate(
    broker: penstock.testing.RunningBroker, client: Client, tmp_path: Path
) -> None:
    topic = make_topic(broker.bootstrap, "perf")
    load = ("--num-records", str(LOAD), "--record-size", "1000", "--throughput", "-1")
    mine = tmp_path / "client.properties"
    mine.write_text("client.id=perf\n")
    with held_to(client, QuotaOf("user", "ANONYMOUS"), QuotaOf("client-id", "perf"), **RATE):
        common = ("--bootstrap-server", broker.bootstrap, "--topic", topic, "--print-metrics")
        said = java.run(PRODUCER_PERFORMANCE, *common, *load, "--command-config", str(mine)).stdout
        assert f"{LOAD} records sent" in said
        assert metric(said, "produce-throttle-time-max") > 0
        said = java.run(
            CONSUMER_PERFORMANCE,
            *common,
            "--num-records",
            str(LOAD),
            "--timeout",
            "120000",
            "--command-config",
            str(mine),
        ).stdout
        assert metric(said, "fetch-throttle-time-max") > 0
        assert metric(said, "records-consumed-total") == LOAD


# Tenants and mutations ------------------------------------------------------------------------------------------------


def test_a_tenant_that_keeps_too_much_may_read_and_delete_but_not_write(
    broker: penstock.testing.RunningBroker, client: Client
) -> None:
    topic = make_topic(broker.bootstrap, "full.orders")
    refused: list[KafkaError] = []

    def delivered(error: KafkaError | None, _message: Message) -> None:
        if error is not None:
            refused.append(error)

    producer = Producer({"bootstrap.servers": broker.bootstrap, "linger.ms": 0})
    with held_to(client, QuotaOf("tenant", "full."), stored_bytes=5_000.0):
        for _ in range(10):
            producer.produce(topic, bytes(1_000), on_delivery=delivered)
            producer.flush(WITHIN_S)
        assert {error.code() for error in refused} == {KafkaError.POLICY_VIOLATION}
        kept = read_to_end(broker.bootstrap, topic)
        assert 0 < len(kept) == 10 - len(refused)
        client.delete_topics([topic]).all()
    again = make_topic(broker.bootstrap, "full.orders")
    refused.clear()
    producer.produce(again, bytes(1_000), on_delivery=delivered)
    assert producer.flush(WITHIN_S) == 0 and refused == []


def test_a_tenant_has_so_many_partitions(broker: penstock.testing.RunningBroker, client: Client) -> None:
    with held_to(client, QuotaOf("tenant", "few."), partitions=3.0):
        outcomes = client.create_topics([NewTopic("few.a", 2), NewTopic("few.b", 2), NewTopic("few.c", 1)])
    assert isinstance(outcomes["few.b"], PolicyViolation)
    assert "tenant few." in outcomes["few.b"].message
    assert set(outcomes.done) == {"few.a", "few.c"}


def test_kafkas_tool_is_told_that_it_changes_too_much(broker: penstock.testing.RunningBroker, client: Client) -> None:
    """By error 89. The client that used it up is not read any more, so it is another one."""
    name = fresh_name("mutated")
    with held_to(client, QuotaOf("user", "ANONYMOUS"), controller_mutation_rate=0.01):
        with Client(broker.bootstrap) as other:
            other.create_topics([NewTopic(f"{name}-first", 60)]).all()
        common = ("--bootstrap-server", broker.bootstrap, "--topic", f"{name}-second", "--partitions", "1")
        said = java.run("org.apache.kafka.tools.TopicCommand", "--create", *common, check=False)
    assert "ThrottlingQuotaExceededException" in said.stdout + said.stderr


def test_an_address_that_connects_too_fast_is_turned_away_and_comes_in_later(
    broker: penstock.testing.RunningBroker, client: Client
) -> None:
    host, _, port = broker.bootstrap.rpartition(":")
    with held_to(client, QuotaOf("ip", host), connection_creation_rate=1.0):
        flood = [socket.create_connection((host, int(port)), timeout=WITHIN_S) for _ in range(20)]
        ends = [each.recv(1) for each in flood[-10:]]
        assert ends == [b""] * 10
        assert client.describe_quotas()  # whoever is there stays
    eventually(lambda: is_served(broker.bootstrap), "a new connection is served")
    for each in flood:
        each.close()


def is_served(bootstrap: str) -> bool:
    with Client(bootstrap) as client:
        return bool(client.describe_cluster().brokers)
