"""Duplicates within a time: chosen as a plain loop would, and the same however the records are cut into batches."""

from __future__ import annotations

import json
import random
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from tests.pipelines.jobs.topics import committed, create, read
from tests.pipelines.lake.conftest import Lake, Topic
from tests.support.topics import delete

from penstock.pipelines.jobs.dedupe import DedupeOptions, dedupe, first_of_each, plan, run, unseen
from penstock.pipelines.jobs.lake.commits import LakeTable
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.running import BatchProgress
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
    topic.write([{"id": 6}])
    given = {name: value for name, value in to.items() if name != "spark"}
    steps = plan(DedupeOptions(**{**given, "topics": (topic.name,)}, window_s=60), spark).steps
    assert any(step.endswith(": 1 offset to read in 1 batch") for step in steps)
    assert "leave out records whose field:id came within 60 s" in steps
    with pytest.raises(PipelineProblem, match="known by key"):
        dedupe(**{**to, "id": "offset"}, window_s=60)


@pytest.mark.parametrize(("window_s", "held"), [(90, [0, 10, 20, 0, 10]), (7200, [0, 10, 20, 30, 40])])
def test_a_batch_is_held_against_what_its_window_holds_however_long_the_table_is(
    spark: SparkSession, queue: Any, tmp_path: Any, window_s: float, held: list[int]
) -> None:
    lake = Lake(spark, tmp_path / "warehouse")
    topic = Topic(queue.bootstrap, queue.fresh("orders"), partitions=1)
    for batch, at_s in enumerate((0, 30, 60, 3600, 3630)):
        at_ms = round(BEGIN.timestamp() + at_s) * 1000
        topic.write([{"id": 10 * batch + n} for n in range(10)], timestamp_ms=at_ms)
    told: list[BatchProgress] = []

    class Heard:
        def batch(self, progress: BatchProgress) -> None:
            told.append(progress)

    options = DedupeOptions(
        bootstrap=topic.bootstrap, topics=(topic.name,), table="shop.orders", available_now=True, id="field:id",
        warehouse=str(lake.folder), catalog=lake.catalog, batch_records_max=10, window_s=window_s,
    )  # fmt: skip
    summary = run(options, spark=spark, watcher=Heard())
    assert [each.state_rows for each in told] == held
    assert summary.details["compared_with"] == held[-1] and lake.table().count() == 50


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
    assert sum(committed(queue.bootstrap, f"spark.dedupe.{lake.catalog}.shop.payments", topic.name, 2)) == 14
    also = create(queue.bootstrap, queue.fresh("also"), 1)
    assert dedupe(**to, to_topic=also).details["forwarded"] == 6
    delete(queue.bootstrap, also)
    create(queue.bootstrap, also, 1)
    with pytest.raises(PipelineProblem, match=f"{also} was deleted and created anew since the table"):
        dedupe(**to, to_topic=also)
    delete(queue.bootstrap, topic.name)
    topic.create()
    topic.write([{"id": n} for n in range(20, 40)])
    with pytest.raises(PipelineProblem, match=f"{topic.name} was deleted and created anew since the table"):
        dedupe(**to, to_topic=once, accept_new_topic=True)


def test_a_stop_while_a_large_table_goes_to_a_topic_is_after_the_part_under_way(
    spark: SparkSession, queue: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = Lake(spark, tmp_path / "warehouse")
    topic = Topic(queue.bootstrap, queue.fresh("payments"), partitions=1)
    filling = DedupeOptions(
        bootstrap=topic.bootstrap, topics=(topic.name,), table="shop.payments", available_now=True, id="field:id",
        warehouse=str(lake.folder), catalog=lake.catalog, window_s=60, reader="penstock",
    )  # fmt: skip
    topic.write([{"id": n} for n in range(30)])
    run(filling, spark=spark)
    topic.write([{"id": 30}])
    once = create(queue.bootstrap, queue.fresh("once"), 1)
    both = replace(filling, to_topic=once, batch_records_max=10)
    stopping = threading.Event()
    write = Sink.write

    def asked_to_stop(self: Sink, *arguments: Any, **more: Any) -> Any:
        stopping.set()
        return write(self, *arguments, **more)

    monkeypatch.setattr(Sink, "write", asked_to_stop)
    first = run(both, spark=spark, stopping=stopping)
    assert (first.stopped, first.details["forwarded"], first.rows_in) == (True, 10, 0)
    monkeypatch.undo()
    second = run(both, spark=spark)
    assert (second.stopped, second.details["forwarded"], second.rows_in) == (False, 21, 1)
    assert [json.loads(each.value)["id"] for each in read(queue.bootstrap, once)] == list(range(31))


def test_a_table_that_is_rolled_back_gets_its_rows_again_and_the_topic_none_twice(
    spark: SparkSession, penstock_queue: Any, tmp_path: Any
) -> None:
    queue, lake = penstock_queue, Lake(spark, tmp_path / "warehouse")
    topic = Topic(queue.bootstrap, queue.fresh("payments"), partitions=1)
    once = create(queue.bootstrap, queue.fresh("once"), 1)
    options = DedupeOptions(
        bootstrap=topic.bootstrap, topics=(topic.name,), table="shop.payments", available_now=True, id="field:id",
        warehouse=str(lake.folder), catalog=lake.catalog, window_s=60, to_topic=once, batch_records_max=4,
    )  # fmt: skip
    topic.write([{"id": n} for n in range(4)])
    run(options, spark=spark)
    table = LakeTable(spark, f"{lake.catalog}.shop.payments", "dedupe")
    before = table.java().currentSnapshot().snapshotId()
    topic.write([{"id": n} for n in range(4, 12)])
    run(options, spark=spark)
    table.java().manageSnapshots().rollbackTo(before).commit()
    topic.write([{"id": 12}])
    again = run(options, spark=spark)
    assert (again.stopped, again.rows_in, again.details["forwarded"]) == (False, 9, 1)
    assert lake.table("payments").count() == 13
    assert [json.loads(each.value)["id"] for each in read(queue.bootstrap, once)] == list(range(13))
    spark.sql(f"DROP TABLE {lake.catalog}.shop.payments")
    for _ in range(2):
        with pytest.raises(PipelineProblem, match=f"the table was dropped and made anew .* to go to {once}"):
            run(options, spark=spark)
    assert len(read(queue.bootstrap, once)) == 13
