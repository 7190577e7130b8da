"""Dead letters looked at and sent back, each once, whatever filters the runs have."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.sql import functions as f
from tests.pipelines.jobs.topics import Sent, committed, create, delete_records, fill, read
from tests.support.topics import delete

from penstock.pipelines.jobs.redrive import Reading, RedriveOptions, inspect, plan, run
from penstock.pipelines.problems import PipelineProblem

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from tests.pipelines.conftest import Queue

    from penstock.pipelines.running import BatchProgress


def letter(number: int, reason: str, origin: str) -> Sent:
    headers = (("penstock.error", reason.encode()), ("penstock.origin.topic", origin.encode()))
    return Sent(f"k{number % 3}", str(number), headers=headers)


def mended(df: DataFrame) -> DataFrame:
    return df.withColumn("value", f.concat(f.lit("mended "), f.col("value").cast("string")).cast("binary"))


def values(queue: Queue, topic: str) -> list[Any]:
    return sorted(each.value for each in read(queue.bootstrap, topic))


def test_each_letter_goes_back_once_whatever_the_filters(spark: SparkSession, queue: Queue) -> None:
    dead = create(queue.bootstrap, queue.fresh("dead"), 2)
    orders, bills = create(queue.bootstrap, queue.fresh("orders"), 2), create(queue.bootstrap, queue.fresh("bills"), 1)
    fill(
        queue.bootstrap,
        dead,
        [letter(n, "timeout" if n % 2 else "bad currency", orders if n < 20 else bills) for n in range(30)],
    )

    looked = inspect(RedriveOptions(queue.bootstrap, dead, samples=2), spark)
    assert looked["records"] == 30 and len(looked["samples"]) == 4
    assert {(each["reason"], each["origin_topic"]): each["records"] for each in looked["reasons"]} == {
        ("timeout", orders): 10, ("bad currency", orders): 10, ("timeout", bills): 5, ("bad currency", bills): 5,
    }  # fmt: skip

    for where, words in (
        ("nonsense = 3", r"Spark does not understand the condition: .*nonsense"),
        ("rand() < 0.5", "another outcome each time"),
    ):
        wrong = RedriveOptions(queue.bootstrap, dead, reading=Reading(where=where))
        for asked in (lambda wrong: plan(wrong, spark), lambda wrong: run(wrong, spark=spark)):
            with pytest.raises(PipelineProblem, match=words):
                asked(wrong)
    useless = RedriveOptions(queue.bootstrap, dead, transform=lambda df: df.drop("value"))
    for asked in (lambda wrong: plan(wrong, spark), lambda wrong: run(wrong, spark=spark)):
        with pytest.raises(PipelineProblem, match="a record needs a column `value`"):
            asked(useless)
    nothing = RedriveOptions(queue.bootstrap, dead, reading=Reading(where="false"))
    assert run(nothing, spark=spark).rows_out == 0, "a run that could not send anything has begun nothing"
    late = RedriveOptions(queue.bootstrap, dead, reading=Reading(reason="timeout"), records_max=12)
    assert plan(late).steps
    told: list[BatchProgress] = []
    first = run(late, spark=spark, watcher=SimpleNamespace(batch=told.append))
    assert sum(each.rows for each in told) == 15 and [each.lag for each in told] == [18, 6, 0]
    assert all(each.remaining_s is not None for each in told)
    assert first.rows_out == 15 and first.details["sent_to"] == {orders: 10, bills: 5}
    assert values(queue, bills) == [str(n).encode() for n in range(20, 30) if n % 2]

    everything = RedriveOptions(queue.bootstrap, dead, transform=mended)
    assert run(everything, spark=spark).rows_out == 15, "those with another reason"
    assert run(everything, spark=spark).rows_out == 0
    assert values(queue, orders) == sorted(str(n).encode() if n % 2 else f"mended {n}".encode() for n in range(20))
    fill(queue.bootstrap, dead, [letter(30, "timeout", bills)])
    assert run(everything, spark=spark).rows_out == 1, "what came since"


def test_letters_without_an_origin_need_a_target(spark: SparkSession, queue: Queue) -> None:
    dead, orders = create(queue.bootstrap, queue.fresh("dead"), 1), create(queue.bootstrap, queue.fresh("orders"), 1)
    fill(queue.bootstrap, dead, [Sent("k", "1"), Sent("k", "2")])
    with pytest.raises(PipelineProblem, match="2 dead letters do not say which topic they are from"):
        run(RedriveOptions(queue.bootstrap, dead), spark=spark)
    assert run(RedriveOptions(queue.bootstrap, dead, target=orders), spark=spark).rows_out == 2
    assert [each.headers["penstock.redrive.offset"] for each in read(queue.bootstrap, orders)] == [b"0", b"1"]


def test_a_run_that_broke_off_sends_the_rest_only(spark: SparkSession, queue: Queue) -> None:
    dead, orders = create(queue.bootstrap, queue.fresh("dead"), 1), create(queue.bootstrap, queue.fresh("orders"), 3)
    fill(queue.bootstrap, dead, [letter(n, "timeout", orders) for n in range(30)])

    def breaks(df: DataFrame) -> DataFrame:
        return mended(df).withColumn(
            "value", f.when(f.col("key").eqNullSafe(f.lit(b"k2")), f.raise_error(f.lit("!"))).otherwise(f.col("value"))
        )

    with pytest.raises(Exception, match="!"):
        run(RedriveOptions(queue.bootstrap, dead, transform=breaks), spark=spark)
    delete_records(queue.bootstrap, dead, before=3)  # retention does not wait for the next start
    # With a filter that would take none of them: what was begun is finished as it was begun.
    finishing = RedriveOptions(queue.bootstrap, dead, reading=Reading(where="false"), transform=mended)
    assert run(finishing, spark=spark).details["lost_before_sent"] == 3
    sent = values(queue, orders)
    assert len(set(sent)) == len(sent) and set(sent) >= {f"mended {n}".encode() for n in range(3, 30)}


def test_a_topic_made_anew_while_it_is_read_has_none_of_its_letters_sent_unnoted(
    spark: SparkSession, queue: Queue
) -> None:
    dead, orders = create(queue.bootstrap, queue.fresh("dead"), 1), create(queue.bootstrap, queue.fresh("orders"), 1)
    fill(queue.bootstrap, dead, [letter(n, "timeout", orders) for n in range(20)])

    def make_anew(_: BatchProgress) -> None:
        delete(queue.bootstrap, dead)
        create(queue.bootstrap, dead, 1)
        fill(queue.bootstrap, dead, [letter(n, "timeout", orders) for n in range(100, 120)])

    options = RedriveOptions(queue.bootstrap, dead, records_max=10)
    with pytest.raises(PipelineProblem, match=f"{dead} was deleted and made anew while it was read"):
        run(options, spark=spark, watcher=SimpleNamespace(batch=make_anew))
    assert run(options, spark=spark).rows_out == 20
    assert values(queue, orders) == sorted(str(n).encode() for n in [*range(10), *range(100, 120)])


def test_a_stop_is_after_the_batch_under_way_and_the_next_run_sends_the_rest(spark: SparkSession, queue: Queue) -> None:
    dead, orders = create(queue.bootstrap, queue.fresh("dead"), 1), create(queue.bootstrap, queue.fresh("orders"), 2)
    fill(queue.bootstrap, dead, [letter(n, "timeout", orders) for n in range(30)])
    options = RedriveOptions(queue.bootstrap, dead, records_max=10, reader="kafka")
    stopping = threading.Event()
    first = run(options, spark=spark, watcher=SimpleNamespace(batch=lambda _: stopping.set()), stopping=stopping)
    assert (first.stopped, first.rows_out) == (True, 10)
    assert committed(queue.bootstrap, f"spark.{options.query}", dead, 1) == [10], "what lag tools see"
    second = run(options, spark=spark)
    assert committed(queue.bootstrap, f"spark.{options.query}", dead, 1) == [30]
    assert (second.stopped, second.rows_out) == (False, 20)
    assert values(queue, orders) == sorted(str(n).encode() for n in range(30))
