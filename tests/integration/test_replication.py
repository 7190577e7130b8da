"""Three brokers and stock clients: what acks=all means, leaders that change, replicas whose files are compared."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from tests.support.group_clients import commit_once_loaded
from tests.support.logs import headers_in, read_all
from tests.support.nodes import Nodes, some_nodes

from penstock.log import PartitionLog
from penstock.log.checkpoint_files import RECOVERY_POINTS
from penstock.log.epochs import FILE_NAME as EPOCHS
from penstock.log.folders.clean_marker import CLEAN_MARKER
from penstock.replication.log_port import on_disk
from penstock.wire.batch import BatchHeader
from penstock.wire.records import iterate

QUICK = {"penstock.broker.lease.ms": "1500", "penstock.broker.heartbeat.ms": "300"}
WITHIN_S = 120.0


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[Nodes]:
    async with some_nodes(tmp_path, 3, QUICK) as running:
        yield running


class Deliveries:
    """Reports of a producer, and of each record what became of it."""

    def __init__(self) -> None:
        self.offsets: dict[bytes, int] = {}
        self.errors: list[KafkaError] = []

    def __call__(self, error: KafkaError | None, message: Any) -> None:
        if error is not None:
            self.errors.append(error)
        else:
            self.offsets[message.value()] = message.offset()


async def produce(nodes: Nodes, topic: str, values: list[bytes], **settings: Any) -> Deliveries:
    return await asyncio.to_thread(_produce, nodes.bootstrap, topic, values, settings)


def _produce(bootstrap: str, topic: str, values: list[bytes], settings: dict[str, Any]) -> Deliveries:
    deliveries = Deliveries()
    producer = Producer(
        {"bootstrap.servers": bootstrap, "acks": "all", "linger.ms": 0, "partitioner": "consistent"}
        | {name.replace("_", "."): value for name, value in settings.items()}
    )
    for value in values:
        producer.produce(topic, value, partition=0, on_delivery=deliveries)
        producer.poll(0)
    assert producer.flush(WITHIN_S) == 0
    return deliveries


async def consume(nodes: Nodes, topic: str, count: int, **settings: Any) -> list[bytes]:
    return await asyncio.to_thread(_consume, nodes.bootstrap, topic, count, settings)


def _consume(bootstrap: str, topic: str, count: int, settings: dict[str, Any]) -> list[bytes]:
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "no-group-is-used",
            "enable.auto.commit": False,
            "fetch.wait.max.ms": 50,
        }
        | {name.replace("_", "."): value for name, value in settings.items()}
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    values: list[bytes] = []
    try:
        while len(values) < count:
            message = consumer.poll(WITHIN_S)
            assert message is not None, f"{len(values)} of {count} records"
            if message.error():
                raise KafkaException(message.error())
            value = message.value()
            assert isinstance(value, bytes)
            values.append(value)
    finally:
        consumer.close()
    return values


async def replicas_agree(nodes: Nodes, topic: str, *brokers: int) -> None:
    """Every replica has everything, and of what all have, the same bytes (RULES 24)."""
    end = nodes.leader(topic).log.end_offset
    await nodes.until(lambda: all(nodes.partition(topic, broker).high_watermark == end for broker in brokers))
    logs = [read_all(on_disk(nodes.partition(topic, broker).log)) for broker in brokers]
    offsets = [[header.base_offset for header in headers_in(data)] for data in logs]
    assert offsets == [offsets[0]] * len(brokers)
    assert logs == [logs[0]] * len(brokers)


async def test_records_with_acks_all_are_on_every_replica_and_consumers_read_them(nodes: Nodes) -> None:
    await nodes.create_topic("orders", replicas=(1, 2, 3), min_insync_replicas="2")
    values = [b"order %d" % number for number in range(2_000)]
    deliveries = await produce(nodes, "orders", values, enable_idempotence=True)
    assert not deliveries.errors and sorted(deliveries.offsets.values()) == list(range(2_000))
    assert await consume(nodes, "orders", 2_000) == values
    await replicas_agree(nodes, "orders", 1, 2, 3)


async def test_a_producer_goes_on_through_a_change_of_leader_without_loss_or_duplicate(nodes: Nodes) -> None:
    await nodes.create_topic("orders", replicas=(1, 2, 3), min_insync_replicas="2")
    values = [b"order %d" % number for number in range(3_000)]
    producing = asyncio.create_task(
        produce(nodes, "orders", values, enable_idempotence=True, batch_num_messages=10, linger_ms=5)
    )
    await nodes.until(lambda: nodes.leader("orders").high_watermark > 200)
    await nodes.stop(1)
    deliveries = await producing
    assert not deliveries.errors and sorted(deliveries.offsets.values()) == list(range(3_000))
    assert await consume(nodes, "orders", 3_000) == values
    await replicas_agree(nodes, "orders", 2, 3)
    await nodes.start(1)
    await nodes.until_in_sync("orders", 1, 2, 3)
    await replicas_agree(nodes, "orders", 1, 2, 3)


async def test_a_killed_leader_comes_back_as_a_follower_and_agrees(nodes: Nodes) -> None:
    await nodes.create_topic("orders", replicas=(1, 2, 3), min_insync_replicas="2")
    first = [b"first %d" % number for number in range(500)]
    assert not (await produce(nodes, "orders", first)).errors
    # A tail that nobody else has: appended with acks=1 while followers do not fetch any more.
    for broker in (2, 3):
        nodes.services(broker).fetchers.stop()
    await produce(nodes, "orders", [b"lost"] * 10, acks=1)
    assert nodes.partition("orders", 1).log.end_offset == 510
    await nodes.kill(1)
    await nodes.until(lambda: nodes.state("orders").leader in (2, 3))
    await nodes.start(1)
    survivor = nodes.state("orders").leader
    restarted = 5 - survivor  # its fetcher was stopped, for good
    await nodes.stop(restarted)
    await nodes.start(restarted)
    await nodes.until_in_sync("orders", 1, 2, 3)
    second = [b"second %d" % number for number in range(500)]
    assert not (await produce(nodes, "orders", second)).errors
    await replicas_agree(nodes, "orders", 1, 2, 3)
    assert await consume(nodes, "orders", 1_000) == first + second


async def test_a_broker_that_was_away_when_a_topic_was_created_gets_its_replica(nodes: Nodes) -> None:
    await nodes.kill(3)
    await nodes.until(lambda: 3 not in nodes.image().brokers)
    await nodes.create_topic("orders", replicas=(3, 1, 2), min_insync_replicas="2")
    assert nodes.state("orders").leader == 1
    values = [b"order %d" % number for number in range(500)]
    assert not (await produce(nodes, "orders", values)).errors
    await nodes.start(3)
    await nodes.until_in_sync("orders", 1, 2, 3)
    await replicas_agree(nodes, "orders", 1, 2, 3)
    assert await consume(nodes, "orders", 500) == values


async def test_a_log_that_does_not_say_its_topic_is_not_taken_for_one_made_while_its_broker_was_away(
    nodes: Nodes,
) -> None:
    """Epochs tell nothing: both topics began with 0. As many records as the new one has would have stayed."""
    created = await nodes.create_topic("orders", replicas=(1, 3), min_insync_replicas="1")
    assert not (await produce(nodes, "orders", [b"old %d" % number for number in range(20)])).errors
    await nodes.until(lambda: nodes.partition("orders", 3).log.end_offset == 20)
    await nodes.kill(3)
    await nodes.until(lambda: 3 not in nodes.image().brokers)
    (nodes.folders(3)[0] / "orders-0" / "partition.metadata").write_bytes(b"")
    await nodes.cluster().controller.delete_topics([created.topic_id], timeout_ms=120_000)
    await nodes.create_topic("orders", replicas=(1, 3), min_insync_replicas="1")
    new = [b"new %d" % number for number in range(30)]
    assert not (await produce(nodes, "orders", new)).errors
    await nodes.start(3)
    await nodes.until_in_sync("orders", 1, 3)
    await replicas_agree(nodes, "orders", 1, 3)
    assert [name.startswith("orders-0.") for name in nodes[3].folders[0].strays] == [True]


async def test_without_enough_in_sync_acks_all_is_refused_and_acks_1_is_not_visible(nodes: Nodes) -> None:
    await nodes.create_topic("orders", replicas=(1, 2), min_insync_replicas="2")
    assert not (await produce(nodes, "orders", [b"a"])).errors
    await nodes.stop(2)
    await nodes.until_in_sync("orders", 1)
    refused = await produce(nodes, "orders", [b"b"], message_timeout_ms=1_500)
    assert len(refused.errors) == 1
    assert not (await produce(nodes, "orders", [b"c"], acks=1)).errors
    assert await consume(nodes, "orders", 1) == [b"a"]
    await nodes.start(2)
    await nodes.until_in_sync("orders", 1, 2)
    assert await consume(nodes, "orders", 2) == [b"a", b"c"]


async def test_deleted_records_are_deleted_on_every_replica(nodes: Nodes) -> None:
    await nodes.create_topic("orders", replicas=(1, 2, 3))
    await produce(nodes, "orders", [b"x"] * 100)
    admin = AdminClient({"bootstrap.servers": nodes.bootstrap})
    asked = TopicPartition("orders", 0, 60)
    deleted = await asyncio.to_thread(lambda: admin.delete_records([asked])[asked].result(WITHIN_S))
    assert deleted.low_watermark == 60
    assert [nodes.partition("orders", broker).log.start_offset for broker in (1, 2, 3)] == [60, 60, 60]


async def test_a_committed_offset_survives_its_coordinator(nodes: Nodes) -> None:
    await nodes.create_topic("orders", replicas=(1, 2, 3))
    await produce(nodes, "orders", [b"x"] * 10)

    def commit(offset: int) -> None:
        consumer = Consumer({"bootstrap.servers": nodes.bootstrap, "group.id": "g", "enable.auto.commit": False})
        commit_once_loaded(consumer, offsets=[TopicPartition("orders", 0, offset)])
        consumer.close()

    def committed() -> int:
        consumer = Consumer({"bootstrap.servers": nodes.bootstrap, "group.id": "g", "enable.auto.commit": False})
        (found,) = consumer.committed([TopicPartition("orders", 0)], timeout=WITHIN_S)
        consumer.close()
        return int(found.offset)

    await asyncio.to_thread(commit, 7)
    image = nodes.image()
    offsets = image.topics["__consumer_offsets"].partitions
    assert {len(partition.replicas) for partition in offsets} == {3}
    index = next(index for index in range(len(offsets)) if nodes.leader("__consumer_offsets", index).log.end_offset)
    await nodes.stop(offsets[index].leader)
    assert await asyncio.to_thread(committed) == 7


async def test_a_damaged_replica_leaves_the_in_sync_set_and_is_fetched_anew(nodes: Nodes, tmp_path: Path) -> None:
    await nodes.create_topic("orders", replicas=(1, 2, 3), min_insync_replicas="2")
    values = [b"order %d" % number for number in range(1_000)]
    await produce(nodes, "orders", values)
    await replicas_agree(nodes, "orders", 1, 2, 3)
    await nodes.stop(2)
    segment = tmp_path / "broker-2" / "orders-0" / "00000000000000000000.log"
    segment.write_bytes(segment.read_bytes()[:200])  # below the recovery point
    await nodes.start(2)
    await nodes.until_in_sync("orders", 1, 2, 3)
    await produce(nodes, "orders", [b"more"])
    await replicas_agree(nodes, "orders", 1, 2, 3)
    assert [name for name in nodes[2].folders[0].strays if name.startswith("orders-0.")], "what was left is kept"


async def test_a_replica_that_comes_back_with_an_epoch_that_never_was_is_in_sync_again(
    nodes: Nodes, tmp_path: Path
) -> None:
    """No checksum covers the epoch of a batch, and a leader knows nothing of one that it never had."""
    await nodes.create_topic("orders", replicas=(1, 2, 3), min_insync_replicas="2")
    await produce(nodes, "orders", [b"order %d" % number for number in range(100)])
    await replicas_agree(nodes, "orders", 1, 2, 3)
    await nodes.stop(2)
    folder = tmp_path / "broker-2"
    for trace_of_a_flush in (CLEAN_MARKER, RECOVERY_POINTS, f"orders-0/{EPOCHS}"):
        (folder / trace_of_a_flush).unlink()
    segment = folder / "orders-0" / "00000000000000000000.log"
    data = bytearray(segment.read_bytes())
    last = sum(header.size for header in list(headers_in(bytes(data)))[:-1])
    data[last + 15] ^= 0x40
    segment.write_bytes(data)
    await nodes.start(2)
    await nodes.until_in_sync("orders", 1, 2, 3)
    await produce(nodes, "orders", [b"more"])
    await replicas_agree(nodes, "orders", 1, 2, 3)


async def test_a_follower_that_somebody_took_out_of_sync_is_back_without_a_record_being_written(nodes: Nodes) -> None:
    """As the controller does to a broker that was lost for a moment, perhaps after that has told the leader where it
    is.
    """
    await nodes.create_topic("orders", replicas=(1, 2, 3), min_insync_replicas="2")
    await produce(nodes, "orders", [b"order"])
    await nodes.until(lambda: all(nodes.partition("orders", at).high_watermark == 1 for at in (1, 2, 3)))
    topic_id = nodes.image().topics["orders"].topic_id
    revision = nodes.state("orders").revision
    await nodes.cluster(2).in_sync_writes.leave(topic_id, 0, reason="to see it come back")
    await nodes.until(lambda: nodes.state("orders", at=1).revision > revision)
    await nodes.until_in_sync("orders", 1, 2, 3)


async def test_a_leader_whose_disk_takes_no_more_hands_over(nodes: Nodes) -> None:
    await nodes.create_topic("orders", replicas=(1, 2, 3), min_insync_replicas="2")
    await produce(nodes, "orders", [b"before"])
    nodes.partition("orders", 1).log.health.take_offline("I/O error", stops_reads=False)
    deliveries = await produce(nodes, "orders", [b"after %d" % number for number in range(100)])
    assert not deliveries.errors
    await nodes.until(lambda: nodes.state("orders").leader in (2, 3) and 1 not in nodes.state("orders").in_sync)


async def test_a_follower_whose_disk_takes_no_more_is_not_waited_for(tmp_path: Path) -> None:
    """Not even for as long as a follower may lag behind, which is an hour here."""
    async with some_nodes(tmp_path, 3, QUICK | {"replica.lag.time.max.ms": "3600000"}) as nodes:
        await nodes.create_topic("orders", replicas=(1, 2, 3), min_insync_replicas="2")
        nodes.partition("orders", 2).log.health.take_offline("I/O error", stops_reads=False)
        deliveries = await produce(nodes, "orders", [b"x"] * 10)
        assert not deliveries.errors
        await nodes.until_in_sync("orders", 1, 3)


RACKS = QUICK | {"replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"}


async def test_a_consumer_reads_from_the_replica_in_its_own_rack(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 0, RACKS) as nodes:
        for broker in (1, 2, 3):
            await nodes.start(broker, broker_rack=f"rack-{broker}")
        await nodes.until_all_are_known()
        await nodes.create_topic("orders", replicas=(1, 2, 3))
        values = [b"order %d" % number for number in range(500)]
        await produce(nodes, "orders", values)
        await replicas_agree(nodes, "orders", 1, 2, 3)
        assert await consume(nodes, "orders", 500, client_rack="rack-3") == values
        served = {broker: nodes.partition("orders", broker).metrics.bytesout for broker in (1, 2, 3)}
        assert served[3] > 0 and served[2] == 0 and served[1] == 0


async def test_a_consumer_without_a_rack_reads_from_the_leader(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 0, RACKS) as nodes:
        for broker in (1, 2, 3):
            await nodes.start(broker, broker_rack=f"rack-{broker}")
        await nodes.until_all_are_known()
        await nodes.create_topic("orders", replicas=(2, 1, 3))
        await produce(nodes, "orders", [b"x"] * 100)
        for rack in ("", "rack-elsewhere", "rack-2"):
            assert len(await consume(nodes, "orders", 100, client_rack=rack)) == 100
        served = {broker: nodes.partition("orders", broker).metrics.bytesout for broker in (1, 2, 3)}
        assert served[2] > 0 and served[1] == 0 and served[3] == 0


async def test_compacted_replicas_agree_on_the_latest_value_of_each_key(tmp_path: Path) -> None:
    # However long this takes, nobody cleans by himself: broker 3 does not come round to it.
    async with some_nodes(tmp_path, 3, QUICK | {"log.cleaner.backoff.ms": "3600000"}) as nodes:
        await nodes.create_topic(
            "prices",
            replicas=(1, 2, 3),
            cleanup_policy="compact",
            segment_bytes="1048576",
            min_cleanable_dirty_ratio="0.01",
        )
        values = [b"%0200d" % number for number in range(20_000)]
        await asyncio.to_thread(_produce_keyed, nodes.bootstrap, "prices", values)
        end = nodes.leader("prices").log.end_offset
        logs = {broker: on_disk(nodes.partition("prices", broker).log) for broker in (1, 2, 3)}
        await nodes.until(lambda: all(nodes.partition("prices", broker).high_watermark == end for broker in logs))
        whole = {broker: log.size for broker, log in logs.items()}
        for broker in (1, 2):
            logs[broker].flushing.flush()
            nodes[broker].folders[0].write_checkpoints()
            while logs[broker].size == whole[broker]:
                await nodes.services(broker).cleaner.clean_one()
        assert logs[1].size < logs[3].size and latest(logs[1]) == latest(logs[2]) == latest(logs[3])


def _produce_keyed(bootstrap: str, topic: str, values: list[bytes]) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all", "queue.buffering.max.messages": 1_000_000})
    for number, value in enumerate(values):
        producer.produce(topic, value, key=b"%d" % (number % 50), partition=0)
    assert producer.flush(WITHIN_S) == 0


def latest(log: PartitionLog) -> dict[bytes | None, bytes | None]:
    found: dict[bytes | None, bytes | None] = {}
    data, position = read_all(log), 0
    while position < len(data):
        size = BatchHeader.peek(data, position).size
        found |= {record.key: record.value for record in iterate(data[position : position + size])}
        position += size
    return found
