"""librdkafka, by confluent-kafka: records written and read back in every way a producer can write them."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from confluent_kafka import (
    TIMESTAMP_CREATE_TIME,
    TIMESTAMP_LOG_APPEND_TIME,
    KafkaError,
    Message,
    Producer,
)
from confluent_kafka import TopicPartition as At
from tests.support.clients import assigned_consumer, fresh_name, make_topic, read_to_end

WHEN = 1_750_000_000_000


def produce_all(bootstrap: str, topic: str, values: list[bytes], **settings: Any) -> list[Message]:
    """Write the values to partition 0 and wait for every acknowledgement."""
    delivered: list[Message] = []
    errors: list[KafkaError] = []

    def on_delivery(error: KafkaError | None, message: Message) -> None:
        if error is None:
            delivered.append(message)
        else:
            errors.append(error)

    wanted = {"bootstrap.servers": bootstrap, "linger.ms": 5}
    producer = Producer(wanted | {name.replace("_", "."): value for name, value in settings.items()})
    for value in values:
        producer.produce(topic, value, partition=0, on_delivery=on_delivery)
        producer.poll(0)
    assert producer.flush(60) == 0
    assert not errors, errors[0]
    return delivered


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_records_come_back_as_written(bootstrap: str, codec: str) -> None:
    topic = make_topic(bootstrap, f"codec-{codec}")
    values = [b"record %d " % number * 20 for number in range(500)]
    produce_all(bootstrap, topic, values, compression_type=codec)
    read = read_to_end(bootstrap, topic, check_crcs=True)
    assert [each.value() for each in read] == values
    assert [each.offset() for each in read] == list(range(500))


@pytest.mark.parametrize("acks", ["0", "1", "all"])
def test_every_level_of_acknowledgement_is_served(bootstrap: str, acks: str) -> None:
    topic = make_topic(bootstrap, f"acks-{acks}")
    produce_all(bootstrap, topic, [b"%d" % number for number in range(50)], acks=acks)
    deadline = time.monotonic() + 120
    while len(read_to_end(bootstrap, topic)) < 50:  # with acks=0 nobody says when they are in
        assert time.monotonic() < deadline


def test_keys_headers_and_timestamps_are_kept(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "headers")
    producer = Producer({"bootstrap.servers": bootstrap})
    headers: list[tuple[str, str | bytes | None]] = [
        ("trace", b"abc"),
        ("empty", b""),
        ("none", None),
        ("trace", b"again"),
    ]
    producer.produce(topic, b"v", b"k", partition=0, headers=headers, timestamp=WHEN)
    producer.produce(topic, None, b"only a key", partition=0, timestamp=WHEN + 1)
    producer.produce(topic, b"only a value", None, partition=0, timestamp=WHEN + 2)
    assert producer.flush(60) == 0
    first, tombstone, keyless = read_to_end(bootstrap, topic)
    assert (first.key(), first.value(), first.headers()) == (b"k", b"v", headers)
    assert first.timestamp() == (TIMESTAMP_CREATE_TIME, WHEN)
    assert (tombstone.key(), tombstone.value()) == (b"only a key", None)
    assert (keyless.key(), keyless.value()) == (None, b"only a value")


def test_a_topic_may_stamp_records_itself(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "stamped", message_timestamp_type="LogAppendTime")
    before_ms = int(time.time() * 1000) - 1
    producer = Producer({"bootstrap.servers": bootstrap})
    producer.produce(topic, b"v", partition=0, timestamp=WHEN)
    assert producer.flush(60) == 0
    (record,) = read_to_end(bootstrap, topic)
    kind, stamp = record.timestamp()
    assert kind == TIMESTAMP_LOG_APPEND_TIME
    assert before_ms <= stamp <= int(time.time() * 1000) + 1


def test_an_idempotent_producer_writes_each_record_once(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "idempotent")
    values = [b"%d" % number for number in range(3_000)]
    produce_all(bootstrap, topic, values, enable_idempotence=True, linger_ms=0, batch_num_messages=50)
    assert [each.value() for each in read_to_end(bootstrap, topic)] == values


def test_records_are_spread_over_partitions_by_key(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "spread", partitions=4)
    producer = Producer({"bootstrap.servers": bootstrap})
    for number in range(200):
        producer.produce(topic, b"%d" % number, b"key %d" % (number % 20))
    assert producer.flush(60) == 0
    partitions = [read_to_end(bootstrap, topic, partition) for partition in range(4)]
    assert sum(map(len, partitions)) == 200
    homes = [{each.key() for each in records} for records in partitions]
    assert sum(map(len, homes)) == 20, "a key lives in one partition"


def test_a_record_too_large_for_the_topic_is_refused(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "small", max_message_bytes="1000")
    outcomes: list[KafkaError | None] = []
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0})
    producer.produce(topic, b"x" * 5_000, partition=0, on_delivery=lambda error, _: outcomes.append(error))
    assert producer.flush(60) == 0
    assert [each and each.code() for each in outcomes] == [KafkaError.MSG_SIZE_TOO_LARGE]
    produce_all(bootstrap, topic, [b"fits"])
    assert [each.value() for each in read_to_end(bootstrap, topic)] == [b"fits"]


def test_large_records_pass(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "large", max_message_bytes="6000000")
    values = [bytes([number]) * 5_000_000 for number in range(3)]
    produce_all(bootstrap, topic, values, message_max_bytes=6_000_000)
    assert [each.value() for each in read_to_end(bootstrap, topic)] == values


def test_reading_starts_at_an_offset_and_at_a_time(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "seek")
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0, "batch.num.messages": 10})
    for number in range(100):
        producer.produce(topic, b"%d" % number, partition=0, timestamp=WHEN + number * 1_000)
    assert producer.flush(60) == 0
    assert [each.value() for each in read_to_end(bootstrap, topic, start=97)] == [b"97", b"98", b"99"]
    with assigned_consumer(bootstrap, At(topic, 0, 0)) as consumer:
        assert consumer.get_watermark_offsets(At(topic, 0), timeout=60) == (0, 100)
        (found,) = consumer.offsets_for_times([At(topic, 0, WHEN + 41_500)], timeout=60)
        assert found.offset == 42
        (none,) = consumer.offsets_for_times([At(topic, 0, WHEN + 10_000_000)], timeout=60)
        assert none.offset == -1


def test_an_offset_that_does_not_exist_is_an_error(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "range")
    produce_all(bootstrap, topic, [b"one"])
    with assigned_consumer(bootstrap, At(topic, 0, 1_000)) as consumer:
        message = consumer.poll(60)
        assert message is not None
        error = message.error()
        assert error is not None
        assert error.code() == KafkaError._AUTO_OFFSET_RESET


def test_a_waiting_reader_gets_new_records_at_once(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "wait")
    with assigned_consumer(
        bootstrap, At(topic, 0, 0), enable_partition_eof=False, fetch_wait_max_ms=200_000
    ) as consumer:
        assert consumer.poll(0.5) is None
        later = threading.Timer(0.3, produce_all, (bootstrap, topic, [b"now"]))
        later.start()
        message = consumer.poll(100)  # less than the long poll: it must end by the record, not by its time
        later.join()
        assert message is not None
        assert message.value() == b"now"


def test_a_topic_is_made_by_the_first_record(bootstrap: str) -> None:
    topic = fresh_name("made-by-use")
    produce_all(bootstrap, topic, [b"first"])
    assert [each.value() for each in read_to_end(bootstrap, topic)] == [b"first"]
