"""Moves of replicas between this broker's data folders, as AlterReplicaLogDirs asks for them.

A move that was accepted has its copy's folder at once, where DescribeLogDirs shows it and a restart finds it; as many
are copied at a time as there are data folders. One that cannot be made is given up, loudly, and leaves the log where it
is. Asking for the folder that the log is in calls a move off.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import structlog

from penstock.cluster import ClusterImage
from penstock.errors import KafkaStorageError, LogDirNotFound, Refusal, ReplicaNotAvailable, UnknownTopicOrPartition
from penstock.log import CannotCopy, Flusher, LogFolder, check_future_name
from penstock.model import Clock, PartitionIndex, TopicPartition
from penstock.replication.following import Offline
from penstock.replication.move_pace import MovePace
from penstock.replication.moving import Move
from penstock.replication.partition import Partition
from penstock.replication.partitions import Partitions
from penstock.settings import Config

_log = structlog.get_logger(__name__)


class FolderMoves:
    def __init__(
        self,
        partitions: Partitions,
        image: ClusterImage,
        *,
        folders: Sequence[LogFolder],
        flusher: Flusher,
        config: Config,
        clock: Clock,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[Any]],
    ) -> None:
        self._partitions = partitions
        self._image = image
        self.folders = folders
        self._flusher = flusher
        self._spawn = spawn
        self._pace = MovePace(config, clock)
        self._turns = asyncio.Semaphore(len(folders))
        self._moves: dict[TopicPartition, tuple[Move, asyncio.Task[Any]]] = {}

    def start(self) -> None:
        """Go on with what an earlier run has left, and let go of what is not wanted any more."""
        for folder in self.folders:
            for name, copy in list(folder.futures.logs.items()):
                partition = self._partitions.get(name.topic, name.partition)
                is_wanted = partition is not None and partition.topic_id == copy.topic_id
                if partition is None or not is_wanted or self.folder_of(partition) in (None, folder):
                    self._drop(folder, name)
                    continue
                if copy.trouble is None:
                    self._begin(partition, folder)
                    continue
                _log.warning("copy begun anew", partition=str(name), reason=copy.trouble.reason)
                self._drop(folder, name)
                try:
                    self._create(partition, folder)
                except KafkaStorageError as error:
                    _log.error("replica not moved", partition=str(name), reason=error.message)
        self._partitions.subscribe(self._partition_changed)

    def of(self, partition: TopicPartition) -> Move | None:
        found = self._moves.get(partition)
        return None if found is None else found[0]

    def folder_of(self, partition: Partition) -> LogFolder | None:
        held = (folder for folder in self.folders if folder.logs.get(partition.topic_partition) is partition.log)
        return next(held, None)

    def request(self, topic: str, index: int, path: str) -> None:
        """Let a replica of this broker move to one of its data folders; a Refusal where it cannot."""
        name = TopicPartition(topic, PartitionIndex(index))
        check_future_name(name)
        folder = next((f for f in self.folders if str(f.path.absolute()) == path), None)
        if folder is None:
            raise LogDirNotFound(f"{path} is not one of this broker's log.dirs")
        partition = self._partitions.get(topic, index)
        trouble = None if partition is None else partition.log.trouble
        if partition is None or (trouble is not None and trouble.is_unmade):
            self._want(name, folder)
            raise ReplicaNotAvailable(f"{name} is not kept by this broker; should it come, {path} will have it")
        under_way = self.of(name)
        if under_way is not None and under_way.target is not folder:
            self.cancel(name)
            under_way = None
        if trouble is not None and not trouble.may_pass:
            raise trouble.refusal()
        if under_way is not None or self.folder_of(partition) is folder:
            return
        self._create(partition, folder)

    def _want(self, name: TopicPartition, folder: LogFolder) -> None:
        """Reassignments to this broker name a folder before there is a log."""
        topic = self._image.topics.get(name.topic)
        if topic is None or not 0 <= name.partition < len(topic.partitions):
            raise UnknownTopicOrPartition(f"there is no {name}")
        self._partitions.logs.wanted_folders[name] = folder

    def cancel(self, name: TopicPartition) -> None:
        move, task = self._moves[name]
        if not move.is_done:
            del self._moves[name]
            task.cancel()
            move.log.is_being_copied = False
            self._drop(move.target, name)
            _log.info("move called off", partition=str(name), folder=str(move.target.path))

    def _create(self, partition: Partition, folder: LogFolder) -> None:
        name = partition.topic_partition
        try:
            folder.futures.create(name, partition.topic_id, partition.config)
        except OSError as error:
            raise KafkaStorageError(f"{folder.path} takes no copy of {name}: {error.strerror or error}") from error
        self._begin(partition, folder)

    def _begin(self, partition: Partition, folder: LogFolder) -> None:
        origin = self.folder_of(partition)
        assert origin is not None
        move = Move(partition, origin=origin, target=folder, flusher=self._flusher, pace=self._pace)
        name = partition.topic_partition
        _log.info("replica moves", partition=str(name), origin=str(origin.path), folder=str(folder.path))
        _, earlier = self._moves.get(name, (None, None))
        self._moves[name] = move, self._spawn(self._run(move, after=earlier))

    async def _run(self, move: Move, *, after: "asyncio.Task[Any] | None") -> None:
        name = move.partition.topic_partition
        if after is not None:
            await asyncio.wait([after])  # it is done but for the log that it left behind
        try:
            async with self._turns:
                self._check_alone(move)
                await move.run()
        except (CannotCopy, Refusal, OSError) as error:
            self._failed(move, str(error))
        except Exception:
            _log.exception("move failed", partition=str(name))
            self._failed(move, "a bug")
        if self.of(name) is move:
            del self._moves[name]

    def _check_alone(self, move: Move) -> None:
        """An earlier move may have failed to take its old log away. That log's note is all that tells a start which one
        to take; a second exchange would leave three, and nobody the winner.
        """
        name = str(move.partition.topic_partition)
        for folder in self.folders:
            if folder is not move.origin and (folder.path / name).exists():
                raise CannotCopy(f"{folder.path} still has an earlier {name}; a start takes it away")

    def _failed(self, move: Move, reason: str) -> None:
        name = move.partition.topic_partition
        if move.is_done:
            # It serves from its new folder; what is left of the old one the next start takes away.
            _log.error("old log not removed", partition=str(name), folder=str(move.origin.path), reason=reason)
            return
        _log.error("replica not moved", partition=str(name), folder=str(move.target.path), reason=reason)
        self._drop(move.target, name)

    def _drop(self, folder: LogFolder, name: TopicPartition) -> None:
        try:
            folder.futures.drop(name)
        except OSError as error:  # the next start finds it
            _log.error("copy not removed", partition=str(name), folder=str(folder.path), reason=str(error))

    def _partition_changed(self, partition: Partition) -> None:
        move = self.of(partition.topic_partition)
        if move is not None and move.partition is partition and isinstance(partition.role, Offline):
            self.cancel(partition.topic_partition)
