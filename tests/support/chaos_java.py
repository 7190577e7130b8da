"""Clients that go on through everything: Kafka's own VerifiableProducer and VerifiableConsumer, which tell all they do
as lines of JSON.
"""

from __future__ import annotations

import json
import signal
import subprocess
from abc import abstractmethod
from pathlib import Path
from typing import Any

from tests.support import java
from tests.support.chaos_clients import DELIVERY_TIMEOUT_MS, FLUSH_S, TIMEOUT_MS, Client, ReadingClient, WritingClient
from tests.support.chaos_login import OPEN, Login
from tests.support.history import Ack, split


class _Program(Client):
    """The program's lines are read by the client's thread, for as long as it writes any."""

    folder: Path
    _process: subprocess.Popen[str] | None = None

    def work(self) -> None:
        errors = self.folder / f"{self.name}.err"
        with errors.open("w") as stderr:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", *self.command()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                start_new_session=True,
            )
            assert self._process.stdout is not None
            with self._process.stdout as lines:
                for line in lines:
                    if line.startswith("{"):
                        self.tell(json.loads(line))
            self._process.wait()
        if not self.is_stopping.is_set():
            self.trouble.append(f"ended by itself:\n{errors.read_text()[-2_000:]}")

    def stop(self) -> None:
        """They finish in their own way when asked to end: the producer sends the rest, the consumer commits."""
        self.is_stopping.set()
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(FLUSH_S)
            except subprocess.TimeoutExpired:
                self.trouble.append("does not end when it is told to")
        super().stop()

    def kill(self) -> None:
        """However the run ends."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    @abstractmethod
    def command(self) -> list[str]: ...

    @abstractmethod
    def tell(self, line: dict[str, Any]) -> None: ...


class JavaProducer(_Program, WritingClient):
    """Its name is a number, as its values are `<number>.<sequence>`. It chooses partitions by itself."""

    def __init__(
        self,
        name: str,
        bootstrap: str,
        topic: str,
        *,
        partitions: int,
        per_s: float,
        folder: Path,
        login: Login = OPEN,
    ) -> None:
        super().__init__(name, bootstrap, topic, partitions=partitions, per_s=per_s, login=login)
        self.folder = folder

    def command(self) -> list[str]:
        settings = self.folder / f"{self.name}.properties"
        # It has retries = 0 unless told otherwise.
        settings.write_text(
            "enable.idempotence=true\nretries=2147483647\nmax.block.ms=300000\n"
            f"request.timeout.ms={TIMEOUT_MS}\ndelivery.timeout.ms={DELIVERY_TIMEOUT_MS}\n" + self.login.java_lines()
        )
        return java.command(
            "org.apache.kafka.tools.VerifiableProducer",
            *("--bootstrap-server", self.bootstrap, "--topic", self.topic, "--acks", "-1"),
            *("--throughput", str(int(1 / self.every_s)), "--value-prefix", self.name),
            *("--command-config", str(settings)),
        )

    def tell(self, line: dict[str, Any]) -> None:
        match line.get("name"):
            case "producer_send_success":
                sequence = split(line["value"])[1]
                self.did.sent = max(self.did.sent, sequence + 1)
                self.acked(Ack(sequence, line["partition"], line["offset"]))
            case "producer_send_error":
                sequence = split(line["value"])[1]
                self.did.sent = max(self.did.sent, sequence + 1)
                self.did.failed.append((sequence, str(line.get("message"))))
                self.note(line.get("exception"))
            case "tool_data":  # its last word
                self.did.sent = max(self.did.sent, line["sent"])


class JavaReader(_Program, ReadingClient):
    def __init__(self, name: str, bootstrap: str, topic: str, *, folder: Path, login: Login = OPEN) -> None:
        super().__init__(name, bootstrap, topic, login=login)
        self.folder = folder

    def command(self) -> list[str]:
        settings = self.folder / f"{self.name}.properties"
        settings.write_text(f"request.timeout.ms={TIMEOUT_MS}\n" + self.login.java_lines())
        return java.command(
            "org.apache.kafka.tools.VerifiableConsumer",
            *("--bootstrap-server", self.bootstrap, "--topic", self.topic, "--group-id", self.name),
            *("--session-timeout", "10000", "--reset-policy", "earliest", "--enable-autocommit", "--verbose"),
            *("--command-config", str(settings)),
        )

    def tell(self, line: dict[str, Any]) -> None:
        match line.get("name"):
            case "partitions_assigned":
                self.run_number += 1
            case "record_data":
                self.saw(line["partition"], line["offset"], line["value"].encode())
