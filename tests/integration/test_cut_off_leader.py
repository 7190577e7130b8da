"""A leader that the rest of the cluster has replaced, and that its clients still reach: they find its successor.

Nothing here heals before the clients have gone on: told of no other leader they would wait for that.
"""

import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer
from tests.support.chaos_cluster import ChaosCluster, broker_name

from penstock.processes.raw_requests import ask
from penstock.wire.messages.find_coordinator_request import FindCoordinatorRequest
from penstock.wire.messages.find_coordinator_response import FindCoordinatorResponse

pytestmark = pytest.mark.timeout(300)

TOPIC = "orders"
NEVER_S = 50.0
"""Shorter than what librdkafka itself would wait for an answer, far longer than it takes."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChaosCluster]:
    folder: Path = tmp_path_factory.mktemp("cut-off")
    with ChaosCluster(folder, {"num.partitions": "1", "min.insync.replicas": "2"}, etcd=1) as made:
        yield made


class Writing:
    def __init__(self, cluster: ChaosCluster) -> None:
        self._producer = Producer({"bootstrap.servers": cluster.bootstrap, "enable.idempotence": True, "linger.ms": 0})
        self.acknowledged = 0

    def write_one(self) -> None:
        """Return when a record that is sent now is acknowledged."""
        before = self.acknowledged
        self._producer.produce(TOPIC, b"x", on_delivery=self._delivered)
        until(lambda: self._producer.poll(0.1) >= 0 and self.acknowledged > before, "acknowledged")

    def close(self) -> None:
        """Else it would look for brokers after their networks are gone, wherever that leads."""
        del self._producer

    def _delivered(self, error: object, _message: object) -> None:
        self.acknowledged += error is None


@pytest.fixture
def writing(cluster: ChaosCluster) -> Iterator[Writing]:
    made = Writing(cluster)
    yield made
    made.close()


def until(holds: Callable[[], bool], what: str) -> None:
    deadline_s = time.monotonic() + NEVER_S
    while not holds():
        assert time.monotonic() < deadline_s, f"never {what}"
        time.sleep(0.02)


@pytest.mark.parametrize("also_from_brokers", [True, False])
def test_clients_of_a_leader_that_is_cut_off_go_on_with_its_successor(
    cluster: ChaosCluster, writing: Writing, also_from_brokers: bool
) -> None:
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": "g", "auto.offset.reset": "earliest"})
    consumer.subscribe([TOPIC])
    try:
        writing.write_one()
        until(lambda: (message := consumer.poll(0.1)) is not None and message.error() is None, "read")
        cluster.wait_until_in_sync(TOPIC)
        leader = cluster.leader(TOPIC)
        host, _, port = cluster[leader].bootstrap.rpartition(":")
        was_open = socket.create_connection((host, int(port)), timeout=NEVER_S)
        others = [broker_name(other) for other in cluster.brokers if other != leader]
        cluster.networks.cut(broker_name(leader), *cluster.etcd_names, *(others if also_from_brokers else ()))
        until(lambda: has_stepped_back(cluster, leader), "named by itself")
        with was_open:
            assert was_open.recv(1) == b"", "closed, so that its client looks elsewhere"
        assert leader not in [broker.node_id for broker in cluster.metadata(TOPIC, at=leader).brokers]
        assert coordinator_named_by(cluster, leader) != leader
        writing.write_one()
        until(lambda: (message := consumer.poll(0.1)) is not None and message.error() is None, "read")
        assert cluster.leader(TOPIC, at=leader) == -1, "healed too early to show anything"
    finally:
        consumer.close()
        cluster.networks.heal()
    cluster.wait_until_in_sync(TOPIC)
    until(lambda: cluster.leader(TOPIC, at=leader) >= 0, "part of the cluster again")


def has_stepped_back(cluster: ChaosCluster, leader: int) -> bool:
    """Whether it no longer names itself. Whoever asks in the moment in which it does is sent away like its clients."""
    try:
        return cluster.leader(TOPIC, at=leader) == -1
    except ConnectionResetError:
        return False


def coordinator_named_by(cluster: ChaosCluster, broker_id: int) -> int:
    found = ask(cluster[broker_id].bootstrap, FindCoordinatorRequest(key="g"), FindCoordinatorResponse, version=2)
    return found.node_id


def test_without_the_store_everybody_keeps_its_clients_and_takes_new_ones(
    cluster: ChaosCluster, writing: Writing
) -> None:
    writing.write_one()
    for broker in cluster.brokers:
        cluster.restart(broker)
        cluster.wait_until_in_sync(TOPIC)
    leader = cluster.leader(TOPIC)
    length = len(cluster.logs(leader))
    cluster.etcd.kill()
    try:
        # Lines of the log tell that it has tried to renew its lease in vain for longer than that lasts.
        until(lambda: cluster.logs(leader)[length:].count("lease not renewed") >= 4, "without it")
        writing.write_one()
        Writing(cluster).write_one()  # which needs a producer id
        assert cluster.leader(TOPIC, at=leader) == leader
    finally:
        cluster.etcd.start()
    cluster.wait_until_in_sync(TOPIC)
