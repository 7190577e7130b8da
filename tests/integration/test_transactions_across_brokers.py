"""Three brokers and stock clients: transactions and groups whose coordinator is not where their partitions are."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from tests.support.nodes import Nodes, some_nodes
from tests.support.raw import RawClient

from penstock.cluster import CONSUMER_OFFSETS, TRANSACTION_STATE
from penstock.coordinators.runtime import java_hash

QUICK = {
    "penstock.broker.lease.ms": "1500",
    "penstock.broker.heartbeat.ms": "300",
    "transaction.state.log.num.partitions": "3",
    "offsets.topic.num.partitions": "3",
}
WITHIN_S = 120.0

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


async def test_groups_of_two_members_are_coordinated_by_different_brokers(nodes: Nodes) -> None:
    await begun(nodes, CONSUMER_OFFSETS)
    topics = ["led-by-1", "led-by-2", "led-by-3"]

    def work(group: str) -> list[bytes]:
        settings = {"bootstrap.servers": nodes.bootstrap, "group.id": group, "auto.offset.reset": "earliest"}
        consumers = [Consumer(settings), Consumer(settings)]
        try:
            for consumer in consumers:
                consumer.subscribe(topics)
            values: list[bytes] = []
            while len(values) < 3:
                for consumer in consumers:
                    record = consumer.poll(0.05)
                    if record is not None and record.error() is None:
                        values.append(record.value() or b"")
            return values
        finally:
            for consumer in consumers:
                consumer.close()

    producer = Producer({"bootstrap.servers": nodes.bootstrap})
    for topic in topics:
        producer.produce(topic, topic.encode(), partition=0)
    await in_thread(producer.flush, WITHIN_S)
    groups = [name_at(nodes, CONSUMER_OFFSETS, broker) for broker in (1, 2, 3)]
    for values in await asyncio.gather(*(in_thread(work, group) for group in groups)):
        assert sorted(values) == [topic.encode() for topic in topics]
    # Each broker lists the groups that it coordinates.
    listed = [await in_thread(list_groups, nodes[broker].endpoints["PLAINTEXT"].port) for broker in (1, 2, 3)]
    assert [set(names) & set(groups) for names in listed] == [{group} for group in groups]


def list_groups(port: int) -> list[str]:
    with RawClient(port) as client:
        return [row["group_id"] for row in client.request("ListGroups", 4, {"states_filter": []})["groups"]]


async def test_a_transaction_outlives_its_coordinator(nodes: Nodes) -> None:
    """The broker that coordinates it is killed while it is open: another takes over and ends it everywhere."""
    await begun(nodes, TRANSACTION_STATE)
    await nodes.until(
        lambda: all(len(partition.in_sync) == 3 for partition in nodes.image().topics[TRANSACTION_STATE].partitions)
    )
    producer = transactional(nodes, name_at(nodes, TRANSACTION_STATE, 3))

    def begin() -> None:
        producer.init_transactions(WITHIN_S)
        producer.begin_transaction()
        for topic in ("led-by-1", "led-by-2"):
            producer.produce(topic, topic.encode(), partition=0)
        assert producer.flush(WITHIN_S) == 0

    await in_thread(begin)
    await nodes.kill(3)
    await in_thread(producer.commit_transaction, WITHIN_S)
    values = await in_thread(read_committed, nodes.bootstrap, ["led-by-1", "led-by-2"], 2)
    assert sorted(values) == [b"led-by-1", b"led-by-2"]


async def test_a_producer_is_fenced_by_its_successor_wherever_it_writes(nodes: Nodes) -> None:
    await begun(nodes, TRANSACTION_STATE)
    transactional_id = name_at(nodes, TRANSACTION_STATE, 2)

    def work() -> None:
        first, second = transactional(nodes, transactional_id), transactional(nodes, transactional_id)
        first.init_transactions(WITHIN_S)
        first.begin_transaction()
        first.produce("led-by-3", b"first", partition=0)
        first.flush(WITHIN_S)
        second.init_transactions(WITHIN_S)
        with pytest.raises(KafkaException) as refused:
            first.produce("led-by-1", b"too late", partition=0)
            first.commit_transaction(WITHIN_S)
        assert refused.value.args[0].fatal() or refused.value.args[0].txn_requires_abort()
        second.begin_transaction()
        second.produce("led-by-3", b"second", partition=0)
        second.commit_transaction(WITHIN_S)

    await in_thread(work)
    assert await in_thread(read_committed, nodes.bootstrap, ["led-by-1", "led-by-3"], 1) == [b"second"]
