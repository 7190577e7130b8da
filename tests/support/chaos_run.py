"""A chaos run: clients of three kinds write and read while faults of every kind are dealt, and a judge looks at it all.

What a run must have had to count, and what it shows at the end, is in `Report`.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.chaos_clients import (
    AiokafkaProducer,
    AiokafkaReader,
    Client,
    ConfluentProducer,
    ConfluentReader,
    ReadingClient,
    WritingClient,
)
from tests.support.chaos_cluster import ChaosCluster
from tests.support.chaos_faults import CLOCK_TOPIC, FAULTS, TOPIC, DidNotTake
from tests.support.chaos_java import JavaProducer, JavaReader
from tests.support.chaos_login import OPEN, Login
from tests.support.chaos_security import ROTATION, Intruders, SecuredChaosCluster, judge_audit
from tests.support.history import History, in_order, judge
from tests.support.replica_files import compare, read_replicas

PARTITIONS = 6
HELD_S = (3.5, 7.0)
"""How long a fault lasts, from and to. A hung leader is replaced after three."""
ROTATE_EVERY = 3
"""Faults."""
WITHIN_S = 180.0
"""How long what must happen after a fault may take: far more than it needs, so that only 'never' fails."""
SETTINGS = {
    "leader.imbalance.check.interval.seconds": "5",
    "replica.high.watermark.checkpoint.interval.ms": "1000",
    # Small enough for logs of several segments, and for tails that have been flushed and ones that have not.
    "log.segment.bytes": str(2 << 20),
    "log.flush.offset.checkpoint.interval.ms": "5000",
}


@dataclass
class Dealt:
    kind: str
    whom: str
    gap_s: float = 0.0
    """The longest time in which a partition had no write acknowledged, until all was in sync again."""
    healed_s: float = 0.0


@dataclass
class Report:
    seconds: float = 0.0
    faults: list[Dealt] = field(default_factory=list)
    acknowledged: int = 0
    consumed: int = 0
    wrong: list[str] = field(default_factory=list)
    clients: dict[str, str] = field(default_factory=dict)

    def require(self, *, seconds: float, faults: int, kinds: int, acknowledged: int) -> None:
        """A run that had too little of anything proves nothing."""
        had_kinds = len(Counter(fault.kind for fault in self.faults))
        for had, least, what in (
            (self.seconds, seconds, "seconds"),
            (len(self.faults), faults, "faults"),
            (had_kinds, kinds, "kinds of fault"),
            (self.acknowledged, acknowledged, "acknowledged writes"),
        ):
            if had < least:
                self.wrong.append(f"too little to count: {had:g} {what}, at least {least:g} are asked for")

    def __str__(self) -> str:
        kinds = len(Counter(fault.kind for fault in self.faults))
        lines = [
            f"{self.seconds:.0f} s, {len(self.faults)} faults of {kinds} kinds, {self.acknowledged:,} acknowledged"
            f" writes, {self.consumed:,} records read",
            *(
                f"  {fault.kind}: {fault.whom}; {fault.gap_s:.2f} s without a write to a partition, all in sync"
                f" {fault.healed_s:.1f} s after it was healed"
                for fault in self.faults
            ),
            *(f"  {name}: {what}" for name, what in self.clients.items()),
            *(f"WRONG: {what}" for what in self.wrong),
        ]
        return "\n".join(lines)


class ChaosRun:
    def __init__(self, folder: Path, *, seed: int, say: Callable[[str], None], is_secured: bool = False) -> None:
        self._is_secured = is_secured
        self._intruders: Intruders | None = None
        self._rotation = list(ROTATION)
        self._folder = folder
        self._dice = random.Random(seed)
        self._say = say
        self.report = Report()
        self.writers: list[WritingClient] = []
        self.readers: list[ReadingClient] = []
        self._began_s = time.monotonic()

    @property
    def clients(self) -> list[Client]:
        return [*self.writers, *self.readers]

    def run(self, *, minutes: float, faults: int) -> Report:
        clusters = SecuredChaosCluster if self._is_secured else ChaosCluster
        with clusters(self._folder, SETTINGS) as cluster:
            self._prepare(cluster)
            began_s = time.monotonic()
            try:
                for client in self.clients:
                    client.start()
                self._until_served(cluster, "every client is served")
                for kind in self._kinds():
                    if time.monotonic() - began_s >= minutes * 60 and len(self.report.faults) >= faults:
                        break
                    self._deal(cluster, kind)
                    if isinstance(cluster, SecuredChaosCluster):
                        self._rotate(cluster)
                self._finish(cluster)
            finally:
                self._end_clients()
                self.report.seconds = time.monotonic() - began_s
            self._judge(cluster)
        return self.report

    def _prepare(self, cluster: ChaosCluster) -> None:
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap, **self._secure(cluster)})
        topics = [
            NewTopic(TOPIC, PARTITIONS, 3, config={"min.insync.replicas": "2"}),
            NewTopic(CLOCK_TOPIC, 3, 3, config={"message.timestamp.type": "LogAppendTime"}),
        ]
        for created in admin.create_topics(topics).values():
            created.result(60)
        cluster.wait_until_in_sync(TOPIC, CLOCK_TOPIC)
        writes, reads, bootstrap = OPEN, OPEN, cluster.bootstrap
        if isinstance(cluster, SecuredChaosCluster):
            writes, reads = self._logins(cluster)
            bootstrap = writes.librdkafka["bootstrap.servers"]
        where = (bootstrap, TOPIC)
        self.writers = [
            ConfluentProducer("confluent-1", *where, partitions=PARTITIONS, per_s=60, login=writes),
            ConfluentProducer("confluent-2", *where, partitions=PARTITIONS, per_s=60, login=writes),
            AiokafkaProducer("aiokafka", *where, partitions=PARTITIONS, per_s=30, login=writes),
            JavaProducer("7", *where, partitions=PARTITIONS, per_s=30, folder=self._folder, login=writes),
        ]
        self.readers = [
            ConfluentReader("confluent-reader", *where, partitions=PARTITIONS, login=reads),
            ConfluentReader("confluent-group", *where, partitions=PARTITIONS, group="confluent-group", login=reads),
            AiokafkaReader("aiokafka-group", *where, login=reads),
            JavaReader("java-group", *where, folder=self._folder, login=reads),
        ]

    # With everything secured ------------------------------------------------------------------------------------

    def _secure(self, cluster: ChaosCluster) -> dict[str, str]:
        """How an administrator comes in; nothing where everybody may."""
        if not isinstance(cluster, SecuredChaosCluster):
            return {}
        cluster.let_the_test_look()
        cluster.as_admin("quota", "set", "--user-default", "--produce", "50MB/s", "--consume", "100MB/s")
        cluster.renew("--new-authority")  # clients are given both from the beginning
        login: dict[str, str] = json.loads(cluster.secured.confluent.read_text())
        return login

    def _logins(self, cluster: SecuredChaosCluster) -> tuple[Login, Login]:
        writes, reads = cluster.login("writer"), cluster.login("reader")
        cluster.as_admin("acl", "add", "writer", "--producer", "--topic", TOPIC)
        for group in ("confluent-reader", "confluent-group", "aiokafka-group", "java-group"):
            cluster.as_admin("acl", "add", "reader", "--consumer", "--topic", TOPIC, "--group", group)
        self._intruders = Intruders(cluster)
        return writes, reads

    def _rotate(self, cluster: SecuredChaosCluster) -> None:
        """The next step, after some more faults."""
        if not self._rotation or len(self.report.faults) % ROTATE_EVERY:
            return
        what, options = self._rotation.pop(0)
        self._say(f"{time.monotonic() - self._began_s:6.1f} s  {what}")
        cluster.renew(*options)
        self._until_served(cluster, f"every client is served: {what}")

    def _judge_security(self, cluster: SecuredChaosCluster) -> None:
        assert self._intruders is not None
        self.report.wrong += self._intruders.stop()
        wrong, audit = judge_audit(cluster)
        self.report.wrong += wrong
        self.report.clients |= {"intruders": str(self._intruders), "audit": audit}
        if self._rotation:
            self.report.wrong.append(f"too little to count: {len(self._rotation)} steps of {len(ROTATION)} were left")

    def _kinds(self) -> Sequence[str]:
        """Every kind once, in any order, again and again."""
        rounds: list[str] = []
        for _ in range(1_000):
            some = list(FAULTS)
            self._dice.shuffle(some)
            rounds += some
        return rounds

    # Faults -----------------------------------------------------------------------------------------------------

    def _deal(self, cluster: ChaosCluster, kind: str) -> None:
        began_s = time.monotonic()
        try:
            with FAULTS[kind](cluster, self._dice) as whom:
                self._say(f"{began_s - self._began_s:6.1f} s  {kind}: {whom}")
                time.sleep(self._dice.uniform(*HELD_S))
        except DidNotTake as failure:
            self.report.wrong.append(f"a fault did not take: {kind}: {failure}")
            raise
        healed_s = time.monotonic()
        cluster.wait_until_in_sync(TOPIC, CLOCK_TOPIC, within_s=WITHIN_S)
        self._until_served(cluster, f"every client is served after {kind}")
        now_s = time.monotonic()
        self.report.faults.append(Dealt(kind, whom, self._longest_gap(began_s, now_s), now_s - healed_s))

    def _longest_gap(self, since_s: float, until_s: float) -> float:
        times: dict[int, list[float]] = {index: [since_s, until_s] for index in range(PARTITIONS)}
        for writer in self.writers:
            for ack, at_s in zip(writer.did.acks, writer.acked_at_s, strict=False):
                if since_s <= at_s <= until_s:
                    times[ack.partition].append(at_s)
        return max(after - before for each in times.values() for before, after in pairwise(sorted(each)))

    def _until_served(self, cluster: ChaosCluster, what: str) -> None:
        before = {client.name: client.progress for client in self.clients}

        def all_went_on() -> bool:
            self._require_alive()
            return all(client.progress > before[client.name] for client in self.clients)

        try:
            cluster.wait(all_went_on, what, within_s=WITHIN_S)
        except TimeoutError as timeout:
            stuck = [client.name for client in self.clients if client.progress <= before[client.name]]
            raise AssertionError(f"stuck: {', '.join(stuck)}; {timeout}") from None

    def _require_alive(self) -> None:
        for client in self.clients:
            assert not client.trouble, f"{client.name}: {client.trouble}"

    # The end ----------------------------------------------------------------------------------------------------

    def _finish(self, cluster: ChaosCluster) -> None:
        """Producers end first, and consumers when they have read everything."""
        for writer in self.writers:
            writer.stop()
        ends = end_offsets(cluster.bootstrap)
        cluster.wait(
            lambda: all(
                reader.positions.get(index, 0) >= end for reader in self.readers for index, end in ends.items()
            ),
            f"every consumer has read to {ends}",
            within_s=WITHIN_S,
        )
        for reader in self.readers:
            reader.stop()
        for client in self.clients:
            self.report.wrong += [f"{client.name}: {trouble}" for trouble in client.trouble]

    def _end_clients(self) -> None:
        for client in self.clients:
            client.is_stopping.set()
            if isinstance(client, JavaProducer | JavaReader):
                client.kill()

    def _judge(self, cluster: ChaosCluster) -> None:
        report = self.report
        log = read_all(cluster.bootstrap)
        history = History([writer.did for writer in self.writers], [reader.did for reader in self.readers])
        report.acknowledged = history.acknowledged
        report.consumed = sum(len(reader.did.seen) for reader in self.readers)
        for writer in self.writers:
            report.clients[writer.name] = (
                f"{writer.did.sent:,} sent, {len(writer.did.acks):,} acknowledged, {len(writer.did.failed)} given up"
                f" {dict(Counter(reason for _, reason in writer.did.failed).most_common(3)) or ''} {writer.notes or ''}"
            )
        for reader in self.readers:
            runs = reader.run_number
            report.clients[reader.name] = f"{len(reader.did.seen):,} read in {runs} assignments {reader.notes or ''}"
        report.wrong += judge(history, in_order(log))
        if isinstance(cluster, SecuredChaosCluster):
            self._judge_security(cluster)
        cluster.wait_until_in_sync(TOPIC)
        cluster.stop_all()
        for index, replicas in read_replicas(cluster.brokers, TOPIC, PARTITIONS).items():
            report.wrong += compare(index, replicas)
            ends = {replica.broker: replica.end_offset for replica in replicas}
            if len(set(ends.values())) != 1 or not ends[1]:
                report.wrong.append(f"partition {index}: all in sync, and yet the logs end at {ends}")


def end_offsets(bootstrap: str) -> dict[int, int]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "ends", "log_level": 0})
    try:
        return {index: _end_offset(consumer, index) for index in range(PARTITIONS)}
    finally:
        consumer.close()


def _end_offset(consumer: Consumer, index: int) -> int:
    """Leaders go back to where they belong while nobody is hurt, too, and librdkafka asks only once."""
    deadline_s = time.monotonic() + WITHIN_S
    while True:
        try:
            return consumer.get_watermark_offsets(TopicPartition(TOPIC, index), timeout=60)[1]
        except KafkaException as refused:
            assert time.monotonic() < deadline_s, refused
            time.sleep(0.1)


def read_all(bootstrap: str) -> list[tuple[int, int, str]]:
    """(partition, offset, value) of every record there is."""
    ends = end_offsets(bootstrap)
    consumer = Consumer(
        {"bootstrap.servers": bootstrap, "group.id": "all", "log_level": 0, "enable.auto.commit": False}
    )
    consumer.assign([TopicPartition(TOPIC, index, 0) for index in ends])
    found: list[tuple[int, int, str]] = []
    left = {index for index, end in ends.items() if end}
    deadline_s = time.monotonic() + WITHIN_S
    while left:
        messages = consumer.consume(5_000, timeout=0.5)  # it waits that long where fewer are left
        assert time.monotonic() < deadline_s, f"partitions {left} are not read to {ends}"
        for message in messages:
            assert message.error() is None, message.error()
            partition, offset = message.partition() or 0, message.offset() or 0
            found.append((partition, offset, (message.value() or b"").decode()))
            if offset + 1 >= ends[partition]:
                left.discard(partition)
    consumer.close()
    return found
