"""A cluster that stays away, and a disk that fills up: a clear error, and nothing lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from py4j.protocol import Py4JError
from tests.pipelines.conftest import QUEUE_SETTINGS
from tests.pipelines.lake.conftest import Lake, Topic
from tests.support.faults import small_disk

import penstock.testing
from penstock.pipelines.jobs.lake import maintenance
from penstock.pipelines.jobs.rollup import rollup
from penstock.pipelines.problems import PipelineProblem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from tests.pipelines.conftest import Queue


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


def test_a_full_disk_is_all_that_a_terminal_is_told_unless_asked(penstock_queue: Queue, tmp_path: Path) -> None:
    topic = Topic(penstock_queue.bootstrap, penstock_queue.fresh("orders"))
    topic.write([os.urandom(200_000) for _ in range(20)])
    with small_disk(tmp_path / "disk", 2 << 20) as disk:
        words = [
            "pipeline", "run", "lake", topic.name, "--table", "shop.orders", "--mode", "raw", "--available-now",
            "--warehouse", str(disk.path / "lake"), "--master", "local[2]", "-b", topic.bootstrap,
        ]  # fmt: skip
        for environment in ({}, {"PENSTOCK_SPARK_LOG": "error"}):
            done = subprocess.run(
                [sys.executable, "-m", "penstock.cli", *words],
                capture_output=True, text=True, check=False, env={**os.environ, **environment},
            )  # fmt: skip
            # The notes are of the options that the tests give Java.
            said = [line for line in done.stderr.splitlines() if not line.startswith("NOTE: ")]
            assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
            if environment:
                assert any(line.startswith("\tat org.apache.spark.") for line in said)
            else:
                assert len(said) == 2 and said[0].startswith("error: the disk is full"), said


def test_upkeep_that_finds_the_disk_full_says_so_and_the_rows_have_landed(
    lake: Lake, penstock_queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        # Not by a small disk: Iceberg leaves what it could not write open for as long as Java lives.
        raise Py4JError("An error occurred while calling o345.execute: java.io.IOException: No space left on device")

    topic = Topic(penstock_queue.bootstrap, penstock_queue.fresh("orders"))
    topic.write([b"1", b"2"])
    monkeypatch.setattr(maintenance, "compact", full)
    with pytest.raises(PipelineProblem, match="the disk is full"):
        lake.fill(topic, mode="raw", compact_every=100)
    assert lake.table().count() == 2


def test_a_checkpoint_on_a_full_disk_is_said(spark: SparkSession, penstock_queue: Queue, tmp_path: Path) -> None:
    topic = Topic(penstock_queue.bootstrap, penstock_queue.fresh("sales"))
    topic.write([{"n": 1}])
    lake = Lake(spark, tmp_path / "warehouse")
    with small_disk(tmp_path / "disk", 1 << 20) as disk:
        disk.fill_up(left_bytes=4096)
        with pytest.raises(PipelineProblem, match=r"the disk is full.*checkpoint"):
            rollup(
                spark=spark, bootstrap=topic.bootstrap, topic=topic.name, table="shop.minutes", schema="n INT",
                window="1 minute", available_now=True, checkpoint=str(disk.path / "checkpoint"),
                catalog=lake.catalog, warehouse=str(lake.folder),
            )  # fmt: skip
