"""What the tests with real clients share: names, a ready topic, records read to the end."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.raw import RawClient, port_of

_numbers = itertools.count()
WITHIN_S = 120.0
"""How long anything that must happen may take: far more than it needs, so that only 'never' fails."""


def fresh_name(stem: str) -> str:
    """A topic name nobody else uses: brokers are shared by the session, and by workers side by side."""
    return f"{stem}-{os.getpid()}-{next(_numbers)}"


def make_topic(bootstrap: str, stem: str, *, partitions: int = 1, replicas: int = 1, **configs: str) -> str:
    """A topic that takes records; settings as keywords, underscores for dots."""
    name = fresh_name(stem)
    settings = {key.replace("_", "."): value for key, value in configs.items()}
    admin = AdminClient({"bootstrap.servers": bootstrap})
    wanted = NewTopic(name, num_partitions=partitions, replication_factor=replicas, config=settings)
    admin.create_topics([wanted])[name].result(WITHIN_S)
    return name


@contextmanager
def assigned_consumer(bootstrap: str, *positions: TopicPartition, **more: Any) -> Iterator[Consumer]:
    """A consumer of fixed partitions: no group is asked for anything."""
    settings = {
        "bootstrap.servers": bootstrap,
        "group.id": "no-group-is-used",
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "auto.offset.reset": "error",
        "enable.partition.eof": True,
        "fetch.wait.max.ms": 50,
    }
    consumer = Consumer(settings | {name.replace("_", "."): value for name, value in more.items()})
    consumer.assign(list(positions))
    try:
        yield consumer
    finally:
        consumer.close()


def read_to_end(bootstrap: str, topic: str, partition: int = 0, *, start: int = 0, **more: Any) -> list[Message]:
    """Every record from `start` to the end of the partition."""
    found: list[Message] = []
    deadline = time.monotonic() + WITHIN_S
    with assigned_consumer(bootstrap, TopicPartition(topic, partition, start), **more) as consumer:
        while time.monotonic() < deadline:
            message = consumer.poll(1.0)
            if message is None:
                continue
            error = message.error()
            if error is None:
                found.append(message)
            elif error.code() == KafkaError._PARTITION_EOF:
                return found
            else:
                raise AssertionError(f"{topic}-{partition}: {error}")
    raise AssertionError(f"{topic}-{partition} did not end within {WITHIN_S:.0f} s; {len(found)} records came")


def read_decided(bootstrap: str, topic: str, partition: int = 0) -> list[Message]:
    """Every committed record of a single broker's partition, once no transaction is open on it.

    An end is answered when it is settled, and its markers follow: who reads at once may come before them.
    """
    until_decided(bootstrap, topic, partition)
    return read_to_end(bootstrap, topic, partition, isolation_level="read_committed")


def until_decided(bootstrap: str, topic: str, *partitions: int) -> None:
    """Until no transaction is open on these partitions of a single broker."""
    deadline = time.monotonic() + WITHIN_S
    with RawClient(port_of(bootstrap)) as client:
        for partition in partitions:
            while len({_end(client, topic, partition, isolation_level) for isolation_level in (0, 1)}) > 1:
                assert time.monotonic() < deadline, f"a transaction is still open on {topic}-{partition}"
                time.sleep(0.02)


def _end(client: RawClient, topic: str, partition: int, isolation_level: int) -> int:
    wanted = {"partition_index": partition, "timestamp": -1}
    topics = [{"name": topic, "partitions": [wanted]}]
    body = {"replica_id": -1, "isolation_level": isolation_level, "topics": topics}
    outcome = client.request("ListOffsets", 5, body)["topics"][0]["partitions"][0]
    assert outcome["error_code"] == 0, outcome
    return int(outcome["offset"])
