"""Kafka's tools that go on until they are stopped and tell what happens to them as lines of JSON."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from tests.support import java

WITHIN_S = 180.0

Event = dict[str, Any]


class RunningTool:
    """Stopped with SIGTERM, at which these tools say goodbye, or at the latest when its block is left."""

    def __init__(self, main_class: str, *arguments: str) -> None:
        self.events: list[Event] = []
        self._process = subprocess.Popen(
            java.command(main_class, *arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._said: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> RunningTool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.append(line)
            if line.startswith("{"):
                self.events.append(json.loads(line))

    def named(self, name: str) -> list[Event]:
        return [event for event in list(self.events) if event.get("name") == name]

    def until(self, condition: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + WITHIN_S
        while not condition():
            assert time.monotonic() < deadline, f"not so: {what}\n{''.join(self._said[-20:])}"
            assert self._process.poll() is None, f"ended before {what}:\n{''.join(self._said[-20:])}"
            time.sleep(0.05)

    def finish(self) -> None:
        """Wait until it has done what it was asked to."""
        code = self._process.wait(WITHIN_S)
        self._reader.join()
        assert code == 0, "".join(self._said[-20:])

    def kill(self) -> None:
        """At once, without a goodbye."""
        self._process.kill()
        self._process.wait()
        self._reader.join()

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join()
        if self._process.stdout is not None:
            self._process.stdout.close()


def events_of(said: str) -> list[Event]:
    """The events in what a tool said that has ended."""
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]
