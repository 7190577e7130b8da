"""Records that are given back and wait before they come again: how late they come, and whether any comes wrongly."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.figures import Better, Figure, Pick
from benchmarks.queue.loads import KEPT, ONE, WORKERS, Side
from benchmarks.queue.rows import PENSTOCK, Row
from benchmarks.workloads import Values
from penstock.client import Change, Client, Resource, ResourceType

BACKOFF_MS = 1_000
EACH = 20
"""One of so many is given back."""
_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Retries:
    records: int
    key: str = "backoff"
    sides: Sequence[str] = (PENSTOCK,)

    def rows(self) -> list[Row]:
        title = f"{100 // EACH} % given back, back-off {BACKOFF_MS / 1000:g} s"

        def row(key: str, what: str, unit: str, limit: float | None, better: Better = Better.LOWER) -> Row:
            figure = Figure(f"{self.key}.{key}", f"{title}: {what}", unit, better, Pick.MEDIAN)
            return Row(figure, alone={} if limit is None else {PENSTOCK: limit})

        return [
            row("p50", "lateness p50", "ms", None),
            row("p99", "lateness p99", "ms", 100),
            row("soonest", "the soonest beside its time", "ms", 0, Better.HIGHER),
            row("wrong", "wrong counts", "records", 0),
        ]

    def run(self, side: Side) -> Values:
        """The clock of each runs from when its worker gave it back: the way to the broker is in it. A load that gets
        stuck fails.
        """
        with side.queue(self.key, ONE) as queue:
            with Client(side.broker.bootstrap, timeout_s=_TIMEOUT_S) as client:
                wanted = {"retry.backoff.ms": BACKOFF_MS, "retry.backoff.jitter": 0}
                changes = [(f"penstock.share.{name}", Change.SET, str(value)) for name, value in wanted.items()]
                client.alter_configs({Resource(ResourceType.GROUP, queue): changes}).all()
            side.run("fill", queue, "-n", self.records, settings=KEPT)
            done = side.run("retry", queue, "-n", self.records, "-i", ONE, "-c", WORKERS, "-k", EACH)
        late = {rank: float(done[rank]) - BACKOFF_MS for rank in ("p50", "p99")}
        return {
            **{f"{self.key}.{rank}": ms for rank, ms in late.items()},
            f"{self.key}.soonest": float(done["min"]) - BACKOFF_MS,
            f"{self.key}.wrong": float(done["again"]),
        }
