"""Two data folders of one broker and a replica that moves between them, without a broker around."""

import asyncio
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any

from tests.support.logs import ORDERS_0, TOPIC_ID, StillClock, a_batch, fill

from penstock.log import FilePool, Flusher, LogFolder, PartitionLog, settle_moves
from penstock.log.recovery import ExpectedLog
from penstock.model import BrokerId, LeaderEpoch, TopicId, TopicPartition
from penstock.replication import Partition
from penstock.replication.metrics import TopicMetrics
from penstock.replication.move_pace import MovePace
from penstock.replication.moving import Move
from penstock.settings import Config

ME, OTHER = BrokerId(1), BrokerId(2)
SMALL_SEGMENTS = {"internal.segment.bytes": "4096"}


class TwoFolders:
    def __init__(self, path: Path, settings: Mapping[str, str] | None = None) -> None:
        self.path = path
        self.clock = StillClock()
        self.flusher = Flusher(threads=2)
        self.broker_config = Config.for_broker({})
        self.config = self.broker_config.for_topic({**SMALL_SEGMENTS, **(settings or {})})
        self.tasks: list[asyncio.Task[Any]] = []
        self.open()

    def open(self) -> None:
        """As a start does, whatever the folders hold."""
        pool = FilePool(64)
        self.folders = [
            LogFolder(self.path / name, cluster_id="c", node_id=1, pool=pool, clock=self.clock) for name in ("a", "b")
        ]
        settle_moves(self.folders)
        for folder in self.folders:
            folder.open_all(self._find)

    def _find(self, partition: TopicPartition, topic_id: TopicId) -> ExpectedLog | None:
        return ExpectedLog(self.config) if topic_id == TOPIC_ID else None

    @property
    def a(self) -> LogFolder:
        return self.folders[0]

    @property
    def b(self) -> LogFolder:
        return self.folders[1]

    @property
    def homes(self) -> list[str]:
        """Which folders have the log itself."""
        return [folder.path.name for folder in self.folders if ORDERS_0 in folder.logs]

    @property
    def log(self) -> PartitionLog:
        (log,) = (folder.logs[ORDERS_0] for folder in self.folders if ORDERS_0 in folder.logs)
        return log

    def make_log(self, batches: int = 100, *, leader_epoch: int = 1) -> PartitionLog:
        log = self.a.create(ORDERS_0, TOPIC_ID, self.config)
        fill(log, batches, value_bytes=100, leader_epoch=leader_epoch)
        log.high_watermark = log.end_offset
        return log

    def crash(self) -> None:
        """The process is gone; what it wrote is in the page cache."""
        for folder in self.folders:
            folder.lock.release()
        self.folders[0].pool.close_all()

    def crash_and_open(self) -> None:
        self.crash()
        self.open()

    def partition(self, *, leads: bool = True) -> Partition:
        partition = Partition(
            topic=ORDERS_0.topic,
            topic_id=TOPIC_ID,
            index=ORDERS_0.partition,
            broker_id=ME,
            log=self.log,
            config=self.config,
            clock=self.clock,
            flusher=self.flusher,
            metrics=TopicMetrics(),
            spawn=self._spawn,
        )
        leader = ME if leads else OTHER
        partition.leadership.lead(epoch=LeaderEpoch(2), leader=leader, replicas=(ME, OTHER), in_sync=(leader,))
        return partition

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(work))

    def begin(self, partition: Partition) -> Move:
        """A move from a to b, of which nothing has been copied yet."""
        self.b.futures.create(ORDERS_0, TOPIC_ID, self.config)
        return self.go_on(partition)

    def go_on(self, partition: Partition) -> Move:
        pace = MovePace(self.broker_config, self.clock)
        return Move(partition, origin=self.a, target=self.b, flusher=self.flusher, pace=pace)

    async def close(self) -> None:
        for task in self.tasks:
            await task
        await self.flusher.close()
        for folder in self.folders:
            folder.close()
        self.folders[0].pool.close_all()


def append(partition: Partition, *, leader_epoch: int, count: int = 1) -> None:
    """As a leader or as a follower of one, whatever the partition is."""
    for _ in range(count):
        if partition.is_leader:
            partition.append(a_batch(0, value_bytes=100)[1], acks=1)
        else:
            partition.follower_log.append(
                a_batch(partition.log.end_offset, value_bytes=100, leader_epoch=leader_epoch)[1]
            )
