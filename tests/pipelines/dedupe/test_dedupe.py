"""Duplicates within a time: chosen as a plain loop would, and the same however the records are cut into batches."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.pipelines.lake.conftest import Lake, Topic

from penstock.pipelines.jobs.dedupe import dedupe, first_of_each, unseen
from penstock.pipelines.problems import PipelineProblem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
WINDOW_S = 10
COLUMNS = "id STRING, timestamp TIMESTAMP, topic STRING, partition INT, offset BIGINT"


def chosen(records: list[tuple[str | None, int]]) -> set[int]:
    """By a loop: the index of each record that is kept."""
    last: dict[str, int] = {}
    kept = set()
    for index, (id_, at) in enumerate(records):
        if id_ is None or id_ not in last or at - last[id_] > WINDOW_S:
            kept.add(index)
            if id_ is not None:
                last[id_] = at
    return kept


def test_the_first_of_each_id_is_kept_and_the_next_after_the_window(spark: SparkSession) -> None:
    dice = random.Random(3)
    records = [(dice.choice(["a", "b", "c", "d", None]), at) for at in range(120)]
    rows = spark.createDataFrame(
        [(id_, BEGIN + timedelta(seconds=at), "t", 0, n) for n, (id_, at) in enumerate(records)], COLUMNS
    )
    window_us = WINDOW_S * 1_000_000
    assert {row.offset for row in first_of_each(rows, window_us).collect()} == chosen(records)
    first, second = rows.where("offset < 60"), rows.where("offset >= 60")
    kept = first_of_each(first, window_us)
    later = first_of_each(unseen(second, kept, window_us), window_us)
    assert {row.offset for row in kept.unionByName(later).collect()} == chosen(records)


def test_a_topic_lands_without_its_duplicates(spark: SparkSession, penstock_queue: Any, tmp_path: Any) -> None:
    lake = Lake(spark, tmp_path / "warehouse")
    topic = Topic(penstock_queue.bootstrap, penstock_queue.fresh("orders"))
    to: dict[str, Any] = {
        "bootstrap": topic.bootstrap, "topics": [topic.name], "table": "shop.orders", "available_now": True,
        "warehouse": str(lake.folder), "catalog": lake.catalog, "spark": spark, "id": "field:id",
        "batch_records_max": 6,
    }  # fmt: skip
    topic.write([{"id": n % 4, "n": n} for n in range(10)])
    first = dedupe(**to, window_s=60)
    assert (first.rows_in, first.rows_out, first.details["duplicates"]) == (10, 4, 6)
    topic.write([{"id": n} for n in range(6)])
    second = dedupe(**to, window_s=60)
    assert (second.rows_in, second.rows_out) == (6, 2)
    assert sorted(row.record_id for row in lake.table().collect()) == list("012345")
    with pytest.raises(PipelineProblem, match="known by key"):
        dedupe(**{**to, "id": "offset"}, window_s=60)
