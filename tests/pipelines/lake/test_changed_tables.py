"""Tables that somebody drops, makes anew, rolls back or rewrites while a run fills them, or between two."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from tests.pipelines.lake.conftest import Lake, Topic

from penstock.pipelines.jobs.lake import run, tables
from penstock.pipelines.jobs.lake.commits import LakeTable
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.running import Summary

RECORDS = [b"%d" % n for n in range(9)]
EVERYWHERE = [(0, offset) for offset in range(9)]


@pytest.fixture
def topic(penstock_queue: Any) -> Topic:
    made = Topic(penstock_queue.bootstrap, penstock_queue.fresh("orders"), partitions=1)
    made.write(RECORDS)
    return made


def name(lake: Lake) -> str:
    return f"{lake.catalog}.shop.orders"


def fill(lake: Lake, topic: Topic, then: Callable[[int], None] = lambda _: None) -> Summary:
    """In batches of three; `then` is told the number of each that has landed."""
    watcher = SimpleNamespace(batch=lambda progress: then(progress.batch))
    return run(lake.options(topic, mode="raw", batch_records_max=3), spark=lake.spark, watcher=watcher)


@pytest.mark.parametrize("anew", [False, True])
def test_a_table_that_goes_while_it_is_filled_is_told_and_the_next_run_fills_it_whole(
    lake: Lake, topic: Topic, anew: bool
) -> None:
    def drop(batch: int) -> None:
        if batch == 2:
            columns = lake.table().schema
            lake.spark.sql(f"DROP TABLE {name(lake)}")
            if anew:
                tables.create(lake.spark, name(lake), columns, by="none", column="")

    words = r"shop\.orders was dropped " + ("and made anew while" if anew else "while")
    with pytest.raises(PipelineProblem, match=words):
        fill(lake, topic, drop)
    assert not anew or lake.table().count() == 0
    assert fill(lake, topic).rows_in == 9
    assert lake.places() == EVERYWHERE


def test_a_table_that_is_rolled_back_while_it_is_filled_gets_its_rows_again(lake: Lake, topic: Topic) -> None:
    table = LakeTable(lake.spark, name(lake), "lake")
    first: list[int] = []

    def roll_back(batch: int) -> None:
        if batch == 1:
            first.append(table.java().currentSnapshot().snapshotId())
        elif batch == 2 and len(first) == 1:
            first.append(0)
            table.java().manageSnapshots().rollbackTo(first[0]).commit()

    assert fill(lake, topic, roll_back).rows_in == 12, "three of them twice"
    assert lake.places() == EVERYWHERE


def test_a_run_that_slept_while_others_went_on_and_expired_their_history_adds_nothing(lake: Lake, topic: Topic) -> None:
    table = LakeTable(lake.spark, name(lake), "lake")

    def others(batch: int) -> None:
        if batch == 1:
            upkeep = lake.options(
                topic, mode="raw", batch_records_max=3, compact_every=1, expire_after_s=0.0, snapshots_min=1
            )
            run(upkeep, spark=lake.spark)
            assert table.progress().sequence == 3 and lake.table("orders.snapshots").count() == 1

    assert fill(lake, topic, others).rows_in == 3
    assert lake.places() == EVERYWHERE and table.progress().sequence == 3


def test_a_table_that_is_rolled_back_to_where_its_progress_has_expired_is_refused(lake: Lake, topic: Topic) -> None:
    upkeep = {"compact_every": 100, "expire_after_s": 0.0, "snapshots_min": 1}
    run(lake.options(topic, mode="raw", batch_records_max=3, **upkeep), spark=lake.spark)
    assert lake.table("orders.snapshots").count() == 1, "that of the compaction, which says nothing of it"
    assert fill(lake, topic).rows_in == 0
    table = LakeTable(lake.spark, name(lake), "lake")
    before = table.java().currentSnapshot().snapshotId()
    topic.write([b"9"])
    fill(lake, topic)
    table.java().manageSnapshots().rollbackTo(before).commit()
    with pytest.raises(PipelineProblem, match="was rolled back to a version"):
        fill(lake, topic)
    assert lake.places() == EVERYWHERE


def test_two_runs_that_add_one_column_at_once_both_go_on(
    lake: Lake, penstock_queue: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = Topic(penstock_queue.bootstrap, penstock_queue.fresh("orders"), partitions=1)
    topic.write([{"id": 1}])
    lake.fill(topic)
    topic.write([{"id": 2, "note": "new"}])
    alter = tables.alter

    def twice(*arguments: Any) -> None:
        monkeypatch.undo()
        alter(*arguments)  # another run's, which was quicker
        alter(*arguments)

    monkeypatch.setattr(tables, "alter", twice)
    assert lake.fill(topic).rows_out == 1
    assert {(row.id, row.note) for row in lake.table().collect()} == {(1, None), (2, "new")}


def test_a_table_that_is_replaced_by_what_it_holds_goes_on_where_it_was(lake: Lake, topic: Topic) -> None:
    fill(lake, topic)
    lake.spark.sql(
        f"CREATE OR REPLACE TABLE {name(lake)} USING iceberg PARTITIONED BY (record_partition) "
        f"AS SELECT * FROM {name(lake)}"
    )
    topic.write([b"9"])
    assert fill(lake, topic).rows_in == 1
    assert lake.places() == [(0, offset) for offset in range(10)]
