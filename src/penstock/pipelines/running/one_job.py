"""Progress of work that is no row of batches but one job of Spark's: looked at now and then, in Spark's own counts."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from penstock.pipelines.running.progress import BatchProgress, Pace, Watcher

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOOK_EVERY_S = 2.0


class OneJob:
    """As a context manager around the work: what Spark has read since the last look is told like a batch. `rows` is how
    many there are at most, for the lag; `end` tells the rest."""

    def __init__(self, spark: SparkSession, watcher: Watcher, query: str, *, rows: int) -> None:
        self._spark, self._watcher, self._query, self._rows = spark, watcher, query, rows
        self._before = rows_read(spark)
        self._pace = Pace()
        self._told = self._looks = 0
        self._since = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True, name="progress")

    def __enter__(self) -> OneJob:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def end(self, rows: int) -> None:
        """All is read: so many rows it was."""
        if not self._looks or rows > self._told or self._told < self._rows:
            self._tell(max(rows, self._told), lag=0)

    def _look(self) -> None:
        while not self._ended.wait(LOOK_EVERY_S):
            # Later stages read again what was kept of the first ones.
            read = min(rows_read(self._spark) - self._before, self._rows)
            if read > self._told:
                self._tell(read, lag=max(self._rows - read, 0))

    def _tell(self, read: int, *, lag: int) -> None:
        now = time.monotonic()
        fresh, seconds = max(read - self._told, 0), now - self._since
        self._looks, self._told, self._since = self._looks + 1, read, now
        self._pace.note(fresh, seconds)
        self._watcher.batch(
            BatchProgress(self._query, self._looks, fresh, seconds, read, lag, self._pace.remaining_s(lag))
        )


def rows_read(spark: SparkSession) -> int:
    """By all tasks of this application so far, of whatever source."""

    def rows(stage: Any) -> int:
        # Spark's kafka connector does not count what it reads in a batch; what such tasks pass on is about as much.
        if stage.shuffleReadRecords():
            return 0
        return max(int(stage.inputRecords()), int(stage.shuffleWriteRecords()))

    context: Any = spark.sparkContext
    jvm = context._jvm
    stages = context._jsc.sc().statusStore().stageList(
        None, False, False, context._gateway.new_array(jvm.double, 0), jvm.java.util.ArrayList()
    )  # fmt: skip
    return sum(rows(stages.apply(at)) for at in range(stages.size()))
