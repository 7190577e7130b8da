"""A journal: several processes read one partition whole and write it in turn, with Penstock and with Apache Kafka."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from confluent_kafka import Consumer

from penstock.client import AsyncClient, ConsumedRecord, NewTopic, place
from penstock.client.records.journal import Journal, Writer
from penstock.errors import InvalidProducerEpoch, ProducerFenced, UnknownTopicOrPartition

FENCED = (ProducerFenced, InvalidProducerEpoch)


@pytest.fixture
async def client(either_cluster: str) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(either_cluster, timeout_s=60) as client:
        yield client


class Copy:
    """A process's copy of a journal."""

    def __init__(self, client: AsyncClient, topic: str) -> None:
        self.client = client
        self.told: list[ConsumedRecord] = []
        self.journal = Journal(
            place(topic, 0), transactional_id=f"writer-of-{topic}", tell=self.told.extend, begin_anew=self.told.clear
        )

    @property
    def values(self) -> list[bytes | None]:
        return [each.value for each in self.told]

    async def read(self) -> list[bytes | None]:
        await self.client.run(self.journal.read_on(self.client.core))
        return self.values

    async def take_over(self) -> list[bytes | None]:
        await self.client.run(self.journal.take_over(self.client.core))
        return self.values

    async def write(self, *records: tuple[bytes, bytes | None]) -> None:
        await self.client.run(self.journal.write(self.client.core, records))


async def made(client: AsyncClient, topic: str) -> None:
    (await client.create_topics([NewTopic(topic, 1, 1, {"cleanup.policy": "compact,delete"})])).all()
    while topic not in await client.list_topics():
        await asyncio.sleep(0.01)


async def test_what_one_writes_the_other_reads(client: AsyncClient) -> None:
    await made(client, "both")
    mine, other = Copy(client, "both"), Copy(client, "both")
    assert not await mine.take_over()
    await mine.write((b"a", b"1"), (b"b", b"2"))
    await mine.write((b"a", None))
    assert [(each.key, each.value) for each in mine.told] == [(b"a", b"1"), (b"b", b"2"), (b"a", None)]
    await other.read()
    assert await other.read() == mine.values and other.journal.position == mine.journal.position


async def test_many_may_read_at_once_and_each_record_is_told_once(client: AsyncClient) -> None:
    await made(client, "at-once")
    mine, other = Copy(client, "at-once"), Copy(client, "at-once")
    await mine.take_over()
    for number in range(20):
        await asyncio.gather(mine.write((b"k", b"%d" % number)), *(other.read() for _ in range(5)))
    await asyncio.gather(*(other.read() for _ in range(20)))
    assert other.values == mine.values == [b"%d" % number for number in range(20)]


async def test_there_is_one_writer_and_the_former_writes_nothing_more(client: AsyncClient, either_cluster: str) -> None:
    await made(client, "turns")
    former, latter = Copy(client, "turns"), Copy(client, "turns")
    await former.take_over()
    await former.write((b"a", b"1"))
    assert await latter.take_over() == [b"1"]
    with pytest.raises(FENCED):
        await former.write((b"a", b"of the former"))
    assert not former.journal.is_writer
    await latter.write((b"a", b"2"))
    assert await former.take_over() == [b"1", b"2"]
    await former.write((b"a", b"3"))
    consumer = Consumer({"bootstrap.servers": either_cluster, "group.id": "turns", "auto.offset.reset": "earliest"})
    try:
        consumer.subscribe(["turns"])
        assert [each.value() for each in consumer.consume(3, 60)] == [b"1", b"2", b"3"]
    finally:
        consumer.close()


async def test_what_a_dead_writer_had_begun_is_never_seen(client: AsyncClient) -> None:
    await made(client, "died")
    former, latter, reader = Copy(client, "died"), Copy(client, "died"), Copy(client, "died")
    await former.take_over()
    writer = former.journal._writer
    assert isinstance(writer, Writer)
    await client.run(former.journal._add_partition(client.core, writer))
    await client.run(former.journal._produce(client.core, writer, [(b"a", b"not committed")]))
    assert not await reader.read()
    assert not await latter.take_over()
    await latter.write((b"a", b"committed"))
    assert latter.values == await reader.read() == [b"committed"]


async def test_a_topic_made_anew_is_read_from_its_begin(client: AsyncClient, either_cluster: str) -> None:
    await made(client, "anew")
    mine = Copy(client, "anew")
    await mine.take_over()
    await mine.write((b"a", b"former"))
    (await client.delete_topics(["anew"])).all()
    with pytest.raises(UnknownTopicOrPartition):
        while True:
            await mine.read()
    async with AsyncClient(either_cluster, timeout_s=60) as other:
        await made(other, "anew")
        theirs = Copy(other, "anew")
        await theirs.take_over()
        await theirs.write((b"a", b"new"), (b"b", b"new"), (b"c", b"new"))
    assert await mine.read() == [b"new"] * 3
    assert not mine.journal.is_writer


async def test_records_that_were_deleted_are_told_no_more(client: AsyncClient) -> None:
    await made(client, "cut")
    late, mine = Copy(client, "cut"), Copy(client, "cut")
    await mine.take_over()
    await mine.write((b"a", b"1"))
    assert await late.read() == [b"1"]
    await mine.write((b"a", b"2"))
    await mine.write((b"a", b"3"))
    (await client.delete_records({place("cut", 0): mine.told[-1].offset})).all()
    assert await late.read() == [b"3"]
