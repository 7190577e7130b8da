"""penstock.workers: one program, several brokers of a cluster on one machine."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.faults import eventually

from penstock.admin.addresses import ADDRESSES_FILE
from penstock.cli.exits import ExitCode
from penstock.processes.etcd import EtcdCluster

WITHIN_S = 180.0
IDS = (5, 6)


class Workers:
    """A `penstock up` with two workers, and what it said so far."""

    def __init__(self, folder: Path, etcd: EtcdCluster) -> None:
        self.folder = folder
        self._settings = folder / "penstock.properties"
        self._settings.write_text(
            f"penstock.workers={len(IDS)}\nnode.id={IDS[0]}\nlog.dirs={folder / 'data'}\n"
            f"penstock.etcd.endpoints={etcd.endpoints}\n"
            "listeners=PLAINTEXT://127.0.0.1:0\npenstock.http.listener=127.0.0.1:0\npenstock.log.format=json\n"
            "default.replication.factor=2\noffsets.topic.replication.factor=2\n"
        )
        self._output = folder / "said.txt"
        self.process: subprocess.Popen[bytes] | None = None

    def launch(self) -> "subprocess.Popen[bytes]":
        with self._output.open("ab") as output:
            command = [sys.executable, "-P", "-m", "penstock.cli", "up", "--config", str(self._settings)]
            # Whatever ends the test's process ends it too, and with it the workers; setpriv turns into what it starts.
            guarded = ["setpriv", "--pdeathsig", "KILL", *command]
            self.process = subprocess.Popen(guarded, stdout=output, stderr=output, start_new_session=True)
        return self.process

    def start(self) -> "subprocess.Popen[bytes]":
        before = self.said().count("all brokers are ready")
        process = self.launch()
        eventually(
            lambda: self.said().count("all brokers are ready") > before or process.poll() is not None,
            "ready",
            within_s=WITHIN_S,
        )
        assert process.poll() is None, self.said()
        return process

    def said(self) -> str:
        return self._output.read_text() if self._output.exists() else ""

    def addresses(self, number: int) -> dict[str, object]:
        try:
            text = (self.folder / "data" / f"broker-{number}" / ADDRESSES_FILE).read_text()
            return dict(json.loads(text))
        except (FileNotFoundError, ValueError):
            return {}

    def pid(self, number: int) -> int:
        return int(str(self.addresses(number).get("pid", -1)))

    def bootstrap(self) -> str:
        told = [self.addresses(number)["listeners"] for number in IDS]
        return ",".join(address for each in told if isinstance(each, dict) for address in each.values())

    def end(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def etcd(tmp_path: Path) -> Iterator[EtcdCluster]:
    cluster = EtcdCluster(tmp_path / "etcd", size=1)
    cluster.start()
    yield cluster
    cluster.kill()


@pytest.fixture
def workers(tmp_path: Path, etcd: EtcdCluster) -> Iterator[Workers]:
    made = Workers(tmp_path, etcd)
    yield made
    made.end()


def write(bootstrap: str, topic: str, count: int) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all"})
    failed: list[object] = []
    for number in range(count):
        producer.produce(
            topic,
            str(number),
            partition=number % 2,
            on_delivery=lambda error, _: failed.append(error) if error else None,
        )
    assert producer.flush(WITHIN_S) == 0
    assert failed == []


def read(bootstrap: str, topic: str, count: int) -> list[int]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "none", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(2)])
    found: list[int] = []

    def all_read() -> bool:
        found.extend(int(record.value() or b"-1") for record in consumer.consume(count, 0.2) if not record.error())
        return len(found) >= count

    eventually(all_read, "all records read", within_s=WITHIN_S)
    consumer.close()
    return sorted(found)


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_two_workers_are_two_brokers_that_share_the_work_and_come_back_with_their_data(workers: Workers) -> None:
    first = workers.start()
    admin = AdminClient({"bootstrap.servers": workers.bootstrap()})
    for future in admin.create_topics([NewTopic("shared", num_partitions=2, replication_factor=2)]).values():
        future.result(WITHIN_S)
    metadata = admin.list_topics("shared", timeout=WITHIN_S)
    assert sorted(metadata.brokers) == list(IDS)
    assert {part.leader for part in metadata.topics["shared"].partitions.values()} == set(IDS)
    write(workers.bootstrap(), "shared", 100)
    pids = [workers.pid(number) for number in IDS]

    first.send_signal(signal.SIGTERM)
    assert first.wait(WITHIN_S) == ExitCode.OK, workers.said()
    assert all(is_gone(pid) for pid in pids)
    assert "did not stop cleanly" not in workers.said()

    workers.start()
    assert read(workers.bootstrap(), "shared", 100) == list(range(100))
    lines = [json.loads(line) for line in workers.said().splitlines()]
    assert set(IDS) <= {line.get("node") for line in lines}


def test_a_worker_that_is_killed_is_started_again(workers: Workers) -> None:
    process = workers.start()
    end_guard_of(process.pid)
    killed = workers.pid(IDS[1])
    os.kill(killed, signal.SIGKILL)
    eventually(lambda: workers.pid(IDS[1]) not in (-1, killed), "the worker is back", within_s=WITHIN_S)
    assert "killed by SIGKILL" in workers.said()
    process.send_signal(signal.SIGTERM)
    assert process.wait(WITHIN_S) == ExitCode.OK
    assert "all brokers stopped" in workers.said()


def end_guard_of(pid: int) -> None:
    """The shell that would kill the workers if their parent went: a stop of a whole control group ends it, for one."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    (guard,) = (int(child) for child in children if Path(f"/proc/{child}/cmdline").read_bytes().startswith(b"/bin/sh"))
    os.kill(guard, signal.SIGTERM)


def test_workers_do_not_outlive_who_watches_over_them(workers: Workers) -> None:
    process = workers.start()
    pids = [workers.pid(number) for number in IDS]
    process.kill()
    process.wait()
    eventually(lambda: all(is_gone(pid) for pid in pids), "the workers are gone", within_s=WITHIN_S)


def test_a_worker_that_cannot_start_ends_them_all(workers: Workers) -> None:
    folder = workers.folder / "data" / f"broker-{IDS[1]}"
    folder.mkdir(parents=True)
    (folder / "meta.properties").write_text("version=1\nnode.id=99\ncluster.id=another\n")
    process = workers.launch()
    assert process.wait(WITHIN_S) != ExitCode.OK
    assert f"broker {IDS[1]} did not start" in workers.said()
    of_it = [line for line in workers.said().splitlines() if f'"broker": {IDS[1]}' in line]
    assert not any("did not stop cleanly" in line for line in of_it), "nobody had asked it to stop"
