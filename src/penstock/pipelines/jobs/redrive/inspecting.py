"""Looking at a dead-letter topic: how many for which reason, and some of each."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pyspark.sql import Row, Window
from pyspark.sql import functions as f

from penstock.pipelines.jobs.copying.offset_ranges import next_stretches
from penstock.pipelines.jobs.copying.sources import TopicSource
from penstock.pipelines.jobs.redrive.dead_letters import counted, letters
from penstock.pipelines.jobs.redrive.options import RedriveOptions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SHOWN_BYTES = 200


def inspect(options: RedriveOptions, spark: SparkSession) -> dict[str, Any]:
    source = TopicSource(spark, options.bootstrap, options.topic, reader=options.reader, client=options.client)
    try:
        ends = source.ends()
        everything = next_stretches(source.firsts(), ends, records_max=sum(ends.values()) + 1)
    finally:
        source.close()
    if not everything:
        return {"topic": options.topic, "records": 0, "reasons": [], "samples": []}
    found = letters(source.read(everything), options.reading).persist()
    try:
        reasons = [_reason(row) for row in counted(found).collect()]
        first = Window.partitionBy("reason").orderBy("from_partition", "from_offset")
        some = found.withColumn("nth", f.row_number().over(first)).where(f.col("nth") <= options.samples)
        samples = [_sample(row) for row in some.orderBy("reason", "nth").collect()]
    finally:
        found.unpersist()
    records = sum(each["records"] for each in reasons)
    return {"topic": options.topic, "records": records, "reasons": reasons, "samples": samples}


def _reason(row: Row) -> dict[str, Any]:
    return {
        "reason": row["reason"],
        "origin_topic": row["origin_topic"],
        "records": row["records"],
        "first": _moment(row["first"]),
        "last": _moment(row["last"]),
    }


def _moment(time: datetime | None) -> str | None:
    """Spark gives times without a zone, in that of this process."""
    return None if time is None else time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _sample(row: Row) -> dict[str, Any]:
    return {
        "reason": row["reason"],
        "partition": row["from_partition"],
        "offset": row["from_offset"],
        "key": _text(row["key"]),
        "value": _text(row["value"]),
    }


def _text(data: bytearray | None) -> str | None:
    return None if data is None else bytes(data[:_SHOWN_BYTES]).decode(errors="replace")
