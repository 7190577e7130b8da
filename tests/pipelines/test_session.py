"""The session that jobs get: the locked jars are in it, and both queues can be read with Spark's own connector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.topics import create, write

from penstock.pipelines import replay
from penstock.pipelines.jobs.replay import ReplayOptions, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from tests.pipelines.conftest import Queue


def test_sparks_own_connector_reads_a_topic(spark: SparkSession, queue: Queue) -> None:
    topic = queue.fresh("connector")
    create(queue.bootstrap, topic, 2)
    write(queue.bootstrap, topic, [b"%d" % number for number in range(10)], partition=1)
    rows = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", queue.bootstrap)
        .option("subscribe", topic)
        .load()
        .selectExpr("CAST(value AS STRING) AS value")
        .collect()
    )
    assert sorted(row.value for row in rows) == [str(number) for number in range(10)]


def test_iceberg_and_its_embedded_catalog_are_there(spark: SparkSession) -> None:
    assert spark._jvm is not None
    loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
    assert loader.loadClass("org.apache.iceberg.spark.SparkCatalog") is not None
    assert loader.loadClass("org.sqlite.JDBC") is not None


def test_a_job_leaves_a_session_alone_that_was_there_before_it(spark: SparkSession, queue: Queue) -> None:
    topic = queue.fresh("nothing")
    create(queue.bootstrap, topic, 1)
    replay(bootstrap=queue.bootstrap, topic=topic, target=topic)  # takes the one that is active, as Spark does
    run(ReplayOptions(queue.bootstrap, topic, topic=topic), spark=spark)
    assert spark.range(3).count() == 3


def test_days_are_those_of_utc(spark: SparkSession) -> None:
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
