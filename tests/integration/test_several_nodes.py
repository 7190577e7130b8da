"""Three whole brokers in one process over one store: they find each other, and survive each other."""

import asyncio
import shutil
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.support.batches import Rec, batch
from tests.support.logs import StillClock
from tests.support.nodes import Nodes, some_nodes
from tests.support.raw import RawClient

from penstock.broker import lifecycle
from penstock.cluster import (
    AlterSettings,
    BrokerRecord,
    Cluster,
    CreatedTopic,
    CreateTopic,
    ImageChange,
    LogReport,
    Operation,
    PartitionChanged,
)
from penstock.cluster.commands import SettingChange
from penstock.cluster.membership import availability
from penstock.cluster.resources import Resource, ResourceType
from penstock.errors import CoordinatorNotAvailable
from penstock.log import ExpectedLog, FilePool, LogFolder
from penstock.log.checkpoint_files import RECOVERY_POINTS, write_offsets
from penstock.log.notes import FLUSHED_NOTE
from penstock.model import BrokerId
from penstock.settings import Config
from penstock.wire.batch import BatchHeader

QUICK = {"penstock.broker.lease.ms": "1500", "penstock.broker.heartbeat.ms": "300"}


async def create(nodes: Nodes, name: str, *, partitions: int, replicas: int = 3, through: int = 1) -> None:
    topic = CreateTopic(name, partitions=partitions, replication_factor=replicas)
    (outcome,) = await nodes.cluster(through).controller.create_topics([topic], timeout_ms=120_000)
    assert isinstance(outcome, CreatedTopic), outcome


def leaders(nodes: Nodes) -> list[int]:
    return [partition.leader for _, partition in nodes.image().partitions()]


