"""Spark's own connector reads a view of a topic as it reads any topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.clients import read_to_end
from tests.support.viewed import is_shown, viewed_topic

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from tests.pipelines.conftest import Queue


@pytest.mark.parametrize("level", ["read_uncommitted", "read_committed"])
def test_spark_reads_a_view(spark: SparkSession, penstock_queue: Queue, level: str) -> None:
    topic, view = viewed_topic(penstock_queue.bootstrap)
    expected = [
        each.offset() for each in read_to_end(penstock_queue.bootstrap, topic, isolation_level=level) if is_shown(each)
    ]
    rows = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", penstock_queue.bootstrap)
        .option("kafka.isolation.level", level)
        .option("subscribe", view)
        .load()
        .select("offset")
        .collect()
    )
    assert sorted(row.offset for row in rows) == expected and expected
