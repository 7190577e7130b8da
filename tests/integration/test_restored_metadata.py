"""A metadata store that was put back to an earlier day, under brokers whose records are of today."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

from confluent_kafka import Producer
from tests.support.nodes import Nodes, some_nodes
from tests.support.raw import RawClient

from penstock.cluster.commands import Reassign
from penstock.cluster.keys import Keys
from penstock.errors import CoordinatorLoadInProgress, NotCoordinator
from penstock.metastore import Delete, Listing, Put, Transaction

QUICK = {"penstock.broker.lease.ms": "1500", "penstock.broker.heartbeat.ms": "300"}
KEYS = Keys("main")
WITHIN_S = 120.0


async def produce(nodes: Nodes, topic: str, value: bytes, *, is_idempotent: bool = False) -> int:
    """By a producer of its own, with acks=all; where the record came to lie."""
    return await asyncio.to_thread(_produce, nodes.bootstrap, topic, value, is_idempotent)


def _produce(bootstrap: str, topic: str, value: bytes, is_idempotent: bool) -> int:
    told: list[int | None] = []
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all", "enable.idempotence": is_idempotent})
    producer.produce(topic, value, on_delivery=lambda _, message: told.append(message.offset()))
    assert producer.flush(WITHIN_S) == 0
    (offset,) = told
    assert offset is not None
    return offset


async def put_back(nodes: Nodes, backup: Listing) -> None:
    """As a restore with a raised revision does; what lay under leases has gone with them."""
    now = await nodes.store.range(KEYS.prefix)
    puts = {item.key: Put(item.key, item.value) for item in backup.items if not item.lease}
    deletes = tuple(Delete(item.key) for item in now.items if item.key not in puts)
    await nodes.store.commit(Transaction(puts=tuple(puts.values()), deletes=deletes))


async def leads_on(nodes: Nodes, *, at: int) -> None:
    """All three brokers start, the next record gets offset `at`, and all have it."""
    for broker in (1, 2, 3):
        await nodes.start(broker)
    assert await produce(nodes, "orders", b"after") == at
    await nodes.until_in_sync("orders", 1, 2, 3)


async def test_partitions_that_had_other_leaders_since_the_backup_are_replicated_again(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        await nodes.create_topic("orders", replicas=(1, 2, 3), min_insync_replicas="2")
        assert await produce(nodes, "orders", b"before") == 0
        backup = await nodes.store.range(KEYS.prefix)
        for number in range(1, 7):  # each change of leader raises the epoch
            leader = nodes.state("orders").leader
            await nodes.stop(leader)
            await nodes.start(leader)
            await nodes.until_in_sync("orders", 1, 2, 3)
            assert await produce(nodes, "orders", b"since") == number
        for broker in (1, 2, 3):
            await nodes.stop(broker)
        await put_back(nodes, backup)
        await leads_on(nodes, at=7)


async def test_whoever_led_at_the_time_of_the_backup_leads_on_above_all_epochs_of_its_log(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 1, QUICK) as nodes:
        await nodes.create_topic("orders", replicas=(1,))
        assert await produce(nodes, "orders", b"before") == 0
        backup = await nodes.store.range(KEYS.prefix)
        for number in range(1, 4):
            await nodes.stop(1)
            await nodes.start(1)
            assert await produce(nodes, "orders", b"since") == number
        known = nodes.partition("orders", 1).log.epochs.snapshot()
        await nodes.stop(1)
        await put_back(nodes, backup)
        await nodes.start(1)
        assert await produce(nodes, "orders", b"after") == 4
        assert nodes.partition("orders", 1).log.epochs.snapshot() == [*known, (nodes.state("orders").leader_epoch, 4)]


async def test_records_of_brokers_that_were_killed_are_kept_though_their_leaders_came_after_the_backup(
    tmp_path: Path,
) -> None:
    """Nothing but their batches tells of the epochs: what is not flushed is read at the start, and believed."""
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        await nodes.create_topic("orders", replicas=(1, 2, 3), min_insync_replicas="2")
        backup = await nodes.store.range(KEYS.prefix)
        leader = nodes.state("orders").leader
        await nodes.stop(leader)
        await nodes.start(leader)
        await nodes.until_in_sync("orders", 1, 2, 3)
        assert [await produce(nodes, "orders", b"since") for _ in range(3)] == [0, 1, 2]
        await nodes.until(lambda: {nodes.partition("orders", broker).log.end_offset for broker in (1, 2, 3)} == {3})
        for broker in (1, 2, 3):
            await leave_as_if_killed(nodes, broker)
        await put_back(nodes, backup)
        await leads_on(nodes, at=3)


async def test_a_log_that_was_moved_here_since_the_backup_is_set_aside_and_not_deleted(tmp_path: Path) -> None:
    """The brokers that the backup knows of have deleted theirs: it may be the last that has the records."""
    async with some_nodes(tmp_path, 2, QUICK) as nodes:
        await nodes.create_topic("orders", replicas=(1,))
        assert await produce(nodes, "orders", b"before") == 0
        backup = await nodes.store.range(KEYS.prefix)
        cluster = nodes[1].cluster
        assert cluster is not None
        await cluster.controller.reassign([Reassign("orders", 0, (2,))], timeout_ms=60_000)
        await nodes.until(lambda: nodes.state("orders").replicas == (2,) and not nodes.replica("orders", 1))
        for broker in (1, 2):
            await nodes.stop(broker)
        await put_back(nodes, backup)
        for broker in (1, 2):
            await nodes.start(broker)
        (stray,) = [name for name in nodes[2].folders[0].strays if name.startswith("orders-0.")]
        assert (nodes[2].folders[0].path / stray / f"{0:020d}.log").stat().st_size > 0


async def leave_as_if_killed(nodes: Nodes, broker: int) -> None:
    """With the data folder that a killed process leaves: what was written, flushed or not, and no clean stop."""
    (folder,) = nodes.folders(broker)
    left = folder.with_name(folder.name + "-left")
    await asyncio.to_thread(shutil.copytree, folder, left)
    await nodes.stop(broker)
    await asyncio.to_thread(shutil.rmtree, folder)
    left.rename(folder)


async def test_a_producer_is_not_given_an_id_that_another_has_had_since_the_backup(tmp_path: Path) -> None:
    """Its records would be taken for the other's, sent again: told to be there, and nowhere."""
    async with some_nodes(tmp_path, 1, QUICK) as nodes:
        await nodes.create_topic("orders", replicas=(1,))
        backup = await nodes.store.range(KEYS.prefix)
        assert await produce(nodes, "orders", b"since", is_idempotent=True) == 0
        await nodes.stop(1)
        await put_back(nodes, backup)
        await nodes.start(1)
        assert await produce(nodes, "orders", b"after", is_idempotent=True) == 1


