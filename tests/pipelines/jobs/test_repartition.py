"""Whole histories into fewer and more partitions, stopped in the middle, and followed."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.pipelines.jobs.topics import Sent, committed, create, fill, order_of, read
from tests.support.topics import add_partitions, delete

from penstock.pipelines.jobs.repartition import RepartitionOptions, plan, run
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.running import BatchProgress
from penstock.pipelines.sink.murmur2 import partition_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from tests.pipelines.conftest import Queue


class StopAfter:
    """Somebody presses Ctrl-C after so many batches."""

    def __init__(self, batches: int) -> None:
        self._left = batches
        self._asked = threading.Event()

    def batch(self, progress: BatchProgress) -> None:
        self._left -= 1
        if self._left <= 0:
            self._asked.set()

    def is_set(self) -> bool:
        return self._asked.is_set()


def numbers(first: int, last: int) -> list[Sent]:
    return [Sent(str(each % 13), str(each), 1_700_000_000_000 + each, (("n", b"1"),)) for each in range(first, last)]


def by_key(last: int) -> dict[bytes, list[int]]:
    return {str(key).encode(): list(range(key, last, 13)) for key in range(13)}


def test_a_history_into_fewer_partitions_stopped_and_continued(spark: SparkSession, queue: Queue) -> None:
    source = create(queue.bootstrap, queue.fresh("many"), 5, retention_ms="-1")
    target = queue.fresh("few")
    fill(queue.bootstrap, source, numbers(0, 200))
    options = RepartitionOptions(queue.bootstrap, source, target, partitions=2, records_max=60)

    stop = StopAfter(2)
    first = run(options, spark=spark, watcher=stop, stopping=stop)
    assert first.stopped and 0 < first.rows_out <= 120
    assert sum(committed(queue.bootstrap, f"spark.{options.query}", source, 5)) == first.rows_out, "what lag tools see"
    fill(queue.bootstrap, source, numbers(200, 230))
    second = run(options, spark=spark)

    assert not second.stopped and first.rows_out + second.rows_out == 230
    copied = read(queue.bootstrap, target)
    assert order_of(copied) == by_key(230)
    assert all(each.partition == partition_of(each.key, 2) for each in copied)
    assert all(each.timestamp_ms - int(each.value) == 1_700_000_000_000 for each in copied)
    assert all(each.headers == {"n": b"1"} for each in copied)
    assert sum(committed(queue.bootstrap, f"spark.{options.query}", source, 5)) == 230
    switch = second.details["switch_over"]
    assert switch["complete"] and sum(switch["source"].values()) == 230


def test_by_another_key(spark: SparkSession, queue: Queue) -> None:
    source = create(queue.bootstrap, queue.fresh("by-id"), 1)
    target = queue.fresh("by-rest")
    fill(queue.bootstrap, source, numbers(0, 60))
    for key, words in (
        ("no_such_column", r"(?s)does not understand the expression.*no_such_column"),
        ("cast(rand() * 7 AS int)", "another outcome each time"),
    ):
        wrong = RepartitionOptions(queue.bootstrap, source, target, partitions=4, key=key)
        for asked in (lambda wrong: plan(wrong, spark), lambda wrong: run(wrong, spark=spark)):
            with pytest.raises(PipelineProblem, match=words):
                asked(wrong)
    options = RepartitionOptions(
        queue.bootstrap, source, target, partitions=4, key="cast(cast(value AS string) AS int) % 7", reader="kafka"
    )
    assert run(options, spark=spark).rows_out == 60
    found = order_of(read(queue.bootstrap, target))
    assert found == {str(key).encode(): list(range(key, 60, 7)) for key in range(7)}


def test_following_takes_what_comes_and_new_partitions_too(spark: SparkSession, queue: Queue) -> None:
    source = create(queue.bootstrap, queue.fresh("live"), 1)
    target = queue.fresh("followed")
    fill(queue.bootstrap, source, numbers(0, 26))
    late = [Sent(f"late-{each % 2}", str(each), partition=1) for each in range(1000, 1010)]

    class Producing:
        """After the first batch the topic grows, and more is written."""

        def __init__(self) -> None:
            self.done = False

        def batch(self, progress: BatchProgress) -> None:
            if not self.done:
                self.done = True
                add_partitions(queue.bootstrap, source, 2)
                fill(queue.bootstrap, source, late)

    options = RepartitionOptions(queue.bootstrap, source, target, partitions=3, follow=True, quiet_s=3)
    summary = run(options, spark=spark, watcher=Producing())
    found = order_of(read(queue.bootstrap, target))
    assert found == by_key(26) | {b"late-0": list(range(1000, 1010, 2)), b"late-1": list(range(1001, 1010, 2))}
    assert summary.details["switch_over"] == {
        "source": {"0": 26, "1": 10}, "target": summary.details["switch_over"]["target"], "records_behind": 0,
        "complete": True,
    }  # fmt: skip


def test_what_cannot_be_done_is_said_first(spark: SparkSession, queue: Queue) -> None:
    source = create(queue.bootstrap, queue.fresh("a"), 1)
    other = create(queue.bootstrap, queue.fresh("b"), 2)
    fill(queue.bootstrap, other, numbers(0, 3))
    with pytest.raises(PipelineProblem, match="topic no-such does not exist"):
        run(RepartitionOptions(queue.bootstrap, "no-such", other), spark=spark)
    with pytest.raises(PipelineProblem, match="has 2 partitions, not 4"):
        plan(RepartitionOptions(queue.bootstrap, source, other, partitions=4))
    with pytest.raises(PipelineProblem, match="only a job that follows"):
        RepartitionOptions(queue.bootstrap, source, other, quiet_s=3)
    with pytest.raises(PipelineProblem, match="holds records already"):
        run(RepartitionOptions(queue.bootstrap, source, other), spark=spark)
    assert plan(RepartitionOptions(queue.bootstrap, source, "new", partitions=4)).steps


def test_another_key_for_a_job_that_was_begun_is_refused(spark: SparkSession, queue: Queue) -> None:
    source = create(queue.bootstrap, queue.fresh("a"), 1)
    target = queue.fresh("b")
    fill(queue.bootstrap, source, numbers(0, 3))
    run(RepartitionOptions(queue.bootstrap, source, target, partitions=1), spark=spark)
    with pytest.raises(PipelineProblem, match=r"begun with other options: key was None, is 'value'"):
        run(RepartitionOptions(queue.bootstrap, source, target, key="value"), spark=spark)


@pytest.mark.parametrize("when", ["between two runs", "between two batches"])
def test_a_target_made_anew_does_not_go_on_without_what_was_copied(
    spark: SparkSession, queue: Queue, when: str
) -> None:
    source, target = create(queue.bootstrap, queue.fresh("source"), 1), queue.fresh("target")
    fill(queue.bootstrap, source, numbers(0, 20))
    options = RepartitionOptions(queue.bootstrap, source, target, partitions=1, records_max=10)

    class MadeAnew:
        def batch(self, progress: BatchProgress) -> None:
            if progress.batch == 0:
                delete(queue.bootstrap, target)
                create(queue.bootstrap, target, 1)

    if when == "between two runs":
        run(options, spark=spark)
        delete(queue.bootstrap, target)
    watcher = MadeAnew() if when == "between two batches" else None
    with pytest.raises(PipelineProblem, match=f"{target} was deleted and made anew since this job was begun"):
        run(options, spark=spark, watcher=watcher)
    assert read(queue.bootstrap, target) == []
    assert run(replace(options, id=f"{target} again"), spark=spark).rows_out == 20
    assert order_of(read(queue.bootstrap, target)) == by_key(20)


@pytest.mark.parametrize("deleted", ["source", "target"])
def test_a_topic_that_is_deleted_while_it_is_copied_ends_the_job_by_name(
    spark: SparkSession, queue: Queue, deleted: str
) -> None:
    source, target = create(queue.bootstrap, queue.fresh("source"), 1), queue.fresh("target")
    fill(queue.bootstrap, source, numbers(0, 30))

    class Deletes:
        def batch(self, progress: BatchProgress) -> None:
            delete(queue.bootstrap, source if deleted == "source" else target)

    options = RepartitionOptions(queue.bootstrap, source, target, partitions=1, follow=True, records_max=10)
    words = f"there is no {source} at" if deleted == "source" else f"topic {target} does not exist"
    with pytest.raises(PipelineProblem, match=words):
        run(options, spark=spark, watcher=Deletes())
