"""A cluster that can be hurt in every way: each broker and each etcd in a network of its own, each broker with a disk
and a clock of its own.

    with ChaosCluster(tmp_path) as cluster:
        cluster.networks.cut("broker-1", "broker-2")
        cluster.disks[1].resize(...)
        cluster.step_clock(1, seconds=-600)
"""

from __future__ import annotations

import ctypes
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from tests.support.bad_sectors import BadSectors
from tests.support.faults import SmallDisk, small_disk
from tests.support.programs import ClusterOfPrograms, ClusterProgram

from penstock.processes.etcd import EtcdPlace
from penstock.processes.networks import CLIENTS, Networks, NetworksImpossible

PORT, HTTP_PORT = 9092, 9644
ETCD_PORTS = (2379, 2380, 2381)
DISK_BYTES = 600 << 20
"""A tmpfs takes only what is written."""
CLONE_NEWNET = 0x40000000
REACH_S = 1.0
"""Nothing on this machine takes as long to connect: silence for this time means that packets do not pass."""


def broker_name(broker_id: int) -> str:
    return f"broker-{broker_id}"


class ChaosCluster(ClusterOfPrograms):
    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None, *, brokers: int = 3, etcd: int = 3):
        self.etcd_names = [f"etcd-{number}" for number in range(1, etcd + 1)]
        names = [*(broker_name(number) for number in range(1, brokers + 1)), *self.etcd_names]
        self.networks = Networks(f"ch{os.getpid() % 100_000}", names)
        self.disks: dict[int, SmallDisk] = {}
        self._stack = ExitStack()
        self._clocks = folder / "clocks"
        self.bad_sectors = BadSectors(folder / "bad-sectors")
        self._faketime = find_faketime()
        try:
            self._stack.enter_context(self.networks)
            self._clocks.mkdir(parents=True)
            for number in range(1, brokers + 1):
                path = folder / broker_name(number) / "data"
                self.disks[number] = self._stack.enter_context(small_disk(path, DISK_BYTES))
                self.step_clock(number, seconds=0)
            super().__init__(
                folder,
                settings,
                brokers=brokers,
                etcd_places=[
                    EtcdPlace(self.networks.address(name), *ETCD_PORTS, self.networks.under(name))
                    for name in self.etcd_names
                ],
                settings_of=self._own,
                under=self._place,
            )
        except NetworksImpossible as impossible:
            self._stack.close()
            raise AssertionError(f"PARTITIONS CANNOT BE TRIED HERE: {impossible}") from impossible
        except BaseException:
            self._stack.close()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._stack:
            super().__exit__(kind, error, trace)

    # Where everything is ----------------------------------------------------------------------------------------

    def _own(self, broker_id: int) -> Mapping[str, str]:
        host = self.networks.address(broker_name(broker_id))
        return {"listeners": f"PLAINTEXT://{host}:{PORT}", "penstock.http.listener": f"{host}:{HTTP_PORT}"}

    def _place(self, broker_id: int) -> Sequence[str]:
        clock = ("env", f"LD_PRELOAD={self._faketime}", f"FAKETIME_TIMESTAMP_FILE={self._clock(broker_id)}")
        # Its own time and nothing else: what waits and what times out goes by a clock that nobody can set.
        rest = ("FAKETIME_DONT_FAKE_MONOTONIC=1", "FAKETIME_CACHE_DURATION=1", "NO_FAKE_STAT=1")
        return (*self.networks.under(broker_name(broker_id)), *clock, *rest, *self.bad_sectors.under)

    def program(self, broker_id: int) -> ClusterProgram:
        found = self.brokers[broker_id]
        assert isinstance(found, ClusterProgram)
        return found

    # Clocks -----------------------------------------------------------------------------------------------------

    def _clock(self, broker_id: int) -> Path:
        return self._clocks / broker_name(broker_id)

    def step_clock(self, broker_id: int, *, seconds: int) -> None:
        """Its clock is off by so much, within a second from now."""
        fresh = self._clock(broker_id).with_suffix(".new")
        fresh.write_text(f"{seconds:+d}")
        fresh.replace(self._clock(broker_id))

    # Packets ----------------------------------------------------------------------------------------------------

    def passes(self, name: str, other: str) -> bool:
        """Whether the one can connect to the other, as sockets see it."""
        port = ETCD_PORTS[0] if other.startswith("etcd") else PORT
        outcome: list[bool] = []

        def reach() -> None:
            if name != CLIENTS:
                self._enter(name)
            try:
                with socket.create_connection((self.networks.address(other), port), timeout=REACH_S):
                    outcome.append(True)
            except ConnectionRefusedError:  # nobody listens among the clients, but packets came and went
                outcome.append(True)
            except TimeoutError:
                outcome.append(False)

        thread = threading.Thread(target=reach)  # a namespace is entered by a thread, and left by its end
        thread.start()
        thread.join()
        assert outcome, f"neither passed nor lost between {name} and {other}"
        return outcome[0]

    def _enter(self, name: str) -> None:
        with open(f"/var/run/netns/{self.networks.tag}-{name}", "rb") as namespace:
            if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), f"setns {name}")


def find_faketime() -> Path:
    """libfaketime's library, which steps the clock of one process."""
    listed = subprocess.run(["dpkg", "-L", "libfaketime"], capture_output=True, text=True, check=False)
    found = [Path(line) for line in listed.stdout.splitlines() if line.endswith("/libfaketime.so.1")]
    if not found and (program := shutil.which("faketime")):
        found = list(Path(program).parents[1].glob("lib/**/libfaketime.so.1"))
    assert found, "CLOCK STEPS CANNOT BE TRIED HERE: there is no libfaketime; run: tools/test-setup"
    return found[0]
