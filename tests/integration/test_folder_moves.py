"""Replicas move between data folders of brokers that serve: by request, by Kafka's own tool, and through kill -9."""

import asyncio
import errno
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support import java
from tests.support.clients import make_topic, read_to_end
from tests.support.faults import Client, ProgramBroker, eventually, health, one, small_disk
from tests.support.loads import Load
from tests.support.logs import read_all
from tests.support.nodes import Nodes, some_nodes
from tests.support.programs import ClusterOfPrograms
from tests.support.raw import RawClient, port_of
from tests.support.replica_files import compare, read_replica

from penstock.log import FREE_BYTES_MIN, LogFolder, PartitionLog
from penstock.replication import Partition
from penstock.replication.log_port import on_disk
from penstock.testing import RunningBroker
from penstock.wire.records import Record, build_batch

LOG_DIRS = "org.apache.kafka.tools.LogDirsCommand"
REASSIGN = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"
QUICK = {"penstock.broker.lease.ms": "10000", "auto.leader.rebalance.enable": "false"}
NO_RATE = "replica_alter_log_dirs_io_max_bytes_per_second"
SLOW = {"replica.alter.log.dirs.io.max.bytes.per.second": "5000"}
"""At which what is moved here takes minutes."""
SMALL_SEGMENTS: Any = {"internal_segment_bytes": "100000"}
KILLS = 5


def produce(partition: Partition, count: int) -> None:
    for _ in range(count):
        record = Record(0, int(time.time() * 1000), None, b"v" * 1000)
        partition.append(memoryview(build_batch([record])), acks=1)


def home(nodes: Nodes, broker: int, topic: str = "orders") -> Path:
    return on_disk(nodes.partition(topic, broker).log).folder.parent


async def move(nodes: Nodes, broker: int, to: Path, topic: str = "orders") -> int:
    node = nodes[broker]
    port = node.endpoints["PLAINTEXT"].port
    return await asyncio.to_thread(ask_to_move, port, topic, str(to))


def ask_to_move(port: int, topic: str, path: str) -> int:
    with RawClient(port, timeout_s=120) as client:
        body = {"dirs": [{"path": path, "topics": [{"name": topic, "partitions": [0]}]}]}
        answer = client.request("AlterReplicaLogDirs", 2, body)
    code: int = answer["results"][0]["partitions"][0]["error_code"]
    return code


async def describe(nodes: Nodes, broker: int) -> dict[str, tuple[bool, int]]:
    """By data folder: whether what is there of the topic is a copy, and its lag."""

    def ask() -> dict[str, Any]:
        with RawClient(nodes[broker].endpoints["PLAINTEXT"].port, timeout_s=120) as client:
            return client.request("DescribeLogDirs", 4, {"topics": [{"topic": "orders", "partitions": [0]}]})

    answer = await asyncio.to_thread(ask)
    return {
        Path(result["log_dir"]).name: (partition["is_future_key"], partition["offset_lag"])
        for result in answer["results"]
        for topic in result["topics"]
        for partition in topic["partitions"]
    }


async def test_leaders_and_followers_move_while_records_come(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 2, QUICK, folders_each=2) as nodes:
        await nodes.create_topic("orders", replicas=(1, 2), internal_segment_bytes="100000")
        leader = nodes.leader("orders")
        produce(leader, 500)
        wanted = {at: next(f for f in nodes.folders(at) if f != home(nodes, at)) for at in (1, 2)}
        for at in (1, 2):
            assert await move(nodes, at, wanted[at]) == 0
        while any(home(nodes, at) != wanted[at] for at in (1, 2)):
            produce(leader, 5)
            await asyncio.sleep(0.005)
        produce(leader, 50)
        await nodes.until(lambda: leader.high_watermark == leader.log.end_offset > 550)
        follower = nodes.partition("orders", 2)
        assert read_all(on_disk(follower.log)) == read_all(on_disk(leader.log))
        await nodes.until_in_sync("orders", 1, 2)
        end_offset = leader.log.end_offset
        for at in (2, 1):
            await nodes.stop(at)
            await nodes.start(at)
        assert {at: home(nodes, at) for at in (1, 2)} == wanted
        assert nodes.partition("orders", 1).log.end_offset == end_offset