async def test_three_nodes_form_one_cluster_and_any_of_them_creates_topics(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        assert len({nodes[node_id].cluster_id for node_id in (1, 2, 3)}) == 1
        for node_id in (1, 2, 3):
            await create(nodes, f"topic-{node_id}", partitions=3, through=node_id)
        assert sorted(nodes.image(3).topics) == ["topic-1", "topic-2", "topic-3"]
        await nodes.until(lambda: len(nodes.image().topics) == 3)
        assert sorted(leaders(nodes)) == [1, 1, 1, 2, 2, 2, 3, 3, 3]


async def test_what_a_killed_node_led_is_led_by_others_and_it_may_come_back(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        await create(nodes, "orders", partitions=6, through=2)
        controller = nodes.image().controller_id
        await nodes.kill(controller)
        await nodes.until(lambda: controller not in leaders(nodes) and -1 not in leaders(nodes))
        assert nodes.image().controller_id in nodes.by_id
        # The same ruling may take several writes.
        await nodes.until(
            lambda: all(controller not in partition.in_sync for _, partition in nodes.image().partitions())
        )
        await nodes.start(controller)
        await nodes.until(lambda: len(nodes.image().brokers) == 3)


async def test_a_node_that_stops_hands_over_first(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        await create(nodes, "orders", partitions=6)
        await nodes.stop(1)
        await nodes.until(lambda: set(nodes.image(2).brokers) == {2, 3})
        assert {partition.leader for _, partition in nodes.image(2).partitions()} == {2, 3}
        assert {partition.leader_epoch for _, partition in nodes.image(2).partitions()} == {0, 1}


async def test_internal_topics_get_their_replicas_or_are_not_created(tmp_path: Path) -> None:
    """RULES 34: with two brokers there is no third for a replica, so there is no coordinator yet."""

    def find_coordinator(port: int) -> int:
        with RawClient(port) as client:
            answer = client.request("FindCoordinator", 4, {"key_type": 0, "coordinator_keys": ["readers"]})
            return int(answer["coordinators"][0]["error_code"])

    async with some_nodes(tmp_path, 2, QUICK) as nodes:
        port = nodes[1].endpoints["PLAINTEXT"].port
        assert await asyncio.to_thread(find_coordinator, port) == CoordinatorNotAvailable.code
        assert not nodes.image().topics
        await nodes.start(3)
        await nodes.until(lambda: all(len(nodes.image(at).brokers) == 3 for at in nodes.running))
        assert await asyncio.to_thread(find_coordinator, port) == 0
        assert all(len(part.replicas) == 3 for part in nodes.image(1).topics["__consumer_offsets"].partitions)


async def test_whoever_looks_for_a_coordinator_that_has_just_died_is_told_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(availability, "VERDICT_S", 30.0)  # a busy machine may take its time
    monkeypatch.setattr(availability, "SUSPICION_AGAIN_S", -1.0)  # or may have suspected it before
    async with some_nodes(tmp_path, 3, {**QUICK, "offsets.topic.num.partitions": "1"}) as nodes:
        answer = await ask(nodes, 1, "FindCoordinator", 4, {"key_type": 0, "coordinator_keys": ["readers"]})
        victim = answer["coordinators"][0]["node_id"]
        other = next(at for at in nodes.running if at != victim)
        cluster = nodes.cluster(other)
        assert cluster.member is not None
        # It still answers, until it is killed: a probe on its way would acquit it.
        monkeypatch.setattr(cluster.member.failure_detector, "found_alive", lambda _: None)
        cluster.availability.suspect(BrokerId(victim))
        assert victim in cluster.availability.suspects()
        asking = asyncio.create_task(
            ask(nodes, other, "FindCoordinator", 4, {"key_type": 0, "coordinator_keys": ["readers"]})
        )
        await nodes.kill(victim)
        (found,) = (await asking)["coordinators"]
        assert (found["error_code"], found["node_id"]) in [(0, at) for at in nodes.running]


async def test_brokers_that_are_away_are_listed_for_those_who_ask_for_them(tmp_path: Path) -> None:
    async with some_nodes(tmp_path, 3, QUICK) as nodes:
        port = nodes[3].endpoints["PLAINTEXT"].port
        await nodes.stop(3)
        await nodes.until(lambda: set(nodes.image(1).brokers) == {1, 2})
        described = await ask(nodes, 1, "DescribeCluster", 2, {"include_fenced_brokers": True})
        listed = {broker["broker_id"]: broker for broker in described["brokers"]}
        assert {at: broker["is_fenced"] for at, broker in listed.items()} == {1: False, 2: False, 3: True}
        assert listed[3]["port"] == port
        plain = await ask(nodes, 1, "DescribeCluster", 2, {})
        assert [broker["broker_id"] for broker in plain["brokers"]] == [1, 2]


async def test_brokers_say_which_machine_they_are_on_and_meet_on_the_listener_that_is_theirs(tmp_path: Path) -> None:
    """RULES 17, 35: on the other one they would be taken for strangers."""
    settings = {
        **QUICK,
        "listeners": "CLIENTS://127.0.0.1:0,PEERS://127.0.0.1:0",
        "listener.security.protocol.map": "CLIENTS:PLAINTEXT,PEERS:PLAINTEXT",
        "inter.broker.listener.name": "PEERS",
    }
    async with some_nodes(tmp_path, 2, settings) as nodes:
        for broker in nodes.image().brokers.values():
            assert broker.machine == socket.gethostname()
            assert broker.peer_endpoint == broker.endpoints["PEERS"] != broker.endpoints["CLIENTS"]
        await nodes.create_topic("orders", replicas=(1, 2), min_insync_replicas="2")
        appended = nodes.leader("orders").append(memoryview(bytearray(batch([Rec(b"v")]))), acks=-1)
        await nodes.until(lambda: nodes.partition("orders", 1).high_watermark == appended.next_offset)


async def test_a_clean_stop_leaves_word_of_the_registration_that_it_ended(tmp_path: Path) -> None:
    """By which the next start knows, after a restart of the machine too, that nothing was lost."""
    async with some_nodes(tmp_path, 2, QUICK) as nodes:
        epoch = nodes.cluster(2).broker_epoch
        assert epoch > 0 and nodes[2].folders[0].stopped_under is None
        await nodes.stop(2)
        await nodes.start(2)
        assert nodes[2].folders[0].stopped_under == epoch < nodes.cluster(2).broker_epoch


async def test_a_broker_with_a_new_disk_makes_its_logs_before_it_is_registered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From then on it is asked whether it is there, and others rely on it; thousands of logs take longer than that."""
    made: list[int] = []

    async def join(self: Cluster, record: BrokerRecord, report: LogReport) -> None:
        made.append(len(list(nodes.folders(2)[0].glob("orders-*"))))
        await register(self, record, report)

    async with some_nodes(tmp_path, 2, QUICK) as nodes:
        await nodes.create_topic("orders", replicas=(1, 2), partitions=50)
        await nodes.stop(2)
        shutil.rmtree(nodes.folders(2)[0])
        await nodes.until(lambda: 2 not in nodes.image().brokers)
        await nodes.cluster(1).controller.unregister_broker(BrokerId(2))
        register = Cluster.join
        monkeypatch.setattr(Cluster, "join", join)
        await nodes.start(2)
        assert made == [50]
        await nodes.until(lambda: all(set(part.in_sync) == {1, 2} for _, part in nodes.image().partitions()))


async def test_after_a_loss_of_power_a_replica_counts_where_its_folder_says_that_all_was_flushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The setting alone says nothing: of `late` it was switched on while the broker was down."""
    boot_id = tmp_path / "boot_id"
    boot_id.write_text("one boot")
    monkeypatch.setattr(lifecycle, "BOOT_ID", boot_id)
    async with some_nodes(tmp_path, 2, {**QUICK, "min.insync.replicas": "2"}) as nodes:
        controller = nodes.cluster(1).controller
        safe = CreateTopic(
            "safe", partitions=1, replication_factor=2, settings=(("penstock.flush.before.ack", "true"),)
        )
        await controller.create_topics([safe], timeout_ms=120_000)
        await create(nodes, "late", partitions=1, replicas=2)
        folder = nodes.folders(2)[0]
        await nodes.until((folder / "safe-0" / FLUSHED_NOTE).exists)
        await nodes.kill(2)
        (folder / ".kafka_cleanshutdown").unlink()  # what a killed process does not leave
        topics = nodes.image(1).topics
        await nodes.until(lambda: all(topics[name].partitions[0].eligible == (2,) for name in ("safe", "late")))
        on = SettingChange("penstock.flush.before.ack", Operation.SET, "true")
        await controller.alter_settings([AlterSettings(Resource(ResourceType.TOPIC, "late"), (on,))])
        boot_id.write_text("another boot")
        written: dict[str, list[tuple[BrokerId, ...]]] = {"safe": [], "late": []}

        def note(changes: Sequence[ImageChange]) -> None:
            for change in changes:
                if isinstance(change, PartitionChanged):
                    written[change.topic.name].append((*change.partition.in_sync, *change.partition.eligible))

        nodes.image(1).subscribe(note)
        await nodes.start(2)
        await nodes.until(lambda: all(len(topics[name].partitions[0].in_sync) == 2 for name in written))
        assert all(2 in complete for complete in written["safe"])
        assert (1,) in written["late"], "it had to catch up first"


async def ask(nodes: Nodes, at: int, api: str, version: int, body: dict[str, Any]) -> dict[str, Any]:
    def work() -> dict[str, Any]:
        with RawClient(nodes[at].endpoints["PLAINTEXT"].port) as client:
            return client.request(api, version, body)

    return await asyncio.wait_for(asyncio.to_thread(work), 60)


async def test_a_replica_that_has_lost_committed_records_is_not_elected_whatever_the_boot_id_says(
    tmp_path: Path,
) -> None:
    """As when power went and the machine's boot id is not to be seen: in a container, or of a disk put back."""
    async with some_nodes(tmp_path, 2, {**QUICK, "min.insync.replicas": "2"}) as nodes:
        await nodes.create_topic("orders", replicas=(1, 2))
        await nodes.until_in_sync("orders", 1, 2)
        for number in range(10):
            nodes.leader("orders").append(memoryview(bytearray(batch([Rec(value=b"%d" % number)]))), acks=-1)
        await nodes.until(lambda: all(nodes.partition("orders", at).high_watermark == 10 for at in (1, 2)))
        await nodes.kill(2)
        await nodes.until(lambda: nodes.state("orders").eligible == (2,))
        cluster_id = nodes[1].cluster_id
        await nodes.kill(1)
        lose_unflushed(nodes.folders(2)[0], "orders-0", keep=5)
        start_in_vain(nodes.folders(2)[0], cluster_id)
        await nodes.start(2)
        await nodes.until(lambda: nodes.state("orders", at=2).eligible == (1,))
        assert nodes.state("orders", at=2).leader == -1
        await nodes.start(1)
        await nodes.until_in_sync("orders", 1, 2)
        assert all(nodes.partition("orders", at).log.end_offset == 10 for at in (1, 2))


def start_in_vain(folder: Path, cluster_id: str) -> None:
    """The logs are opened, but not registered, and closed."""
    opened = LogFolder(folder, cluster_id=cluster_id, node_id=2, pool=FilePool(64), clock=StillClock())
    opened.open_all(lambda _, topic_id: ExpectedLog(Config.for_broker().for_topic({}), topic_id))
    assert opened.close()


def lose_unflushed(folder: Path, partition: str, *, keep: int) -> None:
    """Of a log of batches of one record each; nothing of it had been flushed."""
    (folder / ".kafka_cleanshutdown").unlink()
    write_offsets(str(folder / RECOVERY_POINTS), {})
    (segment,) = (folder / partition).glob("*.log")
    whole, size = segment.read_bytes(), 0
    for _ in range(keep):
        size += BatchHeader.peek(memoryview(whole), size).size
    segment.write_bytes(whole[:size])
