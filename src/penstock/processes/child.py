"""One process that this one starts, and may start again when it has ended."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from penstock.processes.orphans import OrphanKiller

UP = (sys.executable, "-P", "-m", "penstock.cli", "up", "--quiet", "--set", "penstock.web.listener=")
"""A broker as a program, alone. -P: a `penstock` folder in the current directory must not be taken for the package."""


class Child:
    """In a session of its own: Ctrl-C at the terminal is for us, who then stop it in order."""

    def __init__(self, orphans: OrphanKiller | None = None) -> None:
        """`orphans` kills it if this process goes."""
        self._orphans = orphans
        self._process: subprocess.Popen[bytes] | None = None

    def run(
        self,
        command: Sequence[str | Path],
        *,
        environment: Mapping[str, str],
        log: Path | None = None,
        lifeline: bool = False,
        pass_fds: Sequence[int] = (),
    ) -> None:
        """Start and return at once. Output goes to the end of `log`, else to where ours goes.

        `lifeline`: its standard input is a pipe that ends when this process does, whatever ends it. `pass_fds`: files
        that it has open as this process does.
        """
        with open(os.devnull if log is None else log, "ab") as output:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE if lifeline else subprocess.DEVNULL,
                stdout=None if log is None else output,
                stderr=None if log is None else output,
                env=environment,
                start_new_session=True,
                pass_fds=pass_fds,
            )
        if self._orphans is not None:
            self._orphans.add(self._process)

    @property
    def pid(self) -> int:
        """-1 before its first start."""
        return -1 if self._process is None else self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """Minus the signal that ended it; None while it runs."""
        return None if self._process is None else self._process.poll()

    def kill(self) -> None:
        """As kill -9 does; gone when this returns."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._cut_lifeline()

    def pause(self) -> None:
        """Hang, as on SIGSTOP: every thread of it, when this returns."""
        self._signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def ask_to_stop(self) -> None:
        """As SIGTERM does; one that is paused goes on first."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            self._process.terminate()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Whether it has ended within the time."""
        if self._process is not None:
            try:
                self._process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                return False
            self._cut_lifeline()
        return True

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None, "it was never started"
        self._process.send_signal(number)

    def _cut_lifeline(self) -> None:
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()


def ended_how(code: int | None) -> str:
    if code is not None and code < 0:
        return f"killed by {signal.Signals(-code).name}"
    return f"left with exit code {code}"


def log_tail(path: Path, lines: int) -> str:
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
