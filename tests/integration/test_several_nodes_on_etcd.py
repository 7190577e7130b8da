"""Three whole brokers over a real etcd: formed, killed, stopped, and left without etcd for a while."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.nodes import Nodes, some_nodes

from penstock.cluster import CreatedTopic, CreateTopic
from penstock.testing.etcd import EtcdCluster


@pytest.fixture
def etcd(tmp_path: Path) -> Iterator[EtcdCluster]:
    with EtcdCluster(tmp_path / "etcd") as cluster:
        yield cluster


async def create(nodes: Nodes, name: str, *, partitions: int) -> None:
    topic = CreateTopic(name, partitions=partitions, replication_factor=3)
    (outcome,) = await nodes.cluster().controller.create_topics([topic], timeout_ms=120_000)
    assert isinstance(outcome, CreatedTopic), outcome


def leaders(nodes: Nodes) -> set[int]:
    return {int(partition.leader) for _, partition in nodes.image().partitions()}


async def test_a_cluster_on_etcd_elects_leaders_for_300_partitions_of_a_killed_controller(
    etcd: EtcdCluster, tmp_path: Path
) -> None:
    async with some_nodes(tmp_path, 3, {"penstock.etcd.endpoints": etcd.endpoints}) as nodes:
        await create(nodes, "orders", partitions=300)
        controller = nodes.image().controller_id
        await nodes.kill(controller)
        await nodes.until(lambda: leaders(nodes) == {1, 2, 3} - {controller})
        assert nodes.image().controller_id not in (controller, -1)
        assert all(controller not in partition.in_sync for _, partition in nodes.image().partitions())
        await nodes.start(controller)
        await nodes.until(lambda: all(len(partition.in_sync) == 3 for _, partition in nodes.image().partitions()))


async def test_while_etcd_is_away_brokers_keep_what_they_lead_and_afterwards_too(
    etcd: EtcdCluster, tmp_path: Path
) -> None:
    settings = {"penstock.etcd.endpoints": etcd.endpoints, "penstock.etcd.request.timeout.ms": "1000"}
    async with some_nodes(tmp_path, 3, settings) as nodes:
        await create(nodes, "orders", partitions=6)
        before = [(partition.leader, partition.leader_epoch) for _, partition in nodes.image().partitions()]
        (member,) = etcd.members
        member.pause()
        await asyncio.sleep(6)  # twice the lease
        member.resume()
        await nodes.until(
            lambda: all(
                len(nodes.image(node_id).brokers) == 3 and nodes.image(node_id).controller_id >= 0
                for node_id in (1, 2, 3)
            )
        )
        await asyncio.sleep(4)  # as long as patience lasts, and a little more
        assert [(part.leader, part.leader_epoch) for _, part in nodes.image().partitions()] == before
