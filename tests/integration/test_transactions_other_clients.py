"""Transactions as aiokafka and kafka-python make them: consume, transform, produce; abort; fence."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka import TopicPartition as AioTopicPartition
from aiokafka.errors import KafkaError as AioKafkaError
from tests.support.clients import fresh_name, make_topic, read_decided, read_to_end
from tests.support.group_clients import topic_with_records
from tests.support.kafka_python import KafkaConsumer, KafkaProducer, OffsetAndMetadata, TopicPartition
from tests.support.transactional import until_complete

RECORDS = 40
ROUND = 10
"""Records of a transaction."""


def seen(bootstrap: str, topic: str, isolation_level: str = "read_committed") -> list[bytes | None]:
    if isolation_level == "read_committed":
        return [record.value() for record in read_decided(bootstrap, topic)]
    return [record.value() for record in read_to_end(bootstrap, topic, isolation_level=isolation_level)]


# aiokafka -------------------------------------------------------------------------------------------------------------


async def test_aiokafka_transforms_every_record_once_though_it_aborts_at_times(bootstrap: str) -> None:
    source, target = topic_with_records(bootstrap, "aio-from", RECORDS, partitions=1), make_topic(bootstrap, "aio-to")
    group, name = fresh_name("group"), fresh_name("aio")
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, transactional_id=name)
    await producer.start()
    try:
        aborted = 0
        while (start := await committed_by(bootstrap, group, source)) < RECORDS:
            aborts = aborted < 2 and start > 0
            await transform(bootstrap, producer, group, (source, target), start, aborts=aborts)
            until_complete(bootstrap, name)  # until then the offset is the former one, and neither client asks for more
            aborted += aborts
    finally:
        await producer.stop()
    assert seen(bootstrap, target) == [b"%d!" % number for number in range(RECORDS)]
    assert len(seen(bootstrap, target, "read_uncommitted")) == RECORDS + 2 * ROUND


async def committed_by(bootstrap: str, group: str, topic: str) -> int:
    consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap, group_id=group, enable_auto_commit=False)
    await consumer.start()
    try:
        place = AioTopicPartition(topic, 0)
        consumer.assign([place])
        return await consumer.committed(place) or 0
    finally:
        await consumer.stop()


async def transform(
    bootstrap: str, producer: AIOKafkaProducer, group: str, topics: tuple[str, str], start: int, *, aborts: bool
) -> None:
    source, target = topics
    place = AioTopicPartition(source, 0)
    consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap, isolation_level="read_committed")
    await consumer.start()
    try:
        consumer.assign([place])
        consumer.seek(place, start)
        records = [await consumer.getone() for _ in range(ROUND)]
    finally:
        await consumer.stop()
    await producer.begin_transaction()
    for record in records:
        await producer.send_and_wait(target, record.value + b"!")
    await producer.send_offsets_to_transaction({place: start + ROUND}, group)
    if aborts:
        await producer.abort_transaction()
    else:
        await producer.commit_transaction()


async def test_an_aiokafka_producer_is_fenced_by_the_next_with_its_id(bootstrap: str) -> None:
    topic, name = make_topic(bootstrap, "aio-fenced"), fresh_name("aio")
    former = AIOKafkaProducer(bootstrap_servers=bootstrap, transactional_id=name)
    latter = AIOKafkaProducer(bootstrap_servers=bootstrap, transactional_id=name)
    await former.start()
    try:
        await former.begin_transaction()
        await former.send_and_wait(topic, b"former")
        await latter.start()
        async with latter.transaction():
            await latter.send_and_wait(topic, b"latter")
        with pytest.raises(AioKafkaError):
            await former.send_and_wait(topic, b"zombie")
        assert seen(bootstrap, topic) == [b"latter"]
    finally:
        await former.stop()
        await latter.stop()


# kafka-python ---------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_kafka_python_transforms_every_record_once_though_it_aborts_at_times(bootstrap: str) -> None:
    source, target = topic_with_records(bootstrap, "kp-from", RECORDS, partitions=1), make_topic(bootstrap, "kp-to")
    group, place = fresh_name("group"), TopicPartition(source, 0)
    facts: dict[str, Any] = {"bootstrap_servers": bootstrap, "group_id": group, "enable_auto_commit": False}
    name = fresh_name("kp")
    producer = KafkaProducer(bootstrap_servers=bootstrap, transactional_id=name)
    with closing(producer), closing(KafkaConsumer(consumer_timeout_ms=60_000, **facts)) as consumer:
        producer.init_transactions()
        consumer.assign([place])
        aborted = 0
        while (start := consumer.committed(place) or 0) < RECORDS:
            consumer.seek(place, start)
            records = [next(consumer) for _ in range(ROUND)]
            producer.begin_transaction()
            for record in records:
                producer.send(target, record.value + b"!")
            offsets = {place: OffsetAndMetadata(start + ROUND, "", -1)}
            producer.send_offsets_to_transaction(offsets, group)
            if aborted < 2 and start > 0:
                producer.flush()
                producer.abort_transaction()
                aborted += 1
            else:
                producer.commit_transaction()
            until_complete(bootstrap, name)
    assert seen(bootstrap, target) == [b"%d!" % number for number in range(RECORDS)]
    assert len(seen(bootstrap, target, "read_uncommitted")) == RECORDS + 2 * ROUND


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_kafka_python_reads_what_was_committed(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "kp-isolated")
    with closing(KafkaProducer(bootstrap_servers=bootstrap, transactional_id=fresh_name("kp"))) as producer:
        producer.init_transactions()
        for number in range(6):
            producer.begin_transaction()
            producer.send(topic, b"%d" % number)
            producer.flush()
            if number % 2:
                producer.commit_transaction()
            else:
                producer.abort_transaction()
    facts: dict[str, Any] = {"bootstrap_servers": bootstrap, "auto_offset_reset": "earliest"}
    with closing(
        KafkaConsumer(topic, isolation_level="read_committed", consumer_timeout_ms=60_000, **facts)
    ) as consumer:
        assert [next(consumer).value for _ in range(3)] == [b"1", b"3", b"5"]
