"""What is measured: the same work by Penstock's parts and by Spark's own connector."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as fn
from pyspark.sql import types as t

from benchmarks.pipelines.data import create_topic, delete_topic
from penstock.pipelines.jobs.catalogs import session
from penstock.pipelines.jobs.lake import LakeOptions, tables
from penstock.pipelines.jobs.lake import run as run_lake
from penstock.pipelines.jobs.lake.columns import table_columns
from penstock.pipelines.jobs.lake.commits import LakeTable
from penstock.pipelines.sink import write_batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BATCH_RECORDS = 500_000
"""lake's own default; the plain writer gets the same."""
_RAW = table_columns(t.StructType([t.StructField("value", t.BinaryType())]), event_time=False, keep_value=False)
_ORIGINS = {"record_key": "key", "record_topic": "topic", "record_partition": "partition", "record_offset": "offset",
            "record_timestamp": "timestamp", "record_headers": "headers", "value": "value"}  # fmt: skip


@dataclass(frozen=True)
class Place:
    spark: SparkSession
    bootstrap: str
    topic: str
    records: int
    folder: Path

    def rows(self, reader: str) -> DataFrame:
        read = self.spark.read.format(reader).option("kafka.bootstrap.servers", self.bootstrap)
        return read.option("subscribe", self.topic).load()


def source(reader: str) -> Callable[[Place], None]:
    def run(at: Place) -> None:
        at.rows(reader).select("key", "value", "timestamp").write.format("noop").mode("overwrite").save()

    return run


def sink_once(at: Place) -> None:
    """From topic to topic, as below."""
    target = create_topic(at.bootstrap, f"target-{uuid.uuid4().hex[:8]}")
    written = write_batch(
        at.rows("kafka").select("key", "value"), write_id=target, bootstrap=at.bootstrap, topic=target
    )
    assert written.rows == at.records
    delete_topic(at.bootstrap, target)


def sink_of_spark(at: Place) -> None:
    target = create_topic(at.bootstrap, f"target-{uuid.uuid4().hex[:8]}")
    rows = at.rows("kafka").select("key", "value").write.format("kafka")
    rows.option("kafka.bootstrap.servers", at.bootstrap).option("topic", target).save()
    delete_topic(at.bootstrap, target)


def lake(reader: str, **more: Any) -> Callable[[Place], None]:
    def run(at: Place) -> None:
        options = _into_lake(at, reader=reader, **more)
        summary = run_lake(options, spark=at.spark)
        assert (summary.rows_out, summary.bad_rows) == (at.records, 0)
        shutil.rmtree(options.warehouse)

    return run


def plain_append(at: Place) -> None:
    """What one writes by hand: Spark's stream of the topic, each batch appended to the same kind of table."""
    options = _into_lake(at)
    spark = session(options, at.spark)
    name = tables.full_name(options.catalog, options.table)
    tables.create(spark, name, _RAW, by="day", column="record_timestamp")

    def append(batch: DataFrame, _number: int) -> None:
        batch.select(*(fn.col(_ORIGINS[column]).alias(column) for column in _RAW.names)).writeTo(name).append()

    stream = spark.readStream.format("kafka").option("kafka.bootstrap.servers", at.bootstrap)
    stream = stream.option("subscribe", at.topic).option("startingOffsets", "earliest").option("includeHeaders", "true")
    rows = stream.option("maxOffsetsPerTrigger", BATCH_RECORDS).load()
    query = rows.writeStream.foreachBatch(append).option("checkpointLocation", f"{options.warehouse}/checkpoint")
    query.trigger(availableNow=True).start().awaitTermination()
    written = LakeTable(spark, name, options.job).java().currentSnapshot().summary().get("total-records")
    assert int(written) == at.records
    shutil.rmtree(options.warehouse)


def _into_lake(at: Place, **more: Any) -> LakeOptions:
    name = f"lake_{uuid.uuid4().hex[:8]}"  # a session keeps the first settings of a catalog's name
    chosen = {"mode": "raw", "batch_records_max": BATCH_RECORDS, **more}
    return LakeOptions(
        bootstrap=at.bootstrap, topics=(at.topic,), table="bench.records", available_now=True, catalog=name,
        warehouse=str(at.folder / name), **chosen,
    )  # fmt: skip


@dataclass(frozen=True)
class Case:
    key: str
    title: str
    by: str
    """Whose: penstock or spark."""
    run: Callable[[Place], None]


CASES = (
    Case("source", 'read: `format("penstock")`', "penstock", source("penstock")),
    Case("source", 'read: `format("kafka")`', "spark", source("kafka")),
    Case("sink", "topic to topic: `write_batch`, exactly once", "penstock", sink_once),
    Case("sink", 'topic to topic: `format("kafka")`, at least once', "spark", sink_of_spark),
    Case("lake", "topic to Iceberg: `lake`, exactly once", "penstock", lake("kafka")),
    Case("lake", "topic to Iceberg: `foreachBatch` and append, at least once", "spark", plain_append),
)
