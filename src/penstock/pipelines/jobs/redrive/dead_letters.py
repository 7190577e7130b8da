"""Dead letters as rows: why each is dead and where it belongs, from the headers that frameworks give them. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from penstock.pipelines.jobs.copying.headers import header
from penstock.pipelines.jobs.expressions import repeatable, understood

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Transform = Callable[["DataFrame"], "DataFrame"]

# Penstock's own, Kafka Connect's, Spring's.
REASON_HEADERS = (
    "penstock.error",
    "__connect.errors.exception.message",
    "__connect.errors.exception.class.name",
    "kafka_dlt-exception-message",
    "kafka_dlt-exception-fqcn",
)
ORIGIN_HEADERS = ("penstock.origin.topic", "__connect.errors.topic", "kafka_dlt-original-topic")
UNKNOWN = "(no reason given)"


@dataclass(frozen=True)
class Reading:
    """How to read them: further names of headers come before the known ones."""

    reason_header: str | None = None
    origin_header: str | None = None
    reason: str | None = None
    """Only those whose reason contains this."""
    where: str | None = None
    """Only those for which this condition of Spark SQL holds."""


def letters(rows: DataFrame, reading: Reading) -> DataFrame:
    """With the columns reason and origin_topic, filtered."""
    reasons = (reading.reason_header, *REASON_HEADERS) if reading.reason_header else REASON_HEADERS
    origins = (reading.origin_header, *ORIGIN_HEADERS) if reading.origin_header else ORIGIN_HEADERS
    found = rows.withColumn("reason", f.coalesce(header(reasons), f.lit(UNKNOWN))).withColumn(
        "origin_topic", header(origins)
    )
    if reading.reason is not None:
        found = found.where(f.col("reason").contains(reading.reason))
    if reading.where is None:
        return found
    with understood("the condition"):
        chosen = found.where(reading.where)
    return repeatable(chosen)


def counted(found: DataFrame) -> DataFrame:
    return (
        found.groupBy("reason", "origin_topic")
        .agg(f.count(f.lit(1)).alias("records"), f.min("timestamp").alias("first"), f.max("timestamp").alias("last"))
        .orderBy(f.desc("records"), "reason", "origin_topic")
    )
