"""Three `penstock up` programs over a real etcd: killed, paused and restarted one at a time, under stock clients."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.clients import read_to_end
from tests.support.programs import ClusterOfPrograms


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[ClusterOfPrograms]:
    with ClusterOfPrograms(tmp_path, brokers=3, etcd=1) as running:
        yield running


def create(cluster: ClusterOfPrograms, name: str, *, partitions: int = 1) -> None:
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
    admin.create_topics([NewTopic(name, partitions, 3)])[name].result(60)
    cluster.wait_until_in_sync(name)


def write(producer: Producer, topic: str, values: list[str]) -> None:
    errors: list[object] = []
    for value in values:
        producer.produce(topic, value, partition=0, on_delivery=lambda error, _: errors.append(error))
    assert producer.flush(60) == 0
    assert errors == [None] * len(values)


def read(cluster: ClusterOfPrograms, topic: str, count: int) -> list[str]:
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": "readers", "log_level": 0})
    consumer.assign([TopicPartition(topic, 0, 0)])
    found: list[str] = []
    while len(found) < count:
        record = consumer.poll(60)
        assert record is not None and record.error() is None, (found, record and record.error())
        found.append((record.value() or b"").decode())
    consumer.close()
    return found


def test_writes_go_on_when_the_leader_is_killed_and_it_comes_back_in_sync(cluster: ClusterOfPrograms) -> None:
    create(cluster, "orders")
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "enable.idempotence": True, "log_level": 0})
    write(producer, "orders", [f"before {n}" for n in range(100)])
    killed = cluster.leader("orders")
    cluster.kill(killed)
    write(producer, "orders", [f"after {n}" for n in range(100)])
    cluster.wait(lambda: killed not in cluster.in_sync("orders"), "it is out of sync")
    cluster.wait(lambda: cluster.leader("orders") not in (killed, -1), "another leads")
    cluster.start(killed)
    cluster.wait_until_in_sync("orders")
    expected = [f"before {n}" for n in range(100)] + [f"after {n}" for n in range(100)]
    assert read(cluster, "orders", 200) == expected


def test_a_paused_leader_is_replaced_and_taken_back_when_it_goes_on(cluster: ClusterOfPrograms) -> None:
    create(cluster, "orders")
    paused = cluster.leader("orders")
    others = [number for number in cluster.brokers if number != paused]
    cluster.pause(paused)
    cluster.wait(lambda: cluster.leader("orders", at=others[0]) in others, "another broker leads")
    producer = Producer({"bootstrap.servers": ",".join(cluster[n].bootstrap for n in others), "log_level": 0})
    write(producer, "orders", ["while it hung"])
    cluster.resume(paused)
    cluster.wait_until_in_sync("orders")
    assert read(cluster, "orders", 1) == ["while it hung"]


def test_everything_stopped_and_started_again_finds_its_topics_and_records(cluster: ClusterOfPrograms) -> None:
    create(cluster, "orders", partitions=4)
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "log_level": 0})
    write(producer, "orders", ["one", "two"])
    cluster.stop_all()
    cluster.start_all()
    cluster.wait_until_in_sync("orders")
    (topic,) = cluster.metadata("orders").topics
    assert len(topic.partitions) == 4
    assert read(cluster, "orders", 2) == ["one", "two"]


def test_the_secret_is_exchanged_while_brokers_run_and_come_and_go(cluster: ClusterOfPrograms) -> None:
    create(cluster, "orders")
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "enable.idempotence": True, "log_level": 0})
    write(producer, "orders", ["before"])
    etcd = cluster[1].settings["penstock.etcd.endpoints"]
    command = [sys.executable, "-m", "penstock.cli", "cluster", "rotate-secret", "--yes", "--pause", "4", "--json"]
    # What brokers sit out ends a command: etcd that shares a busy disk with all of this may take seconds for a write.
    settings = ("--set", f"penstock.etcd.endpoints={etcd}", "--set", "penstock.etcd.request.timeout.ms=60000")
    with subprocess.Popen([*command, *settings], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as rotating:
        assert rotating.stderr is not None and rotating.stdout is not None
        for broker in (1, 2):  # each introduces itself anew in another step
            assert any(b"brokers hear of it" in line for line in rotating.stderr)  # beside warnings about this etcd
            cluster.kill(broker)
            cluster.start(broker)
            cluster.wait_until_in_sync("orders")
            write(producer, "orders", [f"with {broker} back"])
        assert json.load(rotating.stdout) == {"done": True}
    assert rotating.returncode == 0
    cluster.restart(3)
    cluster.wait_until_in_sync("orders")
    write(producer, "orders", ["after"])
    assert read(cluster, "orders", 4) == ["before", "with 1 back", "with 2 back", "after"]


PLAIN: dict[str, object] = {"acks": "all", "max.in.flight.requests.per.connection": 5}
IDEMPOTENT: dict[str, object] = {"enable.idempotence": True}


@pytest.mark.parametrize("kind", [IDEMPOTENT, PLAIN], ids=["idempotent", "plain"])
def test_a_controlled_stop_drops_no_write_that_is_under_way(
    cluster: ClusterOfPrograms, kind: dict[str, object]
) -> None:
    """Stopped and started again one after the other, each while it leads and many requests are in flight."""
    create(cluster, "orders")
    # Requests of a few records each, so that there are always several under way, and more behind them.
    more = {"linger.ms": 0, "batch.num.messages": 20, "queue.buffering.max.messages": 2_000, "log_level": 0}
    producer = Producer({"bootstrap.servers": cluster.bootstrap, **kind, **more})
    errors: list[object] = []
    sent = 0

    def write_until(is_enough: Callable[[], bool]) -> None:
        nonlocal sent
        while not is_enough():
            try:
                producer.produce("orders", str(sent), partition=0, on_delivery=lambda error, _: errors.append(error))
                sent += 1
            except BufferError:
                producer.poll(0.01)
            producer.poll(0)

    for _ in range(len(cluster.brokers)):
        acknowledged = len(errors) + 2_000
        write_until(lambda: len(errors) >= acknowledged)  # noqa: B023
        leader = cluster.leader("orders")
        stopping = threading.Thread(target=cluster.stop, args=(leader,))
        stopping.start()
        write_until(lambda: not stopping.is_alive())  # noqa: B023
        cluster.wait(lambda: cluster.leader("orders") not in (leader, -1), "another leads")  # noqa: B023
        acknowledged = len(errors) + 2_000
        write_until(lambda: len(errors) >= acknowledged)  # noqa: B023
        cluster.start(leader)
        cluster.wait_until_in_sync("orders")
    assert producer.flush(60) == 0
    assert errors == [None] * sent
    expected = [str(number) for number in range(sent)]
    found = [(record.value() or b"").decode() for record in read_to_end(cluster.bootstrap, "orders")]
    if kind is IDEMPOTENT:
        assert found == expected
    else:  # what is sent again without a number may be there twice, or after others
        assert set(found) == set(expected)
