"""All partitions that this broker keeps, as the cluster image wants them.

The table of partitions, and who is told of them. The image's changes come in on the loop and are noted at once; making
and removing logs is disk work, and goes on behind (replica_logs.py). What becomes of a replica whose log is in trouble
is decided in troubled_replicas.py.
"""

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
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
from penstock.errors import NotLeaderOrFollower, UnknownTopicOrPartition
from penstock.metrics import MetricsRegistry
from penstock.model import BrokerId, Clock, TopicId, TopicPartition
from penstock.replication import metrics
from penstock.replication.bugs import NO_BUGS, ReplicationBugs
from penstock.replication.in_sync import InSyncKeeper
from penstock.replication.log_port import FlusherPort, LogFolderPort, LogPort
from penstock.replication.partition import Partition
from penstock.replication.partition_readings import expose
from penstock.replication.ports import InSyncWrites, Resignations
from penstock.replication.replica_logs import ReplicaLogs
from penstock.replication.troubled_replicas import TroubledReplicas
from penstock.settings import Config, TopicConfig
from penstock.wire.produce import Endpoint

_log = structlog.get_logger(__name__)

SLICES_FRACTION = 4

TURNS_A_LOOK_AT_ALL: Final = 5

LocalPartitions = dict[int, Partition]
Finder = Callable[[bytes], LocalPartitions | None]


