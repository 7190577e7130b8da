"""The source without Spark around it: what it plans and what a task reads, on both queues."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import TopicPartition
from tests.pipelines.conftest import AWAY_S
from tests.support.faults import eventually
from tests.support.topics import add_partitions, create, delete, until_known, write, write_in_transaction

import penstock.testing
from penstock.pipelines.admin import LATEST, Admin
from penstock.pipelines.kafka_names import KafkaException
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.source.batch import BatchReader
from penstock.pipelines.source.options import parse
from penstock.pipelines.source.stream import StreamReader
from penstock.pipelines.transient_errors import passes

if TYPE_CHECKING:
    from tests.pipelines.conftest import Queue


def batch(queue: Queue, **options: object) -> BatchReader:
    given = {"kafka.bootstrap.servers": queue.bootstrap, **{name: str(value) for name, value in options.items()}}
    return BatchReader(parse(given, streaming=False))


@pytest.fixture
def stream(queue: Queue) -> Iterator[Any]:
    made: list[StreamReader] = []

    def make(**options: object) -> StreamReader:
        given = {"kafka.bootstrap.servers": queue.bootstrap, **{name: str(value) for name, value in options.items()}}
        made.append(StreamReader(parse(given, streaming=True)))
        return made[-1]

    yield make
    for each in made:
        each.stop()


def rows_of(reader: BatchReader | StreamReader, partitions: list[Any]) -> list[dict[str, Any]]:
    return [row for part in partitions for arrow in reader.read(part) for row in arrow.to_pylist()]


def values_of(reader: BatchReader | StreamReader, partitions: list[Any]) -> list[bytes]:
    return [row["value"] for row in rows_of(reader, partitions)]


def step(reader: StreamReader, start: dict[str, Any]) -> tuple[list[bytes], dict[str, Any]]:
    """One batch, in the order in which Spark asks."""
    end = reader.latestOffset()
    return values_of(reader, reader.partitions(start, end)), end


def numbers(start: int, stop: int) -> list[bytes]:
    return [b"%d" % number for number in range(start, stop)]


def test_everything_about_a_record_is_in_its_row(queue: Queue) -> None:
    topic = create(queue.bootstrap, queue.fresh("columns"), 2)
    headers = [("a", b"1"), ("a", b"2"), ("none", None)]
    write(queue.bootstrap, topic, [b"v"], partition=1, key=b"k", timestamp=1_700_000_000_123, headers=headers)
    write(queue.bootstrap, topic, [b""], partition=1, timestamp=1_700_000_000_124)
    reader = batch(queue, subscribe=topic, includeHeaders="true")
    first, second = rows_of(reader, reader.partitions())
    assert first.pop("timestamp").timestamp() == 1_700_000_000.123
    assert first == {
        "key": b"k", "value": b"v", "topic": topic, "partition": 1, "offset": 0, "timestampType": 0,
        "headers": [{"key": "a", "value": b"1"}, {"key": "a", "value": b"2"}, {"key": "none", "value": None}],
    }  # fmt: skip
    assert (second["key"], second["value"], second["headers"]) == (None, b"", None)


def test_a_batch_is_cut_into_tasks_and_loses_nothing(queue: Queue) -> None:
    topic = create(queue.bootstrap, queue.fresh("cut"), 1)
    write(queue.bootstrap, topic, numbers(0, 1_000))
    reader = batch(queue, subscribe=topic, maxRecordsPerPartition=300)
    parts = reader.partitions()
    assert len(parts) == 4 and values_of(reader, parts) == numbers(0, 1_000)


def test_large_records_make_small_tasks(queue: Queue) -> None:
    topic = create(queue.bootstrap, queue.fresh("large"), 1)
    write(queue.bootstrap, topic, [b"x" * 1_000] * 12_000)
    reader = batch(queue, subscribe=topic, maxBytesPerPartition="4m")
    assert len(reader.partitions()) == 3  # 12 MB, at most 4 MiB each


def test_start_and_end_by_offset_and_by_time(queue: Queue) -> None:
    topic = create(queue.bootstrap, queue.fresh("places"), 1)
    for number in range(10):
        write(queue.bootstrap, topic, [b"%d" % number], timestamp=1_700_000_000_000 + number * 1_000)
    by_offset = batch(queue, subscribe=topic, startingOffsets=f'{{"{topic}": {{"0": 3}}}}',
                      endingOffsets=f'{{"{topic}": {{"0": 6}}}}')  # fmt: skip
    assert values_of(by_offset, by_offset.partitions()) == numbers(3, 6)
    by_time = batch(queue, subscribe=topic, startingTimestamp=1_700_000_002_000, endingTimestamp="2023-11-14T22:13:25Z")
    assert values_of(by_time, by_time.partitions()) == numbers(2, 5)
    beyond = batch(queue, subscribe=topic, startingTimestamp=1_800_000_000_000)
    assert beyond.partitions() == []


def test_a_pattern_takes_the_topics_that_fit_whole(queue: Queue) -> None:
    stem = queue.fresh("fits")
    for name in ("a", "b", "ab"):
        write(queue.bootstrap, create(queue.bootstrap, f"{stem}.{name}"), [name.encode()])
    reader = batch(queue, subscribePattern=rf"{stem}\.[ab]")
    assert sorted(values_of(reader, reader.partitions())) == [b"a", b"b"]


def test_only_the_assigned_partitions_are_read(queue: Queue) -> None:
    topic = create(queue.bootstrap, queue.fresh("assigned"), 3)
    for index in range(3):
        write(queue.bootstrap, topic, [b"%d" % index], partition=index)
    reader = batch(queue, assign=f'{{"{topic}": [0, 2]}}')
    assert values_of(reader, reader.partitions()) == [b"0", b"2"]


def test_a_misspelt_topic_is_named(queue: Queue) -> None:
    with pytest.raises(PipelineProblem, match=r"there is no no-such-topic at .*\n`penstock topic list"):
        batch(queue, subscribe="no-such-topic").partitions()


def test_aborted_records_are_not_read_and_markers_are_no_gap_to_wait_for(queue: Queue) -> None:
    topic = create(queue.bootstrap, queue.fresh("transactions"))
    for commit, values in ((True, numbers(0, 3)), (False, numbers(3, 6)), (True, numbers(6, 8)), (False, [b"8"])):
        write_in_transaction(queue.bootstrap, topic, values, transactional_id=topic, commit=commit)
    committed = batch(queue, subscribe=topic)
    assert values_of(committed, committed.partitions()) == [*numbers(0, 3), *numbers(6, 8)]
    everything = batch(queue, subscribe=topic, isolationLevel="read_uncommitted")
    assert values_of(everything, everything.partitions()) == numbers(0, 9)
    # Ranges that begin, end or wholly lie in markers and aborted records.
    each = batch(queue, subscribe=topic, maxRecordsPerPartition=1)
    parts = each.partitions()
    assert len(parts) == 13 and values_of(each, parts) == [*numbers(0, 3), *numbers(6, 8)]


def test_an_open_transaction_ends_what_can_be_read(queue: Queue) -> None:
    from confluent_kafka import Producer

    topic = create(queue.bootstrap, queue.fresh("open"))
    write(queue.bootstrap, topic, [b"before"])
    producer = Producer({"bootstrap.servers": queue.bootstrap, "transactional.id": topic})
    producer.init_transactions(60)
    producer.begin_transaction()
    producer.produce(topic, value=b"open")
    producer.flush(60)
    write(queue.bootstrap, topic, [b"after"])
    reader = batch(queue, subscribe=topic)
    assert values_of(reader, reader.partitions()) == [b"before"]
    producer.commit_transaction(60)
    while not (values := values_of(reader, reader.partitions()))[1:]:
        pass  # Apache Kafka answers a commit before its markers are written
    assert values == [b"before", b"open", b"after"]


def test_deleted_records_fail_the_query_or_are_passed_over(queue: Queue) -> None:
    topic = create(queue.bootstrap, queue.fresh("deleted"))
    write(queue.bootstrap, topic, numbers(0, 10))
    admin = AdminClient({"bootstrap.servers": queue.bootstrap})
    for future in admin.delete_records([TopicPartition(topic, 0, 4)]).values():
        future.result(60)
    wanted = f'{{"{topic}": {{"0": 2}}}}'
    with pytest.raises(PipelineProblem, match="the offsets 2 to 3 were deleted"):
        batch(queue, subscribe=topic, startingOffsets=wanted).partitions()
    reader = batch(queue, subscribe=topic, startingOffsets=wanted, failOnDataLoss="false")
    assert values_of(reader, reader.partitions()) == numbers(4, 10)


def test_records_deleted_between_plan_and_reading_are_no_silent_loss(queue: Queue) -> None:
    topic = create(queue.bootstrap, queue.fresh("deleted-late"))
    write(queue.bootstrap, topic, numbers(0, 10))
    strict, lax = batch(queue, subscribe=topic), batch(queue, subscribe=topic, failOnDataLoss="false")
    parts = strict.partitions()
    admin = AdminClient({"bootstrap.servers": queue.bootstrap})
    for future in admin.delete_records([TopicPartition(topic, 0, 4)]).values():
        future.result(60)
    with pytest.raises(PipelineProblem, match="offset 0 is gone while it was to be read"):
        values_of(strict, parts)
    assert values_of(lax, parts) == numbers(4, 10)


def test_a_stream_goes_in_limited_steps_and_goes_on_where_it_was(queue: Queue, stream: Any) -> None:
    topic = create(queue.bootstrap, queue.fresh("steps"), 2)
    for index in range(2):
        write(queue.bootstrap, topic, numbers(index * 100, index * 100 + 50), partition=index)
    options = {"subscribe": topic, "startingOffsets": "earliest", "maxOffsetsPerTrigger": 20}
    reader = stream(**options)
    end = reader.latestOffset()
    start = reader.initialOffset()
    seen = values_of(reader, reader.partitions(start, end))
    assert len(seen) == 20
    again = stream(**options)  # another process, with the checkpoint's last position
    assert again.partitions(end, end) == []
    while True:
        values, then = step(again, end)
        if then == end:
            break
        assert 1 <= len(values) <= 20
        seen, end = seen + values, then
    assert sorted(seen, key=int) == [*numbers(0, 50), *numbers(100, 150)]


def test_a_limit_in_bytes_is_kept_about(queue: Queue, stream: Any) -> None:
    topic = create(queue.bootstrap, queue.fresh("bytes"))
    write(queue.bootstrap, topic, [b"x" * 1_000] * 100)
    reader = stream(subscribe=topic, startingOffsets="earliest", maxBytesPerTrigger="20000")
    end = reader.latestOffset()
    assert len(values_of(reader, reader.partitions(reader.initialOffset(), end))) == 20


def test_latest_is_where_the_stream_began_even_if_its_first_batch_is_repeated(queue: Queue, stream: Any) -> None:
    topic = create(queue.bootstrap, queue.fresh("latest"))
    write(queue.bootstrap, topic, numbers(0, 5))
    reader = stream(subscribe=topic)
    reader.latestOffset()
    write(queue.bootstrap, topic, numbers(5, 8))
    end = reader.latestOffset()
    write(queue.bootstrap, topic, numbers(8, 12))
    again = stream(subscribe=topic)  # the first batch was written down, but not finished
    again.partitions(end, end)
    start = again.initialOffset()
    assert values_of(again, again.partitions(start, end)) == numbers(5, 8)
    assert step(again, end)[0] == numbers(8, 12)


def test_partitions_that_are_added_are_read_from_their_first_record(queue: Queue, stream: Any) -> None:
    topic = create(queue.bootstrap, queue.fresh("added"), 1)
    write(queue.bootstrap, topic, numbers(0, 3))
    reader = stream(subscribe=topic)
    end = reader.latestOffset()
    assert values_of(reader, reader.partitions(reader.initialOffset(), end)) == []
    add_partitions(queue.bootstrap, topic, 2)
    write(queue.bootstrap, topic, numbers(3, 6), partition=1)
    assert step(reader, end)[0] == numbers(3, 6)


def test_a_stream_with_an_end_stops_there(queue: Queue, stream: Any) -> None:
    topic = create(queue.bootstrap, queue.fresh("bounded"), 1)
    write(queue.bootstrap, topic, numbers(0, 10))
    reader = stream(subscribe=topic, startingOffsets="earliest", endingOffsets="latest", maxOffsetsPerTrigger=6)
    end = reader.latestOffset()
    first = values_of(reader, reader.partitions(reader.initialOffset(), end))
    write(queue.bootstrap, topic, numbers(10, 20))
    second, end = step(reader, end)
    assert first + second == numbers(0, 10)
    assert reader.latestOffset() == end


@pytest.mark.parametrize("lax", [False, True])
def test_a_deleted_topic_fails_the_stream_or_is_passed_over(queue: Queue, stream: Any, lax: bool) -> None:
    stem = queue.fresh("gone")
    kept, gone = create(queue.bootstrap, f"{stem}.kept"), create(queue.bootstrap, f"{stem}.gone")
    write(queue.bootstrap, gone, numbers(0, 3))
    reader = stream(subscribe=f"{kept},{gone}", startingOffsets="earliest", failOnDataLoss=str(not lax))
    end = reader.latestOffset()
    assert values_of(reader, reader.partitions(reader.initialOffset(), end)) == numbers(0, 3)
    delete(queue.bootstrap, gone)
    write(queue.bootstrap, kept, numbers(3, 5))
    until_known(AdminClient({"bootstrap.servers": queue.bootstrap}), gone, 0)
    if not lax:
        with pytest.raises(PipelineProblem, match=rf"{stem}.gone-0: it was deleted"):
            reader.latestOffset()
    else:
        assert step(reader, end)[0] == numbers(3, 5)


@pytest.mark.parametrize("lax", [False, True])
def test_a_topic_made_anew_is_not_taken_for_the_former(queue: Queue, stream: Any, lax: bool) -> None:
    topic = create(queue.bootstrap, queue.fresh("anew"))
    write(queue.bootstrap, topic, numbers(0, 3))
    reader = stream(subscribe=topic, startingOffsets="earliest", failOnDataLoss=str(not lax))
    end = reader.latestOffset()
    assert values_of(reader, reader.partitions(reader.initialOffset(), end)) == numbers(0, 3)
    delete(queue.bootstrap, topic)
    until_known(AdminClient({"bootstrap.servers": queue.bootstrap}), topic, 0)
    create(queue.bootstrap, topic)
    write(queue.bootstrap, topic, numbers(100, 105))  # more than before: offsets alone would not tell
    if not lax:
        with pytest.raises(PipelineProblem, match="made anew"):
            reader.latestOffset()
    else:
        assert step(reader, end)[0] == numbers(100, 105)


def test_progress_is_seen_as_a_groups_offsets(queue: Queue, stream: Any) -> None:
    from confluent_kafka import Consumer

    topic = create(queue.bootstrap, queue.fresh("progress"))
    write(queue.bootstrap, topic, numbers(0, 7))
    group = queue.fresh("spark.query")
    reader = stream(subscribe=topic, startingOffsets="earliest", **{"penstock.group": group})
    end = reader.latestOffset()
    reader.partitions(reader.initialOffset(), end)
    reader.commit(end)
    consumer = Consumer({"bootstrap.servers": queue.bootstrap, "group.id": group})
    assert [each.offset for each in consumer.committed([TopicPartition(topic, 0)], timeout=60)] == [7]
    consumer.close()


def test_a_limit_with_available_now_is_refused_before_it_could_go_back(queue: Queue, stream: Any) -> None:
    topic = create(queue.bootstrap, queue.fresh("available-now"))
    write(queue.bootstrap, topic, numbers(0, 20))
    checkpoint = {topic: {"0": 15}}
    limited = stream(subscribe=topic, startingOffsets="earliest", maxOffsetsPerTrigger=5)
    limited.latestOffset()  # Spark asks so before it tells where the stream stands
    with pytest.raises(PipelineProblem, match="AvailableNow"):
        limited.partitions(checkpoint, checkpoint)
    free = stream(subscribe=topic, startingOffsets="earliest")
    end = free.latestOffset()
    free.partitions(checkpoint, checkpoint)
    assert values_of(free, free.partitions(checkpoint, end)) == numbers(15, 20)


def test_gaps_that_compaction_left_are_passed_over(queue: Queue) -> None:
    settings = {"cleanup.policy": "compact", "segment.ms": "1000", "min.cleanable.dirty.ratio": "0.01"}
    topic = create(queue.bootstrap, queue.fresh("compacted"), 1, settings)
    for number in range(60):
        # Record time rolls the segments: a second each.
        write(
            queue.bootstrap,
            topic,
            [b"%d" % number],
            key=b"k%d" % (number % 3),
            timestamp=1_700_000_000_000 + 500 * number,
        )
    write(queue.bootstrap, topic, [b"active"], key=b"last", timestamp=1_700_000_100_000)
    reader = batch(queue, subscribe=topic)
    while len(values := values_of(reader, reader.partitions())) > 4:
        pass  # until the cleaner has been there
    assert values == [b"57", b"58", b"59", b"active"]
    each = batch(queue, subscribe=topic, maxRecordsPerPartition=7)
    parts = each.partitions()
    assert len(parts) == 9 and values_of(each, parts) == values


def test_a_broker_that_goes_away_is_waited_for() -> None:
    with penstock.testing.broker(mode="process") as broker:
        topic = create(broker.bootstrap, "away")
        write(broker.bootstrap, topic, numbers(0, 1_000))
        given = {"bootstrap": broker.bootstrap, "topics": topic, "startingOffsets": "earliest"}
        reader = StreamReader(parse(given, streaming=True))
        end = reader.latestOffset()
        parts = reader.partitions(reader.initialOffset(), end)
        broker.kill()
        back = threading.Timer(AWAY_S, broker.start)
        back.start()
        assert values_of(reader, parts) == numbers(0, 1_000)
        back.join()
        broker.kill()
        back = threading.Timer(AWAY_S, broker.start)
        back.start()
        assert reader.latestOffset() == end
        back.join()
        reader.stop()


def test_offsets_are_told_again_once_a_broker_is_back() -> None:
    """Its partitions have another epoch then, and a client that asks under the old one is refused."""
    with penstock.testing.broker(mode="process") as broker:
        topic = create(broker.bootstrap, "back")
        write(broker.bootstrap, topic, numbers(0, 7))
        admin = Admin({"bootstrap.servers": broker.bootstrap}, answer_s=2)

        def end() -> int | str | None:
            try:
                (offset,) = admin.offsets([TopicPartition(topic, 0)], LATEST, read_committed=True).values()
            except KafkaException as error:
                return "away" if passes(error.args[0]) else str(error)
            return offset

        eventually(lambda: end() == 7, "it is told in time, on a busy machine too")
        broker.kill()
        assert [end(), end()] == ["away", "away"]
        broker.start()
        said: list[int | str | None] = []

        def answered() -> bool:
            said.append(end())
            return 7 in said

        eventually(answered, "the broker is asked anew")
        assert set(said) <= {"away", 7}


def test_asking_for_the_offsets_of_a_topic_that_is_gone_does_not_bring_it_back(queue: Queue) -> None:
    """Brokers make a topic that somebody asks for by name, unless they are told not to."""
    gone, admin = queue.fresh("gone"), Admin({"bootstrap.servers": queue.bootstrap}, answer_s=5)
    with pytest.raises(KafkaException):
        admin.offsets([TopicPartition(gone, 0)], LATEST, read_committed=True)
    create(queue.bootstrap, queue.fresh("later"))  # what the question brought into being would be there before
    assert gone not in {each.topic for each in admin.every_partition()}


def test_a_broker_that_stays_away_is_said_to_be_away() -> None:
    with penstock.testing.broker(mode="process") as broker:
        topic = create(broker.bootstrap, "gone")
        given = {"bootstrap": broker.bootstrap, "topics": topic}
        write(broker.bootstrap, topic, numbers(0, 3))
        parts = BatchReader(parse(given, streaming=False)).partitions()
        reader = BatchReader(parse(given | {"brokerWaitMs": "1000"}, streaming=False))
        broker.kill()
        with pytest.raises(PipelineProblem, match=r"no answer from .* for 1 s"):
            reader.partitions()
        with pytest.raises(PipelineProblem, match=r"gone-0: nothing came for 1 s at offset 0 of 3"):
            values_of(reader, parts)
