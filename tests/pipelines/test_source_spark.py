"""format("penstock") in a real Spark: batch, stream, restart from a checkpoint, and Spark's own connector beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient
from tests.support.topics import add_partitions, create, write

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from tests.pipelines.conftest import Queue


def numbers(start: int, stop: int) -> list[bytes]:
    return [b"%d" % number for number in range(start, stop)]


def reading(spark: SparkSession, queue: Queue, topic: str, kind: str = "penstock", **options: object) -> DataFrame:
    reader = spark.readStream.format(kind).option("kafka.bootstrap.servers", queue.bootstrap)
    reader = reader.option("subscribe", topic).option("startingOffsets", "earliest")
    for name, value in options.items():
        reader = reader.option(name, str(value))
    return reader.load()


def into_files(
    frame: DataFrame, folder: Path, *, available_now: bool = False, name: str | None = None
) -> StreamingQuery:
    writer = frame.selectExpr("CAST(value AS STRING) AS value", "partition", "offset").writeStream.format("parquet")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    writer = writer.trigger(availableNow=True) if available_now else writer.trigger(processingTime="0 seconds")
    if name is not None:
        writer = writer.queryName(name)
    return writer.start(str(folder / "rows"))


def written(spark: SparkSession, folder: Path) -> list[int]:
    return sorted(int(row.value) for row in spark.read.parquet(str(folder / "rows")).collect())


def test_a_topic_as_a_data_frame(spark: SparkSession, queue: Queue) -> None:
    topic = create(queue.bootstrap, queue.fresh("frame"), 3)
    for index in range(3):
        write(queue.bootstrap, topic, numbers(index * 100, index * 100 + 100), partition=index, key=b"k")
    ours, sparks = (
        spark.read.format(kind)
        .option("kafka.bootstrap.servers", queue.bootstrap)
        .option("subscribe", topic)
        .option("includeHeaders", "true")
        .load()
        for kind in ("penstock", "kafka")
    )
    assert [(field.name, field.dataType) for field in ours.schema] == [
        (field.name, field.dataType) for field in sparks.schema
    ]
    assert sorted(ours.collect()) == sorted(sparks.collect()) and ours.count() == 300


def test_an_empty_topic_is_an_empty_frame(spark: SparkSession, queue: Queue) -> None:
    topic = create(queue.bootstrap, queue.fresh("empty"), 2)
    frame = spark.read.format("penstock").option("bootstrap", queue.bootstrap).option("topics", topic).load()
    assert frame.count() == 0


def test_a_stream_goes_on_after_a_restart_with_partitions_added(
    spark: SparkSession, queue: Queue, tmp_path: Path
) -> None:
    topic = create(queue.bootstrap, queue.fresh("stream"), 1)
    write(queue.bootstrap, topic, numbers(0, 50))
    query = into_files(reading(spark, queue, topic, maxOffsetsPerTrigger=20), tmp_path)
    query.processAllAvailable()
    batches = [progress.numInputRows for progress in query.recentProgress if progress.numInputRows]
    assert batches == [20, 20, 10]
    add_partitions(queue.bootstrap, topic, 2)
    write(queue.bootstrap, topic, numbers(50, 60), partition=1)
    query.processAllAvailable()
    query.stop()
    write(queue.bootstrap, topic, numbers(60, 90))
    query = into_files(reading(spark, queue, topic, maxOffsetsPerTrigger=20), tmp_path)
    query.processAllAvailable()
    query.stop()
    assert written(spark, tmp_path) == list(range(90))


def test_progress_is_seen_by_the_querys_name_unless_told_otherwise(
    spark: SparkSession, queue: Queue, tmp_path: Path
) -> None:
    """One batch behind, as Spark tells sources of it; where nothing came since, too."""
    topic = create(queue.bootstrap, queue.fresh("named"), 2)
    write(queue.bootstrap, topic, numbers(0, 30), partition=0)
    write(queue.bootstrap, topic, numbers(30, 35), partition=1)
    named, silent = queue.fresh("named query"), queue.fresh("silent")
    for name, options in ((named, {}), (silent, {"penstock.group": ""}), (None, {})):
        limited = reading(spark, queue, topic, maxOffsetsPerTrigger=20, **options)
        query = into_files(limited, tmp_path / str(name), name=name)
        query.processAllAvailable()
        ends = [json.loads(progress.json)["sources"][0]["endOffset"][topic] for progress in query.recentProgress]
        query.stop()
        assert ends[-1] == {"0": 30, "1": 5} and written(spark, tmp_path / str(name)) == list(range(35))
        if name == named:
            before_last = next(end for end in reversed(ends) if end != ends[-1])
            assert committed(queue, f"spark.{named}", topic) == {int(index): at for index, at in before_last.items()}
    assert committed(queue, f"spark.{silent}", topic) == {}
    groups = AdminClient({"bootstrap.servers": queue.bootstrap}).list_consumer_groups().result(60).valid
    assert not [group.group_id for group in groups if group.group_id in ("spark.", "spark.None", "penstock-spark")]


def committed(queue: Queue, group: str, topic: str) -> dict[int, int]:
    consumer = Consumer({"bootstrap.servers": queue.bootstrap, "group.id": group})
    try:
        found = consumer.committed([TopicPartition(topic, index) for index in (0, 1)], timeout=60)
    finally:
        consumer.close()
    return {each.partition: each.offset for each in found if each.offset >= 0}


@pytest.mark.parametrize("kind", ["penstock", "kafka"])
def test_available_now_reads_all_there_is_and_ends(
    spark: SparkSession, queue: Queue, tmp_path: Path, kind: str
) -> None:
    topic = create(queue.bootstrap, queue.fresh("available"), 2)
    for stop in (30, 60):
        write(queue.bootstrap, topic, numbers(stop - 30, stop), partition=stop // 30 - 1)
        assert into_files(reading(spark, queue, topic, kind), tmp_path, available_now=True).awaitTermination(400)
    assert into_files(reading(spark, queue, topic, kind), tmp_path, available_now=True).awaitTermination(400)
    assert written(spark, tmp_path) == list(range(60))


def test_a_missing_topic_is_told_in_words(spark: SparkSession, penstock_queue: Queue) -> None:
    frame = spark.read.format("penstock").option("bootstrap", penstock_queue.bootstrap).option("topics", "nowhere")
    with pytest.raises(Exception, match="there is no nowhere at"):
        frame.load().count()


def test_any_session_knows_the_format_by_itself(penstock_queue: Queue) -> None:
    topic = create(penstock_queue.bootstrap, penstock_queue.fresh("found"))
    write(penstock_queue.bootstrap, topic, numbers(0, 3))
    program = (
        "from pyspark.sql import SparkSession\n"
        "spark = SparkSession.builder.master('local[1]').config('spark.ui.enabled', 'false').getOrCreate()\n"
        f"reader = spark.read.format('penstock').option('bootstrap', '{penstock_queue.bootstrap}')\n"
        f"print('rows', reader.option('topics', '{topic}').load().count())\n"
        "spark.stop()\n"
    )
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=800, check=False, env=environment
    )
    assert done.returncode == 0 and "rows 3" in done.stdout, done.stderr[-4000:]
