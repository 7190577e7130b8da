"""Logs come and go with the image, whatever the disk says meanwhile."""

import asyncio
import errno
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from tests.support.brokers import some_brokers
from tests.support.clusters import BROKER_ID, a_cluster
from tests.support.logs import StillClock, a_batch, fill
from tests.support.virtual_time import in_virtual_time

from penstock.cluster import Cluster, CreateTopic, GrowTopic, PartitionImage, Reassign
from penstock.cluster.commands import CreatedTopic
from penstock.errors import KafkaStorageError
from penstock.log import FilePool, Flusher, LogFolder, PartitionLog, recovery
from penstock.log.recovery import ExpectedLog
from penstock.metrics import MetricsRegistry
from penstock.model import BrokerId, PartitionIndex, TopicPartition
from penstock.replication import Partitions
from penstock.replication.log_port import on_disk
from penstock.settings import Config


def partitions_in(folder: LogFolder, cluster: Cluster, *, broker_id: BrokerId = BROKER_ID, **more: Any) -> Partitions:
    return Partitions(
        broker_id=broker_id,
        image=cluster.image,
        config=Config.for_broker(),
        clock=folder.clock,
        folders=[folder],
        flusher=Flusher(),
        registry=MetricsRegistry(),
        spawn=asyncio.create_task,
        **more,
    )


async def create(cluster: Cluster, name: str, partitions: int) -> None:
    (made,) = await cluster.controller.create_topics([CreateTopic(name, partitions=partitions)], timeout_ms=60_000)
    assert isinstance(made, CreatedTopic)


class Bench:
    def __init__(self, cluster: Cluster, folder: LogFolder) -> None:
        self.cluster = cluster
        self.folder = folder
        self.partitions = partitions_in(folder, cluster)
        cluster.controller.settled = self.partitions.logs.settled
        self.following = asyncio.create_task(self.partitions.follow())

    async def create(self, name: str, partitions: int) -> None:
        await create(self.cluster, name, partitions)

    @property
    def made(self) -> int:
        """How many have a log; the others' could not be made yet."""
        return len(self.partitions) - sum(
            p.log.trouble is not None and p.log.trouble.is_unmade for p in self.partitions
        )

    async def until_there_are(self, count: int) -> None:
        async with asyncio.timeout(60):
            while self.made < count:
                assert not self.following.done()
                await asyncio.sleep(0.001)


@asynccontextmanager
async def following(path: Path) -> AsyncIterator[Bench]:
    folder = LogFolder(path, cluster_id="cluster", node_id=BROKER_ID, pool=FilePool(64), clock=StillClock())
    folder.open_all(lambda _partition, _topic_id: None)
    async with a_cluster() as cluster:
        bench = Bench(cluster, folder)
        yield bench
        assert not bench.following.done()
        bench.following.cancel()
        await asyncio.wait([bench.following])
    folder.close()


@asynccontextmanager
async def replicas_of(cluster: Cluster, me: BrokerId) -> AsyncIterator[tuple[Partitions, LogFolder]]:
    """What one of several brokers keeps."""
    with TemporaryDirectory() as path:
        folder = LogFolder(Path(path), cluster_id="cluster", node_id=me, pool=FilePool(64), clock=StillClock())
        folder.open_all(lambda _partition, _topic_id: None)
        writes = cluster.in_sync_writes
        partitions = partitions_in(folder, cluster, broker_id=me, in_sync_writes=writes, resignations=writes)
        task = asyncio.create_task(partitions.follow())
        await asyncio.sleep(0)
        await partitions.logs.settled()
        yield partitions, folder
        task.cancel()
        await asyncio.wait([task])
        folder.close()


def no_descriptors(_path: Path) -> list[str]:
    raise OSError(errno.EMFILE, "Too many open files")


