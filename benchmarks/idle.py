"""What a broker takes that has much to look after and nothing to do: 1,000 partitions and 1,000 connections.

Each connection has asked one question, as any client does at its start, and is silent from then on.
"""

import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from benchmarks import processes
from benchmarks.brokers import Broker
from benchmarks.figures import Better, Figure, Pick
from benchmarks.rounds import Collected
from benchmarks.workloads import Side
from penstock.processes.raw_requests import ask_over
from penstock.wire.messages.api_versions_request import ApiVersionsRequest
from penstock.wire.messages.api_versions_response import ApiVersionsResponse

COUNT = 1_000
WINDOWS = 3
SETTLE_S = 2.0

FIGURES = [
    Figure("idle.cpu", f"CPU at rest with {COUNT:,} partitions and {COUNT:,} connections", "ms/s", Better.LOWER,
           Pick.MEDIAN, bar=0.3),
    Figure("idle.rss", "memory then (RSS)", "MB", Better.LOWER, Pick.MEDIAN),
]  # fmt: skip


@contextmanager
def connections(port: int, count: int = COUNT) -> Iterator[list[socket.socket]]:
    """So many that a broker has heard of."""
    with ExitStack() as stack:
        opened = []
        for _ in range(count):
            each = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            ask_over(each, ApiVersionsRequest("idle", "1"), ApiVersionsResponse, version=3)
            opened.append(each)
        yield opened


def measure(brokers: Sequence[Broker], sides: Sequence[Side], collected: Collected, window_s: float) -> None:
    """All at the same time: they do next to nothing, and nobody is in another's way. The last that is asked of brokers:
    they are left with their partitions.
    """
    for side in sides:
        side.create_topic("idle", COUNT)
    with ExitStack() as stack:
        for broker in brokers:
            stack.enter_context(connections(broker.port))
        time.sleep(SETTLE_S)
        for _ in range(WINDOWS):
            before = [processes.running_seconds(broker.pid) for broker in brokers]
            time.sleep(window_s)
            for broker, cpu in zip(brokers, before, strict=True):
                used = (processes.running_seconds(broker.pid) - cpu) / window_s * 1000
                collected.add(broker.name, {"idle.cpu": used, "idle.rss": processes.memory(broker.pid).rss_mb})
