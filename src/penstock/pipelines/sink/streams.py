"""The two lines that most need: a batch written once under its id, and a stream written once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from penstock.pipelines.sink.options import SinkOptions
from penstock.pipelines.sink.sink import Sink
from penstock.pipelines.sink.work import Written

_QUERY_ID = "sql.streaming.queryId"
Trigger = Mapping[str, Any]


def write_batch(df: DataFrame, *, write_id: str, order: Sequence[str] = (), **options: Any) -> Written:
    """Write df under `write_id`: calling again with the same id, after whatever went wrong, completes that write and
    adds nothing to it. The options are those of SinkOptions; topic="orders" for topics=("orders",)."""
    with Sink(sink_options(**options), write_id) as sink:
        return sink.write(df, 0, order=order)


def write_stream(
    df: DataFrame,
    *,
    checkpoint: str,
    name: str | None = None,
    order: Sequence[str] = (),
    trigger: Trigger | None = None,
    unknown: bool = False,
    **options: Any,
) -> StreamingQuery:
    """Start writing a stream, each row once. Its id is that of the query, which Spark keeps in the checkpoint."""
    chosen = sink_options(**options)
    writer = df.writeStream.option("checkpointLocation", checkpoint).foreachBatch(
        batch_writer(chosen, order=order, unknown=unknown)
    )
    if name is not None:
        writer = writer.queryName(name)
    if trigger is not None:
        writer = writer.trigger(**trigger)
    return writer.start()


def batch_writer(
    options: SinkOptions, *, order: Sequence[str] = (), unknown: bool = False
) -> Callable[[DataFrame, int], None]:
    """For foreachBatch, where a query does more with its batches than writing them here."""
    sinks: dict[str, Sink] = {}

    def write(batch_df: DataFrame, batch: int) -> None:
        query = batch_df.sparkSession.sparkContext.getLocalProperty(_QUERY_ID)
        assert query is not None, "only Spark calls this, for a streaming query"
        sink = sinks.get(query)
        if sink is None:
            sink = sinks[query] = Sink(options, query)
        if sink.has(batch):
            # A query with state keeps it as a batch is computed, and would not go on after one that was not.
            batch_df.write.format("noop").mode("overwrite").save()
            return
        sink.write(batch_df, batch, order=order, unknown=unknown)

    return write


def sink_options(*, topic: str | None = None, topics: Sequence[str] = (), **others: Any) -> SinkOptions:
    return SinkOptions(topics=(topic,) if topic is not None else tuple(topics), **others)
