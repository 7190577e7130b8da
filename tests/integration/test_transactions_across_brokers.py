"""Three brokers and stock clients: transactions and groups whose coordinator is not where their partitions are."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from tests.support.nodes import Nodes, some_nodes

from penstock.cluster import CONSUMER_OFFSETS, TRANSACTION_STATE
from penstock.coordinators.runtime import java_hash

QUICK = {
    "penstock.broker.lease.ms": "1500",
    "penstock.broker.heartbeat.ms": "300",
    "transaction.state.log.num.partitions": "3",
    "offsets.topic.num.partitions": "3",
}
WITHIN_S = 30.0

T = TypeVar("T")


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[Nodes]:
    async with some_nodes(tmp_path, 3, QUICK) as running:
        for leader in (1, 2, 3):
            others = tuple(broker for broker in (1, 2, 3) if broker != leader)
            await running.create_topic(f"led-by-{leader}", replicas=(leader, *others))
        yield running


def name_at(nodes: Nodes, topic: str, broker: int) -> str:
    """A group or transactional id that this broker coordinates."""
    partitions = nodes.image().topics[topic].partitions
    return next(
        name
        for name in (f"name-{number}" for number in range(100))
        if partitions[(java_hash(name) & 0x7FFFFFFF) % len(partitions)].leader == broker
    )


def transactional(nodes: Nodes, transactional_id: str) -> Producer:
    return Producer({"bootstrap.servers": nodes.bootstrap, "transactional.id": transactional_id, "linger.ms": 0})


async def in_thread(work: Callable[..., T], *args: Any) -> T:
    return await asyncio.wait_for(asyncio.to_thread(work, *args), 2 * WITHIN_S)


def read_committed(bootstrap: str, topics: list[str], count: int, group: str = "readers") -> list[bytes]:
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
            "enable.auto.commit": False,
        }
    )
    try:
        consumer.assign([TopicPartition(topic, 0, 0) for topic in topics])
        values: list[bytes] = []
        while len(values) < count:
            for record in consumer.consume(count - len(values), timeout=WITHIN_S):
                assert record.error() is None, record.error()
                values.append(record.value() or b"")
        return values
    finally:
        consumer.close()


async def begun(nodes: Nodes, topic: str) -> None:
    """The internal topic comes with the first who looks for a coordinator."""
    if topic == TRANSACTION_STATE:
        await in_thread(lambda: transactional(nodes, "first").init_transactions(WITHIN_S))
    else:
        await in_thread(read_group_offsets, nodes.bootstrap, "first")
    await nodes.until(lambda: topic in nodes.image().topics)


def read_group_offsets(bootstrap: str, group: str) -> list[int]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": group})
    try:
        places = [TopicPartition(f"led-by-{leader}", 0) for leader in (1, 2, 3)]
        return [place.offset for place in consumer.committed(places, timeout=WITHIN_S)]
    finally:
        consumer.close()


@pytest.mark.parametrize("coordinator", [1, 2, 3])
async def test_a_transaction_spans_partitions_that_three_brokers_lead(nodes: Nodes, coordinator: int) -> None:
    await begun(nodes, TRANSACTION_STATE)
    assert {partition.leader for partition in nodes.image().topics[TRANSACTION_STATE].partitions} == {1, 2, 3}
    topics = ["led-by-1", "led-by-2", "led-by-3"]

    def work() -> list[bytes]:
        producer = transactional(nodes, name_at(nodes, TRANSACTION_STATE, coordinator))
        producer.init_transactions(WITHIN_S)
        for round_, commits in enumerate((True, False, True, True)):
            producer.begin_transaction()
            for topic in topics:
                producer.produce(topic, f"{topic} {round_}".encode(), partition=0)
            if commits:
                producer.commit_transaction(WITHIN_S)
            else:
                producer.flush(WITHIN_S)
                producer.abort_transaction(WITHIN_S)
        return read_committed(nodes.bootstrap, topics, 9)

    values = await in_thread(work)
    assert sorted(values) == sorted(f"{topic} {round_}".encode() for topic in topics for round_ in (0, 2, 3))


async def test_offsets_are_committed_in_a_transaction_that_another_broker_coordinates(nodes: Nodes) -> None:
    await begun(nodes, TRANSACTION_STATE)
    await begun(nodes, CONSUMER_OFFSETS)
    group, transactional_id = name_at(nodes, CONSUMER_OFFSETS, 2), name_at(nodes, TRANSACTION_STATE, 3)

    def work() -> list[int]:
        producer = transactional(nodes, transactional_id)
        consumer = Consumer({"bootstrap.servers": nodes.bootstrap, "group.id": group})
        try:
            producer.init_transactions(WITHIN_S)
            for offset, commits in ((5, True), (7, False)):
                producer.begin_transaction()
                producer.produce("led-by-1", b"result", partition=0)
                places = [TopicPartition("led-by-1", 0, offset), TopicPartition("led-by-3", 0, offset + 1)]
                producer.send_offsets_to_transaction(places, consumer.consumer_group_metadata(), WITHIN_S)
                (producer.commit_transaction if commits else producer.abort_transaction)(WITHIN_S)
        finally:
            consumer.close()
        return read_group_offsets(nodes.bootstrap, group)

    assert await in_thread(work) == [5, -1001, 6]