async def test_a_move_is_shown_throttled_called_off_and_gone_on_with(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 1, QUICK | SLOW, folders_each=3) as nodes:
        await nodes.create_topic("orders", replicas=(1,), internal_segment_bytes="100000")
        produce(nodes.leader("orders"), 1000)
        first = home(nodes, 1)
        second, third = (f for f in nodes.folders(1) if f != first)
        assert await move(nodes, 1, second) == 0
        shown = await describe(nodes, 1)
        assert shown[first.name] == (False, 0) and shown[second.name][0] and shown[second.name][1] > 0
        by_kafkas_tool = (
            await asyncio.to_thread(java.run, LOG_DIRS, "--bootstrap-server", nodes.bootstrap, "--describe")
        ).stdout
        (told,) = json.loads(by_kafkas_tool.splitlines()[-1])["brokers"]
        rows = {Path(each["logDir"]).name: row for each in told["logDirs"] for row in each["partitions"]}
        assert not rows[first.name]["isFuture"] and rows[second.name]["isFuture"]
        assert 0 < rows[second.name]["offsetLag"] < 1000
        assert await move(nodes, 1, second) == 0
        assert await move(nodes, 1, third) == 0
        assert set(await describe(nodes, 1)) == {first.name, third.name}
        assert await move(nodes, 1, first) == 0
        assert await describe(nodes, 1) == {first.name: (False, 0)}
        await nodes.until(lambda: not list(second.glob("orders-0*")) and not list(third.glob("orders-0*")))

        assert await move(nodes, 1, second) == 0
        await nodes.until(lambda: any(path.stat().st_size for path in second.glob("orders-0.*-future/*.log")))
        await nodes.stop(1)
        (copy,) = second.glob("orders-0.*-future")
        assert any(path.stat().st_size for path in copy.glob("*.log"))
        await nodes.start(1)
        assert home(nodes, 1) == first and (await describe(nodes, 1))[second.name][0]
        await nodes.stop(1)
        await nodes.start(1, **{NO_RATE: "9223372036854775807"})
        await nodes.until(lambda: home(nodes, 1) == second)
        assert nodes.partition("orders", 1).log.end_offset == 1000


