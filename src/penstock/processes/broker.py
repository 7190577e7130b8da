"""A running broker: how it begins and ends, and where it listens."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path

from penstock.admin.addresses import forget_addresses, read_addresses
from penstock.processes.child import Child, log_tail
from penstock.processes.orphans import OrphanKiller
from penstock.processes.ports import keep_ports

START_TIMEOUT_S = 120.0
"""Generous: a loaded CI machine takes its time, and a broker that fails to start says so at once."""
STOP_TIMEOUT_S = 60.0
POLL_S = 0.01


class BrokerFailed(RuntimeError):
    """The broker did not start or did not stop; the message ends with its log."""


class RunningBroker(ABC):
    """A broker that listens: in a process of its own (BrokerProcess), or in a thread of a test."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self.data_dir = folder / "data"
        self.log_path = folder / "broker.log"
        self.bootstrap = ""
        """host:port, for a client's bootstrap.servers."""
        self.listeners: dict[str, str] = {}
        """host:port by the listener's name, once it runs; `bootstrap` is the first."""
        self.http_url = ""
        """Where /health, /ready and /metrics are."""
        self.settings = {
            "listeners": "PLAINTEXT://127.0.0.1:0",
            "penstock.http.listener": "127.0.0.1:0",
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
        self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        forget_addresses(self.data_dir)
        self._launch()

    @property
    def is_started(self) -> bool:
        """Whether clients can connect to what was launched."""
        told = read_addresses(self.data_dir, self.pid)
        if told is not None:
            self.listeners = told.listeners
            self.bootstrap = next(iter(told.listeners.values()))
            self.http_url = _url(told.http) if told.http else ""
        return told is not None

    def wait_until_started(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self.is_started:
            if not self.is_running:
                self.kill()  # it is gone already; this lets go of what it held here
                raise BrokerFailed(f"the broker did not start; its log ends:\n{self.log_tail()}")
            if time.monotonic() > deadline:
                self.kill()
                raise BrokerFailed(f"the broker is not ready after {START_TIMEOUT_S:g} s:\n{self.log_tail()}")
            time.sleep(POLL_S)

    def stop(self) -> None:
        """Stop cleanly, as on SIGTERM. Nothing happens if it has stopped already; a paused one is resumed for it."""
        if self.is_running and not self._end(STOP_TIMEOUT_S):
            self.kill()
            raise BrokerFailed(f"the broker did not stop within {STOP_TIMEOUT_S:g} s:\n{self.log_tail()}")

    def restart(self) -> None:
        """Stop cleanly (unless killed already) and start again on the same data and the same ports."""
        self.stop()
        self.start()

    def log_tail(self, lines: int = 40) -> str:
        try:
            return log_tail(self.log_path, lines)
        except FileNotFoundError:
            return "(no log: structlog is configured in this process, and a broker in a thread logs by that)"

    @abstractmethod
    def kill(self) -> None:
        """End at once without any cleaning up, as on kill -9 or a crash. What was written to files stays."""

    @abstractmethod
    def pause(self) -> None:
        """Hang, as on SIGSTOP: connections stay and nothing is answered, until `resume`. For a broker in a process."""

    @abstractmethod
    def resume(self) -> None: ...

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


class BrokerProcess(RunningBroker):
    """In a process of its own. `run` starts it in the Child that it is given, and hands it its settings."""

    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, str],
        run: "Callable[[BrokerProcess, Child], None]",
        *,
        orphans: OrphanKiller | None = None,
    ) -> None:
        super().__init__(folder, settings)
        self._run = run
        self._child = Child(orphans)

    def _launch(self) -> None:
        self._run(self, self._child)

    @property
    def is_running(self) -> bool:
        return self._child.is_running

    @property
    def exit_code(self) -> int | None:
        """Minus the signal that ended it; None while it runs."""
        return self._child.exit_code

    @property
    def pid(self) -> int:
        return self._child.pid

    def kill(self) -> None:
        self._child.kill()

    def pause(self) -> None:
        self._child.pause()

    def resume(self) -> None:
        self._child.resume()

    def _end(self, timeout_s: float) -> bool:
        self._child.ask_to_stop()
        return self._child.wait(timeout_s)


def _url(address: str) -> str:
    return address if "://" in address else f"http://{address}"
