"""The session that jobs get: the locked jars are in it, and both queues can be read with Spark's own connector."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.secured import secured_broker
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


def test_sparks_own_connector_writes_to_and_reads_from_a_secured_broker(spark: SparkSession, tmp_path: Path) -> None:
    """With the file that `penstock init --secure` makes for it."""
    with secured_broker(tmp_path / "secured") as made:
        options = json.loads(made.spark.read_text())
        rows = spark.range(10).selectExpr("CAST(id AS STRING) AS value")
        rows.write.format("kafka").options(**options).option("topic", "by-spark").save()
        found = spark.read.format("kafka").options(**options).option("subscribe", "by-spark").load()
        values = [row.value for row in found.selectExpr("CAST(value AS STRING) AS value").collect()]
    assert sorted(values) == [str(number) for number in range(10)]


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
