"""Everything secured in a chaos run: TLS, logins, access rules, quotas and an audit log on every broker, certificates
that are renewed and an authority that is replaced between faults, and intruders who try to get in all the time.

Brokers have three listeners: an open one, on which the test itself may look but not do much, one for users and one for
brokers.
"""

from __future__ import annotations

import json
import ssl
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from tests.support.chaos_cluster import HTTP_PORT, PORT, ChaosCluster, broker_name
from tests.support.chaos_faults import CLOCK_TOPIC, TOPIC
from tests.support.chaos_login import Login
from tests.support.secured import environment

from penstock.access.audit.reading import verify_folder
from penstock.cli import profiles
from penstock.cli.audit.heads import heads_told_by
from penstock.processes.raw_requests import ask
from penstock.processes.secured import SecureFolder, java_login
from penstock.wire.messages.metadata_request import MetadataRequest
from penstock.wire.messages.metadata_response import MetadataResponse

USERS_PORT, BROKERS_PORT = PORT + 1, PORT + 2
PATIENCE_S: Final = 180.0
EVERY_S: Final = 1.0
"""A try of each intruder."""
RENEWED: Final = "certificates renewed"
SETTINGS: Final = {
    "inter.broker.listener.name": "SSL",
    "penstock.tls.reload.ms": "1000",
    "penstock.audit.topic.enable": "true",
}


class SecuredChaosCluster(ChaosCluster):
    def __init__(self, folder: Path, settings: Mapping[str, str] | None = None) -> None:
        self.secured = SecureFolder(folder / "secured")
        super().__init__(folder, {**(settings or {}), **SETTINGS})

    def _own(self, broker_id: int) -> Mapping[str, str]:
        if not self.secured.is_made:
            self._make()
        host = self.networks.address(broker_name(broker_id))
        listeners = f"PLAINTEXT://{host}:{PORT},SASL_SSL://{host}:{USERS_PORT},SSL://{host}:{BROKERS_PORT}"
        return {**super()._own(broker_id), **self.secured.broker_settings(), "listeners": listeners}

    def _make(self) -> None:
        hosts = [self.networks.address(name) for name in self.networks.names if name.startswith("broker")]
        at = {port: ",".join(f"{host}:{port}" for host in hosts) for port in (USERS_PORT, BROKERS_PORT)}
        self.secured.make(now=datetime.now(UTC), users_at=at[USERS_PORT], certificates_at=at[BROKERS_PORT], hosts=hosts)

    # As a person would ----------------------------------------------------------------------------------------------

    def penstock(self, *arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "penstock.cli", *arguments],
            capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=environment(),
        )  # fmt: skip
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout

    def as_admin(self, *arguments: str) -> str:
        return self.penstock(*arguments, "--profile", str(self.secured.profile), "--timeout", f"{PATIENCE_S:g}")

    def login(self, user: str) -> Login:
        """A new user, without any right."""
        file = self.secured.path / f"{user}.properties"
        self.as_admin("user", "add", user, "--generate", "--client-file", str(file))
        properties = {**profiles.read(file)}
        return Login(
            properties,
            {
                "security_protocol": "SASL_SSL",
                "ssl_context": ssl.create_default_context(cafile=str(self.secured.authority)),
                "sasl_mechanism": properties["sasl.mechanism"],
                "sasl_plain_username": user,
                "sasl_plain_password": properties["sasl.password"],
            },
            java_login(properties),
        )

    def let_the_test_look(self) -> None:
        """What it may on the open listener: read, tell a broker's time by writing to one topic."""
        for topic in (TOPIC, CLOCK_TOPIC):
            self.as_admin("acl", "add", "ANONYMOUS", "-o", "read,describe", "--topic", topic)
        self.as_admin("acl", "add", "ANONYMOUS", "-o", "write", "--topic", CLOCK_TOPIC)
        for group in ("ends", "all"):
            self.as_admin("acl", "add", "ANONYMOUS", "-o", "read", "--group", group)

    # Certificates ---------------------------------------------------------------------------------------------------

    def _reloads(self) -> dict[int, int]:
        return {number: self.logs(number).count(RENEWED) for number in self.brokers}

    def renew(self, *options: str) -> None:
        """A step of `penstock cert renew`, and until every broker has taken it up."""
        before = self._reloads()
        self.penstock("cert", "renew", str(self.secured.path), *options)
        self.wait(
            lambda: all(count > before[number] for number, count in self._reloads().items()),
            f"all brokers have taken up what `cert renew {' '.join(options)}` made",
            within_s=PATIENCE_S,
        )


