"""What the tests of groups with confluent-kafka share: a topic with records, consumers that subscribe."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from confluent_kafka import Consumer, ConsumerGroupState, KafkaError, KafkaException, Producer
from confluent_kafka.admin import AdminClient
from tests.support.clients import fresh_name, make_topic

WITHIN_S = 120.0
CONSUMER_PROTOCOL: dict[str, Any] = {
    "group_protocol": "consumer",
    # The coordinator says how long and how often.
    "session_timeout_ms": None,
    "heartbeat_interval_ms": None,
}


def topic_with_records(bootstrap: str, stem: str, count: int, *, partitions: int = 4) -> str:
    topic = make_topic(bootstrap, stem, partitions=partitions)
    write(bootstrap, topic, range(count), partitions)
    return topic


def write(bootstrap: str, topic: str, numbers: Sequence[int], partitions: int) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0})
    for number in numbers:
        producer.produce(topic, b"%d" % number, partition=number % partitions)
    assert producer.flush(WITHIN_S) == 0


@contextmanager
def group_consumer(bootstrap: str, group: str, *topics: str, **more: Any) -> Iterator[Consumer]:
    settings = {
        "bootstrap.servers": bootstrap,
        "group.id": group,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "session.timeout.ms": 45_000,  # a machine that stalls is no member that died
        "heartbeat.interval.ms": 200,
        "fetch.wait.max.ms": 50,
        "reconnect.backoff.max.ms": 200,
        "log_level": 0,
    }
    settings |= {name.replace("_", "."): value for name, value in more.items()}
    consumer = Consumer({name: value for name, value in settings.items() if value is not None})
    consumer.subscribe(list(topics))
    try:
        yield consumer
    finally:
        consumer.close()


def read_together(consumers: Sequence[Consumer], count: int) -> list[list[int]]:
    """Poll all until they have so many records together; what each of them got."""
    got: list[list[int]] = [[] for _ in consumers]
    deadline = time.monotonic() + WITHIN_S
    while sum(map(len, got)) < count:
        assert time.monotonic() < deadline, f"{sum(map(len, got))} of {count} records"
        for consumer, numbers in zip(consumers, got, strict=True):
            for record in consumer.consume(100, 0.02):
                assert record.error() is None, record.error()
                numbers.append(int(record.value() or b""))
    return got


def read_each(consumers: Sequence[Consumer], wanted: Sequence[int]) -> list[int]:
    """Poll all until they have got every number that is wanted; how they came, others left out."""
    among, got = set(wanted), list[int]()
    while not among.issubset(got):
        got += [number for numbers in read_together(consumers, 1) for number in numbers if number in among]
    return got


def wait_for_shares(consumers: Sequence[Consumer], *sizes: int) -> list[set[int]]:
    """Poll all until each has so many partitions; which they are. Records that come meanwhile are gone: how many are
    left to read afterwards is not sure.
    """
    deadline = time.monotonic() + WITHIN_S
    while sorted(len(consumer.assignment()) for consumer in consumers) != sorted(sizes):
        assert time.monotonic() < deadline, [consumer.assignment() for consumer in consumers]
        for consumer in consumers:
            consumer.poll(0.02)
    return [{place.partition for place in consumer.assignment()} for consumer in consumers]


def commit_once_loaded(consumer: Consumer, **what: Any) -> None:
    """After a start the coordinator may be reading its log, and librdkafka leaves it to its user to ask again."""
    deadline = time.monotonic() + WITHIN_S
    while True:
        try:
            consumer.commit(**what, asynchronous=False)
            return
        except KafkaException as refused:
            is_loading = refused.args[0].code() == KafkaError.COORDINATOR_LOAD_IN_PROGRESS
            assert is_loading and time.monotonic() < deadline, refused
            time.sleep(0.02)


def wait_until_empty(bootstrap: str, group: str) -> None:
    """A consumer that is closed says good-bye, and does not wait for long until it is heard."""
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    deadline = time.monotonic() + WITHIN_S
    while (state := admin.describe_consumer_groups([group])[group].result(WITHIN_S).state) != ConsumerGroupState.EMPTY:
        assert time.monotonic() < deadline, f"{group} is {state}"
        time.sleep(0.02)


__all__ = [
    "CONSUMER_PROTOCOL",
    "commit_once_loaded",
    "fresh_name",
    "group_consumer",
    "read_each",
    "read_together",
    "topic_with_records",
    "wait_for_shares",
    "wait_until_empty",
    "write",
]
