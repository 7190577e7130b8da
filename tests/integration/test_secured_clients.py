"""Stock clients of a secured broker: each mechanism over TLS, as a user who may do no more than the client needs."""

from __future__ import annotations

import asyncio
import json
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from confluent_kafka import Consumer, Producer
from tests.support import java
from tests.support.clients import WITHIN_S
from tests.support.command import PATIENT
from tests.support.faults import eventually
from tests.support.kafka import free_ports
from tests.support.kafka_python import KafkaConsumer, KafkaProducer
from tests.support.secured import environment, secured_broker

from penstock.processes.secured import SecureFolder, java_login

MECHANISMS: Final = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
USER, PASSWORD = "app", 'pass"word\\ 1'
COUNTING = Path(__file__).parents[1] / "java" / "CountingStreams.java"
PRODUCER, CONSUMER = "org.apache.kafka.tools.ConsoleProducer", "org.apache.kafka.tools.consumer.ConsoleConsumer"


class Secured:
    def __init__(self, made: SecureFolder, folder: Path) -> None:
        self.made = made
        self.folder = folder
        self.bootstrap = json.loads(made.confluent.read_text())["bootstrap.servers"]
        password = folder / "password"
        password.write_text(PASSWORD)
        mechanisms = [part for name in MECHANISMS[1:] for part in ("--mechanism", name)]
        self.penstock("user", "add", USER, *mechanisms, "--password-file", str(password))

    def penstock(self, *arguments: str) -> None:
        command = [sys.executable, "-m", "penstock.cli", *arguments, "--profile", str(self.made.profile), *PATIENT]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
        assert done.returncode == 0, done.stderr

    def topic(self, name: str) -> str:
        """That the user may write and read, in a group of the same name."""
        topic = "".join(each if each.isalnum() else "-" for each in name.lower())
        self.penstock("topic", "create", topic)
        self.penstock("acl", "add", USER, "--producer", "--consumer", "--topic", topic, "--group", topic)
        return topic

    def librdkafka(self, mechanism: str) -> dict[str, str]:
        return {
            "bootstrap.servers": self.bootstrap,
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": mechanism,
            "sasl.username": USER,
            "sasl.password": PASSWORD,
            "ssl.ca.location": str(self.made.authority),
        }

    def python(self, mechanism: str) -> dict[str, Any]:
        return {
            "bootstrap_servers": self.bootstrap,
            "security_protocol": "SASL_SSL",
            "ssl_context": ssl.create_default_context(cafile=str(self.made.authority)),
            "sasl_mechanism": mechanism,
            "sasl_plain_username": USER,
            "sasl_plain_password": PASSWORD,
        }

    def java(self, mechanism: str) -> dict[str, str]:
        return java_login(self.librdkafka(mechanism))

    def java_file(self, mechanism: str, **more: str) -> Path:
        file = self.folder / f"{mechanism}.properties"
        _write(file, self.java(mechanism) | more)
        return file


def _write(file: Path, properties: dict[str, str]) -> None:
    escaped = {name: value.replace("\\", "\\\\") for name, value in properties.items()}
    file.write_text("".join(f"{name}={value}\n" for name, value in escaped.items()))


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    folder = tmp_path_factory.mktemp("secured")
    with secured_broker(folder / "made", "--set", f"sasl.enabled.mechanisms={','.join(MECHANISMS)}") as made:
        yield Secured(made, folder)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_librdkafka_reads_what_it_wrote(secured: Secured, mechanism: str) -> None:
    topic, login = secured.topic(f"librdkafka-{mechanism}"), secured.librdkafka(mechanism)
    producer = Producer({**login, "enable.idempotence": True})
    producer.produce(topic, b"one")
    assert producer.flush(WITHIN_S) == 0
    consumer = Consumer({**login, "group.id": topic, "auto.offset.reset": "earliest"})
    consumer.subscribe([topic])
    message = consumer.poll(WITHIN_S)
    consumer.close()
    assert message is not None and message.value() == b"one", message and message.error()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_java_reads_what_it_wrote(secured: Secured, mechanism: str) -> None:
    topic, file = secured.topic(f"java-{mechanism}"), str(secured.java_file(mechanism))
    common = ("--bootstrap-server", secured.bootstrap, "--topic", topic, "--command-config", file)
    java.run(PRODUCER, *common, stdin="one\ntwo\n")
    wanted = ("--group", topic, "--from-beginning", "--max-messages", "2", "--timeout-ms", "100000")
    assert java.run(CONSUMER, *common, *wanted).stdout.split() == ["one", "two"]


@pytest.mark.parametrize("mechanism", MECHANISMS)
async def test_aiokafka_reads_what_it_wrote(secured: Secured, mechanism: str) -> None:
    topic, login = secured.topic(f"aiokafka-{mechanism}"), secured.python(mechanism)
    async with AIOKafkaProducer(**login) as producer:
        await producer.send_and_wait(topic, b"one")
    async with AIOKafkaConsumer(topic, **login, group_id=topic, auto_offset_reset="earliest") as consumer:
        assert (await asyncio.wait_for(consumer.getone(), WITHIN_S)).value == b"one"


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_kafka_python_reads_what_it_wrote(secured: Secured, mechanism: str) -> None:
    topic, login = secured.topic(f"kafka-python-{mechanism}"), secured.python(mechanism)
    with closing(KafkaProducer(**login)) as producer:
        producer.send(topic, b"one").get(timeout=WITHIN_S)
    reading = {"group_id": topic, "auto_offset_reset": "earliest", "consumer_timeout_ms": 100_000}
    with closing(KafkaConsumer(topic, **login, **reading)) as consumer:
        assert next(consumer).value == b"one"


