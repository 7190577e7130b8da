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

_numbers = itertools.count()
WITHIN_S = 30.0


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
