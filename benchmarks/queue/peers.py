"""The other queues: RabbitMQ and NATS as benchmarks/setup-peers unpacked them, one broker each on 127.0.0.1."""

import os
import shutil
import socket
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.brokers import ApacheKafka, Broker, Penstock
from benchmarks.processes import free_port

SYNC_INTERVAL = "2m"
"""Of NATS, and its default. With "always" it syncs message by message: here it did not get through the loads."""
_READY_S = 60.0
_VERSION = "usr/lib/rabbitmq/lib/rabbitmq_server-*"


class Peer(Broker):
    """A broker that is no Kafka: ready when its port answers."""

    def __init__(self, name: str, folder: Path, servers: Path) -> None:
        super().__init__(name, folder)
        self._servers = servers

    def stop(self) -> None:
        """Nothing of it is needed any more, so it need not end in order."""
        self.kill()


class Nats(Peer):
    """One server with JetStream in files."""

    compiles_as_it_runs = False

    def prepare(self) -> None:
        store = f'jetstream {{ store_dir: "{self.folder / "data"}", sync_interval: {SYNC_INTERVAL} }}\n'
        (self.folder / "nats.conf").write_text(f"listen: {self.bootstrap}\n{store}")

    def command(self) -> list[str]:
        return [str(self._servers / "usr/sbin/nats-server"), "-c", str(self.folder / "nats.conf")]


class RabbitMq(Peer):
    """One node with the folder of its release as its root, in a mount and a process namespace of its own: its start
    script leaves a daemon behind, which ends with the namespace.
    """

    compiles_as_it_runs = True

    def __init__(self, name: str, folder: Path, servers: Path) -> None:
        super().__init__(name, folder, servers)
        self._distribution, self._names = free_port(), free_port()

    def prepare(self) -> None:
        (self.folder / "rabbitmq.conf").write_text(f"listeners.tcp.1 = {self.bootstrap}\nlog.console = false\n")

    def command(self) -> list[str]:
        root, here = self._servers, f"{self._servers}/bench"
        (release,) = root.glob(_VERSION)
        into = (
            f"mount --rbind /dev {root}/dev && mount -t proc proc {root}/proc && mount --bind {self.folder} {here}"
            f' && exec chroot {root} /usr/bin/env -i "$@"'
        )
        settings = {
            "PATH": "/usr/sbin:/usr/bin",
            "HOME": "/bench",
            "LANG": "C.UTF-8",
            "RABBITMQ_NODENAME": "bench@localhost",
            "RABBITMQ_CONFIG_FILE": "/bench/rabbitmq.conf",
            "RABBITMQ_MNESIA_BASE": "/bench/data",
            "RABBITMQ_LOG_BASE": "/bench/log",
            "RABBITMQ_ENABLED_PLUGINS_FILE": "/bench/enabled_plugins",
            "RABBITMQ_PID_FILE": "/bench/pid",
            "RABBITMQ_DIST_PORT": self._distribution,
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
            "ERL_EPMD_PORT": self._names,
            "ERL_EPMD_ADDRESS": "127.0.0.1",
        }
        namespace = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
        program = f"/{(release / 'sbin/rabbitmq-server').relative_to(root)}"
        return [*namespace, "sh", "-c", into, "sh", *(f"{name}={value}" for name, value in settings.items()), program]


def wait_until_ready(broker: Broker) -> None:
    deadline = time.monotonic() + _READY_S
    while True:
        try:
            socket.create_connection((broker.host, broker.port), timeout=5).close()
            return
        except OSError:
            if time.monotonic() > deadline or not broker.alive():
                raise RuntimeError(f"{broker.name} did not start: {broker.last_words()}") from None
            time.sleep(0.05)


def versions(servers: Path) -> dict[str, str]:
    """What Debian calls them, by package, without what Debian adds."""
    found = servers / "versions"
    lines = found.read_text().splitlines() if found.exists() else []
    return {package: version.rpartition("-")[0] or version for package, version in (line.split() for line in lines)}


def not_to_be_had(servers: Path) -> dict[str, str]:
    """Why a peer is left out, by its name; nothing where all are here."""
    reasons: dict[str, str] = {}
    has_client = (servers.parent / "clients/linked/librabbitmq.so").exists()
    for name, program in (("nats", "nats-server"), ("rabbitmq", "rabbitmq-server")):
        if not (servers / "usr/sbin" / program).exists():
            reasons[name] = "setup-peers could not fetch it"
        elif not has_client:
            reasons[name] = "setup-peers could not fetch its client for C"
    if "rabbitmq" not in reasons and (os.geteuid() != 0 or shutil.which("unshare") is None):
        reasons["rabbitmq"] = "it is started with a root folder of its own, which only root may do"
    return reasons


def kinds(broker: Broker) -> str:
    """What the driver calls such a queue."""
    if isinstance(broker, RabbitMq):
        return "amqp"
    return "nats" if isinstance(broker, Nats) else "share"


def speaks_kafka(broker: Broker) -> bool:
    return isinstance(broker, ApacheKafka | Penstock)


def ends(brokers: Sequence[Broker]) -> None:
    for broker in brokers:
        broker.kill()
