"""What a view costs beside fetching its source: bytes on the network, and CPU of the broker for what it looks through.

In one source whole batches match, or none of their records do; in the other every batch has some that match.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from confluent_kafka import Producer

from benchmarks.figures import Better, Figure
from benchmarks.processes import running_seconds
from benchmarks.queue.fetching import Fetched, fetch_all
from benchmarks.queue.loads import RECORD_BYTES, Side
from benchmarks.queue.rows import PENSTOCK, Row
from benchmarks.workloads import Values
from penstock.client import Client, NewTopic

A_BATCH = 100
PERCENTS = (1, 10)
TIMES_PLAIN_MAX = 3.0
BYTES_MAX = 1.1
"""Of what matches: headers of batches and fillers come on top."""
_PASSES = 3
_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Layout:
    key: str
    title: str
    matches: Callable[[int, int], bool]
    """Whether a record by its number is among so many percent."""
    times_plain_max: float | None


LAYOUTS = (
    Layout("whole", "whole batches", lambda number, percent: number // A_BATCH % 100 < percent, TIMES_PLAIN_MAX),
    Layout("scattered", "some of every batch", lambda number, percent: number % (100 // percent) == 0, None),
)


@dataclass(frozen=True, slots=True)
class Views:
    records: int
    key: str = "views"
    sides: Sequence[str] = (PENSTOCK,)

    def rows(self) -> list[Row]:
        rows = [Row(Figure(f"{self.key}.plain", "plain fetch of 1 KB records", "CPU s/GB", Better.LOWER))]
        for layout in LAYOUTS:
            for percent in PERCENTS:
                title, key = f"view of {percent} %, {layout.title}", f"{self.key}.{layout.key}.{percent}"
                limit = {PENSTOCK: layout.times_plain_max} if layout.times_plain_max else {}
                rows += [
                    Row(Figure(f"{key}.bytes", f"{title}, on the network", "of matched bytes", Better.LOWER),
                        alone={PENSTOCK: BYTES_MAX}),
                    Row(Figure(f"{key}.cpu", f"{title}, scanned", "CPU s/GB", Better.LOWER)),
                    Row(Figure(f"{key}.times", f"{title}, scanned", "times plain fetch", Better.LOWER), alone=limit),
                ]  # fmt: skip
        return rows

    def run(self, side: Side) -> Values:
        values: Values = {}
        with Client(side.broker.bootstrap, timeout_s=_TIMEOUT_S) as client:
            for layout in LAYOUTS:
                values |= self._of(layout, side, client)
        return values

    def _of(self, layout: Layout, side: Side, client: Client) -> Values:
        source = f"{self.key}-{layout.key}"
        views = {percent: f"{source}-{percent}" for percent in PERCENTS}
        client.create_topics([NewTopic(source, 1, 1)]).all()
        try:
            self._fill(layout, side, source)
            for percent, view in views.items():
                told = {"penstock.view.of": source, "penstock.view.filter": f"header.of{percent} = 'yes'"}
                client.create_topics([NewTopic(view, settings=told)]).all()
            return self._compared(layout, side, source, views)
        finally:
            client.delete_topics([*views.values()])
            client.delete_topics([source]).all()

    def _fill(self, layout: Layout, side: Side, source: str) -> None:
        """In batches of a hundred, whatever the pace."""
        producer = Producer(
            {
                "bootstrap.servers": side.broker.bootstrap,
                "linger.ms": 1000,
                "batch.num.messages": A_BATCH,
                "batch.size": 1_000_000,
            }
        )
        value = bytes(RECORD_BYTES)
        for number in range(self.records):
            headers: list[tuple[str, str | bytes | None]] = [
                (f"of{percent}", b"yes") for percent in PERCENTS if layout.matches(number, percent)
            ]
            producer.produce(source, value, headers=headers, partition=0)
            if number % A_BATCH == A_BATCH - 1 and producer.flush(_TIMEOUT_S):
                raise RuntimeError("the source could not be filled")

    def _compared(self, layout: Layout, side: Side, source: str, views: dict[int, str]) -> Values:
        whole, plain_s = self._fetched(side, source)
        gigabytes = whole.network_bytes / 1e9
        values = {f"{self.key}.plain": plain_s / gigabytes}
        for percent, view in views.items():
            wanted = sum(layout.matches(number, percent) for number in range(self.records))
            shown, cpu_s = self._fetched(side, view)
            if shown.records != wanted:
                raise RuntimeError(f"{view} showed {shown.records} records of {wanted}")
            key = f"{self.key}.{layout.key}.{percent}"
            values |= {
                f"{key}.bytes": shown.network_bytes / (whole.network_bytes * wanted / self.records),
                f"{key}.cpu": cpu_s / gigabytes,
                f"{key}.times": cpu_s / plain_s,
            }
        return values

    def _fetched(self, side: Side, topic: str) -> tuple[Fetched, float]:
        """The best of some passes: what else the machine does only adds."""
        costs = []
        for _ in range(_PASSES):
            cpu = running_seconds(side.broker.pid)
            fetched = fetch_all(side.broker.host, side.broker.port, topic, self.records)
            costs.append(running_seconds(side.broker.pid) - cpu)
        return fetched, min(costs)
