"""spark.read.format("penstock"): a bounded read, its offsets fixed when the plan is made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceReader, InputPartition

from penstock.pipelines.source.cluster import Cluster
from penstock.pipelines.source.data_loss import judge
from penstock.pipelines.source.options import SourceOptions
from penstock.pipelines.source.planning import Range, ranges
from penstock.pipelines.source.positions import Offsets, Position
from penstock.pipelines.source.reading import read
from penstock.pipelines.source.tasks import tasks

if TYPE_CHECKING:
    import pyarrow as pa


class RangePartition(InputPartition):
    """One task's range of offsets, as Spark carries it to a worker."""

    def __init__(self, value: Range, *, begins_batch_at: Offsets | None = None) -> None:
        """One task of a stream's batch is told where the batch begins, in all partitions."""
        self.value = value
        self.begins_batch_at = begins_batch_at


class BatchReader(DataSourceReader):
    def __init__(self, options: SourceOptions) -> None:
        self._options = options

    def partitions(self) -> list[InputPartition]:
        cluster = Cluster(self._options)
        try:
            found = cluster.partitions()
            cluster.require(found)
            logs = cluster.logs(found)
            start = Position(cluster.placed(self._options.start, logs))
            end = Position(cluster.placed(self._options.end, logs))
            parts, lost = ranges(start, end, logs, {})
            judge(lost, self._options)
            return [RangePartition(part) for part in tasks(parts, self._options, cluster)]
        finally:
            cluster.close()

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        # Without any range Spark still runs one task, with nothing in it.
        return read(self._options, partition.value) if partition is not None else iter(())
