"""Decoded records to windows: pure, DataFrame -> DataFrame, for batches and streams alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as fn

from penstock.pipelines.jobs.rollup.measures import DISTINCT_ERROR, QUANTILE_ACCURACY, Measure

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


def rolled_up(
    decoded: DataFrame,
    *,
    window: str,
    slide: str | None = None,
    by: Sequence[str] = (),
    measures: Sequence[Measure] = (Measure("count"),),
    watermark: str,
) -> DataFrame:
    """From rows with `event_time`, `key` and `data`: one row a window and group, once the watermark has passed it."""
    groups = [_field(each).alias(each.replace(".", "_")) for each in by]
    counted = (
        windowed(decoded.withWatermark("event_time", watermark), window, slide)
        .groupBy("window", *groups)
        .agg(*(_computed(each).alias(each.column) for each in measures))
    )
    kept = [name for name in counted.columns if name != "window"]
    return counted.select(fn.col("window.start").alias("window_start"), fn.col("window.end").alias("window_end"), *kept)


def windowed(rows: DataFrame, window: str, slide: str | None) -> DataFrame:
    """Each row once for every window that it is in."""
    return rows.withColumn(
        "window", fn.window("event_time", window, slide) if slide else fn.window("event_time", window)
    )


def as_records(windows: DataFrame, by: Sequence[str]) -> DataFrame:
    """Final windows as JSON, keyed by what they are grouped by, at the time of their end."""
    groups = [fn.col(each.replace(".", "_")) for each in by]
    key = fn.to_json(fn.struct(*groups)) if groups else fn.lit(None).cast("string")
    return windows.select(
        key.cast("binary").alias("key"),
        fn.to_json(fn.struct("*")).cast("binary").alias("value"),
        fn.col("window_end").alias("timestamp"),
    )


def _field(path: str) -> Column:
    if path == "record_key":
        return fn.col("key").cast("string")
    column = fn.col("data")
    for part in path.split("."):
        column = column.getField(part)
    return column


def _computed(measure: Measure) -> Column:
    if measure.field is None:
        return fn.count(fn.lit(1))
    value = _field(measure.field)
    if measure.quantile is not None:
        return fn.percentile_approx(value.cast("double"), measure.quantile, QUANTILE_ACCURACY)
    match measure.what:
        case "sum":
            return fn.try_sum(value)  # one overflow makes one sum null, not the whole query fail
        case "avg":
            return fn.try_avg(value)
        case "min":
            return fn.min(value)
        case "max":
            return fn.max(value)
        case _:
            return fn.approx_count_distinct(value, DISTINCT_ERROR)
