"""Topics and records for tests that need some: made, written and waited for."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewPartitions, NewTopic
from tests.support.clients import WITHIN_S, until_decided

Header = tuple[str, bytes | None]


def create(bootstrap: str, topic: str, partitions: int = 1, settings: Mapping[str, str] | None = None) -> str:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    wanted = NewTopic(topic, partitions, 1, config=dict(settings or {}))
    admin.create_topics([wanted])[topic].result(60)
    until_known(admin, topic, partitions)
    return topic


def delete(bootstrap: str, topic: str) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})  # kept: its futures fail when it is collected
    admin.delete_topics([topic])[topic].result(60)


def add_partitions(bootstrap: str, topic: str, to: int) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_partitions([NewPartitions(topic, to)])[topic].result(60)
    until_known(admin, topic, to)


def until_known(admin: AdminClient, topic: str, partitions: int) -> None:
    """Until a topic is there with so many partitions, or gone with none. Apache Kafka's broker hears a little later of
    what its controller has answered: whoever asks for a topic meanwhile gets what was before, and what is sent to a
    partition that was added is lost without a word where nobody looks at what became of it.
    """
    deadline = time.monotonic() + WITHIN_S
    while True:
        found = admin.list_topics(timeout=60).topics.get(topic)
        if (0 if found is None else len(found.partitions)) == partitions:
            return
        assert time.monotonic() < deadline, f"{topic} has not come to {partitions} partitions: {found}"
        time.sleep(0.02)


def write(
    bootstrap: str,
    topic: str,
    values: Iterable[bytes],
    *,
    partition: int = 0,
    key: bytes | None = None,
    **more: Any,
) -> None:
    """Records into one partition, in order, all of them there when this returns."""
    producer = _connected({"bootstrap.servers": bootstrap, "enable.idempotence": True, "linger.ms": 1})
    send(producer, topic, ({"value": value, "key": key, "partition": partition, **more} for value in values))


def send(producer: Producer, topic: str, records: Iterable[Mapping[str, Any]]) -> None:
    """All of them are there when this returns. A record that was given up is told of by itself alone: for flush() it is
    as good as written.
    """
    failed: list[object] = []
    for record in records:
        producer.produce(topic, on_delivery=lambda error, _record: failed.append(error) if error else None, **record)
        producer.poll(0)
    assert producer.flush(60) == 0 and not failed, failed


def _connected(settings: dict[str, Any]) -> Producer:
    """One that gets its producer id at once. For that librdkafka looks for a connection to a broker by its own name,
    which that to the bootstrap address is not, and where there is none looks again after half a second."""
    producer = Producer(settings)
    for _ in ("the bootstrap address", "a broker that it named"):
        producer.list_topics(timeout=60)
    return producer


def write_in_transaction(
    bootstrap: str, topic: str, values: Iterable[bytes], *, transactional_id: str, commit: bool, partition: int = 0
) -> None:
    producer = _connected({"bootstrap.servers": bootstrap, "transactional.id": transactional_id})
    producer.init_transactions(60)
    producer.begin_transaction()
    for value in values:
        producer.produce(topic, value=value, partition=partition)
    producer.flush(60)
    producer.commit_transaction(60) if commit else producer.abort_transaction(60)
    until_decided(bootstrap, topic, partition)
