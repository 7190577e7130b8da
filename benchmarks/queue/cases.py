"""The table of what is asked of queue work, and how each line of it is measured: here, or by a program of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.figures import Better, Figure
from benchmarks.queue.batches import Batches
from benchmarks.queue.loads import ONE, PREFETCHED, Acks, Load, Paced
from benchmarks.queue.retries import Retries
from benchmarks.queue.rows import PENSTOCK, Row
from benchmarks.queue.views import Views


@dataclass(frozen=True, slots=True)
class Program:
    """A measurement that starts its own broker and prints one JSON object; `rows` are keys of it, prefixed."""

    key: str
    arguments: Sequence[str]
    rows: Sequence[Row]
    timeout_s: float

    def values(self, told: Mapping[str, float]) -> dict[str, float]:
        named = {f"{self.key}.{name}": float(value) for name, value in told.items()}
        return {row.figure.key: named[row.figure.key] for row in self.rows if row.figure.key in named}


@dataclass(frozen=True, slots=True)
class Missing:
    """A line of the table that nothing measures yet, said with each run so that it is not taken for met."""

    key: str
    title: str


@dataclass(frozen=True, slots=True)
class Plan:
    loads: Sequence[Load]
    programs: Sequence[Program]
    rounds: int
    warm_rounds: int
    budget_s: float
    missing: Sequence[Missing] = ()


MISSING = (
    Missing("poison", "1 % poison, limit 5, kill -9 in the middle: each in the dead-letter topic once"),
    Missing("keys", "1,000 keys, 16 workers, 5 % failing, key order: violations, acks/s of unordered"),
    Missing("dedup", "20 % duplicates: throughput of the same topic without, duplicates let through"),
)
"""Whoever measures one of these adds a load or a program, and takes its line from here."""


def _row(key: str, title: str, unit: str, limit: float | None = None, better: Better = Better.LOWER) -> Row:
    return Row(Figure(key, title, unit, better), alone={} if limit is None else {PENSTOCK: limit})


def schedules(waiting: int, rate: int, seconds: int) -> Program:
    key = f"schedules.{waiting // 1_000_000}m" if waiting >= 1_000_000 else f"schedules.{waiting}"
    title = f"{waiting:,} schedules waiting, {rate:,}/s due"
    rows = (
        _row(f"{key}.early", f"{title}: fired early", "records", 0),
        _row(f"{key}.early_after_restart", f"{title}: early after a restart", "records", 0),
        _row(f"{key}.lateness_ms_p50", f"{title}: lateness p50", "ms"),
        _row(f"{key}.lateness_ms_p99", f"{title}: lateness p99", "ms", 50),
        _row(f"{key}.bytes_a_waiting_record", f"{title}: memory", "B a record", 20),
        _row(f"{key}.restart_to_first_fire_s", f"{title}: kill -9 and restart to first fire", "s", 10),
        _row(f"{key}.produced_per_s", f"{title}: taken in", "records/s", better=Better.HIGHER),
    )
    asked = ("-m", "benchmarks.schedules", "--waiting", str(waiting), "--rate", str(rate), "--seconds", str(seconds))
    return Program(key, (*asked, "--json"), rows, timeout_s=300 + waiting / 10_000)


def untouched(base: str) -> Program:
    """Topics and groups without any of it: instructions of each step beside those of `base`."""
    rows = (_row("untouched.worst_percent", f"instructions of a step beside {base[:12]}, the worst", "% more", 1.0),)
    return Program("untouched", ("-m", "benchmarks.instructions.beside", base, "--json"), rows, timeout_s=900)


def quick() -> Plan:
    loads = (
        Acks("acks", "acks, 100 in flight", 20_000, PREFETCHED),
        Acks("one", "acks, one at a time, awaited", 1_000, ONE),
        Paced("paced", 2_000, seconds=2, skipped_s=1),
        Retries(1_000),
        Batches(200_000),
        Views(30_000),
    )
    return Plan(loads, (), rounds=1, warm_rounds=1, budget_s=150, missing=MISSING)


def whole() -> Plan:
    loads = (
        Acks("acks", "acks, 100 in flight", 40_000, PREFETCHED),
        Acks("one", "acks, one at a time, awaited", 2_000, ONE),
        Paced("paced", 2_000, seconds=4),
        Retries(4_000),
        Batches(300_000),
        Views(60_000),
    )
    return Plan(loads, (schedules(1_000_000, 10_000, 10),), rounds=3, warm_rounds=2, budget_s=500, missing=MISSING)
