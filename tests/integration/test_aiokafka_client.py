"""aiokafka: records both ways by assignment, and its admin client."""

from __future__ import annotations

import asyncio

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewPartitions, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from tests.support.clients import fresh_name, make_topic


async def read(bootstrap: str, topic: str, count: int, *, start: int = 0) -> list[bytes | None]:
    consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)
    await consumer.start()
    try:
        consumer.assign([TopicPartition(topic, 0)])
        consumer.seek(TopicPartition(topic, 0), start)
        return [(await asyncio.wait_for(consumer.getone(), 60)).value for _ in range(count)]
    finally:
        await consumer.stop()


@pytest.mark.parametrize("codec", [None, "gzip", "snappy", "lz4", "zstd"])
async def test_aiokafka_reads_what_it_wrote(bootstrap: str, codec: str | None) -> None:
    topic = make_topic(bootstrap, "aio")
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, compression_type=codec, acks="all")
    await producer.start()
    try:
        sent = [await producer.send(topic, b"%d" % number, partition=0) for number in range(100)]
        offsets = [(await each).offset for each in sent]
    finally:
        await producer.stop()
    assert offsets == list(range(100))
    assert await read(bootstrap, topic, 100) == [b"%d" % number for number in range(100)]
    assert await read(bootstrap, topic, 3, start=97) == [b"97", b"98", b"99"]


async def test_aiokafka_writes_idempotently(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "aio-idempotent")
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, enable_idempotence=True)
    await producer.start()
    try:
        for number in range(50):
            outcome = await producer.send_and_wait(topic, b"%d" % number, partition=0)
            assert outcome.offset == number
    finally:
        await producer.stop()


async def test_aiokafka_finds_offsets(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "aio-offsets")
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap)
    await producer.start()
    try:
        for number in range(10):
            await producer.send_and_wait(topic, b"v", partition=0, timestamp_ms=1_750_000_000_000 + number)
    finally:
        await producer.stop()
    consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)
    await consumer.start()
    try:
        at = TopicPartition(topic, 0)
        consumer.assign([at])
        assert await consumer.beginning_offsets([at]) == {at: 0}
        assert await consumer.end_offsets([at]) == {at: 10}
        found = await consumer.offsets_for_times({at: 1_750_000_000_004})
        assert found[at].offset == 4
    finally:
        await consumer.stop()


async def test_aiokafka_administers_topics(bootstrap: str) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap)
    await admin.start()
    try:
        topic = fresh_name("aio-admin")
        await admin.create_topics([NewTopic(topic, num_partitions=2, replication_factor=1)])
        assert topic in await admin.list_topics()
        await admin.create_partitions({topic: NewPartitions(3)})
        await admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, {"retention.ms": "5000"})])
        await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
        await admin.delete_topics([topic])
    finally:
        await admin.close()
