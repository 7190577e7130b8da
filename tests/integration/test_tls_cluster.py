"""Three brokers that speak TLS with each other, each asking for the other's certificate."""

from __future__ import annotations

from pathlib import Path

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.clients import WITHIN_S
from tests.support.tls import Certificates

import penstock.testing


def test_a_cluster_over_tls_survives_a_killed_broker(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path)
    certificates.file("client")
    settings = {
        "listeners": "PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:0",
        "inter.broker.listener.name": "SSL",
        **certificates.of_broker(ssl_client_auth="required"),
    }
    with penstock.testing.cluster(settings, brokers=3) as cluster:
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
        admin.create_topics([NewTopic("over-tls", 3, 3)])["over-tls"].result(WITHIN_S)
        cluster.wait_until_in_sync("over-tls")
        producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all"})
        refused: list[object] = []

        def note(error: object, _message: object) -> None:
            if error is not None:
                refused.append(error)

        def send(count: int) -> None:
            for number in range(count):
                producer.produce("over-tls", b"%d" % number, on_delivery=note)
            assert producer.flush(WITHIN_S) == 0

        send(200)
        victim = cluster.leader("over-tls")
        cluster.kill(victim)
        send(200)
        cluster.start(victim)
        cluster.wait_until_in_sync("over-tls")
        send(200)
    assert not refused
