"""One broker of a local cluster: a `penstock up` of its own, with its settings in a file for people to read."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from penstock.testing.orphans import GuardedProcesses
from penstock.testing.process import ProcessBroker

FOR_TESTS = "group.initial.rebalance.delay.ms"


class LocalBroker(ProcessBroker):
    def __init__(
        self, folder: Path, settings: Mapping[str, str], *, under: Sequence[str] = (), guards: GuardedProcesses
    ) -> None:
        super().__init__(folder, settings)
        self.settings_file = folder / "broker.properties"
        if FOR_TESTS not in settings:
            del self.settings[FOR_TESTS]  # a test does not wait for more consumers; this is no test
        self._under = under
        self._guards = guards

    def _launch(self) -> None:
        self._write_settings()
        with open(self.log_path, "ab") as log:
            self._process = subprocess.Popen(
                [
                    *self._under,
                    # -P: a `penstock` folder in the current directory must not be taken for the package.
                    *(sys.executable, "-P", "-m", "penstock.cli", "up", "--quiet"),
                    *("--config", self.settings_file),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=_environment(),
                start_new_session=True,  # Ctrl-C is for whoever started us, who then stops us in order
            )
        self._guards.add(self._process)

    def _write_settings(self) -> None:
        lines = [f"{name}={_escaped(value)}" for name, value in sorted(self.settings.items())]
        with open(os.open(self.settings_file, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
            file.write("# Written by `penstock up --brokers` at every start: give it --set and --config instead.\n")
            file.write("\n".join(lines) + "\n")


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n")


def _environment() -> dict[str, str]:
    """Settings in variables have gone into the file: they must not win over what is this broker's own."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PENSTOCK_")}
