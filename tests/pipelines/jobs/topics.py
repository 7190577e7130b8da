"""Topics to copy from and into, filled and read by stock clients."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from tests.support import topics
from tests.support.clients import until_decided

Headers = list[tuple[str, bytes | None]]


@dataclass(frozen=True)
class Sent:
    key: str | None
    value: str
    timestamp_ms: int = 1_700_000_000_000
    headers: tuple[tuple[str, bytes], ...] = ()
    partition: int = -1


@dataclass(frozen=True)
class Got:
    partition: int | None
    offset: int | None
    key: Any
    value: Any
    timestamp_ms: int
    headers: dict[str, Any]


def create(bootstrap: str, name: str, partitions: int, **config: str) -> str:
    return topics.create(bootstrap, name, partitions, {key.replace("_", "."): value for key, value in config.items()})


def fill(bootstrap: str, topic: str, records: Iterable[Sent]) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "partitioner": "murmur2_random"})
    wanted = (
        {
            "key": each.key,
            "value": each.value,
            "timestamp": each.timestamp_ms,
            "headers": list(each.headers),
            "partition": each.partition,
        }
        for each in records
    )
    topics.send(producer, topic, wanted)


def read(bootstrap: str, topic: str) -> list[Got]:
    """All that is committed, partition by partition in order."""
    settings = {"group.id": "judge", "isolation.level": "read_committed", "enable.partition.eof": True}
    consumer = Consumer({"bootstrap.servers": bootstrap, "auto.offset.reset": "earliest", **settings})
    try:
        partitions = list(consumer.list_topics(topic, timeout=60).topics[topic].partitions)
        until_decided(bootstrap, topic, *partitions)
        consumer.assign([TopicPartition(topic, partition, 0) for partition in partitions])
        found, ended = [], 0
        while ended < len(partitions):
            message = consumer.poll(60)
            assert message is not None, f"{topic} does not end"
            error = message.error()
            if error is not None:
                assert error.code() == KafkaError._PARTITION_EOF, error
                ended += 1
                continue
            headers: Any = message.headers() or []
            found.append(
                Got(
                    message.partition(), message.offset(), message.key(), message.value(), message.timestamp()[1],
                    dict(headers),
                )
            )  # fmt: skip
    finally:
        consumer.close()
    return sorted(found, key=lambda each: (each.partition or 0, each.offset or 0))


def committed(bootstrap: str, group: str, topic: str, partitions: int) -> list[int]:
    """What lag tools see of a job: the group's offsets."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group})
    try:
        places = consumer.committed([TopicPartition(topic, each) for each in range(partitions)], timeout=60)
        return [place.offset for place in places]
    finally:
        consumer.close()


def delete_records(bootstrap: str, topic: str, *, before: int, partition: int = 0) -> None:
    """As retention does."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    place = TopicPartition(topic, partition, before)
    admin.delete_records([place])[place].result(60)


def order_of(records: Iterable[Got]) -> dict[bytes, list[int]]:
    """Values by key, in the order of the log."""
    found: dict[bytes, list[int]] = {}
    for each in records:
        found.setdefault(each.key, []).append(int(each.value))
    return found
