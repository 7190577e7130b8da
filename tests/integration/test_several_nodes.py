"""Three whole brokers in one process over one store: they find each other, and survive each other."""

import asyncio
from pathlib import Path

from tests.support.nodes import Nodes, some_nodes
from tests.support.raw import RawClient

from penstock.cluster import CreatedTopic, CreateTopic
from penstock.errors import CoordinatorNotAvailable

QUICK = {"penstock.broker.lease.ms": "1500", "penstock.broker.heartbeat.ms": "300"}


async def create(nodes: Nodes, name: str, *, partitions: int, replicas: int = 3, through: int = 1) -> None:
    topic = CreateTopic(name, partitions=partitions, replication_factor=replicas)
    (outcome,) = await nodes.cluster(through).controller.create_topics([topic], timeout_ms=10_000)
    assert isinstance(outcome, CreatedTopic), outcome


def leaders(nodes: Nodes) -> list[int]:
    return [partition.leader for _, partition in nodes.image().partitions()]


async def test_three_nodes_form_one_cluster_and_any_of_them_creates_topics(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        assert len({nodes[node_id].cluster_id for node_id in (1, 2, 3)}) == 1
        for node_id in (1, 2, 3):
            await create(nodes, f"topic-{node_id}", partitions=3, through=node_id)
        assert sorted(nodes.image(3).topics) == ["topic-1", "topic-2", "topic-3"]
        assert sorted(leaders(nodes)) == [1, 1, 1, 2, 2, 2, 3, 3, 3]


async def test_what_a_killed_node_led_is_led_by_others_and_it_may_come_back(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        await create(nodes, "orders", partitions=6, through=2)
        controller = nodes.image().controller_id
        await nodes.kill(controller)
        await nodes.until(lambda: controller not in leaders(nodes) and -1 not in leaders(nodes))
        assert nodes.image().controller_id in nodes.by_id
        assert all(controller not in partition.in_sync for _, partition in nodes.image().partitions())
        await nodes.start(controller)
        await nodes.until(lambda: len(nodes.image().brokers) == 3)


async def test_a_node_that_stops_hands_over_first(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        await create(nodes, "orders", partitions=6)
        await nodes.stop(1)
        await nodes.until(lambda: set(nodes.image(2).brokers) == {2, 3})
        assert set(leaders(nodes)) == {2, 3}
        assert {partition.leader_epoch for _, partition in nodes.image(2).partitions()} == {0, 1}


async def test_internal_topics_get_their_replicas_or_are_not_created(tmp_path: Path) -> None:
    """RULES 34: with two brokers there is no third for a replica, so there is no coordinator yet."""

    def find_coordinator(port: int) -> int:
        with RawClient(port) as client:
            answer = client.request("FindCoordinator", 4, {"key_type": 0, "coordinator_keys": ["readers"]})
            return int(answer["coordinators"][0]["error_code"])

    async with some_nodes(tmp_path, 2, QUICK) as nodes:
        port = nodes[1].endpoints["PLAINTEXT"].port
        assert await asyncio.to_thread(find_coordinator, port) == CoordinatorNotAvailable.code
        assert not nodes.image().topics
        await nodes.start(3)
        await nodes.until(lambda: len(nodes.image(1).brokers) == 3)
        assert await asyncio.to_thread(find_coordinator, port) == 0
        assert all(len(part.replicas) == 3 for part in nodes.image(1).topics["__consumer_offsets"].partitions)
