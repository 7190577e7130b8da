"""The web process beside a broker or a cluster: started when they run, started again when it crashed, ended with them.

It must never cost a broker anything. A thread watches over it; the port is bound here, so that it stays the same one
and whoever connects meanwhile waits; and the process itself lets brokers go first (`penstock web`).
"""

import importlib.util
import os
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Final

import structlog

from penstock.processes.child import Child, ended_how

NEEDS: Final = ("litestar", "uvicorn", "wsproto")
COMMAND: Final = (sys.executable, "-P", "-m", "penstock.cli", "web", "--quiet")
NOT_ITS: Final = ("NOTIFY_SOCKET", "PENSTOCK_BOOTSTRAP", "PENSTOCK_PROFILE")
"""Variables that are about other things: systemd waits for the broker, and commands may be for another cluster."""
PAUSE_S: Final = 1.0
PAUSE_MAX_S: Final = 60.0
STOP_S: Final = 2.0

_log = structlog.get_logger(__name__)


def is_installed() -> bool:
    return all(importlib.util.find_spec(each) is not None for each in NEEDS)


class WebProcess:
    def __init__(self, host: str, port: int, options: Sequence[str]) -> None:
        """`options`: those of `penstock web`, but for where it listens. OSError: the port cannot be had."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=128)
        self._options = options
        self._child = Child()
        self._is_over = threading.Event()
        self._watching = threading.Thread(target=self._watch, name="web process", daemon=True)

    @property
    def url(self) -> str:
        host, port = self._socket.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    @property
    def pid(self) -> int:
        return self._child.pid

    def start(self) -> None:
        """Returns at once."""
        self._watching.start()

    def stop(self) -> None:
        """Gone when this returns, cleanly if that takes no longer than a moment."""
        self.ask_to_stop()
        if not self._child.wait(STOP_S):
            self._child.kill()
        if self._watching.is_alive():
            self._watching.join()
        self._socket.close()

    def ask_to_stop(self) -> None:
        self._is_over.set()
        self._child.ask_to_stop()

    def _watch(self) -> None:
        pause_s = PAUSE_S
        while not self._is_over.is_set():
            self._run()
            self._child.wait()
            if self._is_over.is_set():
                return
            code = self._child.exit_code
            if code is not None and code >= 0:  # it has said why, and would find the same again
                _log.error("no web process any more; the broker goes on", how=ended_how(code))
                self._socket.close()
                return
            _log.error("web process ended unasked", how=ended_how(code), again_in_s=pause_s)
            self._is_over.wait(pause_s)
            pause_s = min(2 * pause_s, PAUSE_MAX_S)

    def _run(self) -> None:
        number = self._socket.fileno()
        self._child.run(
            [*COMMAND, "--listening-fd", str(number), *self._options],
            environment=_environment(os.environ), lifeline=True, pass_fds=(number,),
        )  # fmt: skip
        if self._is_over.is_set():  # it was asked to stop before there was somebody to ask
            self._child.ask_to_stop()


def _environment(given: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in given.items() if name not in NOT_ITS}
