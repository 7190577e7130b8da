"""The loads that both brokers get, and the figures that come out of each.

A workload makes a topic of its own, runs its loads on it with the same client settings for both and removes it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Protocol

from benchmarks.brokers import Subject, pids
from benchmarks.figures import Better, Figure, Pick
from benchmarks.loadgen import LoadDriver
from benchmarks.processes import cpu_seconds, machine_busy_seconds

Settings = Mapping[str, str | int]
Values = dict[str, float]

# p: producer, c: consumer, b: both. Reporting only failed deliveries keeps the client out of the broker's way.
THROUGHPUT: Settings = {
    "p:delivery.report.only.error": "true",
    "p:linger.ms": 5,
    "p:batch.size": 1_000_000,
    "p:max.in.flight.requests.per.connection": 5,
    "c:fetch.message.max.bytes": 1_048_576,
    # The client must never stop fetching because its own queue is full: that would measure its back-off.
    "c:queued.min.messages": 10_000_000,
    "c:queued.max.messages.kbytes": 1_000_000,
    "c:fetch.queue.backoff.ms": 5,
}
ONE_RECORD_REQUESTS: Settings = {
    "p:delivery.report.only.error": "true",
    "p:linger.ms": 0,
    "p:batch.num.messages": 1,
    "p:max.in.flight.requests.per.connection": 1000,
}
AT_ONCE: Settings = {"p:linger.ms": 0, "c:fetch.wait.max.ms": 500, "b:socket.nagle.disable": "true"}

_LITTLE_BYTES = 1_000_000_000

_topic_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Side:
    """A running broker or cluster, what is needed to load it, and everyone who is measured in this run."""

    subject: Subject
    driver: LoadDriver
    touch_bytes: int
    everyone: Sequence[Subject] = ()

    @contextmanager
    def topic(self, name: str, partitions: int) -> Iterator[str]:
        topic = self.create_topic(name, partitions)
        try:
            yield topic
        finally:
            self.driver.run("delete", "-b", self.subject.bootstrap, "-t", topic)

    def create_topic(self, name: str, partitions: int) -> str:
        topic = f"{name}-{next(_topic_numbers)}"
        self.driver.run(
            "create", "-b", self.subject.bootstrap, "-t", topic, "-p", partitions, "-R", self.subject.replicas
        )
        return topic

    def touch(self, at_most: int | None = None) -> None:
        """Before something is written; `at_most` where that is little."""
        amount = self.touch_bytes if at_most is None else min(at_most, self.touch_bytes)
        if amount:
            self.driver.run("touch", "-n", amount)

    def measure(self, load: str, topic: str, *arguments: str | int | float, settings: Settings) -> dict[str, Any]:
        """Run a load; its figures, with the CPU seconds of every process of the subject, of its parts, and the share of
        CPU that went to nobody who is measured.
        """
        parts, everyone, busy = self._parts_cpu(), self._everyones_cpu(), machine_busy_seconds()
        figures = self.driver.run(
            load, "-b", self.subject.bootstrap, "-t", topic, *arguments, settings=settings, timeout_s=180
        )
        parts = {part: cpu - parts[part] for part, cpu in self._parts_cpu().items()}
        ours, busy = self._everyones_cpu() - everyone, machine_busy_seconds() - busy
        figures["cpu_s"] = sum(parts.values())
        figures["parts_cpu_s"] = parts
        figures["others_share"] = max(0.0, 1 - (ours + float(figures["client_cpu_s"])) / busy) if busy else 0.0
        return figures

    def _parts_cpu(self) -> dict[str, float]:
        return {part: cpu_seconds(*pids) for part, pids in self.subject.parts.items()}

    def _everyones_cpu(self) -> float:
        return cpu_seconds(*(pid for each in self.everyone or (self.subject,) for pid in pids(each)))


class Workload(Protocol):
    @property
    def key(self) -> str: ...
    def figures(self) -> list[Figure]: ...
    def run(self, side: Side) -> Values: ...


@dataclass(frozen=True, slots=True)
class Transfer:
    """Produce an amount of data as fast as it goes, then consume it from the page cache."""

    key: str
    title: str
    record_bytes: int
    amount_bytes: int
    partitions: int = 1
    settings: Settings = field(default_factory=dict)
    text: bool = False
    consume: bool = True
    pace_bar: float = 1.2
    cpu_bar: float | None = None
    consume_cpu_bar: float | None = 1.1

    def figures(self) -> list[Figure]:
        produce, consume, pace = f"produce {self.title}", f"consume {self.title}", self.pace_bar
        produced = [
            Figure(f"{self.key}.produce_mb_s", produce, "MB/s", Better.HIGHER, bar=pace),
            Figure(f"{self.key}.produce_cpu", produce, "CPU s/GB", Better.LOWER, bar=self.cpu_bar),
        ]
        consumed = [
            Figure(f"{self.key}.consume_mb_s", consume, "MB/s", Better.HIGHER, bar=pace),
            Figure(f"{self.key}.consume_cpu", consume, "CPU s/GB", Better.LOWER, bar=self.consume_cpu_bar),
        ]
        return produced + consumed if self.consume else produced

    def run(self, side: Side) -> Values:
        records = self.amount_bytes // self.record_bytes
        shape: list[str | int] = ["-s", self.record_bytes, "-n", records, "-p", self.partitions]
        settings = {**THROUGHPUT, **self.settings}
        values: Values = {}
        with side.topic(self.key, self.partitions) as topic:
            side.touch()
            for load in ("produce", "consume") if self.consume else ("produce",):
                done = side.measure(load, topic, *shape, *(["-z"] if self.text else []), settings=settings)
                values[f"{self.key}.{load}_mb_s"] = done["bytes"] / 1e6 / done["elapsed_s"]
                values[f"{self.key}.{load}_cpu"] = done["cpu_s"] / (done["bytes"] / 1e9)
                values[f"{self.key}.{load}_others"] = done["others_share"]
                if "etcd" in done["parts_cpu_s"]:
                    values[f"{self.key}.{load}_etcd"] = done["parts_cpu_s"]["etcd"] / (done["bytes"] / 1e9)
        return values


@dataclass(frozen=True, slots=True)
class OneRecordRequests:
    """Requests that hold one record each, as many in flight as the client has: what a request costs."""

    key: str
    title: str
    requests: int
    record_bytes: int = 100
    acks: str = "1"
    pace_bar: float = 3.0
    cpu_bar: float = 0.25

    def figures(self) -> list[Figure]:
        return [
            Figure(f"{self.key}.requests_s", self.title, "requests/s", Better.HIGHER, bar=self.pace_bar),
            Figure(f"{self.key}.cpu", self.title, "CPU s/1,000 requests", Better.LOWER, bar=self.cpu_bar),
        ]

    def run(self, side: Side) -> Values:
        settings = {**ONE_RECORD_REQUESTS, "p:acks": self.acks}
        with side.topic(self.key, 1) as topic:
            done = side.measure("produce", topic, "-s", self.record_bytes, "-n", self.requests, settings=settings)
        return {
            f"{self.key}.requests_s": done["records"] / done["elapsed_s"],
            f"{self.key}.cpu": done["cpu_s"] / (done["records"] / 1000),
            f"{self.key}.others": done["others_share"],
        }


@dataclass(frozen=True, slots=True)
class EndToEnd:
    """Latency from a record's due time to its arrival at a consumer, at a fixed rate; the first `skipped_s` of it are
    not counted.
    """

    key: str
    title: str
    rate_per_s: int
    seconds: float
    record_bytes: int = 1024
    skipped_s: float = 1.5
    acks: str = "1"
    p50_bar: float = 0.8
    p99_bar: float = 0.6

    def figures(self) -> list[Figure]:
        def latency(rank: str, bar: float | None) -> Figure:
            name = rank if rank != "p999" else "p99.9"
            return Figure(f"{self.key}.{rank}", f"{self.title}, {name}", "ms", Better.LOWER, Pick.MEDIAN, bar)

        cpu = Figure(f"{self.key}.cpu", f"{self.title}, broker", "CPU s/1,000 records", Better.LOWER)
        return [latency("p50", self.p50_bar), latency("p99", self.p99_bar), latency("p999", None), cpu]

    def run(self, side: Side) -> Values:
        counted = int(self.rate_per_s * self.seconds)
        with side.topic(self.key, 1) as topic:
            side.touch(_LITTLE_BYTES)
            done = side.measure(
                "latency", topic, "-s", self.record_bytes, "-n", counted, "-r", self.rate_per_s, "-w", self.skipped_s,
                settings={**AT_ONCE, "p:acks": self.acks},
            )  # fmt: skip
        values = {f"{self.key}.{rank}": float(ms) for rank, ms in done["end_to_end_ms"].items()}
        acknowledged = {f"{self.key}.ack_{rank}": float(ms) for rank, ms in done["acknowledged_ms"].items()}
        cpu = {f"{self.key}.cpu": done["cpu_s"] / (done["records"] / 1000), f"{self.key}.others": done["others_share"]}
        return {**values, **acknowledged, **cpu}
