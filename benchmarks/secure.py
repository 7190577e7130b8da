"""TLS beside Kafka's, with the same certificates and the same cipher: what writing, reading, asking and coming in cost.

Both brokers listen on TLS alone. The client takes part in each handshake: handshakes a second are those of two cores.
"""

import socket
import ssl
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import processes
from benchmarks.brokers import ApacheKafka, Broker, Penstock
from benchmarks.figures import Better, Figure, Pick
from benchmarks.loadgen import LoadDriver
from benchmarks.workloads import Settings, Side, Values
from penstock.processes.raw_requests import ask_over
from penstock.transport.certificates import issue, make_authority, write_identity
from penstock.wire.messages.api_versions_request import ApiVersionsRequest
from penstock.wire.messages.api_versions_response import ApiVersionsResponse

HOSTS = ("localhost", "127.0.0.1")


@dataclass(frozen=True, slots=True)
class Certificates:
    """Of both brokers, and what clients believe."""

    authority: Path
    broker: Path

    @property
    def of_broker(self) -> dict[str, str | int]:
        return {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self.broker),
            "ssl.enabled.protocols": "TLSv1.3",
        }

    @property
    def of_client(self) -> Settings:
        return {
            "b:security.protocol": "ssl",
            "b:ssl.ca.location": str(self.authority),
        }


def make_certificates(folder: Path) -> Certificates:
    now = datetime.now(UTC)
    authority = make_authority("Benchmark CA", now=now)
    made = Certificates(folder / "ca.pem", folder / "broker.pem")
    made.authority.write_bytes(authority.certificate)
    write_identity(issue(authority, "broker", now=now, hosts=HOSTS), certificate=made.broker, key=made.broker)
    return made


class TlsDriver(LoadDriver):
    """Every load encrypted."""

    def __init__(self, binary: Path, settings: Settings) -> None:
        super().__init__(binary)
        self.of_client = settings

    def _command(
        self, load: str, arguments: Sequence[str | int | float], settings: Mapping[str, str | int], timeout_s: float
    ) -> list[str]:
        return super()._command(load, arguments, {**self.of_client, **settings}, timeout_s)


@dataclass(frozen=True, slots=True)
class Handshakes:
    """One client after the other shakes hands and goes, two at a time."""

    seconds: int
    clients: int = 2
    key: str = "tls.handshakes"

    def figures(self) -> list[Figure]:
        return [
            Figure(f"{self.key}_s", "TLS 1.3 handshakes", "1/s", Better.HIGHER, bar=1.0),
            Figure(f"{self.key}_cpu", "TLS 1.3 handshakes", "CPU ms each", Better.LOWER),
        ]

    def run(self, side: Side) -> Values:
        (pid,) = (pid for part in side.subject.parts.values() for pid in part)
        command = ["openssl", "s_time", "-connect", side.subject.bootstrap, "-new", "-time", str(self.seconds)]
        cpu, began_s = processes.cpu_seconds(pid), time.monotonic()
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(self.clients)]
        made = sum(_counted(each.communicate()[0]) for each in running)
        took_s = time.monotonic() - began_s
        return {
            f"{self.key}_s": made / took_s,
            f"{self.key}_cpu": (processes.cpu_seconds(pid) - cpu) / made * 1000,
        }


def _counted(said: str) -> int:
    """`s_time` tells how many it made in how many seconds, of its own CPU and of the clock."""
    for line in said.splitlines():
        if "connections in" in line and "real seconds" in line:
            return int(line.split()[0])
    raise RuntimeError(f"openssl s_time made no connection: {said[-300:]}")


@dataclass(frozen=True, slots=True)
class AtRest:
    """What a connection takes that has asked one question and says nothing more."""

    authority: Path
    count: int
    key: str = "tls.connection"

    def figures(self) -> list[Figure]:
        title = f"memory of a TLS connection at rest, of {self.count:,}"
        return [Figure(f"{self.key}_kb", title, "KB", Better.LOWER, Pick.MEDIAN, limit=40.0)]

    def run(self, side: Side) -> Values:
        (pid,) = (pid for part in side.subject.parts.values() for pid in part)
        with self._opened(side, 50):  # what the first ones make is there for all
            before = processes.memory(pid).rss_mb
            with self._opened(side, self.count):
                used_mb = processes.memory(pid).rss_mb - before
        return {f"{self.key}_kb": used_mb * 1000 / self.count}

    @contextmanager
    def _opened(self, side: Side, count: int) -> Iterator[None]:
        context = ssl.create_default_context(cafile=str(self.authority))
        host, _, port = side.subject.bootstrap.rpartition(":")
        with ExitStack() as held:
            for _ in range(count):
                sock = socket.create_connection((host, int(port)), timeout=30)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                each = held.enter_context(context.wrap_socket(sock, server_hostname=host))
                ask_over(each, ApiVersionsRequest("idle", "1"), ApiVersionsResponse, version=3)
            yield


def brokers(folder: Path, jars: Path, penstock: Path, certificates: Certificates) -> list[Broker]:
    of_kafka = {
        **certificates.of_broker,
        "security.inter.broker.protocol": "SSL",
        "listener.security.protocol.map": "SSL:SSL,CONTROLLER:PLAINTEXT",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(certificates.authority),
    }
    # The bound on strangers is there to be reached: here it would be what is measured.
    of_penstock = {**certificates.of_broker, "penstock.tls.handshakes.per.second.max": 1_000_000}
    return [
        ApacheKafka("kafka", folder / "tls-kafka", jars, protocol="SSL", settings=of_kafka),
        Penstock("penstock", folder / "tls-penstock", penstock, of_penstock, protocol="SSL"),
    ]