async def test_a_log_that_an_earlier_move_could_not_take_away_is_in_the_way_until_a_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three logs of one partition would leave a start nothing to choose by."""

    def refuse(_self: LogFolder, _log: PartitionLog) -> None:
        raise OSError(errno.EROFS, "read-only")

    async with some_nodes(tmp_path, 1, QUICK, folders_each=3) as nodes:
        await nodes.create_topic("orders", replicas=(1,))
        produce(nodes.leader("orders"), 200)
        first = home(nodes, 1)
        second, third = (f for f in nodes.folders(1) if f != first)
        with monkeypatch.context() as broken:
            broken.setattr(LogFolder, "remove_later", refuse)
            assert await move(nodes, 1, second) == 0
            await nodes.until(lambda: home(nodes, 1) == second)
            produce(nodes.leader("orders"), 10)
            assert await move(nodes, 1, third) == 0
            await nodes.until(lambda: not list(third.glob("orders-0*-future")))
            assert home(nodes, 1) == second and (first / "orders-0").exists()
        await nodes.stop(1)
        await nodes.start(1)
        assert home(nodes, 1) == second and nodes.partition("orders", 1).log.end_offset == 210
        assert await move(nodes, 1, third) == 0
        await nodes.until(lambda: home(nodes, 1) == third)


async def test_a_topic_deleted_while_it_moves_leaves_nothing(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 1, QUICK | SLOW, folders_each=2) as nodes:
        await nodes.create_topic("orders", replicas=(1,), file_delete_delay_ms="0")
        produce(nodes.leader("orders"), 1000)
        other = next(f for f in nodes.folders(1) if f != home(nodes, 1))
        assert await move(nodes, 1, other) == 0
        topic_id = nodes.image().topics["orders"].topic_id
        await nodes.cluster().controller.delete_topics([topic_id], timeout_ms=120_000)
        await nodes.until(lambda: not [p for f in nodes.folders(1) for p in f.glob("orders*")])


async def test_kafkas_reassignment_tool_moves_replicas_to_folders(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 2, QUICK, folders_each=2) as nodes:
        await nodes.create_topic("orders", replicas=(1,))
        produce(nodes.leader("orders"), 200)
        here = next(f for f in nodes.folders(1) if f != home(nodes, 1))
        there = nodes.folders(2)[1]
        plan = tmp_path / "plan.json"
        await nodes.create_topic("events", replicas=(1,))
        rows = [
            {"topic": "orders", "partition": 0, "replicas": [1, 2], "log_dirs": [str(here), str(there)]},
            {"topic": "events", "partition": 0, "replicas": [2], "log_dirs": ["any"]},
        ]
        plan.write_text(json.dumps({"version": 1, "partitions": rows}))
        arguments = ("--bootstrap-server", nodes.bootstrap, "--reassignment-json-file", str(plan))
        started = (await asyncio.to_thread(java.run, REASSIGN, *arguments, "--execute")).stdout
        for folder, at in ((here, 1), (there, 2)):
            assert f"started moving log directory to {folder} for replica orders-0 with broker {at}" in started
        await nodes.until(lambda: nodes.replica("orders", 2) is not None and home(nodes, 1) == here)
        await nodes.until_in_sync("orders", 1, 2)
        await nodes.until(lambda: home(nodes, 2) == there)
        await nodes.until(lambda: nodes.replica("events", 2) is not None and nodes.replica("events", 1) is None)
        verified = (await asyncio.to_thread(java.run, REASSIGN, *arguments, "--verify")).stdout
        assert "Reassignment of partition events-0 is completed." in verified
        assert "Reassignment of replica orders-0-1 completed successfully." in verified
        assert "Reassignment of replica orders-0-2 completed successfully." in verified


# kill -9 ----------------------------------------------------------------------------------------------------------


def a_load(bootstrap: str, topic: str) -> Load:
    """Of records that make a move take its time."""
    return Load(bootstrap, topic, padding=b"." * 500, pending_max=500, pause_s=0.02)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[ProgramBroker]:
    """Its second folder is beside the first."""
    running = ProgramBroker(tmp_path / "broker", {"replica.alter.log.dirs.io.max.bytes.per.second": "2000000"})
    running.settings["log.dirs"] = f"{running.data_dir},{tmp_path / 'second'}"
    try:
        running.start()
        yield running
        running.stop()
    finally:
        running.kill()


def data_folders(broker: ProgramBroker) -> list[Path]:
    return [Path(folder) for folder in broker.settings["log.dirs"].split(",")]


def homes(broker: ProgramBroker, topic: str) -> list[Path]:
    return [folder for folder in data_folders(broker) if (folder / f"{topic}-0").exists()]


def test_a_broker_killed_again_and_again_in_the_middle_of_moves_loses_nothing(broker: ProgramBroker) -> None:
    topic = make_topic(broker.bootstrap, "moving", **SMALL_SEGMENTS)
    load = a_load(broker.bootstrap, topic)
    interrupted = 0
    try:
        eventually(lambda: load.count > 2_000, "it gets going")
        for kill in range(KILLS):
            before = homes(broker, topic)[-1]
            to = next(folder for folder in data_folders(broker) if folder != before)
            with Client(broker) as client:
                body = {"dirs": [{"path": str(to), "topics": [{"name": topic, "partitions": [0]}]}]}
                answer = client.request("AlterReplicaLogDirs", 2, body)
                assert answer["results"][0]["partitions"][0]["error_code"] == 0
            time.sleep(0.01 * 3**kill)  # from at once to when it is about to be done, or is
            broker.kill()
            interrupted += bool(list(to.glob(f"{topic}-0.*-future"))) or len(homes(broker, topic)) > 1
            broker.start()
            enough = load.count + 500
            eventually(lambda to=to: homes(broker, topic) == [to], "it is moved in the end")  # type: ignore[misc]
            eventually(lambda enough=enough: load.count > enough, "it goes on")  # type: ignore[misc]
    finally:
        load.stop()
    read = {each.offset(): each.value() for each in read_to_end(broker.bootstrap, topic)}
    assert interrupted >= 1 and list(read) == list(range(len(load.sent[0])))
    assert list(read.values()) == load.sent[0]
    assert load.acknowledged[0] == read


def second_folder(broker: ProgramBroker | RunningBroker) -> Path:
    return broker.data_dir.parent / "second"


def test_leaders_and_followers_of_a_cluster_killed_in_the_middle_of_moves_lose_nothing(tmp_path: Path) -> None:
    settings = {"replica.alter.log.dirs.io.max.bytes.per.second": "3000000"}
    with ClusterOfPrograms(tmp_path, settings, brokers=3) as cluster:
        for number in (1, 2, 3):
            cluster.stop(number)
            broker = cluster[number]
            broker.settings["log.dirs"] = f"{broker.data_dir},{second_folder(broker)}"
            broker.settings["penstock.log.dirs.accept"] = str(second_folder(broker))
            cluster.start(number)
        cluster.wait_until_complete()
        topic = make_topic(cluster.bootstrap, "moving", replicas=3, min_insync_replicas="2", **SMALL_SEGMENTS)
        cluster.wait_until_in_sync(topic)
        load = a_load(cluster.bootstrap, topic)
        try:
            eventually(lambda: load.count > 1_000, "it gets going")
            for round_ in range(4):
                leader = cluster.leader(topic)
                victim = leader if round_ % 2 else next(each for each in (1, 2, 3) if each != leader)
                folders = [cluster[victim].data_dir, second_folder(cluster[victim])]
                (before,) = (folder for folder in folders if (folder / f"{topic}-0").exists())
                (to,) = (folder for folder in folders if folder != before)
                assert ask_to_move(port_of(cluster[victim].bootstrap), topic, str(to)) == 0
                time.sleep(0.05 * 3**round_)
                cluster.kill(victim)
                cluster.start(victim)
                cluster.wait_until_in_sync(topic)
                eventually(
                    lambda folders=folders, to=to: (  # type: ignore[misc]
                        [folder for folder in folders if (folder / f"{topic}-0").exists()] == [to]
                    ),
                    "it is moved in the end",
                )
        finally:
            load.stop()
        cluster.wait_until_in_sync(topic)
        read = {each.offset(): each.value() for each in read_to_end(cluster.bootstrap, topic)}
        sent = load.sent[0]
        assert load.acknowledged[0].items() <= read.items() and list(read) == list(range(len(sent)))
        assert list(read.values()) == sent
        for number in (1, 2, 3):
            cluster.stop(number)
        files = []
        for number in (1, 2, 3):
            (home,) = cluster[number].data_dir.parent.glob(f"*/{topic}-0")
            files.append(read_replica(number, home, len(sent)))
        assert list(compare(0, files)) == []
        assert {replica.end_offset for replica in files} == {len(sent)}


def test_a_move_is_given_up_before_it_fills_the_disk_it_goes_to(tmp_path: Path) -> None:
    running = ProgramBroker(tmp_path / "broker")
    with small_disk(tmp_path / "second", 400 << 20) as disk:
        running.settings["log.dirs"] = f"{running.data_dir},{disk.path}"
        try:
            running.start()
            with Client(running) as client:
                topics = ["big", "small"]  # a folder each
                assert [client.create_topic(topic) for topic in topics] == [0, 0]
                big, small = sorted(topics, key=lambda topic: homes(running, topic)[0] == disk.path)
                values = [b"%d " % n + b"." * 500_000 for n in range(8)]
                assert {client.produce(big, one(value))["error_code"] for value in values} == {0}
                disk.resize(disk.used_bytes() // 4096 * 4096 + FREE_BYTES_MIN + (1 << 20))
                body = {"dirs": [{"path": str(disk.path), "topics": [{"name": big, "partitions": [0]}]}]}
                answer = client.request("AlterReplicaLogDirs", 2, body)
                assert answer["results"][0]["partitions"][0]["error_code"] == 0
                eventually(lambda: "replica not moved" in running.log_tail(), "it is given up")
                eventually(lambda: not list(disk.path.glob(f"{big}-0*")), "nothing of it is left")
                assert client.produce(big, one(b"after"))["error_code"] == 0
                assert client.produce(small, one(b"after"))["error_code"] == 0
                assert client.values(big) == [*values, b"after"] and health(running).status == 200
            running.stop()
        finally:
            running.kill()
