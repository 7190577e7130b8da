"""The session of a job that copies records: with jars only where something needs them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from penstock.pipelines.session import SparkOptions, check_startable, lent, spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def needs_jars(reader: str) -> bool:
    return reader == "kafka"


def check(options: SparkOptions, spark: SparkSession | None, *, reader: str) -> None:
    """For a dry run: that the session for the run could be had."""
    if spark is None:
        check_startable(options.settings, master=options.master, jars=needs_jars(reader))


def opened(options: SparkOptions, spark: SparkSession | None, *, reader: str) -> AbstractContextManager[SparkSession]:
    """The session for a job's run: one of our own ends with it."""

    def make() -> SparkSession:
        return spark or spark_session(
            f"penstock {options.job}", master=options.master, settings=options.settings, jars=needs_jars(reader)
        )

    return lent(spark, make, options.settings)
