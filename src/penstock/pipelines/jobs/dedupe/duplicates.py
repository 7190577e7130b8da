"""Which records are kept: pure, DataFrame -> DataFrame, over columns id, timestamp, topic, partition, offset.

A record is a duplicate if one with its id was kept whose time is at most the window away, before or after. Time is the
records' own, so the answer does not depend on how they were cut into batches, as long as they come in the order of
their time; a late one meets what was kept already. Records without an id are all kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as fn

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

PLACE = ("topic", "partition", "offset")


def unseen(rows: DataFrame, seen: DataFrame, window_us: int) -> DataFrame:
    """Without those that a record of `seen` (id, timestamp) is near to."""
    known = seen.select(fn.col("id").alias("seen_id"), fn.unix_micros("timestamp").alias("seen_us"))
    near = fn.abs(fn.unix_micros(rows["timestamp"]) - known["seen_us"]) <= window_us
    return rows.join(known, (rows["id"] == known["seen_id"]) & near, "left_anti")


def first_of_each(rows: DataFrame, window_us: int) -> DataFrame:
    """Of each id the first, and again the first that is further than the window from the last one kept."""
    order = fn.struct(fn.unix_micros("timestamp").alias("us"), *PLACE)
    # Only ids that occur twice need a look at their times: most do not.
    by_id = rows.where(fn.col("id").isNotNull()).groupBy("id").agg(fn.sort_array(fn.collect_list(order)).alias("all"))
    kept = (
        by_id.where(fn.size("all") > 1)
        .select(fn.explode(fn.array_except(fn.col("all"), _kept(fn.col("all"), window_us))).alias("dropped"))
        .select(*(fn.col(f"dropped.{name}").alias(name) for name in PLACE))
    )
    return rows.join(kept, list(PLACE), "left_anti")


def _kept(every: Column, window_us: int) -> Column:
    """The times in order, each taken that is beyond the window of the last one taken."""
    first = fn.slice(every, 1, 1)
    return fn.reduce(
        fn.slice(every, fn.lit(2), fn.greatest(fn.size(every) - 1, fn.lit(0))),
        first,
        lambda taken, each: fn.when(
            each["us"] - fn.element_at(taken, -1)["us"] > window_us, fn.concat(taken, fn.array(each))
        ).otherwise(taken),
    )
