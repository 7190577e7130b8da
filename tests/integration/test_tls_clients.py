"""Stock clients over TLS, with and without certificates of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.clients import WITHIN_S
from tests.support.kafka import free_ports
from tests.support.tls import Certificates

import penstock.testing


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def addresses(certificates: Certificates) -> Iterator[dict[str, str]]:
    """Of a broker with a listener of each kind."""
    ports = dict(zip(("PLAINTEXT", "SSL", "MUTUAL"), free_ports(3), strict=True))
    settings = {
        "listeners": ",".join(f"{name}://127.0.0.1:{port}" for name, port in ports.items()),
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SSL:SSL,MUTUAL:SSL",
        "listener.name.mutual.ssl.client.auth": "required",
        **certificates.of_broker(),
    }
    with penstock.testing.broker(settings):
        yield {name: f"127.0.0.1:{port}" for name, port in ports.items()}


def test_librdkafka_reads_over_tls_what_it_wrote(certificates: Certificates, addresses: dict[str, str]) -> None:
    config = certificates.of_librdkafka(bootstrap=addresses["SSL"])
    admin = AdminClient(config)
    admin.create_topics([NewTopic("by-tls", 1)])["by-tls"].result(WITHIN_S)
    values = [b"%d " % number * 40_000 for number in range(40)]
    producer = Producer(config)
    for value in values:
        producer.produce("by-tls", value)
    assert producer.flush(WITHIN_S) == 0
    consumer = Consumer(config | {"group.id": "readers", "auto.offset.reset": "earliest"})
    consumer.subscribe(["by-tls"])
    seen: list[bytes | None] = []
    while len(seen) < len(values):
        seen += [message.value() for message in consumer.consume(len(values) - len(seen), WITHIN_S)]
    consumer.close()
    assert seen == values
