"""Clusters of `penstock up` programs with a real etcd, for tests that hurt them.

    with ClusterOfPrograms(tmp_path, brokers=3, etcd=1) as cluster:
        cluster.kill(cluster.leader("orders"))
        cluster.wait_until_in_sync("orders")

What a cluster can do is in penstock.testing.running_cluster. Brokers and etcd may be started and ended from any thread.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.support.faults import ProgramBroker

from penstock.testing.orphans import GuardedProcesses
from penstock.testing.running_cluster import RunningCluster


class ClusterProgram(ProgramBroker):
    """Guarded by a process that watches this one: a death signal would come when the *thread* that started it ends."""

    def __init__(
        self, folder: Path, settings: Mapping[str, str], *, under: Sequence[str], orphans: GuardedProcesses
    ) -> None:
        super().__init__(folder, dict(settings), under=under)
        self._orphans = orphans

    def _launch(self) -> None:
        options = [text for pair in self.settings.items() for text in ("--set", "=".join(pair))]
        with open(self.log_path, "ab") as log:
            self._process = subprocess.Popen(
                [*self._under, sys.executable, "-m", "penstock.cli", "up", "--quiet", *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._orphans.add(self._process)


class ClusterOfPrograms(RunningCluster):
    """`settings` are for all, `settings_of` and `under` (a command that becomes what it starts) for each by its id."""

    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, str] | None = None,
        *,
        brokers: int = 3,
        etcd: int = 1,
        settings_of: Callable[[int], Mapping[str, str]] = lambda broker_id: {},
        under: Callable[[int], Sequence[str]] = lambda broker_id: (),
    ) -> None:
        self._settings_of = settings_of
        self._under = under
        self._orphans = GuardedProcesses()
        super().__init__(folder, settings, brokers=brokers, etcd=etcd)

    def _make(self, broker_id: int, folder: Path, settings: Mapping[str, str]) -> ClusterProgram:
        own = {**settings, **self._settings_of(broker_id)}
        return ClusterProgram(folder, own, under=self._under(broker_id), orphans=self._orphans)

    def logs(self, broker_id: int) -> str:
        """All that the broker has written to its log, over all its lives."""
        return self.brokers[broker_id].log_path.read_text(errors="replace")

    def stop_all(self) -> None:
        super().stop_all()
        self._orphans.close()

    def kill_all(self) -> None:
        super().kill_all()
        self._orphans.close()
