"""Clusters of `penstock up` programs with a real etcd, for tests that hurt them.

    with ClusterOfPrograms(tmp_path, brokers=3, etcd=1) as cluster:
        cluster.kill(cluster.leader("orders"))
        cluster.wait_until_in_sync("orders")

What a cluster can do is in penstock.testing.running_cluster. Brokers and etcd may be started and ended from any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.support.faults import ProgramBroker

from penstock.processes.cluster import member_settings
from penstock.processes.etcd import EtcdCluster, EtcdPlace
from penstock.processes.orphans import OrphanKiller
from penstock.testing.running_cluster import RunningCluster


class ClusterProgram(ProgramBroker):
    """Guarded by a process that watches this one: a death signal would come when the *thread* that started it ends."""

    def __init__(
        self, folder: Path, settings: Mapping[str, str], *, under: Sequence[str], orphans: OrphanKiller
    ) -> None:
        super().__init__(folder, dict(settings), under=under, orphans=orphans)


class ClusterOfPrograms(RunningCluster):
    """`settings` are for all, `settings_of` and `under` (a command that becomes what it starts) for each by its id."""

    def __init__(
        self,
        folder: Path,
        settings: Mapping[str, str] | None = None,
        *,
        brokers: int = 3,
        etcd: int = 1,
        etcd_places: Sequence[EtcdPlace] | None = None,
        settings_of: Callable[[int], Mapping[str, str]] = lambda broker_id: {},
        under: Callable[[int], Sequence[str]] = lambda broker_id: (),
    ) -> None:
        self._orphans = OrphanKiller()
        store = EtcdCluster(folder / "etcd", size=etcd, places=etcd_places)
        super().__init__(
            folder,
            store,
            {
                number: ClusterProgram(
                    folder / f"broker-{number}",
                    {**member_settings(number, store, settings, brokers=brokers), **settings_of(number)},
                    under=under(number),
                    orphans=self._orphans,
                )
                for number in range(1, brokers + 1)
            },
        )

    def logs(self, broker_id: int) -> str:
        """All that the broker has written to its log, over all its lives."""
        return self.brokers[broker_id].log_path.read_text(errors="replace")

    def stop_all(self) -> None:
        super().stop_all()
        self._orphans.close()

    def kill_all(self) -> None:
        super().kill_all()
        self._orphans.close()
