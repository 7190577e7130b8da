"""A cluster that stays away, and a disk that fills up: a clear error, and nothing lost."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.pipelines.conftest import QUEUE_SETTINGS
from tests.pipelines.lake.conftest import Lake, Topic
from tests.support.faults import small_disk

import penstock.testing
from penstock.pipelines.problems import PipelineProblem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_patience_ends_with_what_to_do(lake: Lake) -> None:
    with penstock.testing.broker(QUEUE_SETTINGS, mode="process") as broker:
        topic = Topic(broker.bootstrap, "orders")
    with pytest.raises(PipelineProblem, match="cluster was away"):
        lake.fill(topic, patience_s=0)


def test_a_full_disk_is_said_and_the_next_run_lands_every_row_once(
    spark: SparkSession, topic: Topic, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "disk", 2 << 20) as disk:
        lake = Lake(spark, disk.path / "warehouse")
        # Elsewhere: its connections stay open with the session, and a disk in use cannot be unmounted.
        catalog = {f"spark.sql.catalog.{lake.catalog}.uri": f"jdbc:sqlite:file:{tmp_path}/catalog.db"}
        topic.write([os.urandom(200_000) for _ in range(20)])
        with pytest.raises(PipelineProblem, match="the disk is full"):
            lake.fill(topic, mode="raw", batch_records_max=4, settings=catalog)
        disk.resize(64 << 20)
        lake.fill(topic, mode="raw", batch_records_max=4, settings=catalog)
        assert lake.places() == [(partition, at) for partition in (0, 1) for at in range(10)]
