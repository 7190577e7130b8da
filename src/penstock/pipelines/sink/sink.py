"""The sink on the driver: a DataFrame is written as one batch of a query, once, however often it is tried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType, TracebackType
from typing import Any

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.running.spark_errors import problem_in
from penstock.pipelines.sink.ledger import Ledger
from penstock.pipelines.sink.options import SinkOptions
from penstock.pipelines.sink.placing import as_records, laid_out, with_slots
from penstock.pipelines.sink.records import Begun
from penstock.pipelines.sink.tasks import OUTCOMES, write_task
from penstock.pipelines.sink.topics import Topics
from penstock.pipelines.sink.work import Work, Written

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Sink:
    """Of one query, by its id. Another one of the same query shuts this one out."""

    def __init__(self, options: SinkOptions, query: str) -> None:
        self._options = options
        self._topics = Topics(options)
        self._topics.ensure_markers()
        self._ledger = Ledger(options, query)

    def __enter__(self) -> Sink:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._ledger.close()

    @property
    def last(self) -> Begun | None:
        """The batch that the query is at, finished or not."""
        return self._ledger.last

    def has(self, batch: int) -> bool:
        """Whether all of it was written."""
        last = self._ledger.last
        return last is not None and last.batch == batch and last.done

    def made_anew(self) -> list[str]:
        """Targets of the last batch that are others by now, under the same names: what was written went with those."""
        return [] if self.last is None else self._topics.made_anew(self.last.layout)

    def begin(
        self,
        batch: int,
        details: Mapping[str, Any] = _NOTHING,
        *,
        topics: Sequence[str] | None = None,
        unknown: bool = False,
    ) -> Begun:
        """Write down that the batch begins, and what it is made of: for a job that keeps its place here. A batch may
        have topics of its own; run again, it has those that it was begun with."""
        last = self._ledger.last
        if topics is None and last is not None and last.batch == batch:
            topics = [shape.name for shape in last.layout.topics]
        layout = self._topics.layout(self._options.topics if topics is None else topics)
        return self._ledger.begin(batch, layout, dict(details), unknown=unknown)

    def write(self, df: DataFrame, batch: int, *, order: Sequence[str] = (), unknown: bool = False) -> Written:
        """Rows of a key arrive in the order of the columns `order`, or else in the order in which df has them."""
        begun = self.begin(batch, unknown=unknown)
        if begun.done:
            return Written(0, 0)
        topics = [shape.name for shape in begun.layout.topics]
        topic = topics[0] if len(topics) == 1 else None
        tasks = self._tasks(df, begun.layout.slots)
        work = Work(
            self._options, self._ledger.query, batch, begun.layout, begun.since, tasks,
            self._topics.batch_bytes_max(topics),
        )  # fmt: skip
        rows = laid_out(with_slots(as_records(df, topic=topic, order=order), begun.layout), tasks)
        outcomes = _collected(rows.mapInArrow(_for(work), OUTCOMES))
        self._topics.check_are_the_same(begun.layout)
        self._ledger.finish()
        return Written(
            rows=sum(each.rows for each in outcomes),
            rows_before=sum(each.rows for each in outcomes if not each.written),
        )

    def _tasks(self, df: DataFrame, slots: int) -> int:
        at_once: int = df.sparkSession.sparkContext.defaultParallelism
        return min(slots, self._options.tasks_max or 2 * at_once)


def _for(work: Work) -> Any:
    def task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return write_task(batches, work)

    return task


def _collected(outcomes: DataFrame) -> list[Any]:
    try:
        return outcomes.collect()
    except PySparkException as error:
        raise _told(error) or error from error


def _told(error: Exception) -> PipelineProblem | None:
    """The problem that a task told of, without the traceback through Spark that it came in."""
    found = problem_in(str(error))
    if found is None:
        return None
    message, _, hint = found.partition("\n")
    return PipelineProblem(message, hint=hint or None)