class FullDisk:
    """Refuses new logs until it is told otherwise."""

    def __init__(self, folder: LogFolder, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_full = True
        self._create = folder.create
        monkeypatch.setattr(folder, "create", self.create)

    def create(self, *asked: Any) -> PartitionLog:
        if self.is_full:
            raise KafkaStorageError("no space left")
        return self._create(*asked)


async def test_logs_that_a_full_disk_kept_from_being_made_are_made_once_however_often_they_were_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.replication.replica_logs.RETRY_AFTER_S", 0.05)
    async with following(tmp_path) as bench:
        disk = FullDisk(bench.folder, monkeypatch)
        await bench.create("orders", 3)
        (count,) = await bench.cluster.controller.create_partitions([GrowTopic("orders", 5)], timeout_ms=60_000)
        assert count == 5 and bench.made == 0
        disk.is_full = False
        topic = bench.cluster.image.topics["orders"]
        for _ in range(3):  # as when several retries come at once
            bench.partitions.logs.create(topic, 0)
        await bench.until_there_are(5)
        await bench.partitions.logs.settled()


@in_virtual_time
async def test_a_leader_whose_log_cannot_be_made_makes_way_and_is_not_eligible() -> None:
    await cannot_make_its_log(BrokerId(1))


@in_virtual_time
async def test_a_follower_whose_log_cannot_be_made_leaves_the_in_sync_set_and_is_not_eligible() -> None:
    await cannot_make_its_log(BrokerId(2))


@pytest.mark.parametrize("records", [0, 3])
@in_virtual_time
async def test_a_last_leader_that_lost_its_log_waits_for_whoever_may_have_records_and_not_for_who_has_none(
    records: int,
) -> None:
    async with some_brokers(2) as brokers:
        await brokers.create("orders", assigned=(1, 2))
        topic_id = brokers.image().topics["orders"].topic_id
        cluster = brokers.clusters[2]
        async with replicas_of(cluster, BrokerId(2)) as (partitions, _):
            log = partitions.require("orders", 0).log
            if records:
                fill(on_disk(log), records)
            await cluster.in_sync_writes.leave(topic_id, 0, reason="it is slow")
            await brokers.kill(1)
            await brokers.start(1, held=frozenset())
            if records:
                await asyncio.sleep(60)
                image = brokers.image().topics["orders"].partitions[0]
                assert (image.leader, image.without_log) == (-1, (1,))
            else:
                await brokers.until(lambda: brokers.image().topics["orders"].partitions[0].leader == 1)


async def cannot_make_its_log(me: BrokerId) -> None:
    """One that has nothing counts for nothing, however few are left."""
    async with some_brokers(3) as brokers:
        cluster = brokers.clusters[me]

        def image() -> PartitionImage:
            return cluster.image.topics["orders"].partitions[0]

        async with replicas_of(cluster, me) as (partitions, folder):
            with pytest.MonkeyPatch.context() as patching:
                disk = FullDisk(folder, patching)
                await brokers.create("orders", assigned=(1, 2, 3), min_insync_replicas="3")
                others = tuple(broker for broker in (1, 2, 3) if broker != me)
                await brokers.until(lambda: image().in_sync == others and image().leader in others)
                assert me not in image().eligible
                assert partitions.offline() == {TopicPartition("orders", PartitionIndex(0)): "no space left"}
                disk.is_full = False
                await brokers.until(lambda: not partitions.offline())


async def test_a_lost_log_that_could_not_be_made_at_once_is_missed_when_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that nobody wants is not, and a log that comes to its name later is a new one."""
    monkeypatch.setattr("penstock.replication.replica_logs.RETRY_AFTER_S", 0.05)
    async with following(tmp_path) as bench:
        disk = FullDisk(bench.folder, monkeypatch)
        await bench.create("orders", 1)
        lost, unwanted = (TopicPartition("orders", PartitionIndex(index)) for index in (0, 1))
        bench.folder.lost.update({lost: 10, unwanted: 10})
        await bench.partitions.logs.forget_lost()
        assert bench.folder.lost == {lost: 10}
        disk.is_full = False
        await bench.until_there_are(1)
        trouble = bench.folder.logs[lost].trouble
        assert trouble is not None and trouble.stops_reads
        assert not bench.folder.lost


async def test_a_log_that_is_in_another_data_folder_is_not_missed(tmp_path: Path) -> None:
    """Where it was moved from, checkpoints may still name it after a crash; a later topic of its name would be."""
    async with following(tmp_path) as bench:
        await bench.create("orders", 1)
        bench.folder.lost[TopicPartition("orders", PartitionIndex(0))] = 10
        await bench.partitions.logs.forget_lost()
        assert not bench.folder.lost


async def test_a_lost_log_whose_topic_was_deleted_is_not_missed_in_the_next_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.replication.replica_logs.RETRY_AFTER_S", 0.05)
    async with following(tmp_path) as bench:
        disk = FullDisk(bench.folder, monkeypatch)
        await bench.create("orders", 1)
        lost = TopicPartition("orders", PartitionIndex(0))
        bench.folder.lost[lost] = 10
        topic_id = bench.cluster.image.topics["orders"].topic_id
        await bench.cluster.controller.delete_topics([topic_id], timeout_ms=60_000)
        disk.is_full = False
        await bench.create("orders", 1)
        await bench.until_there_are(1)
        assert bench.folder.logs[lost].trouble is None


async def test_a_log_that_a_start_had_no_descriptors_for_is_led_again_by_itself_once_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.replication.replica_logs.RETRY_AFTER_S", 0.01)
    async with following(tmp_path / "first") as bench:
        await bench.create("orders", 1)
        partition = bench.partitions.require("orders", 0)
        partition.log.append([a_batch(0)])
        bench.following.cancel()
        await asyncio.wait([bench.following])
        bench.folder.close()
        again = LogFolder(
            bench.folder.path, cluster_id="cluster", node_id=BROKER_ID, pool=FilePool(64), clock=StillClock()
        )
        with monkeypatch.context() as poor:
            poor.setattr(recovery, "names_in", no_descriptors)
            again.open_all(lambda _partition, _topic_id: ExpectedLog(Config.for_broker()))
            bench.folder, bench.partitions = again, partitions_in(again, bench.cluster)
            bench.partitions.adopt(again.logs)
            bench.following = asyncio.create_task(bench.partitions.follow())
            partition = bench.partitions.require("orders", 0)
            for _ in range(3):
                await bench.partitions.logs.open_again(partition)
            assert bench.partitions.require("orders", 0) is partition
            assert "Too many open files" in bench.partitions.offline()[partition.topic_partition]
        async with asyncio.timeout(60):
            while bench.partitions.require("orders", 0) is partition:
                await asyncio.sleep(0.001)
        opened = bench.partitions.require("orders", 0)
        assert (opened.is_leader, opened.log.end_offset, opened.log.trouble) == (True, 1, None)
        assert bench.partitions.logs.folder_of(opened) is again
        again.close()


async def test_a_log_that_was_deleted_before_it_could_be_opened_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with following(tmp_path) as bench:
        await bench.create("orders", 1)
        partition = bench.partitions.require("orders", 0)
        log = on_disk(partition.log)

        def open_again() -> PartitionLog:
            bench.partitions._by_id.pop(partition.topic_id)  # as a deletion does at once
            return PartitionLog(
                log.folder, log.partition, log.topic_id, config=log.config, pool=log.pool, clock=log.clock
            )

        log.health.leave_unread(OSError(errno.EMFILE, "Too many open files"), open_again)
        await bench.partitions.logs.open_again(partition)
        assert bench.folder.logs[partition.topic_partition] is log, "whose removal is still to come"
        await bench.partitions.logs.remove(partition)
        await bench.partitions.logs.open_again(partition)
        assert not bench.folder.logs


async def test_a_topic_is_answered_for_when_its_logs_are_there(tmp_path: Path) -> None:
    """Whoever was told that it is there may write to any of it at once (RULES 36)."""
    async with following(tmp_path) as bench:
        await bench.create("orders", 40)
        assert len(bench.partitions) == 40


async def test_a_failure_that_nobody_thought_of_leaves_the_other_topics_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with following(tmp_path) as bench:
        with monkeypatch.context() as broken:
            broken.setattr(bench.folder, "create", lambda *_: 1 / 0)
            await bench.create("unlucky", 1)
        await bench.create("lucky", 2)
        assert [partition.topic for partition in bench.partitions] == ["lucky", "lucky"]


@in_virtual_time
async def test_a_follower_whose_log_was_not_opened_leaves_the_in_sync_set_and_keeps_its_log() -> None:
    """It has all that it had: nothing is set aside and fetched anew, and where too few are left it may be elected."""
    async with some_brokers(2) as brokers:
        await brokers.create("orders", assigned=(1, 2))
        cluster, me = brokers.clusters[2], BrokerId(2)
        async with replicas_of(cluster, me) as (partitions, folder):
            unread = partitions.require("orders", 0)
            on_disk(unread.log).health.leave_unread(
                OSError(errno.EMFILE, "Too many open files"), lambda: on_disk(unread.log)
            )
            assert unread.leadership.eligible_below == 1
            unread.leadership.leave_in_sync()
            await brokers.until(lambda: me not in cluster.image.topics["orders"].partitions[0].in_sync)
            unread.followers.look_after(lag_ms_max=30_000)
            await asyncio.sleep(60)
            assert partitions.require("orders", 0) is unread and not folder.strays


@in_virtual_time
async def test_a_damaged_log_is_begun_anew_only_when_nothing_that_was_fetched_into_it_counts_any_more() -> None:
    """Else a fetch that is long on its way would bring an empty log into the in-sync set."""
    async with some_brokers(3) as brokers:
        await brokers.create("orders", assigned=(1, 2, 3))
        cluster, me = brokers.clusters[2], BrokerId(2)
        async with replicas_of(cluster, me) as (partitions, folder):
            damaged = partitions.require("orders", 0)
            began_in = damaged.leader_epoch
            damaged.log.health.take_offline("damage below the recovery point", stops_reads=True)
            damaged.leadership.leave_in_sync()
            await brokers.until(lambda: partitions.get("orders", 0) not in (damaged, None))
            renewed = partitions.require("orders", 0)
            assert renewed.log.trouble is None and renewed.log is not damaged.log
            assert (renewed.leader, renewed.leader_epoch) == (1, began_in + 1)
            assert me not in cluster.image.topics["orders"].partitions[0].in_sync
            with pytest.MonkeyPatch.context() as patching:
                disk = FullDisk(folder, patching)
                renewed.log.health.take_offline("damaged again before it was in sync", stops_reads=True)
                renewed.followers.look_after(lag_ms_max=30_000)
                await brokers.until(lambda: partitions.require("orders", 0) is not renewed)
                stand_in = partitions.require("orders", 0)
                assert stand_in.log.health.offline_reason == "no space left"
                disk.is_full = False
                await brokers.until(lambda: partitions.require("orders", 0) is not stand_in)
            assert partitions.require("orders", 0).log.trouble is None
            assert partitions.require("orders", 0).leader_epoch == began_in + 2


async def test_logs_of_topics_that_were_deleted_while_they_were_opened_are_not_taken_for_those_made_anew(
    tmp_path: Path,
) -> None:
    """Opening them may take minutes after a crash, and their names say nothing: what is in them would pass for records
    of the new topics.
    """
    folder = LogFolder(tmp_path, cluster_id="cluster", node_id=BROKER_ID, pool=FilePool(64), clock=StillClock())
    folder.open_all(lambda _partition, _topic_id: None)
    async with a_cluster() as cluster:
        await create(cluster, "orders", 2)
        await create(cluster, "gone", 1)
        opened = {
            partition: folder.create(partition, topic.topic_id, Config.for_broker())
            for topic, image in cluster.image.partitions()
            for partition in [TopicPartition(topic.name, image.index)]
        }
        deleted = [topic.topic_id for topic in cluster.image.topics.values()]
        await cluster.controller.delete_topics(deleted, timeout_ms=60_000)
        await create(cluster, "orders", 1)
        partitions = partitions_in(folder, cluster)
        partitions.adopt(opened)
        following = asyncio.create_task(partitions.follow())
        await asyncio.sleep(0)
        await partitions.logs.settled()
        (there,) = partitions
        assert there.log.topic_id == cluster.image.topics["orders"].topic_id
        assert list(folder) == [there.log]
        following.cancel()
        await asyncio.wait([following])
    folder.close()


async def test_a_topic_made_anew_gets_its_log_when_there_is_room_to_forget_its_namesakes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("penstock.replication.replica_logs.RETRY_AFTER_S", 0.05)

    def no_room(_picture: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    async with following(tmp_path) as bench:
        await bench.create("orders", 1)
        former = bench.partitions.require("orders", 0)
        former.log.high_watermark = 10
        bench.folder.write_checkpoints()
        await bench.cluster.controller.delete_topics([former.topic_id], timeout_ms=60_000)
        with monkeypatch.context() as full:
            full.setattr(bench.folder.checkpoints, "write", no_room)
            await bench.create("orders", 1)
            assert bench.made == 0
        await bench.until_there_are(1)


async def test_what_checkpoints_say_of_namesakes_is_forgotten_in_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checkpoints hold the rows of every log of the folder: they are not written on the loop."""
    here, writers = threading.get_ident(), []
    async with following(tmp_path) as bench:
        await bench.create("orders", 3)
        for index in range(3):
            bench.partitions.require("orders", index).log.high_watermark = 10
        bench.folder.write_checkpoints()
        write = bench.folder.checkpoints.write

        def noting(picture: Any) -> None:
            writers.append(threading.get_ident())
            write(picture)

        topic_id = bench.cluster.image.topics["orders"].topic_id
        with monkeypatch.context() as patching:
            patching.setattr(bench.folder.checkpoints, "write", noting)
            await bench.cluster.controller.delete_topics([topic_id], timeout_ms=60_000)
            await bench.create("orders", 3)
        assert len(writers) == 1 and here not in writers
        assert [partition.log.trouble for partition in bench.partitions] == [None] * 3


@in_virtual_time
async def test_partitions_that_others_keep_too_are_due_at_every_look_and_those_without_now_and_then() -> None:
    async with some_brokers(2) as brokers:
        await brokers.create("followed", assigned=(1, 2))
        await brokers.create("alone", assigned=(1,))
        cluster, me = brokers.clusters[1], BrokerId(1)
        async with replicas_of(cluster, me) as (partitions, _folder):

            def due(turn: int) -> list[str]:
                return sorted(partition.topic for partition in partitions.due_for_a_look(turn))

            assert [due(turn) for turn in range(6)] == [
                ["alone", "followed"], *[["followed"]] * 4, ["alone", "followed"]
            ]  # fmt: skip
            followed, alone = cluster.image.topics["followed"], cluster.image.topics["alone"]
            at_first = alone.partitions[0]
            partitions._change(alone, msgspec.structs.replace(at_first, replicas=(me, BrokerId(2))))
            assert due(1) == ["alone", "followed"]  # somebody is to follow it
            partitions._change(alone, at_first)
            await cluster.controller.delete_topics([followed.topic_id], timeout_ms=60_000)
            await partitions.logs.settled()
            assert due(1) == [] and due(0) == ["alone"]


@in_virtual_time
async def test_a_replica_that_is_taken_away_before_its_log_was_made_gets_none() -> None:
    """Nobody would take it away again: its leader refuses it, and it would ask on for ever."""
    async with some_brokers(2) as brokers:
        await brokers.create("orders", assigned=(1,))
        cluster, me = brokers.clusters[2], BrokerId(2)
        async with replicas_of(cluster, me) as (partitions, folder):
            others_are_made = asyncio.Event()

            async def make_others() -> None:
                await others_are_made.wait()

            partitions.logs.later(make_others)
            for replicas in ((1, 2), None):
                (refusal,) = await brokers.clusters[1].controller.reassign(
                    [Reassign("orders", 0, replicas, may_change_factor=True)], timeout_ms=10_000
                )
                assert refusal is None
            await brokers.agree()
            others_are_made.set()
            await partitions.logs.settled()
            assert not list(partitions) and not list(folder)