ROTATION: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("certificates renewed", ()),
    ("certificates of the new authority", ()),
    ("the old authority is believed no more", ("--only-newest",)),
)
"""What is done between faults. The new authority was given to clients before they began."""


class Intruder:
    """Tries again and again. `turn` tells what it got; nothing is what it should get."""

    def __init__(self, name: str, turn: Callable[[], str | None]) -> None:
        self.name = name
        self.tries = 0
        self.got: list[str] = []
        self._turn = turn
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stopping.wait(EVERY_S):
            self.tries += 1
            got = self._turn()
            if got is not None:
                self.got.append(got)

    def stop(self) -> None:
        self._stopping.set()
        self._thread.join(PATIENCE_S)


class Intruders:
    def __init__(self, cluster: SecuredChaosCluster) -> None:
        self._cluster = cluster
        self._eve = {**cluster.login("eve").librdkafka, "log_level": 0}
        self._next = 0
        self._all = [
            Intruder("guesses the password", self._guess),
            Intruder("asks without a login", self._ask_without_login),
            Intruder("has no certificate", self._without_certificate),
            Intruder("writes without a right", self._write),
            Intruder("reads without a right", self._read),
        ]

    def _host(self) -> str:
        self._next += 1
        return self._cluster.networks.address(broker_name(self._next % len(self._cluster.brokers) + 1))

    def _trusting(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self._cluster.secured.authority))

    def _guess(self) -> str | None:
        # Whose name is locked out for this address then: nobody else uses it any more.
        guessing = Producer({**self._eve, "sasl.username": "admin", "sasl.password": f"guess {self._next}"})
        try:
            return f"{len(guessing.list_topics(timeout=2).brokers)} brokers' names"
        except Exception:  # whatever it is called
            return None

    def _ask_without_login(self) -> str | None:
        return self._metadata(f"{self._host()}:{USERS_PORT}")

    def _without_certificate(self) -> str | None:
        return self._metadata(f"{self._host()}:{BROKERS_PORT}")

    def _metadata(self, address: str) -> str | None:
        try:
            ask(address, MetadataRequest(topics=[]), MetadataResponse, version=9, timeout_s=2, tls=self._trusting())
        except (TimeoutError, OSError, ssl.SSLError):
            return None
        return f"an answer at {address}"

    def _write(self) -> str | None:
        written: list[str] = []

        def delivered(error: KafkaError | None, message: Message) -> None:
            if error is None:
                written.append(f"{TOPIC}-{message.partition()} at {message.offset()}")

        producer = Producer({**self._eve, "message.timeout.ms": 2_000})
        producer.produce(TOPIC, "eve was here", on_delivery=delivered)
        producer.flush(5)
        return ", ".join(written) or None

    def _read(self) -> str | None:
        consumer = Consumer({**self._eve, "group.id": "eve", "auto.offset.reset": "earliest"})
        try:
            consumer.assign([TopicPartition(TOPIC, 0, 0)])
            message = consumer.poll(2)
            return None if message is None or message.error() else f"the record at {message.offset()}"
        finally:
            consumer.close()

    def stop(self) -> list[str]:
        """What was wrong with them: one who got something, or did not try."""
        for each in self._all:
            each.stop()
        lazy = [f"an intruder did not try: {each.name}" for each in self._all if not each.tries]
        return lazy + [f"let in: who {each.name}: {got}" for each in self._all for got in each.got]

    def __str__(self) -> str:
        return ", ".join(f"{each.name} {each.tries} times" for each in self._all)


def judge_audit(cluster: SecuredChaosCluster) -> tuple[list[str], str]:
    """Whether all brokers' logs are whole, and tell of eve; asked while the brokers run."""
    urls = [f"http://{cluster.networks.address(broker_name(number))}:{HTTP_PORT}" for number in cluster.brokers]
    reports = verify_folder(cluster.secured.audit, heads_told_by(urls, authority=None, timeout_s=60))
    wrong = [f"audit log of {report.name}: {problem}" for report in reports for problem in report.problems]
    if len(reports) != len(cluster.brokers):
        wrong.append(f"{len(reports)} audit logs of {len(cluster.brokers)} brokers")
    denied: Counter[str] = Counter()
    lines = 0
    for path in sorted(cluster.secured.audit.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue  # it is being written
            lines += 1
            name = event.get("actor", {}).get("user", {}).get("name") or event.get("user", {}).get("name", "")
            if event.get("status_id") == 2:
                denied[name] += event.get("count", 1)
    if not denied["eve"] or not denied["admin"]:
        wrong.append(f"the audit log does not tell who was refused: {dict(denied)}")
    return wrong, f"{lines:,} lines in the audit logs; refused: {dict(denied.most_common(5))}"
