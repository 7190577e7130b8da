"""`penstock cluster ...` against an Apache Kafka of three nodes: drained, evened out, moved by hand, called off."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from benchmarks.clusters import BROKERS, Cluster, kafka_cluster
from confluent_kafka import Producer
from tests.support import java
from tests.support.command import PATIENT, Penstock
from tests.support.faults import eventually

from penstock.cli.exits import ExitCode

SMALL = ("-Xms128m", "-Xmx384m", "-XX:+UseSerialGC", "-Xshare:auto")


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    running = kafka_cluster(tmp_path_factory.mktemp("kafka"), java.JARS, jvm=SMALL)
    try:
        running.start_all()
        yield running
    finally:
        running.end()


@pytest.fixture
def penstock(kafka: Cluster, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Iterator[Penstock]:
    """Each test finds no topics."""
    command = Penstock(kafka.bootstrap, monkeypatch, capfd)
    yield command
    command("cluster", "reassign", "--cancel", "--yes")
    names = [row["topic"] for row in json.loads(command("topic", "list", "--json").out)]
    if names:
        assert command("topic", "delete", *names, "--yes").code == ExitCode.OK


def create(penstock: Penstock, kafka: Cluster, name: str, partitions: int, replicas: int) -> None:
    options = ("-p", str(partitions), "--replication-factor", str(replicas))
    made = penstock("topic", "create", name, *options, "-s", "min.insync.replicas=1")
    assert made.code == ExitCode.OK, made.err
    kafka.wait_until_in_sync(name)


def replicas(kafka: Cluster, topic: str) -> list[list[int]]:
    return [each.replica_nodes for each in sorted(kafka.metadata(topic), key=lambda each: each.partition_index)]


def fill(kafka: Cluster, topic: str, size_bytes: int) -> None:
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "log_level": 0})
    for _ in range(size_bytes // 100_000):
        producer.produce(topic, os.urandom(100_000), partition=0)
    assert producer.flush(60) == 0


def is_even(penstock: Penstock, column: str) -> bool:
    counts = [row[column] for row in json.loads(penstock("cluster", "describe", "--json").out)["brokers"]]
    return len(counts) == len(BROKERS) and max(counts) - min(counts) <= 1


def test_a_drained_node_keeps_nothing_and_gets_its_share_again(penstock: Penstock, kafka: Cluster) -> None:
    create(penstock, kafka, "orders", 6, 2)
    fill(kafka, "orders", 500_000)
    shown = penstock("cluster", "drain", "3")
    assert shown.code == ExitCode.OK and "nothing was changed" in shown.err
    done = penstock("cluster", "drain", "3", "--yes")
    assert done.code == ExitCode.OK, done.err
    eventually(lambda: all(3 not in each and len(each) == 2 for each in replicas(kafka, "orders")), "it is empty")

    evened = penstock("cluster", "rebalance", "--yes")
    assert evened.code == ExitCode.OK, evened.err
    # Each of these may ask another node, which hears of it when it does.
    for column in ("replicas", "leads"):
        eventually(lambda column=column: is_even(penstock, column), f"{column} are even")  # type: ignore[misc]
    eventually(
        lambda: json.loads(penstock("cluster", "rebalance", "--json").out)["partitions"] == [], "nothing is left to do"
    )


def test_leaders_go_back_to_whom_they_belong(penstock: Penstock, kafka: Cluster) -> None:
    create(penstock, kafka, "orders", 3, 3)
    kafka.stop(2)
    eventually(lambda: all(each.leader_id in (1, 3) for each in kafka.metadata("orders")), "the others lead")
    kafka.start(2)
    kafka.wait_until_in_sync("orders")

    def are_back() -> bool:
        """The node that is asked elects where it has heard that the first replica is in sync."""
        done = penstock("cluster", "balance-leaders", "--yes")
        assert done.code == ExitCode.OK, done.err
        return all(each.leader_id == each.replica_nodes[0] for each in kafka.metadata("orders"))

    eventually(are_back, "they are back")


def test_a_slow_move_is_interrupted_and_shown_then_called_off_or_done(penstock: Penstock, kafka: Cluster) -> None:
    create(penstock, kafka, "orders", 1, 1)
    fill(kafka, "orders", 8_000_000)
    ((before,),) = replicas(kafka, "orders")
    after = before % len(BROKERS) + 1
    command = [sys.executable, "-m", "penstock.cli", "cluster", "reassign", f"orders:0={after}", "--yes", *PATIENT]
    command += ["--throttle", "20K", "-b", kafka.bootstrap]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as slow:
        eventually(lambda: "adding" in penstock("cluster", "reassign").out, "it moves")
        slow.send_signal(signal.SIGINT)
        _, err = slow.communicate(timeout=60)
    assert slow.returncode == ExitCode.INTERRUPTED and "goes on" in err
    called_off = penstock("cluster", "reassign", "--cancel", "--yes")
    assert called_off.code == ExitCode.OK, called_off.err
    eventually(lambda: replicas(kafka, "orders") == [[before]], "it is called off")
    again = penstock("cluster", "reassign", f"orders:0={after}", "--yes")
    assert again.code == ExitCode.OK, again.err
    eventually(lambda: replicas(kafka, "orders") == [[after]], "it is done")
