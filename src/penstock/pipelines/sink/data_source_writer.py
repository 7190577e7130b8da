"""format("penstock") as a sink: tasks hand their rows to the driver with their commit message, and the driver writes.

Spark gives a data source rows as they lie, so no task knows that it has all rows of a target partition; and it calls
the driver's `commit` only when every task has truly ended. docs/adr/0029 has the reasons; write_stream scales.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.sink.ledger import Ledger
from penstock.pipelines.sink.murmur2 import murmur2_of
from penstock.pipelines.sink.options import SinkOptions
from penstock.pipelines.sink.placing import slots_of
from penstock.pipelines.sink.tasks import write_sorted
from penstock.pipelines.sink.topics import Topics
from penstock.pipelines.sink.work import Work

CARRIED_BYTES_MAX = 64 << 20
_HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


@dataclass
class Carried(WriterCommitMessage):
    task: int
    query: str | None
    rows: bytes
    """Arrow's stream format, compressed."""


def options_of(given: Mapping[str, str]) -> SinkOptions:
    """From the options of writeStream.format("penstock"), named as in Spark's own sink: kafka.bootstrap.servers (or
    bootstrap), topic (or topics, with commas between), kafka.* for librdkafka."""
    options = {name.lower(): value for name, value in given.items()}
    bootstrap = options.get("kafka.bootstrap.servers") or options.get("bootstrap")
    if not bootstrap:
        raise PipelineProblem("kafka.bootstrap.servers is missing: HOST:PORT of the cluster to write to")
    names = options.get("topics") or options.get("topic") or ""
    return SinkOptions(
        bootstrap=bootstrap,
        topics=tuple(name.strip() for name in names.split(",") if name.strip()),
        kafka={
            name.removeprefix("kafka."): value
            for name, value in options.items()
            if name.startswith("kafka.") and name != "kafka.bootstrap.servers"
        },
    )


class StreamWriter(DataSourceStreamArrowWriter):
    def __init__(self, given: Mapping[str, str]) -> None:
        self._options = options_of(given)
        self._unknown = given.get("unknown", "false").lower() == "true"

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Carried:
        return carry(iterator)

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 - Spark's name
        carried = [each for each in messages if isinstance(each, Carried)]
        if carried:
            # Another name than write_stream's: the two place rows without a key differently, so that a batch begun by
            # one must not be finished by the other.
            write_carried(self._options, f"format/{carried[0].query}", batchId, carried, unknown=self._unknown)

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 - Spark's name
        """Nothing is written before `commit`."""


class BatchWriter(DataSourceArrowWriter):
    """.option("write_id", …) names the write: done again under the same name, it adds nothing."""

    def __init__(self, given: Mapping[str, str], *, overwrite: bool) -> None:
        if overwrite:
            raise PipelineProblem("topics are appended to", hint='Write with .mode("append").')
        self._options = options_of(given)
        write_id = given.get("write_id")
        if not write_id:
            raise PipelineProblem(
                "a write of a batch needs a name", hint='.option("write_id", …): done again under it, it adds nothing.'
            )
        self._write_id = write_id

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Carried:
        return carry(iterator)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        carried = [each for each in messages if isinstance(each, Carried)]
        write_carried(self._options, f"format/{self._write_id}", 0, carried, unknown=False)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Nothing is written before `commit`."""


def carry(batches: Iterable[pa.RecordBatch]) -> Carried:
    context = TaskContext.get()
    assert context is not None, "only Spark calls this"
    out = pa.BufferOutputStream()
    stream: pa.RecordBatchStreamWriter | None = None
    for batch in batches:
        if stream is None:
            stream = pa.ipc.new_stream(out, batch.schema, options=pa.ipc.IpcWriteOptions(compression="lz4"))
        stream.write_batch(batch)
        if out.tell() > CARRIED_BYTES_MAX:
            raise PipelineProblem(
                f"a task's share of the batch is more than {CARRIED_BYTES_MAX >> 20} MB, and the driver has to take it",
                hint="Make batches smaller, or write from the executors, without this limit:\n"
                "penstock.pipelines.sink.write_stream(df, …) or write_batch(df, …).",
            )
    if stream is not None:
        stream.close()
    query = context.getLocalProperty("sql.streaming.queryId")
    return Carried(context.partitionId(), query, out.getvalue().to_pybytes())


def write_carried(options: SinkOptions, query: str, batch: int, carried: Iterable[Carried], *, unknown: bool) -> None:
    topics = Topics(options)
    topics.ensure_markers()
    ledger = Ledger(options, query)
    try:
        begun = ledger.begin(batch, topics.layout(options.topics), {}, unknown=unknown)
        if begun.done:
            return
        size = topics.batch_bytes_max(options.topics)
        work = Work(options, query, batch, begun.layout, begun.since, tasks=1, batch_bytes_max=size)
        tables = [_table(each.rows) for each in sorted(carried, key=lambda each: each.task) if each.rows]
        rows = [_as_records(table, options) for table in tables]
        for _ in write_sorted(_sorted(pa.concat_tables(rows), work) if rows else [_last()], work, task=0):
            pass
        topics.check_are_the_same(begun.layout)
        ledger.finish()
    finally:
        ledger.close()


def _table(stream: bytes) -> pa.Table:
    return pa.ipc.open_stream(stream).read_all()


def _as_records(table: pa.Table, options: SinkOptions) -> pa.Table:
    names = table.column_names
    if "value" not in names:
        raise PipelineProblem(f"a record needs a column `value`; there are {', '.join(names)}")
    if len(options.topics) > 1 and "topic" not in names:
        raise PipelineProblem("rows have no column `topic`", hint="With several target topics each row names its own.")

    def column(name: str, kind: pa.DataType) -> pa.ChunkedArray:
        return table.column(name).cast(kind) if name in names else pa.chunked_array([pa.nulls(table.num_rows, kind)])

    topic = (
        column("topic", pa.string())
        if len(options.topics) > 1
        else pa.chunked_array([pa.array([options.topics[0]] * table.num_rows, pa.string())])
    )
    return pa.table(
        {
            "topic": topic,
            "partition": column("partition", pa.int32()),
            "key": column("key", pa.binary()),
            "value": column("value", pa.binary()),
            "timestamp_ms": _millis(table),
            "headers": column("headers", _HEADERS),
        }
    )


def _millis(table: pa.Table) -> pa.ChunkedArray:
    if "timestamp" not in table.column_names:
        return pa.chunked_array([pa.nulls(table.num_rows, pa.int64())])
    times = table.column("timestamp")
    if pa.types.is_timestamp(times.type):
        times = pc.floor_temporal(times, unit="millisecond").cast(pa.timestamp("ms", times.type.tz), safe=False)
    return times.cast(pa.int64())


def _sorted(rows: pa.Table, work: Work) -> Iterator[pa.RecordBatch]:
    """By slot, and within a slot as they came."""
    whole = rows.combine_chunks()
    if whole.num_rows:
        columns = {name: whole.column(name).chunk(0) for name in whole.column_names}
        spread = pa.array(murmur2_of(columns["value"]).astype(np.int64))
        slots = slots_of(work.layout, columns["topic"], columns["partition"], columns["key"], spread)
        order = pa.array(np.argsort(np.asarray(slots), kind="stable"))
        placed = whole.append_column("slot", slots).take(order)
        yield from placed.append_column("last", pa.array([False] * len(slots), pa.bool_())).to_batches()
    yield _last()


def _last() -> pa.RecordBatch:
    """All rows of a batch are here: the driver has them in its hands."""
    return pa.RecordBatch.from_pydict({"slot": pa.array([0], pa.int32()), "last": pa.array([True])})