class Readable(dict[bytes, LocalPartitions]):
    """What can be read by name, or by id: an index gives None for what is not here. Views are looked for only where
    nothing else has that name, and so cost other topics nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self.views: Mapping[bytes, LocalPartitions] = {}

    def __missing__(self, key: bytes) -> LocalPartitions | None:
        return self.views.get(key)


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
        bugs: ReplicationBugs = NO_BUGS,
    ) -> None:
        """Without `in_sync_writes` this broker stands alone: nobody follows, and there is no set to keep. `is_cut_off`
        says whether others may lead by now without this broker having heard of it.
        """
        self.is_cut_off = is_cut_off
        self._bugs = bugs
        self._broker_id = broker_id
        self._image = image
        self._config = config
        self._clock = clock
        self._flusher = flusher
        self._registry = registry
        self._spawn = spawn
        self._by_name = Readable()
        self._by_id = Readable()
        self._configs: dict[TopicId, TopicConfig] = {}
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
        self._shared: dict[Partition, None] = {}
        """Those that other brokers keep too, in the order in which that came about."""
        self.logs = ReplicaLogs(self, image, me=broker_id, folders=folders)
        self.troubled = TroubledReplicas(
            self,
            image,
            me=broker_id,
            logs=self.logs,
            keeper=self._keeper,
            resignations=resignations,
            spawn=spawn,
            bugs=bugs,
        )
        expose(self, registry)

    # Finding ----------------------------------------------------------------------------------------------------

    def finder(self, *, by_id: bool) -> Finder:
        """How to look topics up: by the bytes that name them on the wire."""
        return self._by_id.get if by_id else self._by_name.get

    def reading_finder(self, *, by_id: bool) -> Finder:
        """As `finder`, for who only reads: views are found too."""
        return self._by_id.__getitem__ if by_id else self._by_name.__getitem__

    def show_views(self, by_name: Mapping[bytes, LocalPartitions], by_id: Mapping[bytes, LocalPartitions]) -> None:
        """Have these found by readers. They are nobody's but their own's: they are not told of, looked after or
        counted here.
        """
        self._by_name.views, self._by_id.views = by_name, by_id

    def get(self, topic: str, index: int) -> Partition | None:
        local = self._by_name.get(topic.encode())
        return None if local is None else local.get(index)

    def readable(self, topic: str, index: int) -> Partition | None:
        """As `get`, also of a view."""
        local = self._by_name[topic.encode()]
        return None if local is None else local.get(index)

    def require(self, topic: str, index: int) -> Partition:
        """As `readable`, but refuses by name: one that others keep is not the same as one that nobody has."""
        partition = self.readable(topic, index)
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
        return max(1, self.logs.folders[0].pool.open_max // SLICES_FRACTION)

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
                self.show(topic, image, log)
        strays = [log for log in logs.values() if log.topic_id not in self._image.topics_by_id]
        if strays:
            self.logs.later(lambda: self.logs.set_aside(strays))

    async def follow(self) -> None:
        """Make and remove logs for as long as the broker runs; begins with those the image has and the disk lacks."""
        self._image.subscribe(self._on_changes, Subscriber.REPLICAS)
        self._learn_brokers()
        for topic, image in self._image.partitions():
            if image.index in self.local(topic.topic_id):
                self._change(topic, image)  # the image may have moved since the logs were opened
        for topic in self._image.topics.values():
            self.logs.create(topic, 0)
        self.logs.later(self.logs.forget_lost)
        await self.logs.run()

    def _on_changes(self, changes: Sequence[ImageChange]) -> None:
        if self.logs.has_ended:
            return  # the image lives a little longer than whoever carried its changes out
        for change in changes:
            match change:
                case TopicCreated(topic):
                    self.logs.create(topic, 0)
                case TopicGrown(topic, first_new):
                    self.logs.create(topic, first_new)
                case TopicDeleted(topic):
                    self._delete(topic)
                case TopicSettingsChanged(topic):
                    self.config_of(topic).replace_overrides(topic.overrides)
                    for partition in self.local(topic.topic_id).values():
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

    # Showing and dropping partitions ----------------------------------------------------------------------------

    def local(self, topic_id: TopicId) -> Mapping[int, Partition]:
        """Those of a topic that are here, by number."""
        return self._by_id.get(topic_id, {})

    def topic_of(self, partition: Partition) -> TopicImage | None:
        """None if it was deleted, or moved away, or makes way for another object of its name."""
        is_here = self.local(partition.topic_id).get(partition.index) is partition
        return self._image.topics_by_id.get(partition.topic_id) if is_here else None

    def drop(self, partition: Partition) -> None:
        del self._by_id[partition.topic_id][partition.index]
        self._retire(partition)

    def exchange(self, topic: TopicImage, partition: Partition, log: LogPort) -> None:
        """What stood for a log makes way for it."""
        self.drop(partition)
        self.show(topic, topic.partitions[partition.index], log)

    def show(self, topic: TopicImage, image: PartitionImage, log: LogPort) -> None:
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
            manager=self.troubled,
            bugs=self._bugs,
        )
        local = self._by_id.setdefault(topic.topic_id, {})
        self._by_name[topic.name.encode()] = local
        local[image.index] = partition
        self._lead(partition, image)
        if self._is_keeping:
            partition.durability.keep_note()  # a new log has nothing yet that could have counted too early
        if log.health.open_again is not None:
            self.logs.open_again_later(partition)
        elif log.trouble is not None and log.trouble.is_unmade:
            self.logs.make_again_later(partition)

    def _change(self, topic: TopicImage, image: PartitionImage) -> None:
        partition = self.local(topic.topic_id).get(image.index)
        if self._broker_id not in image.replicas:
            if partition is not None:
                # Another broker keeps this replica now: the log goes, unless it comes back before that is done.
                self.drop(partition)
                self.logs.later(lambda: self.logs.remove(partition))
        elif partition is not None:
            self._lead(partition, image)
        else:
            self.logs.create(topic, image.index)

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
        self.troubled.assigned(partition, image)

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
        for wanted in [each for each in self.logs.wanted_folders if each.topic == topic.name]:
            del self.logs.wanted_folders[wanted]
        self._registry.drop(metrics.TopicMetrics, topic=topic.name)
        for partition in local.values():
            self._retire(partition)
        self.logs.later(lambda: self.logs.remove_all(topic))

    def offline(self) -> dict[TopicPartition, str]:
        """Logs that take no appends, and why."""
        return {p.topic_partition: p.log.health.offline_reason for p in self if p.log.health.offline_reason is not None}
