"""TLS, logins and access rules together, beside Kafka's: what one request costs then, how fast clients come in, and
what others feel of that.

Both brokers listen on SASL_SSL, know the same users by SCRAM-SHA-256 and have the same access rules.
"""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import processes
from benchmarks.brokers import ApacheKafka, Broker, Penstock
from benchmarks.figures import Better, Figure, Pick
from benchmarks.guesses import USERS, known
from benchmarks.secure import Certificates, TlsDriver
from benchmarks.workloads import EndToEnd, Settings, Side, Values
from penstock.access.rights import Operation, ResourceKind
from penstock.access.users.first import first_user_lines
from penstock.cli.security import security
from penstock.client import Client, NotConnected
from penstock.wire.messages.create_acls_request import AclCreation

MECHANISM = "SCRAM-SHA-256"
ADMIN, USER = "admin", "bench"
PASSWORD = "known-to-the-benchmark"
RULES_OF_OTHERS = 1_000
STORM_PER_S = 500
STORM_CLIENTS = 2
ALLOW, LITERAL = 3, 3
READY_S = 60.0


@dataclass(frozen=True, slots=True)
class Logins:
    """Clients that shake hands, log in and go, two at a time."""

    seconds: float
    key: str = "rights.logins"

    def figures(self) -> list[Figure]:
        return [
            Figure(f"{self.key}_s", "handshakes and SCRAM logins", "1/s", Better.HIGHER, bar=1.0),
            Figure(f"{self.key}_cpu", "handshakes and SCRAM logins", "CPU ms each", Better.LOWER),
        ]

    def run(self, side: Side) -> Values:
        (pid,) = (pid for part in side.subject.parts.values() for pid in part)
        cpu = processes.cpu_seconds(pid)
        with storm(side, self.seconds, per_s=0) as made:
            pass
        return {
            f"{self.key}_s": made[0] / self.seconds,
            f"{self.key}_cpu": (processes.cpu_seconds(pid) - cpu) / made[0] * 1000,
        }


@dataclass(frozen=True, slots=True)
class DuringLogins:
    """End-to-end latency at a fixed rate, undisturbed and while others log in."""

    calm: EndToEnd
    key: str = "rights.storm"

    def figures(self) -> list[Figure]:
        def ms(when: str, title: str) -> Figure:
            return Figure(f"{self.key}.{when}", f"{self.calm.title}, {title}", "ms", Better.LOWER, Pick.MEDIAN)

        return [
            ms("calm", "p99 undisturbed"),
            ms("p99", f"p99 while {STORM_PER_S} log in a second"),
            Figure(f"{self.key}.factor", "the same as a multiple", "times", Better.LOWER, Pick.MEDIAN, limit=2.0),
            Figure(f"{self.key}.made", "logins a second then", "1/s", Better.HIGHER, Pick.MEDIAN),
        ]

    def run(self, side: Side) -> Values:
        calm = self.calm.run(side)[f"{self.calm.key}.p99"]
        seconds = self.calm.seconds + self.calm.skipped_s + 2
        with storm(side, seconds, per_s=STORM_PER_S) as made:
            stormy = self.calm.run(side)[f"{self.calm.key}.p99"]
        return {
            f"{self.key}.calm": calm,
            f"{self.key}.p99": stormy,
            f"{self.key}.factor": stormy / calm,
            f"{self.key}.made": made[0] / seconds,
        }


@contextmanager
def storm(side: Side, seconds: float, *, per_s: float) -> Iterator[list[int]]:
    """How many logged in is there at the end."""
    assert isinstance(side.driver, TlsDriver)
    authority = str(side.driver.of_client["b:ssl.ca.location"])
    numbers = [str(seconds), str(per_s / STORM_CLIENTS)]
    command = [sys.executable, "-m", "benchmarks.login_load", side.subject.bootstrap, authority, USER, PASSWORD]
    running = [subprocess.Popen([*command, *numbers], stdout=subprocess.PIPE, text=True) for _ in range(STORM_CLIENTS)]
    made: list[int] = []
    try:
        yield made
    finally:
        made.append(sum(int(each.communicate()[0] or 0) for each in running))


