"""A broker in a process of its own, which ends with this one however this one ends.

The child holds the reading end of a pipe (its standard input) and stops when that reports end of file. The kernel
closes the writing end whenever this process goes, kill -9 included. Chosen over PR_SET_PDEATHSIG because that fires
when the *thread* that started the child ends, which may be long before the process does, and is Linux only.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import penstock
from penstock.testing.running import RunningBroker


class ProcessBroker(RunningBroker):
    def __init__(self, folder: Path, settings: Mapping[str, str], *, orphan_removes: Path | None = None) -> None:
        """`orphan_removes`: the folder that the broker deletes when it outlives this process, as nobody else will."""
        super().__init__(folder, settings)
        self._orphan_removes = orphan_removes
        self._process: subprocess.Popen[bytes] | None = None

    def _launch(self) -> None:
        removes = None if self._orphan_removes is None else str(self._orphan_removes)
        orders = {"settings": self.settings, "remove": removes}
        with open(self.log_path, "ab") as log:
            self._process = subprocess.Popen(
                # -P: a `penstock` folder in the current directory must not be taken for the package.
                [sys.executable, "-P", "-m", "penstock.testing.child", json.dumps(orders)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONPATH": _search_path()},
                # Ctrl-C at the terminal is for the test run, which then stops its brokers in good order.
                start_new_session=True,
            )

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """Minus the signal that ended it; None while it runs."""
        return None if self._process is None else self._process.returncode

    @property
    def pid(self) -> int:
        return -1 if self._process is None else self._process.pid

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._cut_lifeline(self._process)

    def _end(self, timeout_s: float) -> bool:
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return False
        self._cut_lifeline(self._process)
        return True

    @staticmethod
    def _cut_lifeline(process: "subprocess.Popen[bytes]") -> None:
        if process.stdin is not None:
            process.stdin.close()


def _search_path() -> str:
    """Where the child finds the penstock that this process uses, even if only pytest's settings put it on the path."""
    package_parent = str(Path(penstock.__file__).parent.parent)
    inherited = os.environ.get("PYTHONPATH")
    return os.pathsep.join([package_parent, inherited] if inherited else [package_parent])
