"""What a local cluster consists of, kept in its data folder: addresses for the next start, pids for `penstock local`.

Only the running `penstock up --brokers N` writes it. It holds a lock on the folder for as long as it runs.
"""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from penstock.cli.exits import Failure, NotFound
from penstock.processes.networks import Networks
from penstock.processes.record import ProcessRecord

STATE_FILE = "local-cluster.json"
LOCK_FILE = ".local-cluster.lock"
DEFAULT_FOLDER = Path("penstock-cluster")


def data_option_for(folder: Path) -> str:
    """For commands that are printed: they shall work when they are typed, and the default needs no option."""
    return "" if folder == DEFAULT_FOLDER else f" --data {folder}"


class BrokerState(msgspec.Struct):
    id: int
    listener: str
    """Where it listens; clients are told `address`."""
    http: str = ""
    address: str = ""
    among_brokers: str = ""
    """Where it listens for other brokers, in a secured cluster."""
    process: ProcessRecord | None = None

    @property
    def name(self) -> str:
        return f"broker-{self.id}"


class EtcdState(msgspec.Struct):
    name: str
    host: str
    client_port: int
    peer_port: int
    metrics_port: int
    process: ProcessRecord | None = None


class NetworksState(msgspec.Struct):
    tag: str
    subnet: str


class ClusterState(msgspec.Struct):
    supervisor: ProcessRecord | None = None
    brokers: list[BrokerState] = []
    etcd: list[EtcdState] = []
    networks: NetworksState | None = None
    is_secure: bool = False
    version: int = 1

    @property
    def is_running(self) -> bool:
        return self.supervisor is not None and self.supervisor.state is not None

    def members(self) -> list["BrokerState | EtcdState"]:
        return [*self.brokers, *self.etcd]

    def member(self, wanted: str) -> BrokerState | EtcdState:
        """A broker by its id, or an etcd by its name."""
        members = self.members()
        for member in members:
            if wanted in ((str(member.id), member.name) if isinstance(member, BrokerState) else (member.name,)):
                return member
        known = ", ".join(str(each.id) if isinstance(each, BrokerState) else each.name for each in members)
        raise NotFound(f"this cluster has no {wanted}; it has {known}")

    def open_networks(self) -> Networks | None:
        """What `penstock local partition` works on; None for a cluster whose brokers share this machine's network."""
        if self.networks is None:
            return None
        return Networks(self.networks.tag, self.network_names(), subnet=self.networks.subnet)

    def network_names(self) -> list[str]:
        """In the order of their addresses: brokers may be added, and etcd's members know each other by theirs."""
        return [*(etcd.name for etcd in self.etcd), *(broker.name for broker in self.brokers)]


def read_state(folder: Path) -> ClusterState | None:
    try:
        return msgspec.json.decode((folder / STATE_FILE).read_bytes(), type=ClusterState)
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise Failure(f"{folder / STATE_FILE} cannot be read: {error}") from error


def write_state(folder: Path, state: ClusterState) -> None:
    """Whole or not at all: others read it at any moment."""
    temporary = folder / (STATE_FILE + ".tmp")
    temporary.write_bytes(msgspec.json.format(msgspec.json.encode(state), indent=2) + b"\n")
    temporary.replace(folder / STATE_FILE)


def running_state(folder: Path) -> ClusterState:
    """Of a cluster that runs. Raises NotFound, in words."""
    state = read_state(folder)
    if state is None:
        raise NotFound(
            f"there is no local cluster in {folder}",
            hint="`penstock up --brokers 3` starts one; --data (or PENSTOCK_DATA) names its folder.",
        )
    if not state.is_running:
        raise NotFound(
            f"the cluster in {folder} does not run",
            hint=f"`penstock up --brokers {len(state.brokers)} --data {folder}` starts it.",
        )
    return state


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Whoever starts the cluster holds this until it has stopped. The folder is made if it is not there, and goes again
    with a start that fails before there is a cluster.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / LOCK_FILE, os.O_CREAT | os.O_RDWR, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure(
                f"a cluster runs in {folder} already",
                hint=f"`penstock local status{data_option_for(folder)}` shows it.",
            ) from None
        try:
            yield
        finally:
            if missing and not (folder / STATE_FILE).exists():
                _unmake(folder, missing)
    finally:
        os.close(handle)


def _unmake(folder: Path, missing: list[Path]) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for parent in missing[1:]:
        with suppress(OSError):  # somebody has put something else there
            parent.rmdir()
