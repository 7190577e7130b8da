"""Apache Kafka in one process: broker and controller, on free ports, in a folder of the caller's."""

from __future__ import annotations

import base64
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO

from tests.support import java

from penstock.processes.ports import keep_ports

_SMALL_HEAP = ("-Xms256m", "-Xmx512m", "-XX:+UseSerialGC", "-Xshare:auto")
_READY_WITHIN_S = 180.0


class _ThisProcess:
    """Owns ports for as long as the run lasts: what listens on them takes seconds to start, and may start again."""


_THIS_PROCESS = _ThisProcess()


def free_ports(count: int) -> list[int]:
    """Ports that nobody else is given, now or later."""
    addresses = keep_ports(_THIS_PROCESS, ",".join(["127.0.0.1:0"] * count))
    return [int(address.rpartition(":")[2]) for address in addresses.split(",")]


def new_cluster_id() -> str:
    return base64.urlsafe_b64encode(os.urandom(16)).decode().rstrip("=").replace("-", "A")


@contextmanager
def apache_kafka_cluster(folder: Path, settings: Mapping[str, str]) -> Iterator[dict[int, ApacheKafka]]:
    """Three nodes, each broker and controller. They start together: none is ready before two are there."""
    voters = dict(enumerate(free_ports(3), start=1))
    cluster_id = new_cluster_id()
    nodes = {
        node: ApacheKafka(
            folder / f"node-{node}", settings=settings, node_id=node, voters=voters, cluster_id=cluster_id
        )
        for node in voters
    }
    try:
        with ThreadPoolExecutor(len(nodes)) as pool:
            list(pool.map(ApacheKafka.start, nodes.values()))
        yield nodes
    finally:
        with ThreadPoolExecutor(len(nodes)) as pool:
            list(pool.map(ApacheKafka.stop, nodes.values()))


_LOGIN = "org.apache.kafka.common.security.{} required {};"
WITH_LOGINS = {
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:SASL_PLAINTEXT",
    "inter.broker.listener.name": "PLAINTEXT",
    "sasl.mechanism.inter.broker.protocol": "PLAIN",
    "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
    "listener.name.plaintext.plain.sasl.jaas.config": _LOGIN.format(
        "plain.PlainLoginModule", 'username="admin" password="of all" user_admin="of all"'
    ),
    **{
        f"listener.name.plaintext.scram-sha-{size}.sasl.jaas.config": _LOGIN.format("scram.ScramLoginModule", "")
        for size in (256, 512)
    },
}
"""Settings of one whose clients log in, by PLAIN as the user `admin` with the password `of all`, or by SCRAM."""


class ApacheKafka:
    """Start with `start()` or as a context manager; stopped and gone afterwards, whatever happened."""

    def __init__(
        self,
        folder: Path,
        *,
        settings: Mapping[str, str] | None = None,
        jvm: tuple[str, ...] = _SMALL_HEAP,
        node_id: int = 1,
        voters: Mapping[int, int] | None = None,
        cluster_id: str | None = None,
    ) -> None:
        """Of several, each is given the controllers' ports of all (`voters`) and one `cluster_id`."""
        self.folder = folder
        self.node_id = node_id
        self._voters = dict(voters or {})
        self._cluster_id = cluster_id or new_cluster_id()
        self.data = folder / "data"
        self._settings = dict(settings or {})
        self._jvm = jvm
        self._process: subprocess.Popen[bytes] | None = None
        self._output: IO[bytes] | None = None
        self.port = 0

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None, "Apache Kafka is not running"
        return self._process.pid

    def __enter__(self) -> ApacheKafka:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.port == 0:
            (self.port,) = free_ports(1)
            self._voters = self._voters or {self.node_id: free_ports(1)[0]}
            self._write_properties(self._voters[self.node_id])
            self._format()
        self._output = (self.folder / "kafka.out").open("ab")
        self._process = subprocess.Popen(
            java.command("kafka.Kafka", str(self._properties), jvm=(*self._jvm, f"-Djava.io.tmpdir={self.folder}")),
            stdout=self._output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            cwd=self.folder,
        )
        try:
            self._wait_until_ready()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._output is not None:
            self._output.close()
            self._output = None

    @property
    def _properties(self) -> Path:
        return self.folder / "server.properties"

    def _write_properties(self, controller_port: int) -> None:
        settings = {
            "process.roles": "broker,controller",
            "node.id": str(self.node_id),
            "controller.quorum.voters": ",".join(f"{node}@127.0.0.1:{port}" for node, port in self._voters.items()),
            "listeners": f"PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{controller_port}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{self.port}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            "log.dirs": str(self.data),
            "offsets.topic.replication.factor": "1",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.min.isr": "1",
            "share.coordinator.state.topic.replication.factor": "1",
            "share.coordinator.state.topic.min.isr": "1",
            # Its own controller would fence it after nine seconds of a stalled machine, and its partitions would come
            # back with other leader epochs.
            "broker.session.timeout.ms": "120000",
        } | self._settings
        self._properties.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))

    def _format(self) -> None:
        java.run("kafka.tools.StorageTool", "format", "-t", self._cluster_id, "-c", str(self._properties))

    def _wait_until_ready(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + _READY_WITHIN_S
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            if self._answers():
                return
            time.sleep(0.1)
        said = (self.folder / "kafka.out").read_text(errors="replace")[-4000:]
        raise AssertionError(f"Apache Kafka did not become ready:\n{said}")

    def _answers(self) -> bool:
        """The broker opens its port when it is unfenced; an answer to ApiVersions v0 says that it serves."""
        try:
            with closing(socket.create_connection(("127.0.0.1", self.port), timeout=5)) as peer:
                peer.sendall(bytes.fromhex("0000000a0012000000000001ffff"))
                return len(peer.recv(4)) == 4
        except OSError:
            return False
