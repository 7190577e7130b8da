"""A handful of partitions of one topic on real logs, as the Produce and Fetch handlers see them."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.support.logs import TOPIC_ID, StillClock

from penstock.broker.batch_opening import BatchOpener
from penstock.cluster import PartitionImage
from penstock.log import FilePool, Flusher, PartitionLog
from penstock.log.recovery import KnownLog, open_log
from penstock.metrics import MetricsRegistry
from penstock.model import BrokerId, LeaderEpoch, PartitionIndex, TopicPartition
from penstock.replication import Partition
from penstock.replication.metrics import TopicMetrics
from penstock.settings import Config
from penstock.wire.produce import Endpoint
from penstock.wire.records import Record, build_batch

TOPIC = "orders"
ME = BrokerId(1)


class GatedFlusher(Flusher):
    """A flusher whose flushes finish when the test says so."""

    def __init__(self) -> None:
        super().__init__(threads=1)
        self.gates: list[asyncio.Future[None]] = []

    async def durable(self, log: PartitionLog, upto: int) -> None:
        gate: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.gates.append(gate)
        await gate


class SomePartitions:
    """Stands in for `replication.Partitions`, of which handlers use `finder`, `endpoints`, `slices_max`,
    `kept_elsewhere` and `is_cut_off`."""

    slices_max = 1000

    def __init__(self, folder: Path, count: int = 1, settings: Mapping[str, str] | None = None) -> None:
        self.clock = StillClock()
        self.flusher = GatedFlusher()
        self.pool = FilePool(2 * count + 8)
        self.metrics = TopicMetrics()
        self.opener = BatchOpener(MetricsRegistry(100))
        self.tasks: list[asyncio.Task[Any]] = []
        self.elsewhere: dict[int, PartitionImage] = {}
        self.subscribers: list[Callable[[Partition], None]] = []
        self.is_cut_off: Callable[[], bool] = lambda: False
        self._config = Config.for_broker().for_topic(dict(settings or {}))
        self._local = {index: self._make(folder, index) for index in range(count)}

    def _make(self, folder: Path, index: int) -> Partition:
        where = folder / f"{TOPIC}-{index}"
        where.mkdir(parents=True)
        log = open_log(
            where,
            TopicPartition(TOPIC, PartitionIndex(index)),
            TOPIC_ID,
            KnownLog(is_clean=True),
            config=self._config,
            pool=self.pool,
            clock=self.clock,
        )
        partition = Partition(
            topic=TOPIC,
            topic_id=TOPIC_ID,
            index=PartitionIndex(index),
            broker_id=ME,
            log=log,
            config=self._config,
            clock=self.clock,
            flusher=self.flusher,
            metrics=self.metrics,
            spawn=self._spawn,
        )
        partition.leadership.lead(epoch=LeaderEpoch(3), leader=ME, replicas=(ME,), in_sync=(ME,))
        return partition

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(work))

    def kept_elsewhere(self, key: bytes, index: int, *, by_id: bool) -> PartitionImage | None:
        return self.elsewhere.get(index) if key == (TOPIC_ID if by_id else TOPIC.encode()) else None

    def exchange(self, local: Mapping[int, Partition]) -> None:
        """Have clients find these."""
        self._local.update(local)

    def __getitem__(self, index: int) -> Partition:
        return self._local[index]

    def __iter__(self) -> Iterator[int]:
        return iter(self._local)

    def finder(self, *, by_id: bool) -> Any:
        return {TOPIC_ID if by_id else TOPIC.encode(): self._local}.get

    def subscribe(self, callback: Callable[[Partition], None]) -> None:
        """As `Partitions`; whoever moves a leadership in a test calls them."""
        self.subscribers.append(callback)

    def tell(self, index: int) -> None:
        for callback in self.subscribers:
            callback(self[index])

    reading_finder = finder

    def endpoints(self, brokers: Any, *, listener: str) -> list[Endpoint]:
        return [Endpoint(broker, "elsewhere", 9092, None) for broker in sorted(brokers)]

    def batch(
        self,
        count: int = 1,
        *,
        producer: int = -1,
        sequence: int = -1,
        key: bytes | None = b"k",
        epoch: int = 0,
        transactional: bool = False,
    ) -> bytearray:
        records = [Record(i, self.clock.now(), key, b"v%d" % i) for i in range(count)]
        return build_batch(
            records,
            producer_id=producer,
            producer_epoch=epoch if producer >= 0 else -1,
            base_sequence=sequence,
            transactional=transactional,
        )

    def fill(self, index: int, batches: int = 1) -> None:
        for _ in range(batches):
            self[index].append(memoryview(self.batch()), acks=1)

    async def close(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self.flusher.close()
        self.opener.close()
        self.pool.close_all()


Make = Callable[..., SomePartitions]
