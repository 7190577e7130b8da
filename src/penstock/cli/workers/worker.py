"""One worker: a `penstock up` of its own, which is started again when it ends unasked."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from penstock.cli.addresses import listens, told_ns
from penstock.cli.workers.plan import WorkerPlan
from penstock.testing.orphans import GuardedProcesses

PAUSE_MIN_S, PAUSE_MAX_S = 1.0, 60.0
SOUND_AFTER_S = 300.0
"""A worker that ran for so long and ends has a new reason to, so it is started again soon."""
NOT_A_WORKERS = ("NOTIFY_SOCKET", "PENSTOCK_DATA")
"""systemd is told when all are ready; the folder that PENSTOCK_DATA names is in each one's settings by now."""


class Worker:
    def __init__(
        self, plan: WorkerPlan, file: Path | None, overrides: Mapping[str, str], guards: GuardedProcesses
    ) -> None:
        self.id = plan.id
        self._folder = plan.folder
        settings = {**overrides, **plan.settings}
        # -P: a `penstock` folder in the current directory must not be taken for the package.
        self._command = [sys.executable, "-P", "-m", "penstock.cli", "up", "--quiet"]
        self._command += [] if file is None else ["--config", str(file)]
        self._command += [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        self._guards = guards
        self._process: subprocess.Popen[bytes] | None = None
        self._launched_s = 0.0
        self._told_before_ns: int | None = None
        self._pause_s = PAUSE_MIN_S
        self.due_s: float | None = None
        """When it is to be started again; None while it runs."""

    def launch(self) -> None:
        self.due_s = None
        self._launched_s = time.monotonic()
        self._told_before_ns = told_ns(self._folder)
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name not in NOT_A_WORKERS},
            start_new_session=True,  # Ctrl-C is for the process that watches, which then stops all
        )
        self._guards.add(self._process)

    @property
    def pid(self) -> int:
        return -1 if self._process is None else self._process.pid

    @property
    def exit_code(self) -> int | None:
        """Minus the signal that ended it; None while it runs."""
        return None if self._process is None else self._process.poll()

    @property
    def is_ready(self) -> bool:
        """By a file that is not its predecessor's: in a container that is started again pids are the same ones."""
        return told_ns(self._folder) != self._told_before_ns and listens(self._folder, self.pid)

    def put_off(self) -> float:
        """It has ended: say when it is to be started again. A worker that cannot live is tried more and more seldom."""
        if time.monotonic() - self._launched_s >= SOUND_AFTER_S:
            self._pause_s = PAUSE_MIN_S
        pause_s, self._pause_s = self._pause_s, min(2 * self._pause_s, PAUSE_MAX_S)
        self.due_s = time.monotonic() + pause_s
        return pause_s

    def ask_to_stop(self) -> None:
        if self._process is not None:
            self._process.terminate()

    def wait(self) -> int:
        return 0 if self._process is None or self.due_s is not None else self._process.wait()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
