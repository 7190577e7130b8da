"""A streaming query as a job runs it: progress and lag told, a group moved, a clean stop, a restart that continues."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.command import PATIENT
from tests.support.topics import create, delete, write

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.running import BatchProgress
from penstock.pipelines.running.follow import Followed, breaking_off, follow
from penstock.pipelines.running.topic_stream import Format, TopicStream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from tests.pipelines.conftest import Queue

ROOT = Path(__file__).resolve().parents[2]


class Heard:
    def __init__(self, *, stop_after: int | None = None) -> None:
        self.batches: list[BatchProgress] = []
        self.stopping = threading.Event()
        self._stop_after = stop_after

    def batch(self, progress: BatchProgress) -> None:
        self.batches.append(progress)
        if len(self.batches) == self._stop_after:
            self.stopping.set()


def numbers(start: int, stop: int) -> list[bytes]:
    return [b"%d" % number for number in range(start, stop)]


def run(spark: SparkSession, stream: TopicStream, folder: Path, heard: Heard) -> Followed:
    values = stream.load(spark).selectExpr("CAST(value AS STRING) AS value")
    writer = values.writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
    query = stream.trigger(writer).start(str(folder / "rows"))
    return follow(query, stream, watcher=heard, stopping=heard.stopping)


def rows(spark: SparkSession, folder: Path) -> list[int]:
    return sorted(int(row.value) for row in spark.read.parquet(str(folder / "rows")).collect())


def lag(queue: Queue, group: str) -> list[dict[str, object]]:
    command = [sys.executable, "-m", "penstock.cli", "group", "lag", group, "-b", queue.bootstrap, "--json"]
    command += PATIENT
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("kind", ["penstock", "kafka"])
def test_an_available_now_run_ends_and_the_next_one_continues(
    spark: SparkSession, queue: Queue, tmp_path: Path, kind: Format
) -> None:
    topic = create(queue.bootstrap, queue.fresh("daily"))
    write(queue.bootstrap, topic, numbers(0, 25))
    stream = TopicStream(topic, queue.bootstrap, (topic,), format=kind, available_now=True, batch_records_max=10)
    first, second, third = Heard(), Heard(), Heard()
    assert run(spark, stream, tmp_path, first) == Followed(rows=25, batches=3, stopped=False)
    assert [(each.rows, each.lag) for each in first.batches] == [(10, 15), (10, 5), (5, 0)]
    assert run(spark, stream, tmp_path, second).rows == 0
    write(queue.bootstrap, topic, numbers(25, 30))
    assert run(spark, stream, tmp_path, third).rows == 5
    assert rows(spark, tmp_path) == list(range(30))
    assert [each["lag_records"] for each in lag(queue, f"spark.{topic}")] == [0]


def test_a_stop_leaves_a_lag_that_tools_see(spark: SparkSession, queue: Queue, tmp_path: Path) -> None:
    topic = create(queue.bootstrap, queue.fresh("stopped"))
    write(queue.bootstrap, topic, numbers(0, 10))
    stream = TopicStream(topic, queue.bootstrap, (topic,))
    assert run(spark, stream, tmp_path, Heard(stop_after=1)) == Followed(rows=10, batches=1, stopped=True)
    write(queue.bootstrap, topic, numbers(10, 14))
    assert [each["lag_records"] for each in lag(queue, f"spark.{topic}")] == [4]


def test_a_stop_lets_the_batch_end_that_it_comes_in(spark: SparkSession, queue: Queue, tmp_path: Path) -> None:
    topic = create(queue.bootstrap, queue.fresh("stopped"))
    write(queue.bootstrap, topic, numbers(0, 10))
    stream = TopicStream(topic, queue.bootstrap, (topic,))
    heard, counted = Heard(), []

    def slowly(batch: DataFrame, _: int) -> None:
        heard.stopping.set()
        time.sleep(2)  # so that the stop is not after it
        counted.append(batch.count())

    writer = stream.load(spark).writeStream.foreachBatch(slowly)
    query = stream.trigger(writer.option("checkpointLocation", str(tmp_path))).start()
    followed = follow(query, stream, watcher=heard, stopping=heard.stopping)
    assert followed == Followed(rows=10, batches=1, stopped=True) and counted == [10]


def test_a_topic_that_is_deleted_ends_the_query_in_our_words(spark: SparkSession, queue: Queue, tmp_path: Path) -> None:
    topic = create(queue.bootstrap, queue.fresh("doomed"))
    write(queue.bootstrap, topic, numbers(0, 3))

    class Deletes(Heard):
        def batch(self, progress: BatchProgress) -> None:
            delete(queue.bootstrap, topic)

    with pytest.raises(PipelineProblem, match=rf"records that were to be read are gone: {topic}-0: it was deleted"):
        run(spark, TopicStream(topic, queue.bootstrap, (topic,)), tmp_path, Deletes())


@pytest.mark.timeout(600)  # a Spark of its own, which a busy machine makes slow
def test_ctrl_c_ends_a_job_cleanly_and_the_next_start_continues(
    spark: SparkSession, penstock_queue: Queue, tmp_path: Path
) -> None:
    topic = create(penstock_queue.bootstrap, penstock_queue.fresh("ctrl-c"))
    write(penstock_queue.bootstrap, topic, numbers(0, 35))
    program = [sys.executable, str(ROOT / "tests" / "pipelines" / "stream_job.py")]
    job = subprocess.Popen(
        [*program, penstock_queue.bootstrap, topic, str(tmp_path), "local[1]"], stdout=subprocess.PIPE, text=True
    )
    assert job.stdout is not None
    told = []
    for line in job.stdout:
        told.append(json.loads(line))
        if told[-1].get("lag") == 0:
            job.send_signal(signal.SIGINT)
    job.stdout.close()
    assert job.wait(200) == 0 and told[-1] == {"stopped": True}
    write(penstock_queue.bootstrap, topic, numbers(35, 70))
    stream = TopicStream(topic, penstock_queue.bootstrap, (topic,), available_now=True, batch_records_max=10)
    assert run(spark, stream, tmp_path, Heard()) == Followed(rows=35, batches=4, stopped=False)
    assert rows(spark, tmp_path) == list(range(70))


def test_what_a_stop_breaks_off_is_not_told_of_and_all_else_is(spark: SparkSession) -> None:
    def level() -> str:
        assert spark.sparkContext._jvm is not None
        return str(spark.sparkContext._jvm.org.apache.logging.log4j.LogManager.getRootLogger().getLevel())

    before = level()
    with breaking_off():
        assert level() == "OFF"
    assert level() == before != "OFF"
