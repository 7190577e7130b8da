"""The logs of the partitions that this broker keeps: made, opened again and removed, one after the other.

All of it is disk work and happens in one task, in order, so that a topic deleted and made again under its name cannot
meet itself. `settled` waits for that task: an admin request is answered when its logs are there (RULES 36). What a stop
leaves undone the next start does.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog

from penstock.cluster import ClusterImage, TopicImage
from penstock.errors import KafkaStorageError
from penstock.model import BrokerId, PartitionIndex, TopicPartition
from penstock.replication.log_port import LogFolderPort, LogPort
from penstock.replication.partition import Partition

if TYPE_CHECKING:
    from penstock.replication.partitions import Partitions

RETRY_AFTER_S = 5.0
"""After a log could not be made (a full disk, mostly)."""

_log = structlog.get_logger(__name__)


class ReplicaLogs:
    def __init__(
        self,
        partitions: "Partitions",
        image: ClusterImage,
        *,
        me: BrokerId,
        folders: Sequence[LogFolderPort],
    ) -> None:
        self.folders = folders
        self.wanted_folders: dict[TopicPartition, LogFolderPort] = {}
        """Where logs are to be made that are not here yet; only of partitions that the image has."""
        self.has_ended = False
        self._partitions = partitions
        self._image = image
        self._me = me
        self._work: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue()

    # One task ---------------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Until cancelled."""
        try:
            while True:
                work = await self._work.get()
                try:
                    await work()
                except (OSError, KafkaStorageError) as error:
                    _log.error("partition work failed", error=str(error), exc_info=error)
                except Exception:  # a bug: that topic has no logs now, the others are served on
                    _log.exception("partition work failed")
                finally:
                    self._work.task_done()
        finally:
            self._leave_the_rest()

    def _leave_the_rest(self) -> None:
        """What a stop leaves undone the next start does, which goes by the image: nobody need wait for it here."""
        self.has_ended = True
        while not self._work.empty():
            self._work.get_nowait()
            self._work.task_done()

    def later(self, work: Callable[[], Awaitable[None]]) -> None:
        if not self.has_ended:
            self._work.put_nowait(work)

    async def settled(self) -> None:
        """Return when every change of the image so far has been carried out here, or never will be."""
        await self._work.join()

    # What is found ----------------------------------------------------------------------------------------------

    async def set_aside(self, logs: list[LogPort]) -> None:
        for log in logs:
            for folder in self.folders:
                if folder.logs.get(log.partition) is log:
                    folder.set_aside(log.partition)

    async def forget_lost(self) -> None:
        """What the image does not want any more is not missed, nor what another data folder has; a later topic of that
        name is a new one. What could not be made yet is tried again, and must still be missed then.
        """
        for folder in self.folders:
            for partition in list(folder.lost):
                topic = self._image.topics.get(partition.topic)
                images = (
                    [] if topic is None or topic.source is not None else topic.partitions[partition.partition :][:1]
                )
                is_wanted = any(self._me in image.replicas for image in images)
                if not is_wanted or any(partition in each.logs for each in self.folders):
                    del folder.lost[partition]

    # Making -----------------------------------------------------------------------------------------------------

    def create(self, topic: TopicImage, first: int) -> None:
        local = self._partitions.local(topic.topic_id)
        wanted = [
            image.index for image in topic.partitions[first:] if self._me in image.replicas and image.index not in local
        ]
        if wanted and self._image.topics_by_id.get(topic.topic_id) is topic:
            self.later(lambda: self.make(topic, wanted))

    async def make(self, topic: TopicImage, indexes: list[PartitionIndex]) -> None:
        for index in indexes:
            await self._forget_namesake(topic, TopicPartition(topic.name, index))
            if self._image.topics_by_id.get(topic.topic_id) is not topic:
                return  # deleted meanwhile
            if index in self._partitions.local(topic.topic_id):
                continue  # wanted twice: the topic grew, or was tried again, before its turn came
            if self._me not in topic.partitions[index].replicas:
                continue  # another broker's again, and no change to come would take it away
            self._partitions.show(
                topic, topic.partitions[index], self._make_log(topic, TopicPartition(topic.name, index))
            )
            await asyncio.sleep(0)  # a folder a turn: others are served between two

    async def _forget_namesake(self, topic: TopicImage, partition: TopicPartition) -> None:
        """In a thread: what checkpoints say of a log that was deleted, before the next of its name is made."""
        folder = self._folder_for(partition)
        if folder.has_namesake(partition, topic.topic_id):
            folder.lost.pop(partition, None)
            with suppress(OSError):  # making the log will meet it again, and say so
                await folder.checkpoint()

    def _make_log(self, topic: TopicImage, partition: TopicPartition) -> LogPort:
        """Where it cannot be made, one that stands in for it: offline, so that another broker leads, or nobody waits
        for this one, until it can (RULES 22).
        """
        folder, config = self._folder_for(partition), self._partitions.config_of(topic)
        try:
            log = folder.create(partition, topic.topic_id, config)
        except (KafkaStorageError, OSError) as error:
            _log.error("log not made, tried again later", partition=str(partition), reason=str(error))
            return folder.stand_in(partition, topic.topic_id, config, str(error))
        self.wanted_folders.pop(partition, None)
        return log

    def make_again_later(self, partition: Partition) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(RETRY_AFTER_S, self.later, lambda: self._make_again(partition))

    async def _make_again(self, partition: Partition) -> None:
        if (topic := self._image.topics_by_id.get(partition.topic_id)) is not None:
            await self._forget_namesake(topic, partition.topic_partition)
        topic = self._partitions.topic_of(partition)
        if topic is None:
            return  # deleted, or moved away
        log = self._make_log(topic, partition.topic_partition)
        if log.trouble is not None and log.trouble.is_unmade:
            self.make_again_later(partition)
            return
        _log.info("log made", partition=str(log.partition))
        self._partitions.exchange(topic, partition, log)

    def _folder_for(self, partition: TopicPartition) -> LogFolderPort:
        """Where it was lost, where somebody wants it, or where the fewest are."""
        wanted = self.wanted_folders.get(partition)
        return min(
            self.folders, key=lambda folder: (partition not in folder.lost, folder is not wanted, len(folder.logs))
        )

    def folder_of(self, partition: Partition) -> LogFolderPort | None:
        held = (f for f in self.folders if f.logs.get(partition.topic_partition) is partition.log)
        return next(held, None)

    def open_again_later(self, partition: Partition) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(RETRY_AFTER_S, self.later, lambda: self.open_again(partition))

    async def open_again(self, partition: Partition) -> None:
        """A log that a start could not open, for want of room or descriptors: it comes back once it can be opened."""
        folder = self.folder_of(partition)
        if folder is None or partition.log.health.open_again is None:
            return
        opening = asyncio.get_running_loop().run_in_executor(None, partition.log.health.open_again)
        try:
            await asyncio.wait([opening])
        finally:
            await asyncio.wait([opening])  # a stop waits too: nobody is at work on a folder that is let go
        log, topic = opening.result(), self._partitions.topic_of(partition)
        if topic is None:
            return  # its removal comes after this
        if log.health.open_again is not None:
            self.open_again_later(partition)
            return
        folder.opened_again(log)
        _log.info("log opened", partition=str(log.partition))
        self._partitions.exchange(topic, partition, log)

    # Removing ---------------------------------------------------------------------------------------------------

    async def remove(self, partition: Partition) -> None:
        for folder in self.folders:
            if folder.logs.get(partition.topic_partition) is partition.log:
                _log.info("replica moved away, its log deleted", partition=str(partition.topic_partition))
                folder.delete(partition.topic_partition)

    async def remove_all(self, topic: TopicImage) -> None:
        for folder in self.folders:
            for lost in [partition for partition in folder.lost if partition.topic == topic.name]:
                del folder.lost[lost]  # or the next of that name, whose turn comes after this, would be missed
            gone = [log.partition for log in folder if log.topic_id == topic.topic_id]
            for partition in gone:
                folder.delete(partition)
                await asyncio.sleep(0)
