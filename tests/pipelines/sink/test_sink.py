"""The sink on a local Spark: what goes in comes out once, however often and however cut it is written."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Consumer, KafkaError, TopicPartition
from confluent_kafka.admin import AdminClient
from tests.support.clients import until_decided
from tests.support.topics import add_partitions, create, until_known

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.sink import Sink, SinkOptions, write_batch, write_stream
from penstock.pipelines.sink.murmur2 import partition_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from tests.pipelines.conftest import Queue


@dataclass(frozen=True)
class Record:
    partition: int | None
    key: Any
    value: Any
    timestamp_ms: int
    headers: Any


@dataclass(frozen=True)
class Topic:
    bootstrap: str
    name: str

    @property
    def admin(self) -> AdminClient:
        return AdminClient({"bootstrap.servers": self.bootstrap})

    def create(self, partitions: int, **config: str) -> Topic:
        create(self.bootstrap, self.name, partitions, {name.replace("_", "."): v for name, v in config.items()})
        return self

    def delete(self) -> None:
        admin = self.admin
        admin.delete_topics([self.name])[self.name].result()
        until_known(admin, self.name, 0)

    def grow(self, partitions: int) -> None:
        add_partitions(self.bootstrap, self.name, partitions)

    def committed(self, partitions: int) -> list[Record]:
        return list(self._read(partitions))

    def _read(self, partitions: int) -> Iterator[Record]:
        settings = {"group.id": "judge", "isolation.level": "read_committed", "enable.partition.eof": True}
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "auto.offset.reset": "earliest", **settings})
        until_decided(self.bootstrap, self.name, *range(partitions))
        consumer.assign([TopicPartition(self.name, partition, 0) for partition in range(partitions)])
        ended = 0
        try:
            while ended < partitions:
                for message in consumer.consume(500, timeout=0.2):
                    error = message.error()
                    if error is not None:
                        assert error.code() == KafkaError._PARTITION_EOF, error
                        ended += 1
                        continue
                    _, time_ms = message.timestamp()
                    yield Record(message.partition(), message.key(), message.value(), time_ms, message.headers())
        finally:
            consumer.close()


@pytest.fixture
def topic(queue: Queue) -> Topic:
    return Topic(queue.bootstrap, queue.fresh("out")).create(3)


def numbers(spark: SparkSession, first: int, last: int, *, cut: int = 3) -> DataFrame:
    return spark.range(first, last, 1, cut).selectExpr(
        "cast(id % 11 as string) as key",
        "cast(id as string) as value",
        "timestamp_millis(1700000000000 + id) as timestamp",
    )


def values(records: list[Record]) -> list[int]:
    return [int(record.value or b"-1") for record in records]


def assert_once_and_in_order(records: list[Record], wanted: range, *, partitions: int) -> None:
    assert sorted(values(records)) == list(wanted)
    last: dict[bytes | None, int] = {}
    for record in records:
        assert record.key is not None and record.partition == partition_of(record.key, partitions)
        assert last.get(record.key, -1) < int(record.value or b"-1")
        last[record.key] = int(record.value or b"-1")


def test_a_write_is_there_once_in_kafkas_partitions_and_in_order(spark: SparkSession, topic: Topic) -> None:
    for cut in (4, 2):  # cut otherwise the second time
        write_batch(numbers(spark, 0, 200, cut=cut), write_id=topic.name, bootstrap=topic.bootstrap, topic=topic.name)
    records = topic.committed(3)
    assert_once_and_in_order(records, range(200), partitions=3)
    assert {record.timestamp_ms - int(record.value or b"0") for record in records} == {1_700_000_000_000}


def test_a_batch_that_broke_off_is_completed_not_repeated(spark: SparkSession, queue: Queue) -> None:
    topic = Topic(queue.bootstrap, queue.fresh("narrow")).create(3, max_message_bytes="10000")
    last = next(str(key) for key in range(11) if partition_of(str(key).encode(), 3) == 2)
    large = "array_join(transform(sequence(1, 200), i -> sha2(concat(value, i), 512)), '')"
    options = SinkOptions(topic.bootstrap, (topic.name,), tasks_max=1)  # targets one after the other
    broken = numbers(spark, 0, 90).selectExpr("key", f"if(key = '{last}', {large}, value) as value", "timestamp")
    query = uuid.uuid4().hex
    with Sink(options, query) as sink, pytest.raises(PipelineProblem, match="larger than the topic allows"):
        sink.write(broken, 0)
    before = values(topic.committed(3))
    assert 0 < len(before) < 90, "else there was nothing to complete"
    with Sink(options, query) as sink:
        written = sink.write(numbers(spark, 0, 90, cut=5), 0)
        assert written.rows == 90 and written.rows_before == len(before)
    assert_once_and_in_order(topic.committed(3), range(90), partitions=3)


def test_partitions_added_within_a_batch_are_used_from_the_next_one_on(spark: SparkSession, topic: Topic) -> None:
    options = SinkOptions(topic.bootstrap, (topic.name,))
    query = uuid.uuid4().hex
    with Sink(options, query) as sink:
        sink.begin(0)
    topic.grow(5)
    with Sink(options, query) as sink:
        sink.write(numbers(spark, 0, 60), 0)
        assert_once_and_in_order(topic.committed(5), range(60), partitions=3)
        sink.write(numbers(spark, 60, 120), 1)
    later = [record for record in topic.committed(5) if int(record.value or b"0") >= 60]
    assert_once_and_in_order(later, range(60, 120), partitions=5)


def test_a_topic_made_anew_within_a_batch_gets_all_of_its_rows(spark: SparkSession, topic: Topic) -> None:
    options = SinkOptions(topic.bootstrap, (topic.name,))
    query = uuid.uuid4().hex
    with Sink(options, query) as sink:
        sink.write(numbers(spark, 0, 60), 0)
    topic.delete()
    topic.create(2)
    with Sink(options, query) as sink:
        sink.write(numbers(spark, 60, 90), 1)
    assert_once_and_in_order(topic.committed(2), range(60, 90), partitions=2)


def test_rows_say_where_they_go_and_what_they_carry(spark: SparkSession, topic: Topic, queue: Queue) -> None:
    other = Topic(queue.bootstrap, queue.fresh("other")).create(2)
    rows = spark.createDataFrame(
        [
            (topic.name, 2, "a", "1", [("h", bytearray(b"x")), ("h", None)]),
            (other.name, 1, None, "2", None),
            (other.name, None, None, None, None),
        ],
        "topic string, partition int, key string, value string, headers array<struct<key: string, value: binary>>",
    )
    write_batch(rows, write_id=topic.name, bootstrap=topic.bootstrap, topics=[topic.name, other.name])
    [first] = topic.committed(3)
    assert (first.partition, first.key, first.value, first.headers) == (2, b"a", b"1", [("h", b"x"), ("h", None)])
    assert {(record.partition, record.value) for record in other.committed(2) if record.value} == {(1, b"2")}
    assert len(other.committed(2)) == 2


def test_a_stream_goes_on_where_it_was(spark: SparkSession, topic: Topic, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    options: dict[str, Any] = {"bootstrap": topic.bootstrap, "topic": topic.name, "trigger": {"availableNow": True}}
    for round_ in range(3):
        numbers(spark, round_ * 50, round_ * 50 + 50, cut=1).write.mode("append").parquet(str(folder))
        stream = spark.readStream.schema("key string, value string, timestamp timestamp").parquet(str(folder))
        query = write_stream(stream, checkpoint=str(tmp_path / "checkpoint"), **options)
        query.awaitTermination()
        assert query.exception() is None
    assert_once_and_in_order(topic.committed(3), range(150), partitions=3)


def test_a_query_with_state_goes_on_after_a_batch_whose_end_spark_did_not_note(
    spark: SparkSession, topic: Topic, tmp_path: Path
) -> None:
    """As when the driver is killed right after a batch was written: run again, it must keep its state."""
    checkpoint = tmp_path / "checkpoint"
    options: dict[str, Any] = {"bootstrap": topic.bootstrap, "topic": topic.name, "trigger": {"availableNow": True}}
    for first, last in ((0, 20), (10, 30), (20, 40)):
        numbers(spark, first, last, cut=1).write.mode("append").parquet(str(tmp_path / "in"))
        stream = spark.readStream.schema("key string, value string, timestamp timestamp").parquet(str(tmp_path / "in"))
        query = write_stream(stream.dropDuplicates(["value"]), checkpoint=str(checkpoint), **options)
        query.awaitTermination()
        assert query.exception() is None
        newest = max(
            (each for each in (checkpoint / "commits").iterdir() if each.name.isdigit()), key=lambda e: int(e.name)
        )
        for each in (newest, newest.with_name(f".{newest.name}.crc")):
            each.unlink()
    assert sorted(values(topic.committed(3))) == list(range(40))


def test_the_format_takes_rows_as_they_lie(spark: SparkSession, topic: Topic, tmp_path: Path) -> None:
    folder = str(tmp_path / "in")
    for round_ in range(2):
        numbers(spark, round_ * 50, round_ * 50 + 50, cut=1).write.mode("append").parquet(folder)
        stream = spark.readStream.schema("key string, value string, timestamp timestamp").parquet(folder)
        query = (
            stream.repartition(3)
            .writeStream.format("penstock")
            .option("kafka.bootstrap.servers", topic.bootstrap)
            .option("topic", topic.name)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        assert query.exception() is None
    assert sorted(values(topic.committed(3))) == list(range(100))
    for _ in range(2):
        batch = numbers(spark, 100, 120).write.format("penstock").mode("append")
        batch.options(bootstrap=topic.bootstrap, topic=topic.name, write_id=topic.name).save()
    assert sorted(values(topic.committed(3))) == list(range(120))


def test_a_second_driver_shuts_the_first_one_out(spark: SparkSession, topic: Topic) -> None:
    options = SinkOptions(topic.bootstrap, (topic.name,))
    query = uuid.uuid4().hex
    with Sink(options, query) as first:
        first.write(numbers(spark, 0, 10), 0)
        with Sink(options, query) as second:
            second.begin(1)
            with pytest.raises(PipelineProblem, match="has begun and taken over"):
                first.write(numbers(spark, 10, 20), 2)
            second.write(numbers(spark, 10, 20), 1)
    assert sorted(values(topic.committed(3))) == list(range(20))


def test_a_checkpoint_from_before_is_refused(spark: SparkSession, topic: Topic) -> None:
    with Sink(SinkOptions(topic.bootstrap, (topic.name,)), uuid.uuid4().hex) as sink:
        sink.write(numbers(spark, 0, 10), 0)
        sink.write(numbers(spark, 10, 20), 1)
        with pytest.raises(PipelineProblem, match="has written batch 1 already, and now comes with batch 0"):
            sink.write(numbers(spark, 0, 10), 0)


def test_a_query_nothing_is_known_of_is_refused_unless_told(spark: SparkSession, topic: Topic) -> None:
    with Sink(SinkOptions(topic.bootstrap, (topic.name,)), uuid.uuid4().hex) as sink:
        with pytest.raises(PipelineProblem, match="is at batch 7, and __penstock_sink knows nothing of it"):
            sink.write(numbers(spark, 0, 10), 7)
        sink.write(numbers(spark, 0, 10), 7, unknown=True)


def test_a_missing_topic_is_named(spark: SparkSession, queue: Queue) -> None:
    with (
        Sink(SinkOptions(queue.bootstrap, ("no-such-topic",)), uuid.uuid4().hex) as sink,
        pytest.raises(PipelineProblem, match="topic no-such-topic does not exist"),
    ):
        sink.write(numbers(spark, 0, 10), 0)
