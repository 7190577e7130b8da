"""Curves of a running broker: how much it costs to serve somebody, and to rest, the more there is beside."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from shutil import rmtree

from benchmarks import idle, processes
from benchmarks.brokers import Penstock
from benchmarks.growth.curve import Curve
from benchmarks.load_offsets import Client, commit_when_loaded
from benchmarks.loadgen import LoadDriver
from benchmarks.workloads import ONE_RECORD_REQUESTS, THROUGHPUT, Side
from penstock.wire.messages.find_coordinator_request import FindCoordinatorRequest
from penstock.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)

BEST_OF = 2
REST_S = 2.0
_folders = count(1)


@dataclass(frozen=True, slots=True)
class Ground:
    folder: Path
    executable: Path
    driver: LoadDriver
    say: Callable[[str], None]

    @contextmanager
    def broker(self) -> Iterator[Side]:
        """A fresh one, gone with its data afterwards."""
        broker = Penstock("penstock", self.folder / f"growth-{next(_folders)}", self.executable)
        broker.folder.mkdir(parents=True)
        broker.start()
        try:
            processes.wait_for_port(broker.port)
            yield Side(broker, self.driver, touch_bytes=0)
        finally:
            broker.stop()
            rmtree(broker.folder, ignore_errors=True)


def _pid(side: Side) -> int:
    return side.subject.parts["brokers"][0]


def _rest_ms_per_s(side: Side) -> float:
    time.sleep(1.0)
    before = processes.running_seconds(_pid(side))
    time.sleep(REST_S)
    return (processes.running_seconds(_pid(side)) - before) / REST_S * 1000


def _produce(side: Side, topic: str, record_bytes: int, amount_bytes: int, partitions: int = 1) -> tuple[float, float]:
    """CPU seconds a GB and MB/s, the best of some."""
    settings = {**THROUGHPUT, "p:acks": 1, "p:message.max.bytes": 2_000_000}
    shape = ("-s", record_bytes, "-n", max(1, amount_bytes // record_bytes), "-p", partitions)
    done = [side.measure("produce", topic, *shape, settings=settings) for _ in range(BEST_OF)]
    return (
        min(each["cpu_s"] / (each["bytes"] / 1e9) for each in done),
        max(each["bytes"] / 1e6 / each["elapsed_s"] for each in done),
    )


def partitions(ground: Ground, points: tuple[int, ...] = (1, 10, 100, 1_000, 10_000)) -> list[Curve]:
    """So many partitions, of which one is written to."""
    cpu = Curve("partitions-cpu", "Producing 1 KB records to one of many partitions", "partitions", "CPU s/GB")
    memory = Curve("partitions-memory", "Memory by partitions", "partitions", "MB RSS")
    rest = Curve("partitions-rest", "CPU at rest by partitions", "partitions", "ms/s")
    for number in points:
        with ground.broker() as side, side.topic("many", number), side.topic("one", 1) as topic:
            rest.add("Penstock", number, _rest_ms_per_s(side))
            cpu.add("Penstock", number, _produce(side, topic, 1024, 300_000_000)[0])
            memory.add("Penstock", number, processes.memory(_pid(side)).rss_mb)
            ground.say(f"{number:,} partitions: {cpu.series['Penstock'][-1][1]:.3g} CPU s/GB")
    return [cpu, memory, rest]


def connections(ground: Ground, points: tuple[int, ...] = (1, 10, 100, 1_000, 5_000)) -> list[Curve]:
    """So many connections, one of which asks."""
    cpu = Curve("connections-cpu", "One-record requests beside silent connections", "connections",
                "CPU ms/1,000 requests")  # fmt: skip
    memory = Curve("connections-memory", "Memory by connections", "connections", "MB RSS")
    rest = Curve("connections-rest", "CPU at rest by connections", "connections", "ms/s")
    settings = {**ONE_RECORD_REQUESTS, "p:acks": 1}
    with ground.broker() as side, side.topic("asked", 1) as topic, ExitStack() as stack:
        port, opened = int(side.subject.bootstrap.rpartition(":")[2]), 0
        for number in points:
            stack.enter_context(idle.connections(port, number - opened))
            opened = number
            rest.add("Penstock", number, _rest_ms_per_s(side))
            done = [side.measure("produce", topic, "-s", 100, "-n", 20_000, settings=settings) for _ in range(BEST_OF)]
            cpu.add("Penstock", number, min(each["cpu_s"] * 1e6 / each["records"] for each in done))
            memory.add("Penstock", number, processes.memory(_pid(side)).rss_mb)
            ground.say(f"{number:,} connections: {cpu.series['Penstock'][-1][1]:.3g} ms a thousand requests")
    return [cpu, memory, rest]


def groups(ground: Ground, points: tuple[int, ...] = (1, 10, 100, 1_000, 10_000)) -> list[Curve]:
    """So many groups with a committed offset, four of which commit."""
    cpu = Curve("groups-cpu", "Commits beside other groups", "groups", "CPU ms/1,000 commits")
    memory = Curve("groups-memory", "Memory by groups", "groups", "MB RSS")
    with ground.broker() as side, side.topic("read", 1) as topic:
        client, made = Client(side.subject.bootstrap), 0
        for number in points:
            for group in range(made, number):
                _commit(client, f"group-{group}", topic)
            made = number
            done = [side.measure("commit", topic, "-n", 8_000, "-c", 4, "-i", 25, settings={}) for _ in range(BEST_OF)]
            cpu.add("Penstock", number, min(each["cpu_s"] * 1e6 / each["commits"] for each in done))
            memory.add("Penstock", number, processes.memory(_pid(side)).rss_mb)
            ground.say(f"{number:,} groups: {cpu.series['Penstock'][-1][1]:.3g} ms a thousand commits")
    return [cpu, memory]


def _commit(client: Client, group: str, topic: str) -> None:
    client.ask(FindCoordinatorRequest(key_type=0, coordinator_keys=[group]), 4)
    partition = OffsetCommitRequestPartition(0, 7, 0, "")
    request = OffsetCommitRequest(group_id=group, topics=[OffsetCommitRequestTopic(topic, partitions=[partition])])
    commit_when_loaded(client, request)


def record_sizes(ground: Ground, points: tuple[int, ...] = (100, 1_000, 10_000, 100_000, 1_000_000)) -> list[Curve]:
    cpu = Curve("record-size-cpu", "Producing by size of a record", "bytes a record", "CPU s/GB")
    pace = Curve("record-size-pace", "Throughput by size of a record", "bytes a record", "MB/s")
    for size in points:
        with ground.broker() as side, side.topic("sized", 1) as topic:
            cost, mb_s = _produce(side, topic, size, 300_000_000)
        cpu.add("Penstock", size, cost)
        pace.add("Penstock", size, mb_s)
        ground.say(f"records of {size:,} B: {cost:.3g} CPU s/GB, {mb_s:.0f} MB/s")
    return [cpu, pace]


def consumers(ground: Ground, points: tuple[int, ...] = (1, 2, 4, 8, 16, 32)) -> list[Curve]:
    """So many, each reading the whole of one partition at the same time as the others."""
    cpu = Curve("consumers-cpu", "Consuming one partition by many", "consumers", "CPU s/GB")
    pace = Curve("consumers-pace", "Throughput of many consumers of one partition, all together", "consumers", "MB/s")
    records, size = 100_000, 1_000
    with ground.broker() as side, side.topic("shared", 1) as topic:
        settings = {**THROUGHPUT, "p:acks": 1}
        side.measure("produce", topic, "-s", size, "-n", records, settings=settings)
        shape = ("-b", side.subject.bootstrap, "-t", topic, "-s", size, "-n", records)
        for number in points:
            spent, began = processes.cpu_seconds(_pid(side)), time.monotonic()
            reading = [side.driver.start("consume", *shape, settings=settings, timeout_s=120) for _ in range(number)]
            for each in reading:
                each.finish(150)
            took_s, spent = time.monotonic() - began, processes.cpu_seconds(_pid(side)) - spent
            amount = number * records * size
            cpu.add("Penstock", number, spent / (amount / 1e9))
            pace.add("Penstock", number, amount / 1e6 / took_s)
            ground.say(f"{number} consumers: {spent / (amount / 1e9):.3g} CPU s/GB, {amount / 1e6 / took_s:.0f} MB/s")
    return [cpu, pace]
