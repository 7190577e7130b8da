"""One worker: a `penstock up` of its own, which is started again when it ends unasked."""

import os
from collections.abc import Mapping
from pathlib import Path

from penstock.admin.addresses import Addresses, forget_addresses, read_addresses
from penstock.cli.workers.plan import WorkerPlan
from penstock.processes.child import UP, Child
from penstock.processes.orphans import OrphanKiller

NOT_A_WORKERS = ("NOTIFY_SOCKET", "PENSTOCK_DATA")
"""systemd is told when all are ready; the folder that PENSTOCK_DATA names is in each one's settings by now."""


class Worker(Child):
    def __init__(
        self, plan: WorkerPlan, file: Path | None, overrides: Mapping[str, str], orphans: OrphanKiller
    ) -> None:
        super().__init__(orphans)
        self._folder = plan.folder
        settings = {**overrides, **plan.settings}
        self._command = [*UP, *([] if file is None else ["--config", str(file)])]
        self._command += [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]

    def launch(self) -> None:
        # In a container that is started again pids are the same ones: a file of before would be taken for its own.
        forget_addresses(self._folder)
        self.run(
            self._command,
            environment={name: value for name, value in os.environ.items() if name not in NOT_A_WORKERS},
        )

    @property
    def is_started(self) -> bool:
        return read_addresses(self._folder, self.pid) is not None

    @property
    def addresses(self) -> Addresses:
        """Where it listens. Only while it is started."""
        told = read_addresses(self._folder, self.pid)
        assert told is not None
        return told
