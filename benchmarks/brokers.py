"""The brokers that are compared: how each is started, found ready and stopped."""

import os
import shutil
import signal
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from benchmarks.processes import free_port

_STOP_S = 30.0
_CHANGED_ON_BOTH = {
    # Kafka keeps a deleted topic's files for a minute; both brokers drop them sooner, so that disk use stays bounded.
    "log.segment.delete.delay.ms": 1_000,
    # Groups wait for more members before they share partitions out: the joins of a benchmark would measure the timer.
    "group.initial.rebalance.delay.ms": 0,
    "group.consumer.assignment.interval.ms": 0,
}
_CLUSTER_ID = "YmVuY2htYXJrcy1vbmVydQ"


LOOPBACK = "127.0.0.1"


class Subject(Protocol):
    """What a load can be put on: one broker, or a cluster of them."""

    @property
    def name(self) -> str: ...
    @property
    def bootstrap(self) -> str: ...
    @property
    def compiles_as_it_runs(self) -> bool:
        """It must be warmed until its cost settles."""

    @property
    def replicas(self) -> int:
        """How many copies there are of what is written to it."""

    @property
    def parts(self) -> Mapping[str, Sequence[int]]:
        """Every process of it, by what it is: all are counted together, and those that are no broker apart as well."""


def pids(subject: Subject) -> list[int]:
    return [pid for part in subject.parts.values() for pid in part]


class Broker(ABC):
    """One broker process with a folder of its own; stopped by its pid whatever happens."""

    title: str
    compiles_as_it_runs: bool
    replicas = 1

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.host = LOOPBACK
        self.under: Sequence[str] = ()
        """A command that turns into what it starts: `ip netns exec`."""
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def bootstrap(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def pid(self) -> int:
        if self._process is None:
            raise RuntimeError(f"{self.name} is not running")
        return self._process.pid

    @property
    def parts(self) -> Mapping[str, Sequence[int]]:
        return {"brokers": [self.pid]}

    @property
    def output(self) -> Path:
        return self.folder / "output.txt"

    @abstractmethod
    def prepare(self) -> None:
        """What is done once before a first start and is no part of start-up time."""

    @abstractmethod
    def command(self) -> list[str]: ...

    def start(self) -> None:
        # The death signal covers the one case that no `finally` does: the harness itself being killed.
        with self.output.open("ab") as output:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *self.under, *self.command()],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                env={**os.environ, **self.environment()},
            )

    def environment(self) -> dict[str, str]:
        return {}

    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """As kill -9 does; gone when this returns."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            # The group is ours alone (start_new_session), so this reaches only what this broker started.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def last_words(self) -> str:
        return self.output.read_text(errors="replace")[-2000:] if self.output.exists() else ""


@dataclass(frozen=True, slots=True)
class KafkaNode:
    """Who one node of Kafka is among others: the port of each one's controller by its number."""

    number: int = 1
    controllers: Mapping[int, int] = field(default_factory=lambda: {1: free_port()})
    hosts: Mapping[int, str] = field(default_factory=dict)

    @property
    def properties(self) -> dict[str, str | int]:
        copies = len(self.controllers)
        return {
            "node.id": self.number,
            "controller.quorum.voters": ",".join(
                f"{n}@{self.hosts.get(n, LOOPBACK)}:{port}" for n, port in self.controllers.items()
            ),
            "offsets.topic.replication.factor": copies,
            "transaction.state.log.replication.factor": copies,
            "transaction.state.log.min.isr": min(2, copies),
            "min.insync.replicas": min(2, copies),
        }


class ApacheKafka(Broker):
    """One combined KRaft node at Kafka's own defaults, run with the flags of its own start script."""

    title = "Apache Kafka 4.3.0"
    compiles_as_it_runs = True
    JVM = (
        *("-Xmx1G", "-Xms1G", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20"),
        *("-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent", "-Djava.awt.headless=true"),
    )

    def __init__(
        self,
        name: str,
        folder: Path,
        jars: Path,
        node: KafkaNode | None = None,
        *,
        jvm: Sequence[str] = JVM,
        protocol: str = "PLAINTEXT",
        settings: Mapping[str, str | int] | None = None,
        users: Mapping[str, str] | None = None,
    ) -> None:
        """`users`: passwords of those who log in by SCRAM-SHA-256."""
        super().__init__(name, folder)
        self._protocol = protocol
        self._settings = settings or {}
        self._users = users or {}
        self._jars = jars
        self._jvm = jvm
        self._node = node or KafkaNode()

    def prepare(self) -> None:
        if shutil.which("java") is None:
            raise RuntimeError("no java on the path: benchmarks/setup brings one")
        controller_port = self._node.controllers[self._node.number]
        properties = {
            "process.roles": "broker,controller",
            "listeners": f"{self._protocol}://{self.host}:{self.port},CONTROLLER://{self.host}:{controller_port}",
            "advertised.listeners": f"{self._protocol}://{self.host}:{self.port}",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": self.folder / "data",
            **self._node.properties,
            **_CHANGED_ON_BOTH,
            **self._settings,
        }
        properties_file = self.folder / "server.properties"
        properties_file.write_text("".join(f"{k}={v}\n" for k, v in properties.items()))
        (self.folder / "log4j2.properties").write_text(
            "status = error\nappender.out.type = Console\nappender.out.name = out\n"
            "appender.out.layout.type = PatternLayout\nappender.out.layout.pattern = %d %p %m%n\n"
            "rootLogger.level = warn\nrootLogger.appenderRef.out.ref = out\n"
        )
        users = [f"SCRAM-SHA-256=[name={user},password={password}]" for user, password in self._users.items()]
        known = [part for user in users for part in ("--add-scram", user)]
        subprocess.run(
            [*self.java("kafka.tools.StorageTool"), "format", "-t", _CLUSTER_ID, "-c", str(properties_file), *known],
            check=True,
            capture_output=True,
        )

    def java(self, main_class: str, *flags: str) -> list[str]:
        logging = f"-Dlog4j2.configurationFile={self.folder / 'log4j2.properties'}"
        return ["java", *flags, logging, "-cp", f"{self._jars}/*", main_class]

    def command(self) -> list[str]:
        return [*self.java("kafka.Kafka", *self._jvm), str(self.folder / "server.properties")]


class Penstock(Broker):
    """One broker at Penstock's own defaults, with its embedded metadata store unless `settings` name another."""

    title = "Penstock"
    compiles_as_it_runs = False

    def __init__(
        self,
        name: str,
        folder: Path,
        executable: Path,
        settings: Mapping[str, str | int] | None = None,
        *,
        protocol: str = "PLAINTEXT",
    ) -> None:
        super().__init__(name, folder)
        self._protocol = protocol
        self._executable = executable
        self._settings = {**_CHANGED_ON_BOTH, **(settings or {})}
        self._http_port = free_port()

    def prepare(self) -> None:
        """Nothing: a first start makes its own folder."""

    def command(self) -> list[str]:
        where = ["--host", self.host, "--port", str(self.port), "--http-port", str(self._http_port)]
        if self._protocol != "PLAINTEXT":
            where = ["--set", f"listeners={self._protocol}://{self.bootstrap}", "--http-port", str(self._http_port)]
        where += ["--data", str(self.folder / "data")]
        changed = [part for name, value in self._settings.items() for part in ("--set", f"{name}={value}")]
        return [str(self._executable), "up", *where, *changed]
