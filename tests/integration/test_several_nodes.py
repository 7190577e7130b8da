"""Three whole brokers in one process over one store: they find each other, and survive each other."""

from pathlib import Path

from tests.support.nodes import Nodes, some_nodes

from penstock.cluster import CreatedTopic, CreateTopic

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