def driver(binary: Path, certificates: Certificates) -> TlsDriver:
    return TlsDriver(binary, {**certificates.of_client, **_login(USER)})


def brokers(folder: Path, jars: Path, penstock: Path, certificates: Certificates) -> list[Broker]:
    rules = {
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": f"User:{ADMIN};User:ANONYMOUS",  # Kafka's broker and controller are one, and ask each other
        "sasl.enabled.mechanisms": MECHANISM,
    }
    module = "org.apache.kafka.common.security.scram.ScramLoginModule required"
    jaas = f'{module} username="{ADMIN}" password="{PASSWORD}";'
    of_kafka = {
        **certificates.of_broker,
        **rules,
        "listener.security.protocol.map": "SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT",
        "security.inter.broker.protocol": "SASL_SSL",
        "sasl.mechanism.inter.broker.protocol": MECHANISM,
        "listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config": jaas,
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(certificates.authority),
    }
    first = folder / "first-users"
    first.touch(0o600)
    names = (ADMIN, USER, *map(known, range(USERS)))
    first.write_text("".join(first_user_lines(user, PASSWORD) for user in names))
    of_penstock = {
        **certificates.of_broker,
        **rules,
        "penstock.bootstrap.users.file": str(first),
        "penstock.tls.handshakes.per.second.max": 1_000_000,
    }
    users = dict.fromkeys(names, PASSWORD)
    return [
        ApacheKafka("kafka", folder / "rights-kafka", jars, protocol="SASL_SSL", settings=of_kafka, users=users),
        Penstock("penstock", folder / "rights-penstock", penstock, of_penstock, protocol="SASL_SSL"),
    ]


def start(broker: Broker, certificates: Certificates) -> None:
    """With the rules that the load needs, and those of many others."""
    shutil.rmtree(broker.folder, ignore_errors=True)
    broker.folder.mkdir()
    broker.prepare()
    broker.start()
    with _administrator(broker, certificates) as client:
        for first in range(0, len(_RULES), 500):
            client.create_acls(_RULES[first : first + 500]).all()


@contextmanager
def _administrator(broker: Broker, certificates: Certificates) -> Iterator[Client]:
    properties = {**certificates.of_client, **_login(ADMIN)}
    told = security({name.removeprefix("b:"): str(value) for name, value in properties.items()})
    deadline = time.monotonic() + READY_S
    while True:
        client = Client(broker.bootstrap, timeout_s=READY_S, **told)
        try:
            client.run(client.core.refresh([]))
            break
        except NotConnected:
            client.close()
            if time.monotonic() > deadline or not broker.alive():
                raise RuntimeError(f"{broker.name} did not start: {broker.last_words()}") from None
            time.sleep(0.2)
    with client:
        yield client


def _login(user: str) -> Settings:
    return {
        "b:security.protocol": "sasl_ssl",
        "b:sasl.mechanisms": MECHANISM,
        "b:sasl.username": user,
        "b:sasl.password": PASSWORD,
    }


def _rule(kind: ResourceKind, name: str, user: str, operation: Operation) -> AclCreation:
    return AclCreation(kind, name, LITERAL, f"User:{user}", "*", operation, ALLOW)


_RULES = [
    _rule(ResourceKind.TOPIC, "*", USER, Operation.ALL),
    _rule(ResourceKind.GROUP, "*", USER, Operation.ALL),
    _rule(ResourceKind.CLUSTER, "kafka-cluster", USER, Operation.ALL),
    *(
        _rule(ResourceKind.TOPIC, f"team-{number}", f"user-{number % 200}", Operation.READ)
        for number in range(RULES_OF_OTHERS)
    ),
]
