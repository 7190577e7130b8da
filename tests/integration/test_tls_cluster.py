"""Three brokers that speak TLS with each other, each asking for the other's certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
        writer = Writer({"bootstrap.servers": cluster.bootstrap}, "over-tls")
        victim = cluster.leader("over-tls")
        cluster.kill(victim)
        writer.write(200)
        cluster.start(victim)
        cluster.wait_until_in_sync("over-tls")
        writer.write(200)


def test_an_open_cluster_moves_to_tls_while_it_is_written_to(tmp_path: Path) -> None:
    """By the steps of docs/operate/security/tls.md. The listener that brokers share with clients is moved."""
    certificates = Certificates(tmp_path)
    settings = {
        "listeners": "ADMIN://127.0.0.1:0,PLAINTEXT://127.0.0.1:0",
        "listener.security.protocol.map": "ADMIN:PLAINTEXT,PLAINTEXT:PLAINTEXT",
        "inter.broker.listener.name": "PLAINTEXT",
    }
    speaks_tls = {"listener.security.protocol.map": "ADMIN:PLAINTEXT,PLAINTEXT:SSL", **certificates.of_broker()}
    with penstock.testing.cluster(settings, brokers=3) as cluster:

        def restart_with(more: dict[str, str]) -> None:
            for broker in cluster.brokers.values():
                broker.stop()
                broker.settings.pop("listener.name.plaintext.penstock.tls", None)
                broker.settings.update(more)
                broker.start()
                cluster.wait_until_in_sync("moving")

        def addresses() -> str:
            return ",".join(broker.listeners["PLAINTEXT"] for broker in cluster.brokers.values())

        admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
        admin.create_topics([NewTopic("moving", 3, 3)])["moving"].result(WITHIN_S)
        cluster.wait_until_in_sync("moving")
        open_producer = Writer({"bootstrap.servers": addresses()}, "moving")
        restart_with(speaks_tls | {"listener.name.plaintext.penstock.tls": "optional"})
        open_producer.write(50)
        encrypting = Writer(certificates.of_librdkafka(bootstrap=addresses()), "moving")
        encrypting.write(50)
        open_producer.end()
        restart_with(speaks_tls)
        encrypting.write(50)
        encrypting.end()


class Writer:
    """A producer that stays connected, all of whose records are acknowledged by all replicas."""

    def __init__(self, config: dict[str, Any], topic: str) -> None:
        self._topic = topic
        self._producer = Producer(config | {"acks": "all"})
        self._refused: list[object] = []
        self.write(50)

    def _note(self, error: object, _message: object) -> None:
        if error is not None:
            self._refused.append(error)

    def write(self, count: int) -> None:
        for number in range(count):
            self._producer.produce(self._topic, b"%d" % number, on_delivery=self._note)
        self.end()

    def end(self) -> None:
        assert self._producer.flush(WITHIN_S) == 0
        assert not self._refused
