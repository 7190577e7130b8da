"""spark.readStream.format("penstock"): where the stream stands, how far the next batch goes, what it reads.

Spark 4.1 gives a Python source neither a limit nor its last position when it asks how far there is to read. So this
remembers: a position that Spark plans up to is the one that the next batch begins at. After a restart Spark plans an
empty batch at the last position of its checkpoint, before anything else; that is how it is remembered then.

With Trigger.AvailableNow, Spark 4.1 asks how far there is to read once, before that. Without a limit the answer is
right anyway: all there is. With one it would be a guess from the beginning, and is refused before Spark writes it down.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from penstock.model import TopicPartition
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.source.batch import RangePartition
from penstock.pipelines.source.cluster import Cluster
from penstock.pipelines.source.data_loss import judge
from penstock.pipelines.source.group import GroupProgress, is_first_attempt, named_by_query
from penstock.pipelines.source.options import SourceOptions
from penstock.pipelines.source.planning import Log, Loss, capped, limited, ranges, records_for, settled
from penstock.pipelines.source.positions import Position
from penstock.pipelines.source.reading import read
from penstock.pipelines.source.tasks import tasks

if TYPE_CHECKING:
    import pyarrow as pa


class StreamReader(DataSourceStreamReader):
    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._cluster_made: Cluster | None = None
        self._group_made: GroupProgress | None = None
        self._first: Position | None = None
        """Where the options say to begin, as found out in this process."""
        self._planned: Position | None = None
        """The end of the last batch that was planned, in this process or the one before."""
        self._begin: dict[str, Any] | None = None
        """What Spark was told when it asked where to begin: the start of the first batch."""
        self._guessed = False
        self._stop: dict[TopicPartition, int] | None = None
        self._told: set[str] = set()

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        if self._planned is not None and self._planned.began is not None:
            begin = Position(self._planned.began, self._planned.ids)
        else:
            begin = self._first_position()
        self._begin = begin.to_json()
        return self._begin

    def latestOffset(self) -> dict[str, Any]:  # noqa: N802
        current = self._planned
        if current is None:
            current = self._first_position()
            self._guessed = self._begin is None and self._is_limited
        found = self._cluster.logs(self._cluster.partitions())
        logs = capped(found, self._stop_offsets(found))
        ids = {**current.ids, **self._cluster.ids(found)}
        offsets, lost = settled(current, found, ids)
        self._lose(lost)
        ends = limited(offsets, logs, self._records_max(offsets, logs))
        if self._planned is None:
            return Position(ends, ids, began=current.offsets).to_json()
        if ends == current.offsets and ids == current.ids:
            return self._planned.to_json()
        return Position(ends, ids).to_json()

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        since, upto = Position.from_json(start), Position.from_json(end)
        if start == end:
            self._remember(upto)
            return []
        self._planned = upto
        if start == self._begin and upto.began is not None:
            since = Position(upto.began, upto.ids)
        there = set(self._cluster.partitions())
        logs = self._cluster.logs(each for each in upto.offsets if each in there)
        parts, lost = ranges(since, upto, logs, self._cluster.ids(logs))
        self._lose(lost)
        planned = tasks(parts, self._options, self._cluster)
        first = [RangePartition(part, begins_batch_at=since.offsets) for part in planned[:1]]
        return [*first, *(RangePartition(part) for part in planned[1:])]

    def _remember(self, position: Position) -> None:
        if self._guessed and self._begin is None:
            raise PipelineProblem(
                "Spark 4.1 cannot limit the batches of a Python source under Trigger.AvailableNow",
                hint="Leave maxOffsetsPerTrigger and maxBytesPerTrigger out, or give endingOffsets=latest with a\n"
                "processing-time trigger and stop the query at its end, as penstock.pipelines.running.follow does.",
            )
        self._planned = position

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, RangePartition)
        options = named_by_query(self._options)
        leaves_to_name = self._options.group is None and is_first_attempt()
        return read(options, partition.value, progress=partition.begins_batch_at if leaves_to_name else None)

    def commit(self, end: dict[str, Any]) -> None:
        self._group.commit(Position.from_json(end).offsets)

    def stop(self) -> None:
        if self._cluster_made is not None:
            self._cluster_made.close()
        if self._group_made is not None:
            self._group_made.close()

    def __getstate__(self) -> dict[str, Any]:
        """Workers get the options alone: clients do not travel."""
        return {"_options": self._options}

    @property
    def _cluster(self) -> Cluster:
        if self._cluster_made is None:
            self._cluster_made = Cluster(self._options)
        return self._cluster_made

    @property
    def _group(self) -> GroupProgress:
        if self._group_made is None:
            self._group_made = GroupProgress(self._options)
        return self._group_made

    def _first_position(self) -> Position:
        if self._first is None:
            found = self._cluster.partitions()
            self._cluster.require(found)
            logs = self._cluster.logs(found)
            self._first = Position(self._cluster.placed(self._options.start, logs), self._cluster.ids(logs))
        return self._first

    @property
    def _is_limited(self) -> bool:
        return self._options.records_max is not None or self._options.bytes_max is not None

    def _stop_offsets(self, logs: dict[TopicPartition, Log]) -> dict[TopicPartition, int] | None:
        """Fixed when first asked for: what is written later does not prolong a bounded run."""
        if self._options.has_end and self._stop is None:
            self._stop = self._cluster.placed(self._options.end, logs)
        return self._stop

    def _records_max(self, current: dict[TopicPartition, int], logs: dict[TopicPartition, Log]) -> int | None:
        if self._options.bytes_max is None:
            return self._options.records_max
        waiting = {
            each: max(current.get(each, 0), log.start)
            for each, log in logs.items()
            if log.end > max(current.get(each, 0), log.start)
        }
        by_size = records_for(self._options.bytes_max, current, logs, self._cluster.record_bytes(waiting))
        return by_size if self._options.records_max is None else min(by_size, self._options.records_max)

    def _lose(self, lost: list[Loss]) -> None:
        """Each loss is told once, not at every look."""
        judge([loss for loss in lost if str(loss) not in self._told], self._options)
        self._told.update(str(loss) for loss in lost)
