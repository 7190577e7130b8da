"""Three whole brokers over a real etcd: formed, killed, stopped, and left without etcd for a while."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.nodes import Nodes, some_nodes

from penstock.cluster import CreatedTopic, CreateTopic
from penstock.metastore import Revision
from penstock.model import BrokerId
from penstock.processes.etcd import EtcdCluster

PATIENT = {"penstock.broker.lease.ms": "60000", "penstock.broker.heartbeats.missed.max": "1000"}
"""Only a refused connection tells that a broker is gone: brokers that share a slow process miss heartbeats."""


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
    async with some_nodes(tmp_path, 3, {**PATIENT, "penstock.etcd.endpoints": etcd.endpoints}) as nodes:
        await create(nodes, "orders", partitions=300)
        controller = nodes.image().controller_id
        await nodes.kill(controller)
        await nodes.until(lambda: leaders(nodes) == {1, 2, 3} - {controller})
        assert nodes.image().controller_id not in (controller, -1)
        # The same ruling takes several writes, as etcd takes so many keys at once.
        await nodes.until(
            lambda: all(controller not in partition.in_sync for _, partition in nodes.image().partitions())
        )
        await nodes.start(controller)
        await nodes.until(lambda: all(len(partition.in_sync) == 3 for _, partition in nodes.image().partitions()))


async def test_while_etcd_is_away_brokers_keep_what_they_lead_and_afterwards_too(
    etcd: EtcdCluster, tmp_path: Path
) -> None:
    settings = {
        **PATIENT,
        "penstock.broker.lease.ms": "15000",  # it has to end, but for no other reason
        "penstock.etcd.endpoints": etcd.endpoints,
    }
    async with some_nodes(tmp_path, 3, settings) as nodes:
        await create(nodes, "orders", partitions=6)
        before = states(nodes)
        registered = {broker.id: broker.epoch for broker in nodes.image().brokers.values()}
        (member,) = etcd.members
        member.pause()
        await nodes.until(lambda: all(nodes.cluster(node_id).is_cut_off() for node_id in (1, 2, 3)))
        member.resume()
        await nodes.until(lambda: all(is_settled(nodes, node_id, registered) for node_id in (1, 2, 3)))
        await create(nodes, "payments", partitions=1)  # the controller is at work again
        assert states(nodes) == before


def states(nodes: Nodes) -> list[tuple[int, int]]:
    return [(part.leader, part.leader_epoch) for part in nodes.image().topics["orders"].partitions]


def is_settled(nodes: Nodes, node_id: int, registered: dict[BrokerId, Revision]) -> bool:
    """All leases had ended, all brokers are back, and whoever was not would be declared lost now."""
    image, member = nodes.image(node_id), nodes.cluster(node_id).member
    assert member is not None
    epochs = {broker.id: broker.epoch for broker in image.brokers.values()}
    is_back = epochs.keys() == registered.keys() and all(epochs[each] > registered[each] for each in epochs)
    return is_back and image.controller_id >= 0 and not member.contact.is_patient
