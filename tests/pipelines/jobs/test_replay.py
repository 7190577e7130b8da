"""A time range written again: exactly those records, as old as they were, once."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from tests.pipelines.jobs.topics import Sent, committed, create, delete_records, fill, order_of, read
from tests.pipelines.lake.conftest import Lake, Topic
from tests.support.topics import delete

from penstock.pipelines.jobs.copying.sources import TopicSource
from penstock.pipelines.jobs.replay import ReplayOptions, plan, run
from penstock.pipelines.problems import PipelineProblem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from tests.pipelines.conftest import Queue

    from penstock.pipelines.running import BatchProgress

T0 = 1_700_000_000_000


def test_a_range_of_a_topic_by_time_and_condition(spark: SparkSession, queue: Queue) -> None:
    source, target = create(queue.bootstrap, queue.fresh("past"), 2), create(queue.bootstrap, queue.fresh("again"), 3)
    # Times that go back and forth, so that the range is not a stretch of offsets.
    fill(queue.bootstrap, source, [Sent(str(n % 5), str(n), T0 + (n * 7) % 100) for n in range(100)])
    options = ReplayOptions(
        queue.bootstrap, target, topic=source, since_ms=T0 + 20, until_ms=T0 + 70, where="cast(key AS string) <> '3'"
    )
    assert plan(options).steps
    wrong = replace(options, where="nonsense = 3")
    for asked in (lambda: plan(wrong, spark), lambda: run(wrong, spark=spark)):
        with pytest.raises(PipelineProblem, match=r"Spark does not understand the expression: .*nonsense"):
            asked()
    told: list[BatchProgress] = []
    for rows in (40, 0):  # the second time all is there
        assert run(options, spark=spark, watcher=SimpleNamespace(batch=told.append)).rows_out == rows
    (only,) = told
    assert only.lag == 0 and 40 < only.rows == only.rows_total, "what is read, not what is kept"
    copied = read(queue.bootstrap, target)
    wanted = [n for n in range(100) if 20 <= (n * 7) % 100 < 70 and n % 5 != 3]
    assert order_of(copied) == {str(key).encode(): [n for n in wanted if n % 5 == key] for key in range(5) if key != 3}
    assert all(each.timestamp_ms == T0 + (int(each.value) * 7) % 100 for each in copied)
    originals = {(each.partition, each.offset): each.value for each in read(queue.bootstrap, source)}
    for each in copied:
        place = int(each.headers["penstock.origin.partition"]), int(each.headers["penstock.origin.offset"])
        assert originals[place] == each.value
        assert each.headers["penstock.origin.topic"] == source.encode()


def test_into_its_own_topic_it_does_not_run_after_itself(spark: SparkSession, queue: Queue) -> None:
    topic = create(queue.bootstrap, queue.fresh("own"), 1)
    fill(queue.bootstrap, topic, [Sent("k", str(n), T0 + n) for n in range(10)])
    options = ReplayOptions(queue.bootstrap, topic, topic=topic, records_max=4, reader="kafka")
    assert run(options, spark=spark).rows_out == 10
    assert len(read(queue.bootstrap, topic)) == 20


def test_no_faster_than_asked_for(spark: SparkSession, queue: Queue) -> None:
    source, target = create(queue.bootstrap, queue.fresh("past"), 1), create(queue.bootstrap, queue.fresh("slow"), 1)
    fill(queue.bootstrap, source, [Sent("k", str(n), T0 + n) for n in range(60)])
    started = time.monotonic()
    summary = run(ReplayOptions(queue.bootstrap, target, topic=source, rate=10), spark=spark)
    assert summary.rows_out == 60 and summary.batches > 1
    assert (time.monotonic() - started) * 10 >= 60, "this is a bound from below: a slow machine cannot break it"


def test_a_stop_while_it_is_held_back_is_at_once_and_the_next_run_writes_the_rest(
    spark: SparkSession, queue: Queue
) -> None:
    source, target = create(queue.bootstrap, queue.fresh("past"), 1), create(queue.bootstrap, queue.fresh("again"), 1)
    fill(queue.bootstrap, source, [Sent("k", str(n), T0 + n) for n in range(25)])
    options = ReplayOptions(queue.bootstrap, target, topic=source, records_max=10, rate=0.01)
    stopping = threading.Event()
    first = run(options, spark=spark, watcher=SimpleNamespace(batch=lambda _: stopping.set()), stopping=stopping)
    assert (first.stopped, first.rows_out) == (True, 1), "a rate makes batches small"
    assert committed(queue.bootstrap, f"spark.{options.query}", source, 1) == [1]
    second = run(replace(options, rate=None), spark=spark)
    assert (second.stopped, second.rows_out) == (False, 24)
    assert order_of(read(queue.bootstrap, target)) == {b"k": list(range(25))}
    assert committed(queue.bootstrap, f"spark.{options.query}", source, 1) == [25]


def test_what_retention_takes_from_a_replay_that_was_stopped_is_told_and_accepted_only_if_asked(
    spark: SparkSession, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = create(queue.bootstrap, queue.fresh("past"), 1), create(queue.bootstrap, queue.fresh("again"), 1)
    fill(queue.bootstrap, source, [Sent("k", str(n), T0 + n) for n in range(20)])
    options = ReplayOptions(queue.bootstrap, target, topic=source, records_max=10)
    stopping = threading.Event()
    run(options, spark=spark, watcher=SimpleNamespace(batch=lambda _: stopping.set()), stopping=stopping)
    delete_records(queue.bootstrap, source, before=14)
    with pytest.raises(PipelineProblem, match="records 10 to 14 of partition 0 are gone"):
        run(options, spark=spark)

    class Died(Exception): ...

    def dying(_: TopicSource, at: Mapping[int, int]) -> None:
        if at == {0: 20}:
            raise Died

    monkeypatch.setattr(TopicSource, "passed", dying)
    with pytest.raises(Died):
        run(replace(options, accept_loss=True), spark=spark)
    monkeypatch.undo()
    assert order_of(read(queue.bootstrap, target)) == {b"k": [*range(10), *range(14, 20)]}
    assert run(options, spark=spark).rows_out == 0
    assert committed(queue.bootstrap, f"spark.{options.query}", source, 1) == [20], "though a run died before that"


def test_a_topic_made_anew_while_it_is_replayed_gives_none_of_its_records(spark: SparkSession, queue: Queue) -> None:
    source, target = create(queue.bootstrap, queue.fresh("past"), 1), create(queue.bootstrap, queue.fresh("again"), 1)
    fill(queue.bootstrap, source, [Sent("k", str(n), T0 + n) for n in range(20)])

    class MadeAnew:
        def batch(self, progress: BatchProgress) -> None:
            delete(queue.bootstrap, source)
            create(queue.bootstrap, source, 1)
            fill(queue.bootstrap, source, [Sent("k", str(n), T0 + n) for n in range(100, 120)])

    options = ReplayOptions(queue.bootstrap, target, topic=source, records_max=10)
    with pytest.raises(PipelineProblem, match="the source was deleted and made anew while it was copied"):
        run(options, spark=spark, watcher=MadeAnew())
    assert order_of(read(queue.bootstrap, target)) == {b"k": list(range(10))}


def test_from_a_table_of_the_lake_into_a_topic(spark: SparkSession, queue: Queue, tmp_path: Path) -> None:
    lake = Lake(spark, tmp_path / "warehouse")
    orders = Topic(queue.bootstrap, queue.fresh("orders"))
    orders.write([b"%d" % n for n in range(30)], timestamp_ms=T0)
    lake.fill(orders, mode="raw")
    delete(queue.bootstrap, orders.name)  # what the topic has lost, the lake still has
    orders.create()
    orders.write([b"another topic's"] * 6, timestamp_ms=T0 + 1_000)
    lake.fill(orders, mode="raw", accept_new_topic=True)
    target = create(queue.bootstrap, queue.fresh("restored"), 2)
    options = ReplayOptions(
        queue.bootstrap, target, table="shop.orders", since_ms=T0 + 10, until_ms=T0 + 1_000, records_max=7,
        catalog=lake.catalog, warehouse=str(lake.folder),
    )  # fmt: skip
    with pytest.raises(PipelineProblem, match="2 records of partition"):
        run(replace(options, since_ms=None, until_ms=None), spark=spark)
    for wrong, words in (
        (replace(options, table="shop.nothing"), r"no table shop\.nothing"),
        (replace(options, where="nonsense = 3"), r"Spark does not understand the expression: .*nonsense"),
        (replace(options, where="rand() < 0.5"), "another outcome each time"),
    ):
        for asked in (lambda wrong: plan(wrong, spark), lambda wrong: run(wrong, spark=spark)):
            with pytest.raises(PipelineProblem, match=words):
                asked(wrong)
    unmade = replace(options, warehouse=str(tmp_path / "unmade"), catalog="another")
    with pytest.raises(PipelineProblem, match=r"no table shop\.orders in catalog another"):
        plan(unmade)
    assert not (tmp_path / "unmade").exists() and plan(options, spark).steps
    assert read(queue.bootstrap, target) == []
    assert run(options, spark=spark).rows_out == 20
    restored = read(queue.bootstrap, target)
    assert sorted(int(each.value) for each in restored) == list(range(10, 30))
    assert all(each.timestamp_ms == T0 + int(each.value) for each in restored)
    assert {each.headers["penstock.origin.topic"] for each in restored} == {orders.name.encode()}


@pytest.mark.parametrize("when", ["between two runs", "between two batches"])
def test_a_table_made_anew_gives_none_of_its_records_to_a_replay_that_was_begun(
    spark: SparkSession, penstock_queue: Queue, tmp_path: Path, when: str
) -> None:
    queue, lake = penstock_queue, Lake(spark, tmp_path / "warehouse")
    first, second = (Topic(queue.bootstrap, queue.fresh("orders"), partitions=1) for _ in range(2))
    for topic, values in ((first, range(20)), (second, range(100, 120))):
        topic.write([b"%d" % n for n in values])
    lake.fill(first, mode="raw")
    target = create(queue.bootstrap, queue.fresh("restored"), 1)
    options = ReplayOptions(
        queue.bootstrap, target, table="shop.orders", records_max=10, catalog=lake.catalog, warehouse=str(lake.folder)
    )
    stopping = threading.Event()

    def drop(_: object = None) -> None:
        spark.sql(f"DROP TABLE {lake.catalog}.shop.orders")

    def make_anew(_: object = None) -> None:
        drop()
        lake.fill(second, mode="raw")

    if when == "between two batches":
        with pytest.raises(PipelineProblem, match="the source was deleted and made anew while it was copied"):
            run(options, spark=spark, watcher=SimpleNamespace(batch=make_anew))
        with pytest.raises(PipelineProblem, match=r"there is no table .*shop\.orders any more"):
            run(replace(options, id=f"{target} too"), spark=spark, watcher=SimpleNamespace(batch=drop))
        assert sorted(int(each.value) for each in read(queue.bootstrap, target)) == [*range(10), *range(100, 110)]
        return
    run(options, spark=spark, watcher=SimpleNamespace(batch=lambda _: stopping.set()), stopping=stopping)
    make_anew()
    with pytest.raises(PipelineProblem, match="the source was deleted and made anew since this job was begun"):
        run(options, spark=spark)
    assert sorted(int(each.value) for each in read(queue.bootstrap, target)) == list(range(10))
    assert run(replace(options, id=f"{target} again"), spark=spark).rows_out == 20


def test_a_replay_of_nothing_is_refused() -> None:
    with pytest.raises(PipelineProblem, match="replay from what"):
        ReplayOptions("localhost:1", "t")
    with pytest.raises(PipelineProblem, match="the time range is empty"):
        ReplayOptions("localhost:1", "t", topic="a", since_ms=5, until_ms=5)
