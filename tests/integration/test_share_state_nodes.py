"""State of share groups on several brokers: kept wherever it is asked from, through the loss of its coordinator, and
while the beginning of its log is cut.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.nodes import Nodes, some_nodes

from penstock.cluster import SHARE_GROUP_STATE
from penstock.coordinators.shares.service import partition_of
from penstock.coordinators.shares.states import SharePartitionKey, ShareStates, StateBatch
from penstock.errors import (
    FencedLeaderEpoch,
    FencedStateEpoch,
    InvalidRequest,
    InvalidTopic,
    Refusal,
    UnknownTopicOrPartition,
)
from penstock.model import TopicId

QUICK = {
    "penstock.broker.lease.ms": "1500",
    "penstock.broker.heartbeat.ms": "300",
    "share.coordinator.state.topic.num.partitions": "3",
    "share.coordinator.snapshot.update.records.per.snapshot": "5",
    "share.coordinator.state.topic.prune.interval.ms": "50",
    "share.coordinator.cold.partition.snapshot.interval.ms": "100",
}
DONE, GIVEN_BACK = 2, 0


def states(nodes: Nodes, at: int) -> ShareStates:
    return nodes.services(at).share_states


def coordinator(nodes: Nodes, key: SharePartitionKey) -> int:
    topic = nodes.image().topics[SHARE_GROUP_STATE]
    return topic.partitions[partition_of(str(key), len(topic.partitions))].leader


async def write(
    nodes: Nodes, at: int, key: SharePartitionKey, *batches: StateBatch, start: int = -1, relay: bytes = b""
) -> None:
    await states(nodes, at).write(
        key, state_epoch=1, leader_epoch=0, start_offset=start, delivery_complete_count=-1, batches=batches, relay=relay
    )


async def begun(nodes: Nodes, count: int = 1) -> list[SharePartitionKey]:
    made = await nodes.create_topic("orders", replicas=tuple(nodes.running), partitions=count)
    topic_id = nodes.image().topics["orders"].topic_id
    assert made.topic_id == topic_id
    keys = [SharePartitionKey("workers", topic_id, index) for index in range(count)]
    await asyncio.gather(*(states(nodes, 1).initialize(key, state_epoch=1, start_offset=0) for key in keys))
    return keys


async def test_any_broker_reads_what_another_has_written(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        keys = await begun(nodes, 6)
        for number, key in enumerate(keys):
            await write(
                nodes,
                number % 3 + 1,
                key,
                StateBatch(5, 9, DONE, 1, not_before_ms=7, dead_letter_reason=1),
                start=3,
                relay=b"on its way",
            )
        assert len({coordinator(nodes, key) for key in keys}) > 1, "else nothing was asked of another broker"
        for at in nodes.running:
            for key in keys:
                state = await states(nodes, at).read(key, leader_epoch=0)
                assert (state.state_epoch, state.start_offset) == (1, 3)
                assert list(state.batches) == [StateBatch(5, 9, DONE, 1, not_before_ms=7, dead_letter_reason=1)]
                assert state.relay == b"on its way"
                summary = await states(nodes, at).summary(key, leader_epoch=0)
                assert (summary.start_offset, summary.delivery_complete_count) == (3, -1)
        topic = nodes.image().topics[SHARE_GROUP_STATE]
        assert topic.is_internal and topic.overrides["cleanup.policy"] == "delete"
        assert topic.overrides["retention.ms"] == topic.overrides["retention.bytes"] == "-1"
        assert [len(each.replicas) for each in topic.partitions] == [3, 3, 3]


async def test_refusals_cross_the_network(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        (key,) = await begun(nodes)
        away = next(at for at in nodes.running if at != coordinator(nodes, key))
        there = states(nodes, away)
        assert (await there.read(key, leader_epoch=4)).start_offset == 0
        with pytest.raises(FencedLeaderEpoch):
            await write(nodes, away, key, StateBatch(0, 0, DONE, 1))
        with pytest.raises(FencedStateEpoch):
            await there.initialize(key, state_epoch=0, start_offset=0)
        with pytest.raises(InvalidRequest):
            await there.read(key._replace(group_id="nobody"), leader_epoch=0)
        with pytest.raises(UnknownTopicOrPartition):
            await there.summary(key._replace(topic_id=TopicId(b"x" * 16)), leader_epoch=0)
        await there.delete(key)
        await there.delete(key)
        assert (await there.summary(key, leader_epoch=0)).state_epoch == 0


async def test_what_was_answered_outlives_its_coordinator(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        (key,) = await begun(nodes)
        answered: list[int] = []

        async def work(at: int) -> None:
            for offset in range(at, 120 + at, 3):
                await write(nodes, at, key, StateBatch(offset, offset, DONE, 1))
                answered.append(offset)

        lost = coordinator(nodes, key)
        survivors = [at for at in nodes.running if at != lost]
        workers = [asyncio.create_task(work(at)) for at in survivors]
        await nodes.until(lambda: len(answered) >= 10)
        await nodes.kill(lost)
        await asyncio.gather(*workers)
        state = await states(nodes, survivors[0]).read(key, leader_epoch=1)
        kept = {offset for batch in state.batches for offset in range(batch.first_offset, batch.last_offset + 1)}
        assert kept == set(answered) and len(answered) == 80
        assert coordinator(nodes, key) != lost
        with pytest.raises(FencedLeaderEpoch):
            await write(nodes, survivors[1], key, StateBatch(500, 500, DONE, 1))


async def test_the_log_is_cut_and_what_is_left_says_the_same(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        cold, busy = await begun(nodes, 2)
        other = next(
            key
            for key in (busy._replace(group_id=f"workers-{number}") for number in range(1_000))
            if partition_of(str(key), 3) == partition_of(str(cold), 3)
        )
        await states(nodes, 1).initialize(other, state_epoch=1, start_offset=0)
        await write(nodes, 1, cold, StateBatch(4, 4, GIVEN_BACK, 2))
        index = partition_of(str(cold), 3)
        log = nodes.leader(SHARE_GROUP_STATE, index)
        for offset in range(60):
            await write(nodes, 1, other, StateBatch(2 * offset, 2 * offset, DONE, 1))
        await nodes.until(lambda: log.start_offset > 40)
        await nodes.until(
            lambda: all(nodes.partition(SHARE_GROUP_STATE, at, index).start_offset > 40 for at in nodes.running)
        )
        lost = coordinator(nodes, cold)
        await nodes.kill(lost)
        at = next(iter(nodes.running))
        assert list((await states(nodes, at).read(cold, leader_epoch=0)).batches) == [StateBatch(4, 4, GIVEN_BACK, 2)]
        assert len((await states(nodes, at).read(other, leader_epoch=0)).batches) == 60


async def test_state_of_a_deleted_topic_goes(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 1, QUICK | {"share.coordinator.state.topic.replication.factor": "1"}) as nodes:
        keys = await begun(nodes, 6)

        def kept() -> int:
            machines: list[Any] = [shard.machine for shard in nodes.services(1).shares._shards()]
            return sum(len(machine.states) for machine in machines)

        assert kept() == 6
        (outcome,) = await nodes.cluster().controller.delete_topics([keys[0].topic_id], timeout_ms=120_000)
        assert not isinstance(outcome, Refusal)
        await nodes.until(lambda: kept() == 0)
        await states(nodes, 1).delete(keys[0])
        with pytest.raises(UnknownTopicOrPartition):
            await states(nodes, 1).initialize(keys[0], state_epoch=2, start_offset=0)


async def test_only_the_coordinator_cuts_the_log(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 1, QUICK | {"share.coordinator.state.topic.replication.factor": "1"}) as nodes:
        (key,) = await begun(nodes)
        log = nodes.leader(SHARE_GROUP_STATE, partition_of(str(key), 3))
        with pytest.raises(InvalidTopic):
            log.delete_records(-1)
