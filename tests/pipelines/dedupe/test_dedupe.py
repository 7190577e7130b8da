"""Duplicates within a time: chosen as a plain loop would, and the same however the records are cut into batches."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.pipelines.jobs.topics import create, read
from tests.pipelines.lake.conftest import Lake, Topic
from tests.support.topics import delete

from penstock.pipelines.jobs.dedupe import dedupe, first_of_each, unseen
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.sink import Sink

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


def test_a_topic_lands_without_its_duplicates(spark: SparkSession, queue: Any, tmp_path: Any) -> None:
    lake = Lake(spark, tmp_path / "warehouse")
    topic = Topic(queue.bootstrap, queue.fresh("orders"))
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


def test_what_is_kept_goes_to_a_topic_once_whenever_a_run_dies(
    spark: SparkSession, queue: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(spark, tmp_path / "warehouse")
    topic = Topic(queue.bootstrap, queue.fresh("payments"))
    to: dict[str, Any] = {
        "bootstrap": topic.bootstrap, "topics": [topic.name], "table": "shop.payments", "available_now": True,
        "warehouse": str(lake.folder), "catalog": lake.catalog, "spark": spark, "id": "field:id", "window_s": 60,
    }  # fmt: skip
    with pytest.raises(PipelineProblem, match="topic nowhere does not exist"):
        dedupe(**to, to_topic="nowhere")
    once = create(queue.bootstrap, queue.fresh("once"), 3)
    topic.write([{"id": n % 4} for n in range(10)])

    class Died(Exception): ...

    def dying(self: Sink, *arguments: Any, **more: Any) -> None:
        raise Died

    for method in ("begin", "write"):  # after the table's commit: before and after the topic's batch is noted
        monkeypatch.setattr(Sink, method, dying)
        with pytest.raises(Died):
            dedupe(**to, to_topic=once)
        monkeypatch.undo()
        topic.write([{"id": 10}, {"id": 11}])  # the batch that is made up for must not take these in, and they come too
    summary = dedupe(**to, to_topic=once)
    assert summary.details["forwarded"] == 6
    assert sorted(json.loads(each.value)["id"] for each in read(queue.bootstrap, once)) == [0, 1, 2, 3, 10, 11]
    assert dedupe(**to, to_topic=once).details["forwarded"] == 0
    assert len(read(queue.bootstrap, once)) == lake.table("payments").count() == 6
    delete(queue.bootstrap, topic.name)
    topic.create()
    topic.write([{"id": n} for n in range(20, 40)])
    with pytest.raises(PipelineProblem, match=f"{topic.name} was deleted and created anew since the table"):
        dedupe(**to, to_topic=once, accept_new_topic=True)
