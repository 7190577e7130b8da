"""confluent-kafka's share consumer, as tests use it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from confluent_kafka import AcknowledgeType, Message, ShareConsumer, TopicPartition

PATIENCE_S = 120.0
"""How long anything that must happen may take."""

ACCEPT, RELEASE, REJECT = AcknowledgeType.ACCEPT, AcknowledgeType.RELEASE, AcknowledgeType.REJECT


@contextmanager
def share_consumer(bootstrap: str, group: str, *topics: str, **more: Any) -> Iterator[ShareConsumer]:
    """One that acknowledges each record; `more` are settings, with underscores for dots."""
    settings = {"bootstrap.servers": bootstrap, "group.id": group, "share.acknowledgement.mode": "explicit"}
    consumer = ShareConsumer(settings | {name.replace("_", "."): value for name, value in more.items()})
    try:
        consumer.subscribe(list(topics))
        yield consumer
    finally:
        consumer.close()


def polled(consumer: ShareConsumer, timeout_s: float = 1.0) -> list[Message]:
    messages = list(consumer.poll(timeout_s))
    for message in messages:
        assert message.error() is None, message.error()
    return messages


def lent(consumer: ShareConsumer) -> list[Message]:
    """The next records, whenever they come."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if messages := polled(consumer):
            return messages
    raise AssertionError("no record came")


def committed(consumer: ShareConsumer) -> dict[TopicPartition, Any]:
    """Tells what was acknowledged; all of it holds."""
    outcomes = consumer.commit_sync(PATIENCE_S)
    assert [each for each in outcomes.values() if each is not None] == [], outcomes
    return outcomes


def taken(consumer: ShareConsumer, how: Callable[[Message], AcknowledgeType] = lambda _: ACCEPT) -> list[Message]:
    """The next records, each acknowledged as `how` says."""
    messages = lent(consumer)
    for message in messages:
        consumer.acknowledge(message, how(message))
    committed(consumer)
    return messages


def at(message: Message) -> tuple[int, int, int]:
    """Partition, offset, and how often it was lent."""
    partition, offset = message.partition(), message.offset()
    count = message.delivery_count()
    assert partition is not None and offset is not None and count is not None
    return partition, offset, count