async def init_producer(nodes: Nodes, transactional_id: str | None) -> int:
    """The id that a producer is given, once its coordinator has read its log."""

    def work() -> dict[str, Any]:
        body = {"transactional_id": transactional_id, "transaction_timeout_ms": 60_000}
        with RawClient(nodes[1].endpoints["PLAINTEXT"].port) as client:
            return client.request("InitProducerId", 4, {**body, "producer_id": -1, "producer_epoch": -1})

    async with asyncio.timeout(WITHIN_S):
        while True:
            answer = await asyncio.to_thread(work)
            if answer["error_code"] == 0:
                given: int = answer["producer_id"]
                return given
            assert answer["error_code"] in (CoordinatorLoadInProgress.code, NotCoordinator.code)


async def test_nobody_is_given_the_id_of_a_transactional_producer_that_has_written_nothing_since(
    tmp_path: Path,
) -> None:
    """Nor lately: no log but the coordinator's has its id then."""
    settings = {f"transaction.state.log.{name}": "1" for name in ("replication.factor", "min.isr", "num.partitions")}
    async with some_nodes(tmp_path, 1, QUICK | settings) as nodes:
        with RawClient(nodes[1].endpoints["PLAINTEXT"].port) as client:
            looked_for = {"key_type": 1, "coordinator_keys": ["t"]}
            await asyncio.to_thread(client.request, "FindCoordinator", 4, looked_for)
        backup = await nodes.store.range(KEYS.prefix)
        given = await init_producer(nodes, "t")
        await nodes.stop(1)
        await put_back(nodes, backup)
        await nodes.start(1)
        assert await init_producer(nodes, "t") == given
        assert await init_producer(nodes, None) > given
