"""What the table has kept, written to a topic as well: the table is the truth, the topic follows it.

The copying is that of `replay`: a batch is a stretch of offsets, noted in the sink's ledger before it is written. A run
that dies between the table's commit and the topic's leaves nothing out, and nothing comes twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.pipelines.jobs.copying.loop import Copy, CopyLoop
from penstock.pipelines.jobs.copying.sources import TableSource
from penstock.pipelines.jobs.lake.tables import plain
from penstock.pipelines.jobs.targets import sink_options
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.sink import Sink

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

    from penstock.pipelines.jobs.copying.offset_ranges import OffsetRange, Positions
    from penstock.pipelines.jobs.dedupe.options import DedupeOptions
    from penstock.pipelines.jobs.lake.progress import Progress
    from penstock.pipelines.running import Stopping


class KeptSource:
    """The table's rows of one topic, as far as its commits say; looking for the last would mean reading all."""

    def __init__(self, table: TableSource, topic: str, progress: Callable[[], Progress]) -> None:
        self._table, self._topic, self._progress = table, topic, progress
        self._table_id = table.identity()
        self._first: dict[int, int] | None = None

    def identity(self) -> str:
        """Of the topic and of the table, which may each be made anew without the other."""
        return f"{self._progress().topics[self._topic].topic_id}/{self._table_id}"

    def begins(self) -> Positions:
        """Looked for once; what is added later begins at its first offset."""
        if self._first is None:
            found = self._table.begins()
            self._first = {partition: found.get(partition, end) for partition, end in self.ends().items()}
        return {**dict.fromkeys(self.ends(), 0), **self._first}

    def firsts(self) -> Positions:
        return {}  # tables lose nothing by themselves

    def ends(self) -> Positions:
        return dict(enumerate(self._progress().topics[self._topic].next))

    def read(self, stretches: tuple[OffsetRange, ...]) -> DataFrame:
        return self._table.read(stretches)

    def passed(self, at: Positions) -> None:
        """Nobody watches a table."""

    def close(self) -> None:
        """Nothing is open."""


class Forwarding:
    """Of one topic. Records keep key, value, headers and timestamp; those of a key keep their order."""

    def __init__(
        self,
        options: DedupeOptions,
        spark: SparkSession,
        table: str,
        stopping: Stopping | None,
        topic: str,
        progress: Callable[[], Progress],
    ) -> None:
        assert options.to_topic is not None
        self._topic, self._target = topic, options.to_topic
        self._source = KeptSource(TableSource(spark, table, topic), topic, progress)
        query = f"{options.job}/{plain(table)}/{topic}/{options.to_topic}"
        self._copy = Copy(options.job, query, {"to": options.to_topic}, lambda rows: rows, options.batch_records_max)
        self._sink = Sink(sink_options(options, options.to_topic), query)
        self._stopping = stopping
        self._upto: Positions | None = None
        self.behind = False
        """Whether a stop left records of the table to the next run."""

    def follow(self) -> int:
        """Bring the topic up to the table, or as far as it comes until a stop; how many records that took."""
        ends = self._source.ends()
        if ends == self._upto:
            return 0
        self._check_source()
        if self._sink.made_anew():
            raise PipelineProblem(
                f"{self._target} was deleted and created anew since the table's records began to go to it",
                hint="What went there is gone. Name another topic: it gets all that the table has.",
            )
        loop = CopyLoop(self._copy, self._source, self._sink, stopping=self._stopping)
        loop.run()
        self._upto = dict(loop.at)
        # A table that was rolled back is behind the topic, until it has its rows again.
        self.behind = any(loop.at.get(partition, 0) < end for partition, end in ends.items())
        return loop.summary.rows_out

    def _check_source(self) -> None:
        last = self._sink.last
        if last is None or last.details["identity"] == self._source.identity():
            return
        before, now = (each.partition("/")[0] for each in (last.details["identity"], self._source.identity()))
        if before == now:
            # What went to the topic is not in this table, and so would not be known for what it is when it comes again.
            raise PipelineProblem(
                f"the table was dropped and made anew since its records began to go to {self._target}",
                hint="Name another topic: it gets all that the table has.",
            )
        # The table has rows of both, under the same offsets: which of them the topic has cannot be told.
        raise PipelineProblem(
            f"{self._topic} was deleted and created anew since the table's records began to go to {self._target}",
            hint="Fill another table from the new one, and another topic from that.",
        )

    def close(self) -> None:
        self._sink.close()
