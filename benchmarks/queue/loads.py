"""The loads of a work queue that every kind of queue gets, each on a queue of its own."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from benchmarks.brokers import Broker
from benchmarks.figures import Better, Figure, Pick
from benchmarks.loadgen import LoadDriver
from benchmarks.processes import running_seconds
from benchmarks.queue.peers import kinds, speaks_kafka
from benchmarks.queue.rows import KAFKA, NATS, PENSTOCK, RABBITMQ, SYNCED, Bar, Row
from benchmarks.workloads import Settings, Values
from penstock.client import Change, Client, NewTopic, Resource, ResourceType

WORKERS = 8
RECORD_BYTES = 1024
PREFETCHED = 100
ONE = 1
KEPT: Settings = {"p:acks": "all", "p:linger.ms": 5}
AT_ONCE: Settings = {"p:acks": "all", "p:linger.ms": 0, "b:socket.nagle.disable": "true"}
_ADMIN_S = 60.0
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Side:
    """A running broker with what is needed to load it."""

    broker: Broker
    driver: LoadDriver
    """Of queues."""
    plain: LoadDriver
    """Of topics."""
    jars: Path
    settings: Settings

    @contextmanager
    def queue(self, name: str, in_flight: int) -> Iterator[str]:
        made = f"{name}-{next(_numbers)}".replace(".", "-")
        if not speaks_kafka(self.broker):
            self.run("make", made, "-i", in_flight, "-c", WORKERS)
            yield made
            return
        with Client(self.broker.bootstrap, timeout_s=_ADMIN_S) as client:
            topic(client, made)
            yield made
            client.delete_topics([made]).all()

    def run(
        self, load: str, queue: str, *arguments: str | int | float, settings: Settings | None = None
    ) -> dict[str, Any]:
        shared: list[str | int | float] = ["-b", self.broker.bootstrap, "-t", queue, "-s", RECORD_BYTES]
        return self.driver.run(load, kinds(self.broker), *shared, *arguments, settings=settings or {}, timeout_s=60)

    def measured(
        self, load: str, queue: str, *arguments: str | int | float, settings: Settings | None = None
    ) -> dict[str, Any]:
        """With the broker's CPU seconds, joining and leaving included."""
        cpu = running_seconds(self.broker.pid)
        done = self.run(load, queue, *arguments, settings=settings)
        return {**done, "cpu_s": running_seconds(self.broker.pid) - cpu}


def topic(client: Client, name: str, **settings: str | None) -> None:
    """A topic of one partition, and a share group of its name that begins with its first record."""
    client.create_topics([NewTopic(name, 1, 1, settings)]).all()
    from_the_start = [("share.auto.offset.reset", Change.SET, "earliest")]
    client.alter_configs({Resource(ResourceType.GROUP, name): from_the_start}).all()
    deadline = time.monotonic() + _ADMIN_S
    while name not in client.list_topics() and time.monotonic() < deadline:
        time.sleep(0.02)


class Load(Protocol):
    @property
    def key(self) -> str: ...
    @property
    def sides(self) -> Sequence[str]:
        """Who gets it."""

    def rows(self) -> list[Row]: ...
    def run(self, side: Side) -> Values: ...


def beside_all(better_than_kafka: float, better_than_rabbitmq: float) -> tuple[Bar, ...]:
    """Each beside who keeps records as it does."""
    return (Bar(PENSTOCK, better_than_kafka, (KAFKA,)), Bar(SYNCED, better_than_rabbitmq, (RABBITMQ,)))


@dataclass(frozen=True, slots=True)
class Acks:
    """A full queue, emptied by eight workers as fast as they go: every record acknowledged by itself."""

    key: str
    title: str
    records: int
    in_flight: int
    sides: Sequence[str] = (KAFKA, PENSTOCK, NATS, RABBITMQ, SYNCED)

    def rows(self) -> list[Row]:
        cpu = Figure(f"{self.key}.cpu", f"{self.title}, broker", "CPU s/100,000 acks", Better.LOWER)
        again = Figure(f"{self.key}.again", f"{self.title}, delivered again", "records", Better.LOWER, Pick.MEDIAN)
        return [
            Row(Figure(f"{self.key}.s", self.title, "acks/s", Better.HIGHER), beside_all(2.0, 1.2)),
            Row(cpu, beside_all(0.5, 0.5)),
            Row(again),
        ]

    def run(self, side: Side) -> Values:
        shape = ("-n", self.records, "-i", self.in_flight, "-c", WORKERS)
        with side.queue(self.key, self.in_flight) as queue:
            side.run("fill", queue, *shape, settings=KEPT)
            done = side.measured("empty", queue, *shape, settings=side.settings)
        return {
            f"{self.key}.s": self.records / done["elapsed_s"],
            f"{self.key}.cpu": done["cpu_s"] / self.records * 100_000,
            f"{self.key}.again": done["again"],
        }


@dataclass(frozen=True, slots=True)
class Paced:
    """Sent at a fixed rate and taken by eight waiting workers; from when a record was due until a worker has it."""

    key: str
    rate_per_s: int
    seconds: float
    skipped_s: float = 1.5
    sides: Sequence[str] = (KAFKA, PENSTOCK, NATS, RABBITMQ, SYNCED)

    def rows(self) -> list[Row]:
        title = f"end to end at {self.rate_per_s:,}/s"
        bars = (Bar(PENSTOCK, 0.8, (KAFKA, NATS)), Bar(SYNCED, 0.8, (RABBITMQ,)))
        cpu = Figure(f"{self.key}.cpu", f"{title}, broker", "CPU s/100,000 records", Better.LOWER)
        return [
            Row(Figure(f"{self.key}.p50", f"{title}, p50", "ms", Better.LOWER, Pick.MEDIAN), bars),
            Row(Figure(f"{self.key}.p99", f"{title}, p99", "ms", Better.LOWER, Pick.MEDIAN), bars),
            Row(cpu),
        ]

    def run(self, side: Side) -> Values:
        counted = int(self.rate_per_s * self.seconds)
        shape = ("-n", counted, "-r", self.rate_per_s, "-w", self.skipped_s, "-i", PREFETCHED, "-c", WORKERS)
        with side.queue(self.key, PREFETCHED) as queue:
            done = side.measured("pace", queue, *shape, settings=AT_ONCE)
        values = {f"{self.key}.{rank}": float(done[rank]) for rank in ("p50", "p99")}
        return {**values, f"{self.key}.cpu": done["cpu_s"] / done["records"] * 100_000}
