"""The brokers that are compared: how each is started, found ready and stopped."""

import os
import signal
import subprocess
from abc import ABC, abstractmethod
from pathlib import Path

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


class Broker(ABC):
    """One broker process with a folder of its own; stopped by its pid whatever happens."""

    title: str
    compiles_as_it_runs: bool  # must be warmed until its cost settles

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        if self._process is None:
            raise RuntimeError(f"{self.name} is not running")
        return self._process.pid

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
                ["setpriv", "--pdeathsig", "KILL", *self.command()],
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


class ApacheKafka(Broker):
    """One combined KRaft node at Kafka's own defaults, run with the flags of its own start script."""

    title = "Apache Kafka 4.3.0"
    compiles_as_it_runs = True
    _JVM = (
        *("-Xmx1G", "-Xms1G", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20"),
        *("-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent", "-Djava.awt.headless=true"),
    )

    def __init__(self, name: str, folder: Path, jars: Path) -> None:
        super().__init__(name, folder)
        self._jars = jars

    def prepare(self) -> None:
        controller_port = free_port()
        properties = {
            "process.roles": "broker,controller",
            "node.id": 1,
            "listeners": f"PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{controller_port}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{self.port}",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.voters": f"1@127.0.0.1:{controller_port}",
            "log.dirs": self.folder / "data",
            "offsets.topic.replication.factor": 1,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
            **_CHANGED_ON_BOTH,
        }
        properties_file = self.folder / "server.properties"
        properties_file.write_text("".join(f"{k}={v}\n" for k, v in properties.items()))
        (self.folder / "log4j2.properties").write_text(
            "status = error\nappender.out.type = Console\nappender.out.name = out\n"
            "appender.out.layout.type = PatternLayout\nappender.out.layout.pattern = %d %p %m%n\n"
            "rootLogger.level = warn\nrootLogger.appenderRef.out.ref = out\n"
        )
        subprocess.run(
            [*self.java("kafka.tools.StorageTool"), "format", "-t", _CLUSTER_ID, "-c", str(properties_file)],
            check=True,
            capture_output=True,
        )

    def java(self, main_class: str, *flags: str) -> list[str]:
        logging = f"-Dlog4j2.configurationFile={self.folder / 'log4j2.properties'}"
        return ["java", *flags, logging, "-cp", f"{self._jars}/*", main_class]

    def command(self) -> list[str]:
        return [*self.java("kafka.Kafka", *self._JVM), str(self.folder / "server.properties")]


class Penstock(Broker):
    """One broker with its embedded metadata store at Penstock's own defaults."""

    title = "Penstock"
    compiles_as_it_runs = False

    def __init__(self, name: str, folder: Path, executable: Path) -> None:
        super().__init__(name, folder)
        self._executable = executable
        self._http_port = free_port()

    def prepare(self) -> None:
        """Nothing: a first start makes its own folder."""

    def command(self) -> list[str]:
        where = ["--port", str(self.port), "--http-port", str(self._http_port), "--data", str(self.folder / "data")]
        changed = [part for name, value in _CHANGED_ON_BOTH.items() for part in ("--set", f"{name}={value}")]
        return [str(self._executable), "up", *where, *changed]
