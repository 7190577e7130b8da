"""penstock.testing's cluster: the fixture, its methods, and that nothing is left behind whatever happens."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from tests.support.faults import eventually

import penstock.testing
from penstock.testing import RunningCluster
from penstock.testing.plugin import ClusterFactory


def write(bootstrap: str, *values: str) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "log_level": 0})
    errors: list[object] = []
    for value in values:
        producer.produce("orders", value, partition=0, on_delivery=lambda error, _: errors.append(error))
    assert producer.flush(60) == 0
    assert errors == [None] * len(values)


def read(bootstrap: str, count: int) -> list[bytes | None]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "g", "log_level": 0})
    try:
        consumer.assign([TopicPartition("orders", 0, 0)])
        records = [consumer.poll(60) for _ in range(count)]
        return [record.value() for record in records if record is not None]
    finally:
        consumer.close()


def test_records_survive_a_dead_leader(penstock_cluster: RunningCluster) -> None:
    write(penstock_cluster.bootstrap, "one", "two")
    assert len(penstock_cluster.partition("orders").replica_nodes) == 3
    leader = penstock_cluster.leader("orders")
    penstock_cluster.kill(leader)
    write(penstock_cluster.bootstrap, "three")
    assert read(penstock_cluster.bootstrap, 3) == [b"one", b"two", b"three"]
    penstock_cluster.restart(leader)
    penstock_cluster.wait_until_in_sync("orders")
    assert penstock_cluster.in_sync("orders") == {1, 2, 3}


@pytest.mark.penstock(brokers=2, settings={"num.partitions": 4})
def test_a_marker_gives_size_and_settings(penstock_cluster: RunningCluster) -> None:
    write(penstock_cluster.bootstrap, "one")
    (topic,) = penstock_cluster.metadata("orders").topics
    assert len(topic.partitions) == 4
    assert len(topic.partitions[0].replica_nodes) == 2
    assert penstock_cluster.controller() in (1, 2)
    assert penstock_cluster[2].http_url.startswith("http://127.0.0.1:")


def test_a_factory_gives_one_with_settings_by_keyword(penstock_cluster_factory: ClusterFactory) -> None:
    cluster = penstock_cluster_factory(brokers=1, num_partitions=2)
    write(cluster.bootstrap, "one")
    (topic,) = cluster.metadata("orders").topics
    assert len(topic.partitions) == 2
    cluster.pause(1)
    cluster.resume(1)
    cluster.stop(1)
    assert not cluster[1].is_running
    cluster.start(1)
    assert read(cluster.bootstrap, 1) == [b"one"]


def test_nothing_is_left_when_the_block_ends_with_an_error() -> None:
    with pytest.raises(ZeroDivisionError), penstock.testing.cluster(brokers=1) as cluster:
        _ = 1 // 0
    assert not cluster[1].is_running and not cluster.etcd.members[0].is_running
    assert not cluster.folder.exists()


def test_a_cluster_ends_with_a_test_run_that_is_killed() -> None:
    program = (
        "import penstock.testing, time\n"
        "with penstock.testing.cluster(brokers=2) as cluster:\n"
        "    print(cluster[1].pid, cluster[2].pid, cluster.etcd.members[0].pid, cluster.folder, flush=True)\n"
        "    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        *pids, folder = run.stdout.readline().split()
        assert all(Path(f"/proc/{pid}").exists() for pid in pids)
        run.send_signal(signal.SIGKILL)
    eventually(lambda: not any(_is_alive(pid) for pid in pids), "all processes are gone")
    eventually(lambda: not Path(folder).exists(), "the folder is gone")


def _is_alive(pid: str) -> bool:
    """Whether the process still runs; a zombie that nobody has collected yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
