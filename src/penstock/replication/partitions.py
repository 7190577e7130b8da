"""All partitions that this broker keeps, as the cluster image wants them.

The image's changes come in on the loop and are noted at once; making and removing logs is disk work and happens in one
task, in order, so that a topic deleted and made again under its name cannot meet itself. `settled` waits for that task:
an admin request is answered when its logs are there (RULES 36).
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import structlog

from penstock.cluster import (
    BrokerGone,
    BrokerImage,
    BrokerRegistered,
    ClusterImage,
    ImageChange,
    PartitionChanged,
    PartitionImage,
    Subscriber,
    TopicCreated,
    TopicDeleted,
    TopicGrown,
    TopicImage,
    TopicSettingsChanged,
)
from penstock.errors import KafkaStorageError, NotLeaderOrFollower, UnknownTopicOrPartition
from penstock.metrics import MetricsRegistry
from penstock.model import BrokerId, Clock, PartitionIndex, TopicId, TopicPartition
from penstock.replication import metrics
from penstock.replication.following import Follower
from penstock.replication.handover import ReplicaHandover, until_heard
from penstock.replication.in_sync import InSyncKeeper
from penstock.replication.log_port import FlusherPort, LogFolderPort, LogPort
from penstock.replication.machine import Leader, Proposal
from penstock.replication.partition import Partition
from penstock.replication.partition_readings import expose
from penstock.replication.planted import SOUND, Planted
from penstock.replication.ports import InSyncWrites, Resignations
from penstock.settings import Config, TopicConfig
from penstock.wire.produce import Endpoint

RETRY_AFTER_S = 5.0
"""After a log could not be made (a full disk, mostly)."""

_log = structlog.get_logger(__name__)

SLICES_FRACTION = 4

TURNS_A_LOOK_AT_ALL: Final = 5

LocalPartitions = dict[int, Partition]
Finder = Callable[[bytes], LocalPartitions | None]


class Partitions:
    def __init__(
        self,
        *,
        broker_id: BrokerId,
        image: ClusterImage,
        config: Config,
        clock: Clock,
        folders: Sequence[LogFolderPort],
        flusher: FlusherPort,
        registry: MetricsRegistry,
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        in_sync_writes: InSyncWrites | None = None,
        resignations: Resignations | None = None,
        is_cut_off: Callable[[], bool] = lambda: False,
        planted: Planted = SOUND,
    ) -> None:
        """Without `in_sync_writes` this broker stands alone: nobody follows, and there is no set to keep. `is_cut_off`
        says whether others may lead by now without this broker having heard of it.
        """
        self.is_cut_off = is_cut_off
        self._planted = planted
        self.folders = folders
        self._broker_id = broker_id
        self._image = image
        self._config = config
        self._clock = clock
        self._flusher = flusher
        self._registry = registry
        self._spawn = spawn
        self._by_name: dict[bytes, LocalPartitions] = {}
        self._by_id: dict[bytes, LocalPartitions] = {}
        self._configs: dict[TopicId, TopicConfig] = {}
        self._work: asyncio.Queue[Callable[[], Awaitable[None]]] = asyncio.Queue()
        self._has_ended = False
        self.wanted_folders: dict[TopicPartition, LogFolderPort] = {}
        """Where logs are to be made that are not here yet; only of partitions that the image has."""
        self._subscribers: list[Callable[[Partition], None]] = []
        self._live: dict[BrokerId, int] = {}
        """Brokers that may join an in-sync set, with their broker epochs."""
        self._is_keeping = False
        """This process is registered, and looks after its replicas."""
        self._keeper: InSyncKeeper | None = None
        if in_sync_writes is not None:
            self._keeper = InSyncKeeper(
                in_sync_writes,
                config=config,
                clock=clock,
                metrics=registry.of(metrics.ReplicationMetrics),
                spawn=spawn,
            )
        self._resignations = resignations
        self._shared: dict[Partition, None] = {}
        """Those that other brokers keep too, in the order in which that came about."""
        self._renewing: set[Partition] = set()
        self._handover = None if resignations is None else ReplicaHandover(resignations, spawn)
        expose(self, registry)

    # Finding ----------------------------------------------------------------------------------------------------

    def finder(self, *, by_id: bool) -> Finder:
        """How to look topics up: by the bytes that name them on the wire."""
        return self._by_id.get if by_id else self._by_name.get

    def get(self, topic: str, index: int) -> Partition | None:
        local = self._by_name.get(topic.encode())
        return None if local is None else local.get(index)

    def require(self, topic: str, index: int) -> Partition:
        """As `get`, but refuses by name: one that others keep is not the same as one that nobody has."""
        partition = self.get(topic, index)
        if partition is None:
            if self.kept_elsewhere(topic.encode(), index, by_id=False) is not None:
                raise NotLeaderOrFollower(f"{topic}-{index} is not kept by this broker")
            raise UnknownTopicOrPartition(f"there is no {topic}-{index}")
        return partition

    def kept_elsewhere(self, key: bytes, index: int, *, by_id: bool) -> PartitionImage | None:
        """What is known of a partition that is not here: who leads it, for one."""
        image = self._image
        topic = image.topics_by_id.get(TopicId(key)) if by_id else image.topics.get(key.decode(errors="replace"))
        if topic is None or not 0 <= index < len(topic.partitions):
            return None
        return topic.partitions[index]

    def __iter__(self) -> Iterator[Partition]:
        for local in self._by_name.values():
            yield from local.values()

    def __len__(self) -> int:
        return sum(map(len, self._by_name.values()))

    @property
    def slices_max(self) -> int:
        """Slices that one answer may hold: a part of the files that may be open, whatever it asks for."""
        return max(1, self.folders[0].pool.open_max // SLICES_FRACTION)

    def topic_metrics(self, topic: str) -> metrics.TopicMetrics:
        return self._registry.of(metrics.TopicMetrics, topic=topic)

    def endpoints(self, brokers: Iterable[int], *, listener: str) -> list[Endpoint]:
        """Where to find these brokers, for the one who asks through this listener (KIP-951)."""
        found = []
        for broker_id in sorted(brokers):
            broker = self._image.brokers.get(BrokerId(broker_id))
            if broker is not None and broker_id != self._image.hidden and listener in broker.endpoints:
                endpoint = broker.endpoints[listener]
                found.append(Endpoint(broker_id, endpoint.host, endpoint.port, broker.rack))
        return found

    # Following the image ----------------------------------------------------------------------------------------

    def config_of(self, topic: TopicImage) -> TopicConfig:
        config = self._configs.get(topic.topic_id)
        if config is None:
            config = self._configs[topic.topic_id] = self._config.for_topic(topic.overrides)
        return config

    def adopt(self, logs: Mapping[TopicPartition, LogPort]) -> None:
        """At start: the logs that were found on disk, each of a partition in the image. While they were opened topics
        may have been deleted, and made anew under their names: the logs of those are set aside.
        """
        self._learn_brokers()
        for topic, image in self._image.partitions():
            log = logs.get(TopicPartition(topic.name, image.index))
            if log is not None and log.topic_id == topic.topic_id:
                self._show(topic, image, log)
        strays = [log for log in logs.values() if log.topic_id not in self._image.topics_by_id]
        if strays:
            self._later(lambda: self._set_aside(strays))

    async def _set_aside(self, logs: list[LogPort]) -> None:
        for log in logs:
            for folder in self.folders:
                if folder.logs.get(log.partition) is log:
                    folder.set_aside(log.partition)

    async def follow(self) -> None:
        """Make and remove logs for as long as the broker runs; begins with those the image has and the disk lacks."""
        self._image.subscribe(self._on_changes, Subscriber.REPLICAS)
        self._learn_brokers()
        for topic, image in self._image.partitions():
            if image.index in self._by_id.get(topic.topic_id, {}):
                self._change(topic, image)  # the image may have moved since the logs were opened
        for topic in self._image.topics.values():
            self._create(topic, 0)
        self._later(self._forget_lost)
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

    async def _forget_lost(self) -> None:
        """What the image does not want any more is not missed, nor what another data folder has; a later topic of that
        name is a new one. What could not be made yet is tried again, and must still be missed then.
        """
        for folder in self.folders:
            for partition in list(folder.lost):
                topic = self._image.topics.get(partition.topic)
                images = [] if topic is None else topic.partitions[partition.partition :][:1]
                is_wanted = any(self._broker_id in image.replicas for image in images)
                if not is_wanted or any(partition in each.logs for each in self.folders):
                    del folder.lost[partition]

    def _leave_the_rest(self) -> None:
        """What a stop leaves undone the next start does, which goes by the image: nobody need wait for it here."""
        self._has_ended = True
        while not self._work.empty():
            self._work.get_nowait()
            self._work.task_done()

    def _later(self, work: Callable[[], Awaitable[None]]) -> None:
        if not self._has_ended:
            self._work.put_nowait(work)

    async def settled(self) -> None:
        """Return when every change of the image so far has been carried out here, or never will be."""
        await self._work.join()

    def _on_changes(self, changes: Sequence[ImageChange]) -> None:
        if self._has_ended:
            return  # the image lives a little longer than whoever carried its changes out
        for change in changes:
            match change:
                case TopicCreated(topic):
                    self._create(topic, 0)
                case TopicGrown(topic, first_new):
                    self._create(topic, first_new)
                case TopicDeleted(topic):
                    self._delete(topic)
                case TopicSettingsChanged(topic):
                    self.config_of(topic).replace_overrides(topic.overrides)
                    for partition in self._by_id.get(topic.topic_id, {}).values():
                        partition.current_rules()
                case PartitionChanged(topic, _, image):
                    self._change(topic, image)
                case BrokerRegistered(broker):
                    self._registered(broker)
                case BrokerGone(broker):
                    self._live.pop(broker.id, None)

    def _learn_brokers(self) -> None:
        self._live.clear()
        self._live.update({b.id: b.epoch for b in self._image.brokers.values() if not b.is_stopping})

    def _registered(self, broker: BrokerImage) -> None:
        if broker.is_stopping:
            self._live.pop(broker.id, None)
            return
        self._live[broker.id] = broker.epoch
        if broker.id != self._broker_id:
            for partition in self:
                if partition.is_leader and broker.id in partition.replicas:
                    partition.followers.broker_registered(broker.id, broker.epoch)

    async def keep_in_sync(self) -> None:
        """Look after followers for as long as the broker runs."""
        if self._keeper is not None:
            self._is_keeping = True
            await self._keeper.run(self.due_for_a_look)

    def due_for_a_look(self, turn: int) -> list[Partition]:
        """Whom to look after in one of many turns, one a second: those that other brokers keep too, now and then all.
        Looking at one takes a microsecond or two; thousands that nobody follows want it more seldom.
        """
        return list(self._shared if turn % TURNS_A_LOOK_AT_ALL else self)

    # What replicas ask for --------------------------------------------------------------------------------------

    def propose(self, replica: Partition, leader: Leader, proposal: Proposal) -> None:
        if self._keeper is not None:
            self._keeper.submit(replica, leader, proposal)

    def resign(self, replica: Partition, reason: str) -> None:
        if self._handover is not None:
            self._handover.resign(replica, reason)

    def leave(self, replica: Partition, reason: str) -> None:
        topic = self._image.topics_by_id.get(replica.topic_id)
        partition = self._by_id.get(replica.topic_id, {}).get(replica.index)
        if topic is not None and partition is replica and self._is_to_renew(partition, topic.partitions[replica.index]):
            self._renew_soon(partition)  # nothing is to be left, so no change of the image will say so
        elif self._handover is not None:
            self._handover.leave(replica, reason)

    # Making and removing logs -----------------------------------------------------------------------------------

    def _create(self, topic: TopicImage, first: int) -> None:
        local = self._by_id.get(topic.topic_id, {})
        wanted = [
            image.index
            for image in topic.partitions[first:]
            if self._broker_id in image.replicas and image.index not in local
        ]
        if wanted and self._image.topics_by_id.get(topic.topic_id) is topic:
            self._later(lambda: self._make_logs(topic, wanted))

    async def _make_logs(self, topic: TopicImage, indexes: list[PartitionIndex]) -> None:
        for index in indexes:
            await self._forget_namesake(topic, TopicPartition(topic.name, index))
            if self._image.topics_by_id.get(topic.topic_id) is not topic:
                return  # deleted meanwhile
            if index in self._by_id.get(topic.topic_id, {}):
                continue  # wanted twice: the topic grew, or was tried again, before its turn came
            if self._broker_id not in topic.partitions[index].replicas:
                continue  # another broker's again, and no change to come would take it away
            self._show(topic, topic.partitions[index], self._make_log(topic, TopicPartition(topic.name, index)))
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
        folder, config = self._folder_for(partition), self.config_of(topic)
        try:
            log = folder.create(partition, topic.topic_id, config)
        except (KafkaStorageError, OSError) as error:
            _log.error("log not made, tried again later", partition=str(partition), reason=str(error))
            return folder.stand_in(partition, topic.topic_id, config, str(error))
        self.wanted_folders.pop(partition, None)
        return log

    def _make_again_later(self, partition: Partition) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(RETRY_AFTER_S, self._later, lambda: self._make_again(partition))

    async def _make_again(self, partition: Partition) -> None:
        if (topic := self._image.topics_by_id.get(partition.topic_id)) is not None:
            await self._forget_namesake(topic, partition.topic_partition)
        topic, local = self._image.topics_by_id.get(partition.topic_id), self._by_id.get(partition.topic_id, {})
        if topic is None or local.get(partition.index) is not partition:
            return  # deleted, or moved away
        log = self._make_log(topic, partition.topic_partition)
        if log.trouble is not None and log.trouble.is_unmade:
            self._make_again_later(partition)
            return
        _log.info("log made", partition=str(log.partition))
        self._exchange(topic, partition, log)

    def _exchange(self, topic: TopicImage, partition: Partition, log: LogPort) -> None:
        """What stood for a log makes way for it."""
        del self._by_id[topic.topic_id][partition.index]
        self._retire(partition)
        self._show(topic, topic.partitions[partition.index], log)

    def _folder_for(self, partition: TopicPartition) -> LogFolderPort:
        """Where it was lost, where somebody wants it, or where the fewest are."""
        wanted = self.wanted_folders.get(partition)
        return min(
            self.folders, key=lambda folder: (partition not in folder.lost, folder is not wanted, len(folder.logs))
        )

    def folder_of(self, partition: Partition) -> LogFolderPort | None:
        held = (f for f in self.folders if f.logs.get(partition.topic_partition) is partition.log)
        return next(held, None)

    def _show(self, topic: TopicImage, image: PartitionImage, log: LogPort) -> None:
        partition = Partition(
            topic=topic.name,
            topic_id=topic.topic_id,
            index=image.index,
            broker_id=self._broker_id,
            log=log,
            config=self.config_of(topic),
            clock=self._clock,
            flusher=self._flusher,
            metrics=self.topic_metrics(topic.name),
            spawn=self._spawn,
            brokers=self._live,
            around=self,
            planted=self._planted,
        )
        local = self._by_id.setdefault(topic.topic_id, {})
        self._by_name[topic.name.encode()] = local
        local[image.index] = partition
        self._lead(partition, image)
        if self._is_keeping:
            partition.durability.keep_note()  # a new log has nothing yet that could have counted too early
        if log.health.open_again is not None:
            self._open_again_later(partition)
        elif log.trouble is not None and log.trouble.is_unmade:
            self._make_again_later(partition)

    def _open_again_later(self, partition: Partition) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(RETRY_AFTER_S, self._later, lambda: self._open_again(partition))

    async def _open_again(self, partition: Partition) -> None:
        """A log that a start could not open, for want of room or descriptors: it comes back once it can be opened."""
        folder = self.folder_of(partition)
        if folder is None or partition.log.health.open_again is None:
            return
        opening = asyncio.get_running_loop().run_in_executor(None, partition.log.health.open_again)
        try:
            await asyncio.wait([opening])
        finally:
            await asyncio.wait([opening])  # a stop waits too: nobody is at work on a folder that is let go
        log, topic = opening.result(), self._image.topics_by_id.get(partition.topic_id)
        local = self._by_id.get(partition.topic_id, {})
        if topic is None or local.get(partition.index) is not partition:
            return  # its removal comes after this
        if log.health.open_again is not None:
            self._open_again_later(partition)
            return
        folder.opened_again(log)
        _log.info("log opened", partition=str(log.partition))
        self._exchange(topic, partition, log)

    def _change(self, topic: TopicImage, image: PartitionImage) -> None:
        partition = self._by_id.get(topic.topic_id, {}).get(image.index)
        if self._broker_id not in image.replicas:
            if partition is not None:
                self._remove(topic, partition)
        elif partition is not None:
            self._lead(partition, image)
        else:
            self._create(topic, image.index)

    def _remove(self, topic: TopicImage, partition: Partition) -> None:
        """Another broker keeps this replica now: the log goes, unless it comes back before that is done."""
        del self._by_id[topic.topic_id][partition.index]
        self._retire(partition)
        self._later(lambda: self._remove_log(partition))

    async def _remove_log(self, partition: Partition) -> None:
        for folder in self.folders:
            if folder.logs.get(partition.topic_partition) is partition.log:
                _log.info("replica moved away, its log deleted", partition=str(partition.topic_partition))
                folder.delete(partition.topic_partition)

    def subscribe(self, callback: Callable[[Partition], None]) -> None:
        """Call back, on the loop and at once, whenever a partition appears, goes, or changes its leader or epoch."""
        self._subscribers.append(callback)
        for partition in self:
            callback(partition)

    def _lead(self, partition: Partition, image: PartitionImage) -> None:
        partition.leadership.assign(image)
        if len(image.replicas) > 1:
            self._shared[partition] = None
        else:
            self._shared.pop(partition, None)
        self._tell(partition)
        if partition.log.trouble is not None and self._is_to_renew(partition, image):
            self._renew_soon(partition)
        is_empty = partition.log.end_offset == 0 and partition.log.trouble is None
        if is_empty and image.waits_for(self._broker_id) and self._handover is not None:
            self._handover.tell_of_nothing(partition)

    def stand_aside(self, is_isolated: bool) -> None:
        """Lead nothing that others may lead, for as long as this broker is cut off; then what the image says again.
        What only this broker keeps nobody else can lead.
        """
        for partition in list(self._shared):
            if is_isolated:
                partition.leadership.stand_aside()
                self._tell(partition)
            elif (topic := self._image.topics_by_id.get(partition.topic_id)) is not None:
                self._lead(partition, topic.partitions[partition.index])

    def _is_to_renew(self, partition: Partition, image: PartitionImage) -> bool:
        """Whether a damaged log can be fetched anew: another broker leads, and this one can no longer be elected."""
        trouble = partition.log.trouble
        return (
            trouble is not None
            and trouble.stops_reads
            and not trouble.is_unmade
            and partition.log.health.open_again is None
            and isinstance(partition.role, Follower)
            and image.leader >= 0
            and self._broker_id not in (*image.in_sync, *image.eligible)
        )

    def _renew_soon(self, partition: Partition) -> None:
        if self._resignations is None:
            self._later(lambda: self._renew(partition))
        elif partition not in self._renewing:
            self._renewing.add(partition)
            self._spawn(self._begin_anew(self._resignations, partition))

    async def _begin_anew(self, resignations: Resignations, partition: Partition) -> None:
        """The leader may be about to hear of what this broker had: were that to count, a log that has nothing yet would
        be in sync, and might be elected.
        """
        epoch = partition.leader_epoch
        try:
            await until_heard(
                partition,
                "begin anew",
                lambda: resignations.begin_anew(partition.topic_id, partition.index, leader_epoch=epoch),
                is_wanted=lambda: isinstance(partition.role, Follower) and not self._planted.begins_anew_in_same_epoch,
            )
        finally:
            self._renewing.discard(partition)
        self._later(lambda: self._renew(partition))

    async def _renew(self, partition: Partition) -> None:
        """What is left of a damaged log is set aside, never deleted; a new one begins where the leader does (RULES
        21).
        """
        topic = self._image.topics_by_id.get(partition.topic_id)
        local = self._by_id.get(partition.topic_id, {})
        if topic is None or local.get(partition.index) is not partition:
            return
        image = topic.partitions[partition.index]
        folder = self.folder_of(partition)
        if folder is None or not self._is_to_renew(partition, image):
            return
        del local[partition.index]
        self._retire(partition)
        folder.set_aside(partition.topic_partition)
        self.wanted_folders[partition.topic_partition] = folder
        await self._make_logs(topic, [partition.index])  # which tries again where there is no room

    def give_up(self, partition: Partition, reason: str) -> bool:
        """A damaged log that cannot be mended: have it fetched anew. False where nobody else is in sync, and what is
        left here may be all there is.
        """
        if all(broker == self._broker_id for broker in partition.in_sync):
            return False
        refusal = partition.log.health.take_offline(reason, stops_reads=True)
        partition.leadership.resign(refusal)
        partition.leadership.leave_in_sync()
        topic = self._image.topics_by_id.get(partition.topic_id)
        if topic is not None and self._is_to_renew(partition, topic.partitions[partition.index]):
            self._renew_soon(partition)  # it was out of the in-sync set already: the image will not tell of it
        return True

    def _retire(self, partition: Partition) -> None:
        self._shared.pop(partition, None)
        partition.leadership.retire()
        self._tell(partition)

    def _tell(self, partition: Partition) -> None:
        for callback in self._subscribers:
            callback(partition)

    def _delete(self, topic: TopicImage) -> None:
        local = self._by_id.pop(topic.topic_id, {})
        if self._by_name.get(topic.name.encode()) is local:
            del self._by_name[topic.name.encode()]
        self._configs.pop(topic.topic_id, None)
        for wanted in [each for each in self.wanted_folders if each.topic == topic.name]:
            del self.wanted_folders[wanted]
        self._registry.drop(metrics.TopicMetrics, topic=topic.name)
        for partition in local.values():
            self._retire(partition)
        self._later(lambda: self._remove_logs(topic))

    async def _remove_logs(self, topic: TopicImage) -> None:
        for folder in self.folders:
            for lost in [partition for partition in folder.lost if partition.topic == topic.name]:
                del folder.lost[lost]  # or the next of that name, whose turn comes after this, would be missed
            gone = [log.partition for log in folder if log.topic_id == topic.topic_id]
            for partition in gone:
                folder.delete(partition)
                await asyncio.sleep(0)

    def offline(self) -> dict[TopicPartition, str]:
        """Logs that take no appends, and why."""
        return {p.topic_partition: p.log.health.offline_reason for p in self if p.log.health.offline_reason is not None}
