"""A running broker and how it begins and ends; process.py and thread.py are the two ways to run one."""

import asyncio
import json
import os
import shutil
import signal
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from penstock.testing.ports import keep_ports

START_TIMEOUT_S = 120.0
"""Generous: a loaded CI machine takes its time, and a broker that fails to start says so at once."""
STOP_TIMEOUT_S = 60.0
ADDRESSES_FILE = "penstock.addresses.json"


class BrokerFailed(RuntimeError):
    """The broker did not start or did not stop; the message ends with its log."""


class RunningBroker(ABC):
    """A broker that listens. Made by broker(), async_broker() and the fixtures, which also clean up after it."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self.data_dir = folder / "data"
        self.log_path = folder / "broker.log"
        self.bootstrap = ""
        """host:port, for a client's bootstrap.servers."""
        self.http_url = ""
        """Where /health, /ready and /metrics are."""
        self.settings = {
            "listeners": "PLAINTEXT://127.0.0.1:0",
            "penstock.http.listener": "127.0.0.1:0",
            "group.initial.rebalance.delay.ms": "0",  # a test's consumers come when it starts them: none is waited for
            **settings,
            "log.dirs": str(self.data_dir),
        }
        # Chosen here and kept, so that a restart finds them: clients and tests hold on to the address.
        for name in ("listeners", "penstock.http.listener"):
            self.settings[name] = keep_ports(self, self.settings[name])

    def __repr__(self) -> str:
        state = f"at {self.bootstrap}" if self.is_running else "stopped"
        return f"<{type(self).__name__} {state}, data in {self.data_dir}>"

    def start(self) -> None:
        """Start and return when clients can connect. A restart listens where the broker listened before."""
        if not self.is_running:
            self.launch()
            self.wait_until_started()

    def launch(self) -> None:
        """Start and return at once; `wait_until_started` for the rest. So several begin at the same time."""
        self.data_dir.mkdir(parents=True, exist_ok=True)
        (self.data_dir / ADDRESSES_FILE).unlink(missing_ok=True)
        self._launch()

    @property
    def is_started(self) -> bool:
        """Whether clients can connect to what was launched."""
        addresses = self._read_addresses()
        if addresses is not None:
            self._note(addresses)
        return addresses is not None

    def wait_until_started(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self.is_started:
            if not self.is_running:
                self.kill()  # it is gone already; this lets go of what it held here
                raise BrokerFailed(f"the broker did not start; its log ends:\n{self.log_tail()}")
            if time.monotonic() > deadline:
                self.kill()
                raise BrokerFailed(f"the broker is not ready after {START_TIMEOUT_S:g} s:\n{self.log_tail()}")
            time.sleep(0.01)

    def pause(self) -> None:
        """Hang, as on SIGSTOP: connections stay and nothing is answered, until `resume`. For a broker in a process."""
        if self.pid == os.getpid():
            raise NotImplementedError("a broker in a thread cannot be paused: run it with mode='process'")
        os.kill(self.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)  # every thread of it, when this returns

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def stop(self) -> None:
        """Stop cleanly, as on SIGTERM. Nothing happens if it has stopped already; a paused one is resumed for it."""
        if self.is_running and self.pid != os.getpid():
            self.resume()
        if self.is_running and not self._end(STOP_TIMEOUT_S):
            self.kill()
            raise BrokerFailed(f"the broker did not stop within {STOP_TIMEOUT_S:g} s:\n{self.log_tail()}")

    def restart(self) -> None:
        """Stop cleanly (unless killed already) and start again on the same data and the same ports."""
        self.stop()
        self.start()

    @abstractmethod
    def kill(self) -> None:
        """End at once without any cleaning up, as on kill -9 or a crash. What was written to files stays."""

    @property
    @abstractmethod
    def is_running(self) -> bool: ...

    @property
    @abstractmethod
    def pid(self) -> int:
        """The process that the broker runs in."""

    @abstractmethod
    def _launch(self) -> None: ...

    @abstractmethod
    def _end(self, timeout_s: float) -> bool:
        """Ask it to stop and wait; False if it did not within the time."""

    def log_tail(self, lines: int = 40) -> str:
        try:
            text = self.log_path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return "(no log: structlog is configured in this process, and a broker in a thread logs by that)"
        return "\n".join(text.splitlines()[-lines:])

    def _read_addresses(self) -> "dict[str, str] | None":
        try:
            document = json.loads((self.data_dir / ADDRESSES_FILE).read_bytes())
        except (FileNotFoundError, ValueError):  # not there yet, or half written
            return None
        if document.get("pid") != self.pid:
            return None
        return {**document["listeners"], "": document.get("http") or ""}

    def _note(self, addresses: dict[str, str]) -> None:
        http = addresses.pop("")
        self.bootstrap = next(iter(addresses.values()))
        self.http_url = f"http://{http}" if http else ""


def as_settings(settings: Mapping[str, object] | None, more: Mapping[str, object]) -> dict[str, str]:
    """Settings by Kafka's names; as keywords with underscores for dots. True is true, not True."""
    named = {**(settings or {}), **{name.replace("_", "."): value for name, value in more.items()}}
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in named.items()}


def settings_problems(problems: Sequence[str]) -> str:
    """What is wrong with a broker's settings; nobody typed the --set that the loader tells of."""
    return "the settings cannot be used:\n  " + "\n  ".join(problem.removeprefix("--set ") for problem in problems)


@contextmanager
def broker(
    settings: Mapping[str, object] | None = None,
    *,
    mode: str = "process",
    keep_data: bool = False,
    **more: object,
) -> Iterator[RunningBroker]:
    """A broker on a free port, gone with its data when the block ends, whatever ends it.

    mode: "process" (its own; the broker outlives neither the block nor this process, even if that is killed) or
    "thread" (of this process; starts faster, can be debugged, shares the interpreter's lock with the test).
    """
    if mode not in ("process", "thread"):
        raise ValueError(f'mode is "process" or "thread", not {mode!r}')
    folder = Path(tempfile.mkdtemp(prefix="penstock-test-"))
    running = _make(mode, folder, as_settings(settings, more), keep_data=keep_data)
    try:
        running.start()
        yield running
        running.stop()
    finally:
        try:
            if running.is_running:
                running.kill()
        finally:
            if not keep_data:
                shutil.rmtree(folder, ignore_errors=True)


@asynccontextmanager
async def async_broker(
    settings: Mapping[str, object] | None = None,
    *,
    mode: str = "process",
    keep_data: bool = False,
    **more: object,
) -> AsyncIterator[RunningBroker]:
    """broker() for asyncio: starting and stopping do not hold up the event loop."""
    context = broker(settings, mode=mode, keep_data=keep_data, **more)
    running = await asyncio.to_thread(context.__enter__)
    try:
        yield running
    finally:
        await asyncio.to_thread(context.__exit__, None, None, None)


def _make(mode: str, folder: Path, settings: dict[str, str], *, keep_data: bool) -> RunningBroker:
    if mode == "process":
        from penstock.testing.process import ProcessBroker  # noqa: PLC0415 - thread mode imports the broker itself

        return ProcessBroker(folder, settings, orphan_removes=None if keep_data else folder)
    from penstock.testing.thread import ThreadBroker  # noqa: PLC0415

    return ThreadBroker(folder, settings)
