"""Jobs that follow topics while their only broker goes away, comes back, and a topic gets more partitions.

For a few seconds; `make pipelines-kills` makes it a minute.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.pipelines.conftest import AWAY_S, QUEUE_SETTINGS
from tests.pipelines.jobs.topics import Sent, create, fill, order_of, read
from tests.pipelines.lake.conftest import Lake, Topic
from tests.support.topics import add_partitions

import penstock.testing
from penstock.pipelines.jobs import lake as lake_job
from penstock.pipelines.jobs import repartition as repartition_job
from penstock.pipelines.jobs import rollup as rollup_job

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from penstock.pipelines.running import BatchProgress

WITHIN_S = 240 + AWAY_S
MINUTE_MS = 60_000
BEGIN_MS = 1_750_000_020_000  # a full minute


class Running:
    """A job in a thread, that tells how many rows it has read, and is stopped at the end."""

    def __init__(self, job: Any, options: Any, spark: SparkSession) -> None:
        self.rows = 0
        self._stopping = threading.Event()
        self._ended: list[Any] = []
        self._thread = threading.Thread(target=self._run, args=(job, options, spark), name=options.job)
        self._thread.start()

    def _run(self, job: Any, options: Any, spark: SparkSession) -> None:
        try:
            self._ended.append(job.run(options, spark=spark, watcher=self, stopping=self._stopping))
        except BaseException as error:
            self._ended.append(error)

    def batch(self, progress: BatchProgress) -> None:
        self.rows = progress.rows_total

    def until(self, rows: int) -> None:
        self.until_true(lambda: self.rows >= rows, f"{rows} rows")

    def until_true(self, holds: Callable[[], bool], what: str) -> None:
        deadline = time.monotonic() + WITHIN_S
        while not holds():
            assert not self._ended, self._ended
            assert time.monotonic() < deadline, f"{self._thread.name}: {what}; there are {self.rows}"
            time.sleep(0.2)

    def stop(self) -> Any:
        self._stopping.set()
        self._thread.join()
        return self._ended[0]


@pytest.mark.timeout(600 + 10 * AWAY_S)
def test_jobs_wait_for_a_broker_that_goes_away_and_nothing_is_lost_or_doubled(
    spark: SparkSession, tmp_path: Path
) -> None:
    lake = Lake(spark, tmp_path / "warehouse")
    with penstock.testing.broker(QUEUE_SETTINGS, mode="process") as broker:
        bootstrap = broker.bootstrap
        orders, sales = Topic(bootstrap, "orders"), Topic(bootstrap, "sales", partitions=1)
        create(bootstrap, "minutes", 1)
        create(bootstrap, "numbers", 2)
        patience: dict[str, Any] = {"available_now": False, "interval_s": 0.1, "patience_s": WITHIN_S}
        windows: dict[str, Any] = {
            "bootstrap": bootstrap, "topic": "sales", "table": "shop.minutes", "schema": "amount INT",
            "window": "1 minute", "watermark": "1 minute", "measures": ("count", "sum:amount"), "to_topic": "minutes",
            "catalog": lake.catalog, "warehouse": str(lake.folder), **patience,
        }  # fmt: skip
        jobs = [
            Running(lake_job, lake.options(orders, schema="id INT", **patience), spark),
            Running(rollup_job, rollup_job.RollupOptions(**windows), spark),
            Running(
                repartition_job,
                repartition_job.RepartitionOptions(bootstrap, "numbers", "fewer", partitions=1, follow=True),
                spark,
            ),
        ]

        def write(first: int) -> None:
            orders.write([{"id": n} for n in range(first, first + 4)])
            sales.write([{"amount": 1}, {"amount": 2}], timestamp_ms=BEGIN_MS + first * MINUTE_MS)
            fill(bootstrap, "numbers", [Sent(str(n % 2), str(n)) for n in range(first, first + 6)])

        try:
            write(0)
            for job, rows in zip(jobs, (4, 2, 6), strict=True):
                job.until(rows)
            broker.kill()
            time.sleep(AWAY_S)
            broker.start()
            write(6)
            for job, rows in zip(jobs, (8, 4, 12), strict=True):
                job.until(rows)
            # The first window is final: the second one began more than a watermark after its end. That takes a batch
            # of its own, and stopped within it the job would finish it only when it is started again.
            jobs[1].until_true(lambda: bool(lake.table("minutes").count()), "a window that is final")
            add_partitions(bootstrap, "orders", 3)
            orders.partitions = 3
            orders.write([{"id": n} for n in range(12, 18)])
            jobs[0].until(14)
        finally:
            summaries = [job.stop() for job in jobs]
        assert [summary.stopped for summary in summaries] == [True] * 3, summaries
        assert order_of(read(bootstrap, "fewer")) == {b"0": [0, 2, 4, 6, 8, 10], b"1": [1, 3, 5, 7, 9, 11]}
        assert len(read(bootstrap, "minutes")) == 1
    assert sorted(row.id for row in lake.table().collect()) == [*range(4), *range(6, 10), *range(12, 18)]
    assert [(row["count"], row.sum_amount) for row in lake.table("minutes").collect()] == [(2, 3)]
