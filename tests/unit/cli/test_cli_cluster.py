"""The pieces of `penstock cluster` that need no cluster: words, plan files, what describe counts, how a plan runs."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, cast

import click
import pytest

from penstock.cli.client import Cluster
from penstock.cli.cluster import running as running_module
from penstock.cli.cluster.describe import broker_rows, troubles
from penstock.cli.cluster.etcd_health import etcd_health
from penstock.cli.cluster.plan_files import parse_assignments, plan_json, read_plan
from penstock.cli.cluster.planning import Move, PartitionFacts
from penstock.cli.cluster.reading import Disks
from penstock.cli.cluster.running import Running
from penstock.cli.cluster.throttling import throttle, unthrottle
from penstock.cli.cluster.words import ByteRate, bytes_text, show_plan, summary
from penstock.cli.exits import Unreachable
from penstock.client import (
    Change,
    Client,
    ClusterInfo,
    Node,
    Outcomes,
    PartitionInfo,
    Resource,
    TopicInfo,
    place,
)
from penstock.errors import InvalidReplicaAssignment, Refusal
from penstock.model import TopicPartition
from penstock.wire.messages.list_partition_reassignments_response import OngoingPartitionReassignment

# Words and files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 << 30, "5.0 GiB"), (3 << 60, "3072.0 PiB")]
)
def test_bytes_are_told_in_their_unit(count: int, text: str) -> None:
    assert bytes_text(count) == text


@pytest.mark.parametrize(("text", "count"), [("500", 500), ("10M", 10 << 20), ("1.5GiB", 3 << 29), ("2kb/s", 2048)])
def test_rates_are_read_with_their_unit(text: str, count: int) -> None:
    assert ByteRate().convert(text, None, None) == count


@pytest.mark.parametrize("text", ["", "fast", "-1", "0", "10 parsecs"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        ByteRate().convert(text, None, None)


def test_a_plan_is_summed_up_by_what_is_copied() -> None:
    moves = [Move("t", 0, (1, 2), (2, 3), 1024), Move("t", 1, (1, 2), (2, 1), 1024)]
    assert summary(moves) == "1 replica of 1 partition to copy (1.0 KiB), 1 partition with another one that should lead"


def test_sizes_that_nobody_told_are_not_shown_as_empty(capsys: pytest.CaptureFixture[str]) -> None:
    moves = [Move("t", 0, (1, 2), (2, 3), 1024), Move("t", 1, (1, 2), (2, 3), None), Move("t", 2, (1, 2), (2, 1), None)]
    assert summary(moves).startswith("2 replicas of 2 partitions to copy (at least 1.0 KiB)")
    show_plan(moves, all_rows=True)
    sizes = [line.split()[-1] for line in capsys.readouterr().out.splitlines()[1:]]
    assert sizes == ["KiB", "-", "B"]


def test_moves_by_hand_are_read_with_topics_that_hold_colons() -> None:
    assert parse_assignments(["orders:0=1,2", "a:b:3=4"]) == {("orders", 0): (1, 2), ("a:b", 3): (4,)}


@pytest.mark.parametrize("text", ["orders", "orders:0", "orders=1,2", "orders:x=1", "orders:0=one", ":0=1"])
def test_what_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(click.UsageError, match="TOPIC:PARTITION="):
        parse_assignments([text])


@pytest.mark.parametrize(("replicas", "complaint"), [([1, 2, 1], "a broker twice: 1,2,1"), ([], "no replica")])
def test_a_plan_that_no_cluster_would_take_is_refused(tmp_path: Path, replicas: list[int], complaint: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(json.dumps({"partitions": [{"topic": "t", "partition": 0, "replicas": replicas}]}))
    with pytest.raises(click.UsageError, match=complaint):
        read_plan(path)
    if replicas:
        with pytest.raises(click.UsageError, match=complaint):
            parse_assignments([f"t:0={','.join(map(str, replicas))}"])


def test_a_plan_comes_back_from_its_file_and_can_be_undone(tmp_path: Path) -> None:
    moves = [Move("t", 0, (1, 2), (2, 3)), Move("u", 1, (1,), (3,))]
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(plan_json(moves)))
    assert read_plan(path) == {("t", 0): (2, 3), ("u", 1): (3,)}
    undo = plan_json(moves, back=True)
    assert [each["replicas"] for each in undo["partitions"]] == [[1, 2], [1]]
    path.write_text('{"partitions": [{"topic": "t"}]}')
    with pytest.raises(click.UsageError, match="is no plan"):
        read_plan(path)


# What describe says -----------------------------------------------------------------------------------------------


def test_partitions_are_told_of_by_what_they_lack() -> None:
    found = [
        PartitionFacts("fine", 0, (1, 2), 1, (1, 2)),
        PartitionFacts("behind", 0, (1, 2), 1, (1,)),
        PartitionFacts("headless", 0, (2, 1), -1, (2,)),
        PartitionFacts("moving", 0, (2, 3), 2, (2,), adding=(3,), removing=(1,)),
        PartitionFacts("turned", 0, (1, 2), 2, (1, 2)),
    ]
    assert troubles(found) == {
        "leaderless": ["headless-0"],
        "under_replicated": ["behind-0", "headless-0"],
        "led_by_another": ["turned-0"],
        "moving": ["moving-0"],
    }


def test_a_broker_that_is_away_is_told_of_by_what_it_should_keep() -> None:
    nodes = {1: Node(1, "a", 9092, "r1"), 3: Node(3, "c", 9092, "r3")}
    answer = ClusterInfo("id", 1, nodes, fenced=frozenset({3}))
    rows = broker_rows(answer, [PartitionFacts("t", 0, (2, 1), 1, (1,))], Disks(folders={1: []}))
    assert [(row["broker"], row["state"], row["leads"], row["should_lead"], row["in_sync"]) for row in rows] == [
        (1, "alive", 1, 0, 1),
        (2, "away", 0, 1, 0),
        (3, "away", 0, 0, 0),
    ]
    assert (rows[0]["bytes"], rows[1]["bytes"]) == (0, None)
    unread = broker_rows(answer, [], Disks(folders={1: []}, problems={1: "cannot read /data"}))
    assert unread[0]["bytes"] is None
    assert [row["address"] for row in rows] == ["a:9092", None, "c:9092"]


class _Etcd(BaseHTTPRequestHandler):
    answer = (200, b'{"health":"true"}')

    def do_GET(self) -> None:
        status, body = self.answer
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def etcd() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Etcd) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_each_etcd_is_asked_how_it_is(etcd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert etcd_health(f"http://{etcd}, https://elsewhere:2379") == {
        f"http://{etcd}": "healthy",
        "https://elsewhere:2379": "not asked: it wants TLS",
    }
    monkeypatch.setattr(_Etcd, "answer", (200, b'{"health":"false","reason":"NOSPACE"}'))
    assert etcd_health(etcd) == {etcd: "unhealthy: NOSPACE"}
    monkeypatch.setattr(_Etcd, "answer", (503, b""))
    assert etcd_health(etcd) == {etcd: "unhealthy (HTTP 503)"}


def test_an_etcd_that_is_away_is_told_of_in_words() -> None:
    (word,) = etcd_health("127.0.0.1:1").values()
    assert word.startswith("not reached from here")


# A plan being run -------------------------------------------------------------------------------------------------


Replicas = tuple[int, ...]


class FakeClient:
    """Of a cluster that moves one partition each time it is asked what is under way."""

    def __init__(self, replicas: dict[tuple[str, int], Replicas]) -> None:
        self.replicas = dict(replicas)
        self.moving: dict[tuple[str, int], Replicas] = {}
        self.most_at_once = 0
        self.elected: list[tuple[str, int]] = []
        self.refuses: set[tuple[str, int]] = set()
        self.settings: dict[tuple[int, str], dict[str, str]] = {}
        self.heard: list[dict[tuple[str, int], tuple[int, Replicas]]] = []
        self.behind = 0
        """How many answers late it shows what is."""

    def alter_reassignments(self, wanted: dict[TopicPartition, Replicas | None]) -> Outcomes[TopicPartition, None]:
        outcomes: dict[TopicPartition, Refusal | None] = {}
        for key, replicas in wanted.items():
            outcomes[key] = InvalidReplicaAssignment("no") if key in self.refuses else None
            if outcomes[key] is None and replicas is not None:
                self.moving[key] = tuple(replicas)
        self.most_at_once = max(self.most_at_once, len(self.moving))
        return Outcomes(outcomes)

    def list_reassignments(self) -> dict[TopicPartition, OngoingPartitionReassignment]:
        if self.moving:
            key = min(self.moving)
            self.replicas[key] = self.moving.pop(key)
        return {
            place(topic, index): OngoingPartitionReassignment(index, list(replicas), [], [])
            for (topic, index), replicas in self.moving.items()
        }

    def describe_topics(self, _names: list[str]) -> Outcomes[str, TopicInfo]:
        found: dict[str, dict[int, PartitionInfo]] = {}
        state = {key: (each[0] if key in self.elected else max(each), each) for key, each in self.replicas.items()}
        self.heard.append(state)
        for (topic, index), (leader, replicas) in self.heard[-1 - min(self.behind, len(self.heard) - 1)].items():
            found.setdefault(topic, {})[index] = PartitionInfo(index, leader, 0, replicas, replicas)
        return Outcomes({name: TopicInfo(name, bytes(16), False, each) for name, each in found.items()})

    def elect_leaders(self, partitions: list[TopicPartition]) -> Outcomes[TopicPartition, None]:
        self.elected += partitions
        return Outcomes(dict.fromkeys(partitions))

    def alter_configs(self, changes: dict[Resource, list[tuple[str, Change, str | None]]]) -> Outcomes[Resource, None]:
        for resource, wanted in changes.items():
            kept = self.settings.setdefault((int(resource.type), resource.name), {})
            for name, change, value in wanted:
                if change is Change.DELETE:
                    kept.pop(name, None)
                else:
                    assert value is not None
                    kept[name] = value
        return Outcomes(dict.fromkeys(changes))

    def describe_cluster(self) -> ClusterInfo:
        return ClusterInfo("id", 1, {broker: Node(broker, "a", 9092) for broker in (1, 2, 3)})


class FakeCluster(Cluster):
    def __init__(self, fake: FakeClient) -> None:
        super().__init__("nowhere")
        self.fake = fake
        self.fails_next = 0

    def client(self) -> Client:
        if self.fails_next:
            self.fails_next -= 1
            raise Unreachable("gone")
        return cast(Client, self.fake)


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running_module, "POLL_S", 0.0)
    monkeypatch.setattr(running_module, "HEARD_WITHIN_S", 0.1)


def ten_moves() -> tuple[FakeClient, list[Move]]:
    moves = [Move("t", index, (1, 2), (2, 3)) for index in range(10)]
    return FakeClient({("t", index): (1, 2) for index in range(10)}), moves


def run(fake: FakeClient, moves: list[Move], *, fails_next: int = 0, **more: Any) -> Running:
    cluster = FakeCluster(fake)
    cluster.fails_next = fails_next
    running = Running(cluster, at_once=3, shows_progress=False)
    running.run(moves, **more)
    return running


def test_a_plan_runs_so_many_at_a_time_and_elects_who_should_lead() -> None:
    fake, moves = ten_moves()
    running = run(fake, moves)
    assert set(fake.replicas.values()) == {(2, 3)}
    assert fake.most_at_once == 3
    assert fake.elected == [("t", index) for index in range(10)]
    assert running.failures == {}


def test_a_broker_that_has_not_heard_of_a_move_or_an_election_yet_is_asked_again() -> None:
    fake, moves = ten_moves()
    fake.describe_topics([])
    fake.behind = 1
    run(fake, moves)
    assert set(fake.elected) == {("t", index) for index in range(10)}
    assert {leader for leader, _ in fake.heard[-2].values()} == {2}, "what it said last"
    fake.behind = 1_000_000
    run(fake, moves)  # it never hears, and waiting ends all the same


def test_what_is_refused_is_told_and_the_rest_is_done() -> None:
    fake, moves = ten_moves()
    fake.refuses = {("t", 4)}
    running = run(fake, moves)
    assert running.failures == {"t-4": "no (INVALID_REPLICA_ASSIGNMENT)"}
    assert [key for key, replicas in fake.replicas.items() if replicas == (1, 2)] == [("t", 4)]
    assert ("t", 4) not in fake.elected


def test_what_was_begun_before_is_waited_for() -> None:
    fake, _ = ten_moves()
    fake.moving = {("t", 0): (2, 3), ("t", 1): (2, 3)}
    run(fake, [], under_way=[("t", 0), ("t", 1)])
    assert fake.moving == {}


def test_a_broker_that_goes_away_meanwhile_is_no_end() -> None:
    fake, moves = ten_moves()
    run(fake, moves, fails_next=2)
    assert set(fake.replicas.values()) == {(2, 3)}


def test_a_rate_is_set_on_brokers_and_replicas_and_leaves_nothing() -> None:
    fake = FakeClient({})
    cluster = FakeCluster(fake)
    throttle(cluster, [Move("t", 0, (1, 2), (2, 3)), Move("t", 1, (1, 2), (3, 1)), Move("u", 0, (1, 2), (2, 1))], 1000)
    assert fake.settings[2, "t"] == {
        "leader.replication.throttled.replicas": "0:1,0:2,1:1,1:2",
        "follower.replication.throttled.replicas": "0:3,1:3",
    }
    assert (2, "u") not in fake.settings
    for broker in ("1", "2", "3"):
        assert fake.settings[4, broker] == {
            "leader.replication.throttled.rate": "1000",
            "follower.replication.throttled.rate": "1000",
        }
    unthrottle(cluster, ["t"])
    assert all(not settings for settings in fake.settings.values())
