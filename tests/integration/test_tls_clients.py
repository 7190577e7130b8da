"""Stock clients over TLS, with and without certificates of their own."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka import TopicPartition as AioPartition
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support import java
from tests.support.clients import WITHIN_S, make_topic
from tests.support.kafka_python import KafkaConsumer, KafkaProducer
from tests.support.kafka_python import TopicPartition as PyPartition
from tests.support.tls import Certificates, broker_of_three_listeners

CONSOLE_PRODUCER = "org.apache.kafka.tools.ConsoleProducer"
CONSOLE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return Certificates(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def addresses(certificates: Certificates) -> Iterator[dict[str, str]]:
    """Of a broker with a listener of each kind."""
    certificates.file("client")
    with broker_of_three_listeners(certificates) as (broker, ports):
        yield {name: f"127.0.0.1:{port}" for name, port in ports.items()} | {"pid": str(broker.pid)}


def test_librdkafka_reads_what_it_wrote(certificates: Certificates, addresses: dict[str, str]) -> None:
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


def test_java_reads_what_it_wrote_as_the_owner_of_a_certificate(
    certificates: Certificates, addresses: dict[str, str], tmp_path: Path
) -> None:
    topic = make_topic(addresses["PLAINTEXT"], "by-java")
    properties = tmp_path / "client.properties"
    given = certificates.of_java("client")
    properties.write_text("".join(f"{name}={value}\n" for name, value in given.items()))
    common = ("--bootstrap-server", addresses["MUTUAL"], "--topic", topic, "--command-config", str(properties))
    java.run(CONSOLE_PRODUCER, *common, stdin="one\ntwo\n")
    wanted = ("--from-beginning", "--max-messages", "2", "--timeout-ms", "100000")
    done = java.run(CONSOLE_CONSUMER, *common, *wanted)
    assert done.stdout.split() == ["one", "two"]


def test_kcat_reads_what_it_wrote(certificates: Certificates, addresses: dict[str, str]) -> None:
    topic = make_topic(addresses["PLAINTEXT"], "by-kcat")
    given = certificates.of_librdkafka("client", bootstrap=addresses["MUTUAL"])
    options = [part for name, value in given.items() for part in ("-X", f"{name}={value}")]
    kcat = ["kcat", "-m", "100", *options, "-t", topic, "-p", "0"]
    subprocess.run([*kcat, "-P"], input=b"one\ntwo\n", check=True, timeout=WITHIN_S)
    done = subprocess.run([*kcat, "-C", "-e", "-q"], check=True, timeout=WITHIN_S, stdout=subprocess.PIPE)
    assert done.stdout.split() == [b"one", b"two"]


async def test_aiokafka_reads_what_it_wrote(certificates: Certificates, addresses: dict[str, str]) -> None:
    topic = make_topic(addresses["PLAINTEXT"], "by-aiokafka")
    context = ssl.create_default_context(cafile=str(certificates.authority))
    given: dict[str, Any] = {"bootstrap_servers": addresses["SSL"], "security_protocol": "SSL", "ssl_context": context}
    async with AIOKafkaProducer(**given) as producer:
        await producer.send_and_wait(topic, b"one")
    async with AIOKafkaConsumer(**given, enable_auto_commit=False) as consumer:
        place = AioPartition(topic, 0)
        consumer.assign([place])
        consumer.seek(place, 0)
        assert (await asyncio.wait_for(consumer.getone(), WITHIN_S)).value == b"one"


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_kafka_python_reads_what_it_wrote(certificates: Certificates, addresses: dict[str, str]) -> None:
    topic = make_topic(addresses["PLAINTEXT"], "by-kafka-python")
    shown = str(certificates.folder / "client.pem")
    given: dict[str, Any] = {
        "bootstrap_servers": addresses["MUTUAL"], "security_protocol": "SSL",
        "ssl_cafile": str(certificates.authority), "ssl_certfile": shown, "ssl_keyfile": shown,
    }  # fmt: skip
    with closing(KafkaProducer(**given)) as producer:
        producer.send(topic, b"one", partition=0).get(timeout=WITHIN_S)
    with closing(KafkaConsumer(**given, group_id=None, consumer_timeout_ms=100_000)) as consumer:
        place = PyPartition(topic, 0)
        consumer.assign([place])
        consumer.seek_to_beginning(place)
        assert next(consumer).value == b"one"


def test_a_thousand_idle_connections_take_little_memory(certificates: Certificates, addresses: dict[str, str]) -> None:
    count = int(os.environ.get("IDLE_CONNECTIONS", "1000"))
    context = ssl.create_default_context(cafile=str(certificates.authority))
    host, _, port = addresses["SSL"].partition(":")
    greeting = bytes.fromhex("00000013 0012 0000 00000007 0009 7374 7261 6e67 6572 73")

    def opened() -> ssl.SSLSocket:
        sock = context.wrap_socket(socket.create_connection((host, int(port))), server_hostname="localhost")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock

    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    pid = int(addresses["pid"])
    with ExitStack() as held:
        for _ in range(50):  # what the first ones make is there for all
            held.enter_context(opened())
        before = resident_bytes(pid)
        sockets = [held.enter_context(opened()) for _ in range(count)]
        each = (resident_bytes(pid) - before) / count
        assert each <= 40 << 10, f"{each:.0f} bytes a connection"
        for sock in sockets[:: max(count // 20, 1)]:
            sock.send(greeting)
            assert sock.recv(4), "all are held"


def resident_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    raise AssertionError(f"process {pid} is gone")
