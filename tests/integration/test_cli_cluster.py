"""`penstock cluster ...` against a cluster of real brokers, and where it makes sense against Apache Kafka."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from tests.support.command import PATIENT, Penstock
from tests.support.faults import eventually
from tests.support.kafka import ApacheKafka
from tests.support.programs import ClusterOfPrograms

from penstock.cli.exits import ExitCode

RATE = "20K"
"""At which what is moved here takes minutes."""
SETTINGS = {
    "auto.leader.rebalance.enable": "false",
    "log.segment.bytes": str(1 << 20),
    # Who is killed here is known by refused connections: a broker that a busy machine keeps waiting is not to lose what
    # it leads, which nobody would give back.
    "penstock.broker.lease.ms": "60000",
    "penstock.broker.heartbeats.missed.max": "1000",
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterOfPrograms]:
    folder = tmp_path_factory.mktemp("cluster")
    with ClusterOfPrograms(
        folder, SETTINGS, brokers=4, settings_of=lambda n: {"broker.rack": f"rack-{n % 2}"}
    ) as running:
        yield running


@pytest.fixture
def penstock(
    cluster: ClusterOfPrograms, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Penstock]:
    """Each test finds four brokers and no topics."""
    command = Penstock(cluster.bootstrap, monkeypatch, capfd)
    yield command
    for broker in cluster.brokers.values():
        broker.start()
    cluster.wait_until_complete()
    command("cluster", "reassign", "--cancel", "--yes")
    names = [topic.name for topic in cluster.metadata().topics if topic.name and not topic.is_internal]
    if names:
        assert command("topic", "delete", *names, "--yes").code == ExitCode.OK


def create(penstock: Penstock, cluster: ClusterOfPrograms, name: str, partitions: int, replicas: int) -> None:
    options = ("-p", str(partitions), "--replication-factor", str(replicas))
    assert penstock("topic", "create", name, *options).code == ExitCode.OK
    cluster.wait_until_in_sync(name)


def fill(cluster: ClusterOfPrograms, topic: str, size_bytes: int) -> None:
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "log_level": 0})
    for _ in range(size_bytes // 100_000):
        producer.produce(topic, os.urandom(100_000), partition=0)
    assert producer.flush(60) == 0


def replicas(cluster: ClusterOfPrograms, topic: str) -> list[list[int]]:
    (found,) = cluster.metadata(topic).topics
    return [each.replica_nodes for each in sorted(found.partitions, key=lambda each: each.partition_index)]


def known(cluster: ClusterOfPrograms, at: int) -> set[int]:
    """The brokers that a broker takes for alive."""
    return {broker.node_id for broker in cluster.metadata(at=at).brokers}


def describe(penstock: Penstock) -> dict[str, Any]:
    page: dict[str, Any] = json.loads(penstock("cluster", "describe", "--json").out)
    return page


def is_even(penstock: Penstock, column: str) -> bool:
    counts = [row[column] for row in describe(penstock)["brokers"]]
    return bool(max(counts) - min(counts) <= 1)


def test_describe_shows_brokers_racks_etcd_and_what_a_dead_one_leaves(
    penstock: Penstock, cluster: ClusterOfPrograms
) -> None:
    create(penstock, cluster, "orders", 8, 3)
    shown = penstock("cluster", "describe")
    assert shown.code == ExitCode.OK, shown.err
    assert "every partition has a leader and all its replicas in sync" in shown.out and "healthy" in shown.out
    page = describe(penstock)
    assert [row["rack"] for row in page["brokers"]] == ["rack-1", "rack-0", "rack-1", "rack-0"]
    assert sum(row["replicas"] for row in page["brokers"]) == 24
    assert sum(row["leads"] for row in page["brokers"]) == 8
    cluster.kill(4)
    eventually(lambda: describe(penstock)["brokers"][3]["state"] == "away", "it is missed")
    page = describe(penstock)
    missing = page["brokers"][3]["replicas"]
    assert missing > 0

    def is_taken_over() -> bool:
        page = describe(penstock)
        return bool(page["leaderless"] == [] and len(page["under_replicated"]) == missing)

    eventually(is_taken_over, "others lead, and its replicas are missed")
    # Whichever broker is asked now.
    eventually(lambda: penstock("cluster", "describe").code == ExitCode.FAILED, "and that is no good state")
    cluster.start(4)
    cluster.wait_until_in_sync("orders")

    def is_given_back() -> bool:
        """The broker that is asked elects where it has heard that the first replica is in sync."""
        given_back = penstock("cluster", "balance-leaders", "--yes")
        assert given_back.code == ExitCode.OK, given_back.err
        return bool(describe(penstock)["led_by_another"] == [])

    eventually(is_given_back, "who should lead leads")


def test_a_drained_broker_keeps_nothing_can_be_forgotten_and_gets_its_share_again(
    penstock: Penstock, cluster: ClusterOfPrograms
) -> None:
    create(penstock, cluster, "orders", 8, 3)
    fill(cluster, "orders", 1_000_000)
    shown = penstock("cluster", "drain", "4")
    assert shown.code == ExitCode.OK and "nothing was changed" in shown.err
    assert any(4 in each for each in replicas(cluster, "orders"))
    done = penstock("cluster", "drain", "4", "--yes")
    assert done.code == ExitCode.OK, done.err
    eventually(lambda: all(4 not in each and len(each) == 3 for each in replicas(cluster, "orders")), "it is empty")
    refused = penstock("cluster", "forget", "4")
    assert refused.code == ExitCode.FAILED and "is alive" in refused.err
    for options in ((), ("--yes",)):
        stranger = penstock("cluster", "forget", "77", *options)
        assert stranger.code == ExitCode.NOT_FOUND and "there are 1, 2, 3, 4" in stranger.err
    assert penstock("cluster", "drain", "4", "--yes").code == ExitCode.OK  # nothing left to do

    cluster.stop(4)
    # Each of these may ask another broker, and one that has not heard of it takes it for alive.
    cluster.wait(lambda: all(4 not in known(cluster, at) for at in (1, 2, 3)), "every broker misses it")
    assert penstock("cluster", "forget", "4").code == ExitCode.OK
    assert json.loads(penstock("cluster", "forget", "4", "--json").out) == {"broker": 4, "done": False}
    assert json.loads(penstock("cluster", "forget", "4", "--yes", "--json").out) == {"broker": 4, "done": True}
    eventually(lambda: penstock("cluster", "forget", "4").code == ExitCode.NOT_FOUND, "it is forgotten")
    cluster.start(4)
    cluster.wait_until_complete()

    evened = penstock("cluster", "rebalance", "--yes")
    assert evened.code == ExitCode.OK, evened.err
    # Each of these may ask another broker, which hears of it when it does.
    for column in ("replicas", "leads"):
        eventually(lambda column=column: is_even(penstock, column), f"{column} are even")  # type: ignore[misc]
    eventually(
        lambda: json.loads(penstock("cluster", "rebalance", "--json").out)["partitions"] == [], "nothing is left to do"
    )


def test_a_broker_cannot_be_drained_where_too_few_would_be_left(penstock: Penstock, cluster: ClusterOfPrograms) -> None:
    create(penstock, cluster, "everywhere", 1, 4)
    refused = penstock("cluster", "drain", "2")
    assert refused.code == ExitCode.FAILED and "everywhere-0 has 4 replicas" in refused.err
    assert penstock("cluster", "drain", "77").code == ExitCode.NOT_FOUND


def test_a_move_by_hand_is_shown_done_and_undone_from_files(
    penstock: Penstock, cluster: ClusterOfPrograms, tmp_path: Path
) -> None:
    create(penstock, cluster, "orders", 1, 2)
    (before,) = replicas(cluster, "orders")
    others = [number for number in (1, 2, 3, 4) if number not in before]
    plan = tmp_path / "plan.json"
    text = f"orders:0={others[0]},{others[1]}"
    assert penstock("cluster", "reassign", text, "--save", str(plan)).code == ExitCode.OK
    assert replicas(cluster, "orders") == [before]
    assert penstock("cluster", "reassign", "--file", str(plan), "--yes").code == ExitCode.OK
    eventually(lambda: replicas(cluster, "orders") == [others], "it is moved")
    cluster.wait(lambda: cluster.leader("orders") == others[0], "the first one leads")
    assert penstock("cluster", "reassign", "orders:5=1").code == ExitCode.NOT_FOUND
    assert penstock("cluster", "reassign", "orders:0=1,9").code == ExitCode.FAILED


def moves(penstock: Penstock) -> list[tuple[list[int], list[int]]]:
    rows = json.loads(penstock("cluster", "reassign", "--json").out)
    return [(row["adding"], row["removing"]) for row in rows]


def test_a_slow_move_is_interrupted_and_shown_then_goes_on_or_is_called_off(
    penstock: Penstock, cluster: ClusterOfPrograms
) -> None:
    create(penstock, cluster, "orders", 1, 1)
    fill(cluster, "orders", 8_000_000)
    ((before,),) = replicas(cluster, "orders")
    after = before % 4 + 1
    command = [sys.executable, "-m", "penstock.cli", "cluster", "reassign", f"orders:0={after}", "--yes", *PATIENT]
    with subprocess.Popen([*command, "--throttle", RATE], stderr=subprocess.PIPE, text=True) as slow:
        eventually(lambda: "adding" in penstock("cluster", "reassign").out, "it moves")
        slow.send_signal(signal.SIGINT)
        _, err = slow.communicate(timeout=60)
    assert slow.returncode == ExitCode.INTERRUPTED and "goes on" in err
    eventually(lambda: moves(penstock) == [([after], [before])], "every broker has heard of it")
    eventually(lambda: describe(penstock)["moving"] == ["orders-0"], "and says so")
    called_off = penstock("cluster", "reassign", "--cancel", "--yes")
    assert called_off.code == ExitCode.OK, called_off.err
    eventually(lambda: replicas(cluster, "orders") == [[before]], "it is called off")

    again = penstock("cluster", "reassign", f"orders:0={after}", "--yes")
    assert again.code == ExitCode.OK, again.err
    eventually(lambda: replicas(cluster, "orders") == [[after]], "it is moved")


def test_a_broker_to_add_is_told_its_settings(penstock: Penstock, cluster: ClusterOfPrograms) -> None:
    told = json.loads(penstock("cluster", "add-broker", "--json").out)
    assert told["settings"]["node.id"] == "5"
    assert told["settings"]["penstock.etcd.endpoints"] == cluster.etcd.endpoints
    taken = penstock("cluster", "add-broker", "--id", "3")
    assert taken.code == ExitCode.FAILED and "there already" in taken.err


def test_apache_kafka_is_described_and_its_leaders_balanced_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with ApacheKafka(tmp_path) as kafka:
        penstock = Penstock(kafka.bootstrap, monkeypatch, capfd)
        assert penstock("topic", "create", "orders", "-p", "3").code == ExitCode.OK
        page = json.loads(penstock("cluster", "describe", "--json").out)
        assert page["partitions"] == 3 and page["etcd"] is None and len(page["brokers"]) == 1
        assert page["brokers"][0]["leads"] == 3
        for command in (("rebalance", "--yes"), ("balance-leaders", "--yes"), ("reassign",)):
            done = penstock("cluster", *command)
            assert done.code == ExitCode.OK, done.err
        (broker,) = (row["broker"] for row in page["brokers"])
        assert penstock("cluster", "drain", str(broker)).code == ExitCode.FAILED
        assert penstock("cluster", "add-broker").code == ExitCode.FAILED
