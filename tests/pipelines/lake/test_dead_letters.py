"""Dead letters of runs that died, and of topics and tables that came after them: each record once, in one place."""

from __future__ import annotations

from typing import Any

from tests.pipelines.lake.conftest import Lake, Topic
from tests.support.topics import delete

from penstock.pipelines.jobs.lake import run

NUMBERS = "id BIGINT"


def a_topic(queue: Any, *records: Any) -> Topic:
    topic = Topic(queue.bootstrap, queue.fresh("orders"), partitions=1)
    topic.write(records)
    return topic


def test_records_of_a_topic_made_anew_land_where_the_former_had_dead_letters(lake: Lake, penstock_queue: Any) -> None:
    topic = a_topic(penstock_queue, b"bad", {"id": 1}, b"worse")
    lake.fill(topic, schema=NUMBERS)
    delete(topic.bootstrap, topic.name)
    topic.create()
    topic.write([{"id": 2}, {"id": 3}, b"worst"])
    lake.dies_before_the_good_ones(topic, schema=NUMBERS, accept_new_topic=True)
    assert lake.fill(topic, schema=NUMBERS, accept_new_topic=True).rows_out == 2
    assert {row.id for row in lake.table().collect()} == {1, 2, 3}
    assert sorted(row.record_value for row in lake.dead().collect()) == [b"bad", b"worse", b"worst"]


def test_smaller_batches_after_a_run_that_died_bury_nothing_twice(lake: Lake, penstock_queue: Any) -> None:
    topic = a_topic(penstock_queue, {"id": 1, "amount": 0.5}, b"bad", b"worse")
    lake.dies_before_the_good_ones(topic, schema=NUMBERS)
    # By this schema the first is bad as well: it is buried alone, before the next batch is looked at.
    lake.fill(topic, schema=f"{NUMBERS}, amount BIGINT", batch_records_max=1)
    assert lake.places("orders_dead_letters") == [(0, 0), (0, 1), (0, 2)]


def test_jobs_that_share_a_table_of_dead_letters_find_their_own_again(lake: Lake, penstock_queue: Any) -> None:
    one, other = a_topic(penstock_queue, b"bad"), a_topic(penstock_queue, b"worse")
    shared = {"dead_letter_table": "shop.any_dead_letters"}
    lake.dies_before_the_good_ones(one, schema=NUMBERS, **shared)
    lake.fill(other, schema=NUMBERS, table="shop.others", **shared)
    lake.fill(one, schema=NUMBERS, **shared)
    letters = lake.table("any_dead_letters").collect()
    assert sorted(row.record_topic for row in letters) == sorted([one.name, other.name])


def test_a_table_of_dead_letters_that_is_dropped_is_made_again(lake: Lake, penstock_queue: Any) -> None:
    topic = a_topic(penstock_queue, b"bad", b"worse")
    letters = f"{lake.catalog}.shop.orders_dead_letters"

    class Drops:
        def batch(self, progress: Any) -> None:
            if progress.batch == 1:
                lake.spark.sql(f"DROP TABLE {letters}")

    run(lake.options(topic, schema=NUMBERS, batch_records_max=1), spark=lake.spark, watcher=Drops())
    assert lake.places("orders_dead_letters") == [(0, 1)]
