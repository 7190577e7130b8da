"""Kafka Connect in distributed mode: two workers share a group of a protocol type that is not the consumers'.

A source copies a file's lines into a topic exactly once (transactions), a sink copies the topic into another file; the
worker that runs them is killed, and the other takes over.
"""

from __future__ import annotations

import json
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support import java
from tests.support.clients import fresh_name, make_topic, read_decided
from tests.support.faults import eventually
from tests.support.kafka import free_ports

WITHIN_S = 120.0
CONNECTORS = {"source": "org.apache.kafka.connect.file.FileStreamSourceConnector",
              "sink": "org.apache.kafka.connect.file.FileStreamSinkConnector"}  # fmt: skip


class Worker:
    def __init__(self, folder: Path, bootstrap: str, cluster: str, port: int) -> None:
        self._url = f"http://127.0.0.1:{port}"
        self.address = f"127.0.0.1:{port}"
        folder.mkdir()
        self._log = folder / "worker.log"
        settings = {
            "bootstrap.servers": bootstrap,
            "group.id": cluster,
            "listeners": self._url,
            "exactly.once.source.support": "enabled",
            "key.converter": "org.apache.kafka.connect.storage.StringConverter",
            "value.converter": "org.apache.kafka.connect.storage.StringConverter",
            "config.storage.topic": f"{cluster}-configs",
            "offset.storage.topic": f"{cluster}-offsets",
            "status.storage.topic": f"{cluster}-status",
            "config.storage.replication.factor": "1",
            "offset.storage.replication.factor": "1",
            "status.storage.replication.factor": "1",
            "offset.flush.interval.ms": "500",
            "session.timeout.ms": "10000",
            "heartbeat.interval.ms": "1000",
            "scheduled.rebalance.max.delay.ms": "1000",  # how long a lost worker's tasks wait for it to come back
        }
        file = folder / "worker.properties"
        file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        with open(self._log, "wb") as log:
            self._process = subprocess.Popen(
                java.command("org.apache.kafka.connect.cli.ConnectDistributed", str(file)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def ask(self, path: str, put: dict[str, Any] | None = None) -> Any:
        """None where it does not answer yet, or answers with an error: it is asked again."""
        data, method = (None, "GET") if put is None else (json.dumps(put).encode(), "PUT")
        request = urllib.request.Request(self._url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except (urllib.error.URLError, OSError):
            assert self._process.poll() is None, f"the worker ended:\n{self._log.read_text()[-4_000:]}"
            return None

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@contextmanager
def two_workers(folder: Path, bootstrap: str) -> Iterator[list[Worker]]:
    cluster = fresh_name("connect")
    workers = [Worker(folder / f"worker-{port}", bootstrap, cluster, port) for port in free_ports(2)]
    try:
        for worker in workers:
            eventually(lambda worker=worker: worker.ask("/connectors") is not None, "a worker's answer",  # type: ignore[misc]
                       within_s=WITHIN_S)  # fmt: skip
        yield workers
    finally:
        for worker in workers:
            worker.kill()


def _create(worker: Worker, name: str, config: dict[str, str]) -> None:
    # Put and not posted: where the answer is lost, the connector may be there, and is asked for again.
    path = f"/connectors/{name}/config"
    eventually(lambda: worker.ask(path, config) is not None, f"the {name} created", within_s=WITHIN_S)


def _worker_of(asked: Worker, connector: str) -> str | None:
    """Where the connector's task runs."""
    status = asked.ask(f"/connectors/{connector}/status")
    if status is None or not status["tasks"] or status["tasks"][0]["state"] != "RUNNING":
        return None
    return str(status["tasks"][0]["worker_id"])


def _lines(path: Path) -> set[str]:
    return set(path.read_text().splitlines()) if path.exists() else set()


def test_connectors_go_on_in_the_other_worker_when_one_is_killed(bootstrap: str, tmp_path: Path) -> None:
    topic = make_topic(bootstrap, "connected")
    written, copied = tmp_path / "written", tmp_path / "copied"
    first, second = [f"before {number}" for number in range(100)], [f"after {number}" for number in range(100)]
    with two_workers(tmp_path, bootstrap) as workers, open(written, "a") as lines:
        lines.write("".join(f"{line}\n" for line in first))
        lines.flush()
        _create(workers[0], "source", {"connector.class": CONNECTORS["source"], "tasks.max": "1",
                                       "file": str(written), "topic": topic})  # fmt: skip
        _create(workers[1], "sink", {"connector.class": CONNECTORS["sink"], "tasks.max": "1",
                                     "file": str(copied), "topics": topic})  # fmt: skip
        eventually(lambda: _lines(copied) == set(first), "the first lines copied", within_s=WITHIN_S)
        busy = _worker_of(workers[0], "source")
        victim, survivor = workers if busy == workers[0].address else reversed(workers)
        victim.kill()
        lines.write("".join(f"{line}\n" for line in second))
        lines.flush()
        eventually(lambda: _lines(copied) == {*first, *second}, "all lines copied", within_s=WITHIN_S)
        eventually(
            lambda: _worker_of(survivor, "source") == survivor.address, "the source's new home", within_s=WITHIN_S
        )
        # The sink reads what is not committed yet; a worker that is killed before it has commits nothing more.
        values = [message.value() for message in read_decided(bootstrap, topic)]
    assert values == [line.encode() for line in (*first, *second)]