def test_kcat_reads_what_it_wrote(secured: Secured) -> None:
    """By PLAIN: Debian's is of librdkafka 2.0.2, whose SCRAM is wrong (docs/operate/security)."""
    topic = secured.topic("kcat")
    options = [part for name, value in secured.librdkafka("PLAIN").items() for part in ("-X", f"{name}={value}")]
    kcat = ["kcat", "-m", "100", *options, "-t", topic, "-p", "0"]
    subprocess.run([*kcat, "-P"], input=b"one\ntwo\n", check=True, timeout=WITHIN_S)
    done = subprocess.run([*kcat, "-C", "-e", "-q"], check=True, timeout=WITHIN_S, stdout=subprocess.PIPE)
    assert done.stdout.split() == [b"one", b"two"]


# Programs of Kafka's ------------------------------------------------------------------------------------------------


def test_streams_counts_exactly_once(secured: Secured, tmp_path: Path) -> None:
    words, counts = secured.topic("words"), secured.topic("counts")
    application = "counting"
    prefixed = ("--topic", application, "--group", application, "--transactional-id", application, "--prefix")
    secured.penstock("acl", "add", USER, "-o", "all", *prefixed)
    compiled, log = java.compiled(COUNTING, tmp_path / "compiled"), tmp_path / "streams.log"
    arguments = (secured.bootstrap, application, words, counts, str(tmp_path / "state"))
    command = java.command("CountingStreams", *arguments, str(secured.java_file("SCRAM-SHA-512")), also=compiled)
    producer = Producer(secured.librdkafka("SCRAM-SHA-512"))
    for number in range(20):
        producer.produce(words, b"x", key=f"key-{number % 2}")
    assert producer.flush(WITHIN_S) == 0
    reading = {"group.id": counts, "auto.offset.reset": "earliest", "isolation.level": "read_committed"}
    consumer = Consumer({**secured.librdkafka("SCRAM-SHA-512"), **reading})
    consumer.subscribe([counts])
    seen: list[tuple[bytes, int]] = []
    with log.open("wb") as output:
        streams = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        while len(seen) < 20:
            message = consumer.poll(WITHIN_S)
            assert message is not None, log.read_text()[-4_000:]
            if message.error() is None:
                key, value = message.key(), message.value()
                assert key is not None and value is not None
                seen.append((key, int(value)))
    finally:
        streams.kill()
        streams.wait()
        consumer.close()
    assert sorted(seen) == [(f"key-{key}".encode(), count) for key in (0, 1) for count in range(1, 11)]


class ConnectWorker:
    """One of Kafka Connect's, in distributed mode."""

    def __init__(self, folder: Path, secured: Secured, cluster: str) -> None:
        (port,) = free_ports(1)
        self._url, self._log = f"http://127.0.0.1:{port}", folder / "worker.log"
        login = secured.java("SCRAM-SHA-512")
        of_clients = {f"{kind}.{name}": value for kind in ("producer", "consumer") for name, value in login.items()}
        converter = "org.apache.kafka.connect.storage.StringConverter"
        stores = {f"{what}.storage.topic": f"{cluster}-{what}" for what in ("config", "offset", "status")}
        copies = {f"{what}.storage.replication.factor": "1" for what in ("config", "offset", "status")}
        own = {"group.id": cluster, "listeners": self._url, "key.converter": converter, "value.converter": converter}
        file = folder / "worker.properties"
        _write(file, login | of_clients | stores | copies | own | {"offset.flush.interval.ms": "500"})
        with self._log.open("wb") as log:
            command = java.command("org.apache.kafka.connect.cli.ConnectDistributed", str(file))
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def has_taken(self, connector: str, config: dict[str, str]) -> bool:
        body, kind = json.dumps(config).encode(), {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._url}/connectors/{connector}/config", body, kind, method="PUT")
        try:
            with urllib.request.urlopen(request, timeout=60):
                return True
        except (urllib.error.URLError, OSError):
            assert self._process.poll() is None, self._log.read_text()[-4_000:]
            return False

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


def test_connect_copies_a_file_into_a_topic_and_out_again(secured: Secured, tmp_path: Path) -> None:
    cluster, topic = "connect", secured.topic("copied")
    prefixed = ("--topic", cluster, "--group", cluster, "--prefix")
    secured.penstock("acl", "add", USER, "-o", "all", *prefixed)
    written, copied = tmp_path / "written", tmp_path / "copied"
    written.write_text("one\ntwo\n")
    worker = ConnectWorker(tmp_path, secured, cluster)
    connectors = {
        "source": {"file": str(written), "topic": topic, "connector.class": "FileStreamSource", "tasks.max": "1"},
        "sink": {"file": str(copied), "topics": topic, "connector.class": "FileStreamSink", "tasks.max": "1"},
    }
    try:
        for name, config in connectors.items():
            eventually(lambda: worker.has_taken(name, config), f"the {name} is there")  # noqa: B023 - called at once
        eventually(lambda: copied.exists() and copied.read_text() == "one\ntwo\n", "the lines are copied")
    finally:
        worker.end()
