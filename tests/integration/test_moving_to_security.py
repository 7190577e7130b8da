"""docs/operate/security/moving.md, step by step, on three brokers with clients that write and read all the time."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.command import PATIENCE_S, PATIENT
from tests.support.faults import eventually, health, metric
from tests.support.kafka import free_ports
from tests.support.programs import ClusterOfPrograms
from tests.support.secured import environment, two_free_ports

from penstock.cli import profiles
from penstock.processes.broker import RunningBroker
from penstock.processes.cluster import Answer
from penstock.processes.raw_requests import ask
from penstock.processes.secured import SecureFolder
from penstock.settings.properties import parse_properties

PAGE = (Path(__file__).parents[2] / "docs" / "operate" / "security" / "moving.md").read_text()
TOPIC, GROUP = "orders", "reports"
"""As on the page."""
(WOULD_BE_DENIED,) = re.findall(r"`(penstock_\w+)`", PAGE)


class ClusterThatMoves(ClusterOfPrograms):
    """Asked over TLS once all have a listener for it: those without are not told of there."""

    secured: SecureFolder

    def ask_one(self, broker: RunningBroker, request: Any, kind: type[Answer], *, version: int) -> Answer:
        if any("SSL" not in each.listeners for each in self.brokers.values()):
            return super().ask_one(broker, request, kind, version=version)
        return ask(broker.listeners["SSL"], request, kind, version=version, tls=self.secured.by_certificate())


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[ClusterThatMoves]:
    with ClusterThatMoves(tmp_path, brokers=3, etcd=1) as running:
        running.secured = SecureFolder(tmp_path / "security")
        yield running


class Worker:
    """Does something again and again in a thread of its own, until it is stopped; what it raises, `stop` raises."""

    def __init__(self, turn: Callable[[], None], close: Callable[[], object]) -> None:
        self._turn, self._close = turn, close
        self._stopping = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._turn()
            self._close()
        except BaseException as error:
            self._error = error

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(PATIENCE_S[1])
        assert not self._thread.is_alive() and self._error is None, self._error


class Clients:
    """A writer and a reader, and what came of their records."""

    def __init__(self) -> None:
        self.sent, self.written, self.seen = 0, set[str](), set[str]()
        self.errors: list[object] = []
        self._workers: list[Worker] = []

    def begin(self, login: Mapping[str, str]) -> None:
        producer = Producer({**login, "enable.idempotence": True, "linger.ms": 5, "log_level": 0})
        reading = {"group.id": GROUP, "auto.offset.reset": "earliest", "log_level": 0}
        consumer = Consumer({**login, **reading})
        consumer.subscribe([TOPIC])

        def write() -> None:
            value = str(self.sent)
            self.sent += 1
            producer.produce(TOPIC, value, on_delivery=lambda error, _: self._delivered(value, error))
            producer.poll(0.02)

        def read() -> None:
            record = consumer.poll(0.5)
            if record is not None:
                if record.error():
                    self.errors.append(record.error())
                else:
                    self.seen.add((record.value() or b"").decode())

        self._workers = [Worker(write, lambda: producer.flush(PATIENCE_S[1])), Worker(read, consumer.close)]

    def _delivered(self, value: str, error: object) -> None:
        if error is None:
            self.written.add(value)
        else:
            self.errors.append(error)

    def work_on(self) -> None:
        """Returns when something was written and read that was not sent when it was called."""
        already = self.sent
        both = f"records after {already} are written and read: {self.errors}"
        eventually(lambda: any(int(value) > already for value in self.written & self.seen), both)

    def end(self) -> None:
        for worker in self._workers:
            worker.stop()


class Page:
    """The steps of the page, with addresses and folders of this test's."""

    def __init__(self, cluster: ClusterThatMoves, folder: Path) -> None:
        self._cluster, self._folder = cluster, folder
        first = two_free_ports()
        self._ports: dict[int, dict[str, int]] = {}
        for number, broker in cluster.brokers.items():
            users_at, brokers_at = (first, first + 1) if number == 1 else free_ports(2)
            self._ports[number] = {
                "9092": int(broker.bootstrap.rpartition(":")[2]),
                "9093": users_at,
                "9094": brokers_at,
            }
        found = re.findall(r"```(sh|properties)\n(.*?)```", PAGE, re.DOTALL)
        self.commands = [text for language, text in found if language == "sh"]
        self.settings = [text for language, text in found if language == "properties"]

    def address(self, number: int, port: str) -> str:
        return f"127.0.0.1:{self._ports[number][port]}"

    def _here(self, text: str, number: int = 1) -> str:
        for port in self._ports[number]:
            for host in ("0.0.0.0", "broker1.example.com"):
                text = text.replace(f"{host}:{port}", self.address(number, port))
        text = re.sub(r"--port 9093", f"--port {self._ports[1]['9093']}", text)
        text = re.sub(r"broker\d\.example\.com", "127.0.0.1", text)
        return text.replace("/etc/penstock", str(self._cluster.secured.path))

    def run(self, step: int, *, options: tuple[str, ...] = PATIENT) -> str:
        penstock = f'set -e\npenstock() {{ "{sys.executable}" -m penstock.cli "$@" {" ".join(options)}; }}\n'
        profile = f"export PENSTOCK_PROFILE={self._cluster.secured.profile}\n"
        done = subprocess.run(
            ["bash", "-c", penstock + profile + self._here(self.commands[step])],
            cwd=self._folder, capture_output=True, text=True, timeout=300, check=False, env=environment(),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def restart_one_by_one(self, step: int, clients: Clients) -> None:
        for number, broker in self._cluster.brokers.items():
            lines = parse_properties(self._here(self.settings[step], number))
            broker.settings.update({line.name: line.value for line in lines})
            broker.restart()
            self._cluster.wait_until_complete()
            self._cluster.wait_until_in_sync(TOPIC)
            clients.work_on()


def would_be_denied(cluster: ClusterThatMoves) -> list[float]:
    return [metric(broker, WOULD_BE_DENIED) for broker in cluster.brokers.values()]


def test_no_client_notices(cluster: ClusterThatMoves, tmp_path: Path) -> None:
    page, clients = Page(cluster, tmp_path), Clients()
    everybody = {"bootstrap.servers": cluster.bootstrap}
    stranger = AdminClient({**everybody, "log_level": 0})
    stranger.create_topics([NewTopic(TOPIC, 3, 3)])[TOPIC].result(PATIENCE_S[1])
    clients.begin(everybody)
    clients.work_on()

    page.run(0, options=())
    page.restart_one_by_one(0, clients)
    page.restart_one_by_one(1, clients)
    assert sum(would_be_denied(cluster)) > 0
    page.run(1)
    alice = profiles.read(tmp_path / "alice.properties")
    assert alice["bootstrap.servers"] == page.address(1, "9093")
    clients.end()
    clients.begin(alice)
    clients.work_on()
    before = would_be_denied(cluster)
    clients.work_on()
    assert would_be_denied(cluster) == before

    assert "no dry run" in page.run(2)
    eventually(lambda: TOPIC not in stranger.list_topics(timeout=PATIENCE_S[1]).topics, "strangers see it no more")
    clients.work_on()
    page.restart_one_by_one(2, clients)
    settings = "".join(f"{name}={value}\n" for name, value in cluster[1].settings.items())
    (cluster.secured.path / "broker.properties").write_text(settings)
    page.run(3, options=("--pause", "2"))
    clients.work_on()
    cluster.restart(1)  # it knows the new secret alone
    cluster.wait_until_in_sync(TOPIC)
    clients.work_on()
    clients.end()
    assert clients.errors == [] and len(clients.written) == clients.sent

    clients.begin(alice)
    eventually(lambda: clients.seen >= {str(number) for number in range(clients.sent)}, "nothing is missing")
    clients.end()
    for broker in cluster.brokers.values():
        assert health(broker).page["open_listeners"] == []
        assert set(broker.listeners) == {"SASL_SSL", "SSL"}
