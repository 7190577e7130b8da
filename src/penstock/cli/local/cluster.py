"""The processes of a local cluster, started and stopped in order, and the file that tells `penstock local` of them."""

import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from penstock.cli.local.broker import local_broker
from penstock.cli.local.state import BrokerState, ClusterState, write_state
from penstock.processes.broker import BrokerProcess, RunningBroker
from penstock.processes.cluster import Answer, BrokerCluster, member_settings
from penstock.processes.etcd import EtcdCluster, EtcdMember, EtcdPlace, EtcdTls
from penstock.processes.orphans import OrphanKiller
from penstock.processes.raw_requests import ask
from penstock.processes.record import ProcessRecord
from penstock.processes.secured import SecureFolder

Member = BrokerProcess | EtcdMember

SECURED_FOLDER = "secure"
AMONG_BROKERS = "SSL"
EVERY_INTERFACE = ("", "0.0.0.0", "::")
START_FILE = "start"
"""Put into a member's folder by `penstock local restart`: when it is down, start it."""


class LocalCluster(BrokerCluster):
    def __init__(self, folder: Path, state: ClusterState, settings: Mapping[str, str]) -> None:
        self.state = state
        self._networks = state.open_networks()
        self._orphans = OrphanKiller()
        places = [
            EtcdPlace(etcd.host, etcd.client_port, etcd.peer_port, etcd.metrics_port, self._under(etcd.name))
            for etcd in state.etcd
        ]
        self.secured = SecureFolder(folder / SECURED_FOLDER) if state.is_secure else None
        if self.secured is not None:
            _make_secure(self.secured, self._hosts())
            settings = {**settings, **self.secured.cluster_settings()}
        tls = EtcdTls(self.secured.broker, self.secured.authority) if self.secured is not None else None
        etcd = EtcdCluster(folder / "etcd", places=places, tls=tls)
        for member, told in zip(etcd.members, state.etcd, strict=True):
            told.client_port, told.peer_port, told.metrics_port = member.place[1:4]
        self._programs = {
            broker.id: self._make(
                folder, broker, member_settings(broker.id, etcd, settings, brokers=len(state.brokers))
            )
            for broker in state.brokers
        }
        super().__init__(folder, etcd, self._programs)
        if self.secured is not None:
            users_at = ",".join(broker.listener for broker in state.brokers)
            self.secured.move_logins(
                users_at=users_at, certificates_at=",".join(b.among_brokers for b in state.brokers)
            )

    def _hosts(self) -> list[str]:
        """What certificates must name."""
        networks = self._networks
        if networks is not None:
            return [networks.address(name) for name in self.state.network_names()]
        hosts = {broker.listener.rpartition(":")[0].strip("[]") for broker in self.state.brokers}
        return [socket.getfqdn() if host in EVERY_INTERFACE else host for host in sorted(hosts)]

    def ask_one(self, broker: RunningBroker, request: Any, kind: type[Answer], *, version: int) -> Answer:
        if self.secured is None:
            return super().ask_one(broker, request, kind, version=version)
        address, context = broker.listeners[AMONG_BROKERS], self.secured.by_certificate()
        return ask(address, request, kind, version=version, tls=context)

    def _make(self, folder: Path, state: BrokerState, settings: Mapping[str, str]) -> BrokerProcess:
        first = "PLAINTEXT" if self.secured is None else "SASL_SSL"
        listeners = f"{first}://{state.listener}"
        if self.secured is not None:
            listeners += f",{AMONG_BROKERS}://{state.among_brokers}"
            settings = {**settings, "penstock.audit.dir": str(folder / state.name / "audit")}
        own = {"listeners": listeners, "penstock.http.listener": state.http, "penstock.web.listener": ""}
        under = self._under(state.name)
        broker = local_broker(folder / state.name, {**settings, **own}, under=under, orphans=self._orphans)
        # Ports that were left to chance are chosen by now, and stay.
        addresses = [each.partition("://")[2] for each in broker.settings["listeners"].split(",")]
        state.listener, state.among_brokers = addresses[0], addresses[1] if len(addresses) > 1 else ""
        state.http = broker.settings["penstock.http.listener"]
        return broker

    def _under(self, name: str) -> tuple[str, ...]:
        return () if self._networks is None else self._networks.under(name)

    # Starting and stopping --------------------------------------------------------------------------------------

    @contextmanager
    def told(self) -> Iterator[None]:
        """While the block lasts, the state file names this process as the one that runs the cluster."""
        self.state.supervisor = ProcessRecord.of(os.getpid())
        try:
            yield
        finally:
            self.state.supervisor = None
            self.tell()

    def tell(self) -> None:
        """Write down which processes there are."""
        for broker in self.state.brokers:
            broker.process = _record(self._programs[broker.id])
            broker.address = self.brokers[broker.id].bootstrap or broker.address
        for member, etcd in zip(self.etcd.members, self.state.etcd, strict=True):
            etcd.process = _record(member)
        write_state(self.folder, self.state)

    def close(self) -> None:
        """All have ended: let go of what was made for them."""
        self._orphans.close()
        if self._networks is not None:
            self._networks.close()

    # Members, brokers and etcd alike ----------------------------------------------------------------------------

    def members(self) -> dict[str, Member]:
        """By the names that `penstock local` shows."""
        etcd: dict[str, Member] = {member.name: member for member in self.etcd.members}
        return etcd | {f"broker-{number}": broker for number, broker in self._programs.items()}

    def is_wanted(self, name: str) -> bool:
        """Whether somebody asked that it be started; asked once, answered once."""
        try:
            start_file(self.folder, name).unlink()
        except FileNotFoundError:
            return False
        return True


def _make_secure(secured: SecureFolder, hosts: Sequence[str]) -> None:
    """Certificates and keys as they are, or new ones; a broker that came later has them name its host too."""
    now = datetime.now(UTC)
    if not secured.is_made:
        secured.make(now=now, users_at="", certificates_at="", hosts=hosts)
    elif secured.lacks(hosts):
        secured.renew_certificates(hosts, now=now)


def start_file(folder: Path, name: str) -> Path:
    return (folder / "etcd" / name if name.startswith("etcd") else folder / name) / START_FILE


def _record(member: Member) -> ProcessRecord | None:
    return ProcessRecord.of(member.pid) if member.is_running else None
