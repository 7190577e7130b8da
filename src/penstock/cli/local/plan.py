"""Who a local cluster is to consist of and where each listens: as it was at the last start, or chosen now."""

import errno
import hashlib
import socket
from collections.abc import Mapping
from pathlib import Path

import click
import msgspec

from penstock.cli.exits import Failure
from penstock.cli.local.state import BrokerState, ClusterState, EtcdState, NetworksState, read_state
from penstock.processes.networks import Networks, NetworksImpossible

OWN_SETTINGS = (
    "node.id",
    "broker.id",
    "listeners",
    "advertised.listeners",
    "log.dirs",
    "log.dir",
    "penstock.http.listener",
    "penstock.etcd.endpoints",
    "penstock.workers",
)
KAFKA_PORT, HTTP_PORT = 9092, 9644
ETCD_PORTS = (2379, 2380, 2381)
ANY = "127.0.0.1"


class UpOptions(msgspec.Struct, frozen=True):
    """What the command line asked for; None is whatever it was last time, or the default."""

    folder: Path
    brokers: int
    etcd: int | None = None
    host: str | None = None
    port: int | None = None
    http_port: int | None = None
    has_http: bool = True
    networks: bool = False
    restart: bool = False
    secure: bool = False


def planned(wishes: UpOptions) -> ClusterState:
    """Raises Failure where the folder does not allow it, in words."""
    _require_cluster_folder(wishes.folder)
    before = read_state(wishes.folder) or ClusterState()
    _require_same_members(before, wishes)
    _require_same_security(before, wishes)
    state = ClusterState(is_secure=wishes.secure or before.is_secure)
    state.brokers = [BrokerState(number, "", "") for number in range(1, wishes.brokers + 1)]
    count = wishes.etcd or len(before.etcd) or 1
    state.etcd = [EtcdState(f"etcd{number}", ANY, 0, 0, 0) for number in range(1, count + 1)]
    if wishes.networks:
        _place_in_networks(state, before, wishes)
    else:
        _place_here(state, before, wishes)
    return state


def _require_same_security(before: ClusterState, wishes: UpOptions) -> None:
    if before.brokers and wishes.secure and not before.is_secure:
        raise Failure(
            f"the cluster in {wishes.folder} was made without --secure, and its etcd cannot change",
            hint="A secured one needs a folder of its own: --data names another.",
        )


def _require_cluster_folder(folder: Path) -> None:
    if (folder / "meta.properties").exists():
        raise Failure(
            f"{folder} holds the data of a single broker",
            hint="A local cluster needs a folder of its own: --data names another.",
        )


def _require_same_members(before: ClusterState, wishes: UpOptions) -> None:
    """A broker that is left out would leave its partitions a replica short; etcd's members are fixed at its birth."""
    if wishes.brokers < len(before.brokers):
        raise Failure(
            f"the cluster in {wishes.folder} has {len(before.brokers)} brokers, and --brokers says {wishes.brokers}",
            hint=f"Start it with --brokers {len(before.brokers)} or more: a new one joins when it starts.",
        )
    if before.etcd and wishes.etcd not in (None, len(before.etcd)):
        raise Failure(f"the cluster in {wishes.folder} has {len(before.etcd)} etcd, and --etcd says {wishes.etcd}")
    if len(before.etcd) > 1 and wishes.networks != (before.networks is not None):
        with_or_without = "without" if before.networks is None else "with"
        raise Failure(f"the cluster in {wishes.folder} was made {with_or_without} --networks, and its etcd cannot move")


# Networks of their own --------------------------------------------------------------------------------------------


def _place_in_networks(state: ClusterState, before: ClusterState, wishes: UpOptions) -> None:
    if wishes.host is not None:
        raise click.UsageError("--networks gives each broker an address of its own: --host has no place there")
    tag = "ps" + hashlib.sha256(str(wishes.folder.absolute()).encode()).hexdigest()[:5]
    networks = Networks(tag, state.network_names(), subnet=before.networks.subnet if before.networks else None)
    try:
        networks.open()
    except NetworksImpossible as impossible:
        raise Failure(
            f"brokers cannot have networks of their own here: {impossible}",
            hint="Without --networks all of `penstock local` works but `partition`.",
        ) from impossible
    state.networks = NetworksState(networks.tag, networks.subnet)
    for broker in state.brokers:
        host = networks.address(broker.name)
        broker.listener = f"{host}:{KAFKA_PORT if wishes.port is None else wishes.port}"
        if state.is_secure:
            broker.among_brokers = f"{host}:0"
        broker.http = f"{host}:{wishes.http_port or HTTP_PORT}" if wishes.has_http else ""
    for etcd in state.etcd:
        etcd.host = networks.address(etcd.name)
        etcd.client_port, etcd.peer_port, etcd.metrics_port = ETCD_PORTS


# This machine's network -------------------------------------------------------------------------------------------


def _place_here(state: ClusterState, before: ClusterState, wishes: UpOptions) -> None:
    host = wishes.host or ANY
    known = {broker.id: broker for broker in before.brokers} if before.networks is None else {}
    for index, broker in enumerate(state.brokers):
        then = known.get(broker.id)
        if state.is_secure:
            stays = then is not None and then.among_brokers and wishes.host is None
            broker.among_brokers = _kept(then.among_brokers) if then and stays else _chosen(host, 0, index)
        base = KAFKA_PORT if wishes.port is None else wishes.port
        keeps = then is not None and not wishes.port and wishes.host is None  # port 0 is any, such as the last one
        broker.listener = _kept(then.listener) if keeps and then else _chosen(host, base, index)
        if wishes.has_http:
            keeps = then is not None and bool(then.http) and not wishes.http_port
            http_base = HTTP_PORT if wishes.http_port is None else wishes.http_port
            broker.http = _kept(then.http) if keeps and then else _chosen(ANY, http_base, index, first_must=False)
    if before.networks is None:
        for etcd, then_etcd in zip(state.etcd, before.etcd, strict=False):
            for port in (then_etcd.client_port, then_etcd.peer_port, then_etcd.metrics_port):
                _kept(f"{then_etcd.host}:{port}")
            etcd.client_port, etcd.peer_port = then_etcd.client_port, then_etcd.peer_port
            etcd.metrics_port = then_etcd.metrics_port


def _kept(address: str) -> str:
    if not _is_free(address):
        raise Failure(
            f"cannot listen on {address}, as this cluster did before: another program has the port",
            hint="`ss -ltnp` shows who. --port and --http-port give the brokers other ones.",
        )
    return address


def _chosen(host: str, base: int, index: int, *, first_must: bool = True) -> str:
    """The base port for the first and the next ones for the others; a port that is taken is replaced by a free one."""
    shown = f"[{host}]" if ":" in host else host
    if base == 0:
        return f"{shown}:0"
    wanted = f"{shown}:{base + index}"
    if _is_free(wanted):
        return wanted
    if index == 0 and first_must:
        raise Failure(
            f"cannot listen on {wanted}: another program has the port",
            hint="Perhaps a Penstock or a Kafka that runs already. --port names another; `ss -ltnp` shows who has it.",
        )
    return f"{shown}:0"


def _is_free(address: str) -> bool:
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, int(port)))
            probe.listen()
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
            raise Failure(f"cannot listen on {address}: {error.strerror or error}") from error
    return True


def settings_for_all(static: Mapping[str, str]) -> dict[str, str]:
    """What was set for every broker, without what is each one's own."""
    if own := [name for name in OWN_SETTINGS if name in static]:
        raise click.UsageError(f"each broker of a local cluster has its own {own[0]}: it cannot be set for all")
    return dict(static)
