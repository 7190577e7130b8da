"""Two sets of entries against each other: pure, DataFrame -> DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import Window
from pyspark.sql import functions as fn

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

KINDS = ("missing", "extra", "doubled", "differing", "reordered")


def compare(left: DataFrame, right: DataFrame) -> DataFrame:
    """One row an id, with how many records it has on each side, and how many of each kind of difference.

    missing: on the left more often than on the right. doubled: the reverse. extra: not on the left at all.
    differing: the same id with other contents. reordered: before a record of the same lane that it came after on the
    left.
    """
    both = left.withColumn("is_left", fn.lit(True)).unionByName(right.withColumn("is_left", fn.lit(False)))
    is_left = fn.col("is_left")
    place = fn.struct("partition", "offset", "time", "lane")
    by_id = both.groupBy("id").agg(
        fn.count_if(is_left).alias("lefts"),
        fn.count_if(~is_left).alias("rights"),
        fn.min(fn.when(is_left, place)).alias("l"),
        fn.min(fn.when(~is_left, place)).alias("r"),
        fn.sort_array(fn.collect_list(fn.when(is_left, fn.col("digest")))).alias("l_digests"),
        fn.sort_array(fn.collect_list(fn.when(~is_left, fn.col("digest")))).alias("r_digests"),
    )
    lefts, rights = fn.col("lefts"), fn.col("rights")
    on_both = (lefts > 0) & (rights > 0)
    known = (fn.size("l_digests") > 0) & (fn.size("r_digests") > 0)
    # Each content as often as on the other side. Where one has more records those count as missing or doubled, and the
    # question left is whether every content of one side is on the other.
    each, kinds = (
        fn.col("l_digests") != fn.col("r_digests"),
        fn.array_distinct("l_digests") != fn.array_distinct("r_digests"),
    )
    differing = on_both & known & fn.when(lefts == rights, each).otherwise(kinds)
    counted = by_id.withColumns(
        {
            "missing": fn.greatest(lefts - rights, fn.lit(0)),
            "extra": fn.when(lefts == 0, rights).otherwise(0),
            "doubled": fn.when(lefts > 0, fn.greatest(rights - lefts, fn.lit(0))).otherwise(0),
            "differing": differing.cast("int"),
        }
    )
    return _with_reordered(counted).drop("l_digests", "r_digests")


def _with_reordered(counted: DataFrame) -> DataFrame:
    """Only records that are once on each side have a place to compare. Those of one lane that went to different
    partitions have no order among them on the right."""
    single = (fn.col("lefts") == 1) & (fn.col("rights") == 1) & fn.col("l.lane").isNotNull()
    before = (
        Window.partitionBy("l.lane", "l.partition", "r.partition")
        .orderBy("l.offset")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    # Null for all that are not single: they then neither count nor push others out of order.
    place = fn.when(single, fn.col("r.offset"))
    return counted.withColumn("reordered", fn.coalesce((place < fn.max(place).over(before)).cast("int"), fn.lit(0)))


def totals(compared: DataFrame, *, bucket_s: int) -> DataFrame:
    """By partition and time of the left (of the right, for what is only there)."""
    place = fn.coalesce(fn.col("l"), fn.col("r"))
    seconds = fn.unix_seconds(place["time"])
    return (
        compared.groupBy(
            place["partition"].alias("partition"),
            (fn.floor(seconds / bucket_s) * bucket_s).cast("bigint").alias("bucket"),
        )
        .agg(fn.sum("lefts").alias("left"), fn.sum("rights").alias("right"), *_sums())
        .orderBy("bucket", "partition")
    )


def _sums() -> list[Column]:
    return [fn.sum(kind).alias(kind) for kind in KINDS]


def samples(compared: DataFrame, kind: str, count: int) -> DataFrame:
    place = fn.coalesce(fn.col("l"), fn.col("r"))
    return (
        compared.where(fn.col(kind) > 0)
        .orderBy(place["partition"], place["offset"])
        .select(
            fn.substring("id", 1, 80).alias("id"),
            fn.col("l.partition").alias("left_partition"),
            fn.col("l.offset").alias("left_offset"),
            fn.col("r.partition").alias("right_partition"),
            fn.col("r.offset").alias("right_offset"),
            fn.date_format(place["time"], "yyyy-MM-dd'T'HH:mm:ss.SSSXXX").alias("time"),
            fn.col("lefts").alias("on_left"),
            fn.col("rights").alias("on_right"),
        )
        .limit(count)
    )
