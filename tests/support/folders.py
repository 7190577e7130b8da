"""A data folder for tests, opened and crashed at will."""

from pathlib import Path

from tests.support.logs import TOPIC_ID, StillClock

from penstock.log.file_pool import FilePool
from penstock.log.folders.folder import LogFolder
from penstock.log.folders.opening import NO_TOPIC_ID
from penstock.log.recovery import ExpectedLog
from penstock.model import PartitionIndex, TopicId, TopicPartition
from penstock.settings.config import Config

ORDERS_1 = TopicPartition("orders", PartitionIndex(1))
PAYMENTS_0 = TopicPartition("payments", PartitionIndex(0))
OTHER_ID = TopicId(bytes(range(16, 32)))


class World:
    """A folder and the topics that the cluster knows of."""

    def __init__(self, path: Path, **settings: str) -> None:
        self.path = path
        named = {name.replace("_", "."): value for name, value in settings.items()}
        self.config = Config.for_broker({}).for_topic(named)
        self.topics: set[bytes] = {TOPIC_ID, OTHER_ID}
        self.namesakes: dict[TopicPartition, TopicId] = {}
        """Topics by name, for logs that do not say theirs."""
        self.clock = StillClock()

    def open(self, *, cluster_id: str = "c1", node_id: int = 1) -> LogFolder:
        folder = LogFolder(self.path, cluster_id=cluster_id, node_id=node_id, pool=FilePool(16), clock=self.clock)
        folder.open_all(self.find)
        return folder

    def find(self, partition: TopicPartition, topic_id: TopicId) -> ExpectedLog | None:
        if topic_id == NO_TOPIC_ID and partition in self.namesakes:
            return ExpectedLog(self.config, topic_id=self.namesakes[partition])
        return ExpectedLog(self.config) if topic_id in self.topics else None

    def crash(self, folder: LogFolder) -> None:
        folder.pool.close_all()
        folder.lock.release()
