"""Records made comparable: pure, DataFrame -> DataFrame.

An entry has where and when the record is (`partition`, `offset`, `time`), what it is known by (`id`), within what its
order is kept (`lane`), and a digest of what it holds (null where the end does not keep it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as fn

from penstock.pipelines.jobs.identity import digest, identity
from penstock.pipelines.problems import PipelineProblem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NULL_MARK = "\x00null"


def entries(records: DataFrame, *, matching: str, ordering: str) -> DataFrame:
    """From the columns of a source; `value` may be absent, then there is no digest."""
    held = digest(records.schema)
    id_ = identity(matching, held)
    lanes = {"partition": fn.col("partition").cast("string"), "key": fn.hex("key"), "none": fn.lit(None).cast("string")}
    return records.select(
        fn.col("partition"),
        fn.col("offset"),
        fn.col("timestamp").alias("time"),
        fn.coalesce(id_, fn.lit(NULL_MARK)).alias("id"),
        # Records without a key have no order among keys; within their partition they do.
        fn.coalesce(lanes[ordering], fn.concat(fn.lit("partition "), fn.col("partition"))).alias("lane")
        if ordering != "none"
        else lanes["none"].alias("lane"),
        held.alias("digest"),
    )


def table_records(table: DataFrame, topic: str | None) -> DataFrame:
    """Rows of a lake table with the names of a source's columns; raw tables and --keep-value have the value."""
    names = {name.removeprefix("record_"): name for name in table.columns if name.startswith("record_")}
    for needed in ("topic", "partition", "offset", "timestamp"):
        if needed not in names:
            raise PipelineProblem(f"the table is no lake table: it has no column record_{needed}")
    kept = {name: fn.col(column) for name, column in names.items()}
    if "value" not in kept and dict(table.dtypes).get("value") == "binary":
        kept["value"] = fn.col("value")
    rows = table.select(*(column.alias(name) for name, column in kept.items()))
    return rows if topic is None else rows.where(fn.col("topic") == topic)
