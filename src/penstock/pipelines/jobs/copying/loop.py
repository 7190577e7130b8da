"""Batch after batch from a source into the sink, its place kept in the sink's own ledger: no checkpoint folder.

What a batch reads is written down with its beginning. A job that is started again finishes that batch with the very
same offsets, whatever of it was written before, and goes on behind it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyspark.sql import Observation
from pyspark.sql import functions as f

from penstock.pipelines.jobs.copying import offset_ranges as st
from penstock.pipelines.jobs.copying.sources import ORDER, Source
from penstock.pipelines.jobs.expressions import repeatable, understood
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.running import BatchProgress, Pace, Stopping, Summary, Unwatched, Watcher
from penstock.pipelines.sink import Sink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_LOOK_EVERY_S = 0.5
_RATE_BATCH_S = 5.0


@dataclass(frozen=True)
class Copy:
    """What is copied. `fingerprint` is what a job must not change once begun: a restart with another is refused."""

    job: str
    query: str
    fingerprint: Mapping[str, Any]
    transform: Callable[[DataFrame], DataFrame]
    records_max: int
    rate: float | None = None
    stop: st.Positions | None = None
    """Where it ends, fixed at its first start; None: wherever the source ends."""
    follow: bool = False
    quiet_s: float | None = None
    """When following: end once all is copied and nothing has come for so long."""
    accept_loss: bool = False


@dataclass
class CopyLoop:
    copy: Copy
    source: Source
    sink: Sink
    watcher: Watcher = field(default_factory=Unwatched)
    stopping: Stopping | None = None
    summary: Summary = field(init=False)
    at: dict[int, int] = field(default_factory=dict)
    lost: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.summary = Summary(self.copy.job)
        self._pace = Pace()
        self._started = time.monotonic()
        self._batch = -1
        self._stop = self.copy.stop
        self._identity = self.source.identity()

    def run(self) -> Summary:
        self._resume()
        moved_at = time.monotonic()
        while not self._is_asked_to_stop():
            ends = self._ends()
            wanted = st.next_stretches(self.at, ends, records_max=self._records_max())
            if wanted:
                self._run(wanted, ends)
                moved_at = time.monotonic()
            elif not self.copy.follow or self._is_quiet(moved_at):
                break
            else:
                time.sleep(_LOOK_EVERY_S)
        self.summary.stopped = self._is_asked_to_stop()
        self.summary.seconds = time.monotonic() - self._started
        if self.lost:
            self.summary.details["lost_before_copied"] = {str(key): value for key, value in self.lost.items()}
        return self.summary

    def _resume(self) -> None:
        last = self.sink.last
        if last is None:
            self.at = dict(self.source.begins())
            return
        details = last.details
        if details["options"] != dict(self.copy.fingerprint):
            difference = _difference(details["options"], self.copy.fingerprint)
            raise PipelineProblem(
                f"{self.copy.query} was begun with other options: {difference}",
                hint="Start it as it was begun, or give this one a name of its own: --id NAME.",
            )
        if details["identity"] != self._identity:
            raise PipelineProblem(
                "the source was deleted and made anew since this job was begun",
                hint="What is to be copied now has nothing to do with what was: give the job another name, --id NAME.",
            )
        self._check_target()
        self._batch, self._stop = last.batch, _positions(details["stop"])
        self.at = dict(_positions(details["at"]) or {})
        if last.done:
            self.source.passed(self.at)  # a run that died may not have come to it
        else:
            wanted = self._without_lost(st.from_json(details["stretches"]))
            self._write(wanted, *self._prepared(wanted), self._ends())

    def _check_target(self) -> None:
        anew = self.sink.made_anew()
        if anew:
            raise PipelineProblem(
                f"{', '.join(anew)} was deleted and made anew since this job was begun, and what was copied is gone",
                hint="To copy all of it again, give the job another name: --id NAME.",
            )

    def _ends(self) -> st.Positions:
        """Partitions that were added since are begun at their first record."""
        if self.source.identity() != self._identity:
            raise PipelineProblem("the source was deleted and made anew while it was copied")
        if self._stop is not None:
            return self._stop
        ends = self.source.ends()
        for partition, first in self.source.begins().items():
            self.at.setdefault(partition, first)
        return ends

    def _run(self, wanted: tuple[st.OffsetRange, ...], ends: st.Positions) -> None:
        self._check_target()
        wanted = self._without_lost(wanted)
        # Before it is written down that it begins: an expression that Spark does not understand begins nothing.
        read, rows = self._prepared(wanted)
        self._batch += 1
        self.at = st.after(self.at, wanted)
        details = {
            "options": dict(self.copy.fingerprint),
            "identity": self._identity,
            "stretches": st.to_json(wanted),
            "at": {str(partition): offset for partition, offset in self.at.items()},
            "stop": None if self._stop is None else {str(key): value for key, value in self._stop.items()},
        }
        self.sink.begin(self._batch, details)
        self._write(wanted, read, rows, ends)
        self._hold_back()

    def _prepared(self, wanted: tuple[st.OffsetRange, ...]) -> tuple[Observation, DataFrame]:
        read = Observation("read")
        rows = self.source.read(wanted).observe(read, f.count(f.lit(1)).alias("rows"))
        return read, made_of(rows, self.copy.transform)

    def _write(
        self, wanted: tuple[st.OffsetRange, ...], read: Observation, rows: DataFrame, ends: st.Positions
    ) -> None:
        started = time.monotonic()
        written = self.sink.write(rows, self._batch, order=ORDER).rows
        seconds = time.monotonic() - started
        count = int(read.get["rows"])
        self.summary.rows_in += count
        self.summary.rows_out += written
        self.summary.batches += 1
        self.source.passed(self.at)
        # What is left is known in offsets, of which a condition may choose few; and a rate makes a batch longer.
        rate = self.copy.rate
        self._pace.note(sum(each.length for each in wanted), max(seconds, written / rate) if rate else seconds)
        lag = st.lag(self.at, ends)
        self.watcher.batch(
            BatchProgress(
                self.copy.query, self._batch, count, seconds, self.summary.rows_in, lag, self._pace.remaining_s(lag)
            )
        )

    def _without_lost(self, wanted: tuple[st.OffsetRange, ...]) -> tuple[st.OffsetRange, ...]:
        """Retention may have taken records that were not copied yet: said, never passed over in silence."""
        firsts = self.source.firsts()
        kept = []
        for each in wanted:
            first = max(each.first, min(firsts.get(each.partition, 0), each.end))
            if first > each.first:
                if not self.copy.accept_loss:
                    raise PipelineProblem(
                        f"records {each.first} to {first} of partition {each.partition} are gone from the source "
                        "before they were copied",
                        hint="Retention, or somebody, deleted them. --accept-loss goes on without them, and says so.",
                    )
                self.lost[each.partition] = self.lost.get(each.partition, 0) + first - each.first
            kept.append(st.OffsetRange(each.partition, first, each.end))
        return tuple(kept)

    def _records_max(self) -> int:
        if self.copy.rate is None:
            return self.copy.records_max
        return max(1, min(self.copy.records_max, int(self.copy.rate * _RATE_BATCH_S)))

    def _hold_back(self) -> None:
        """No faster than the rate, over the run as a whole."""
        if self.copy.rate is None:
            return
        due = self._started + self.summary.rows_out / self.copy.rate
        while time.monotonic() < due and not self._is_asked_to_stop():
            time.sleep(min(_LOOK_EVERY_S, max(due - time.monotonic(), 0)))

    def _is_quiet(self, moved_at: float) -> bool:
        return self.copy.quiet_s is not None and time.monotonic() - moved_at >= self.copy.quiet_s

    def _is_asked_to_stop(self) -> bool:
        return self.stopping is not None and self.stopping.is_set()


def made_of(rows: DataFrame, transform: Callable[[DataFrame], DataFrame]) -> DataFrame:
    """Rows by a user's expressions; told, where Spark does not understand those. A dry run asks with no rows."""
    with understood("the expression"):
        made = transform(rows)
    return repeatable(made)


def _positions(rows: Any) -> dict[int, int] | None:
    return None if rows is None else {int(partition): offset for partition, offset in rows.items()}


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    names = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    return ", ".join(f"{name} was {before.get(name)!r}, is {now.get(name)!r}" for name in names)
