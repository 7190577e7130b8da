"""The node: where the concrete parts of a broker meet. Nothing else knows all of them.

Order of a start: data folders locked, metadata store opened, cluster image read, logs opened (scanned only after a
crash), what is missing of them told to the cluster (RULES 46), those made that are not here, listeners bound,
registered under a new broker epoch and new leader epochs (RULES 2), connections accepted. Whoever is registered is
expected to answer, and a broker with a new disk may have thousands of logs to make. A stop goes the other way round:
answers under way leave, background work ends, logs are flushed and marked clean.

One of several brokers, which share an etcd, asks the store first which cluster it is, and hands over what it leads
before it stops.

`async with node.running(): ...` serves for as long as the block lasts; a background task that fails ends it.
"""

import asyncio
import os
import resource
import socket
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import structlog

from penstock.broker import handlers as _handlers  # noqa: F401 - importing them fills the registry
from penstock.broker.after_receive import AfterReceive
from penstock.broker.batch_opening import BatchOpener
from penstock.broker.clock import SystemClock, SystemDice
from penstock.broker.deadlines import Deadlines
from penstock.broker.dispatch import Dispatcher
from penstock.broker.fetch_sessions import FetchSessions
from penstock.broker.incomplete_logs import IncompleteLogs
from penstock.broker.listeners import SocketServer
from penstock.broker.loggers import LOGGER_LEVELS, LoggerLevels
from penstock.broker.metrics import ACTIVE_CONTROLLERS, FETCH_SESSIONS
from penstock.broker.peer_authentication import PeerAuthenticator
from penstock.broker.registry import bind
from penstock.broker.replica_sessions import ReplicaSessions
from penstock.cluster import (
    SUPPORTED_FEATURES,
    BrokerAvailability,
    BrokerRecord,
    Cluster,
    ClusterImage,
    ClusterPorts,
    Confirmations,
    Controller,
    ControllerMetrics,
    Endpoint,
    IdentityRecord,
    ProducerIds,
    StoreWait,
    TcpProbe,
    new_cluster_id,
)
from penstock.coordinators.groups import Groups
from penstock.coordinators.groups.group_lag import GroupLag
from penstock.coordinators.groups.log_ends import LogEnds
from penstock.coordinators.transactions import Transactions
from penstock.coordinators.transactions.marker_writer import MarkerWriter
from penstock.coordinators.transactions.markers_out import MarkersOut
from penstock.coordinators.transactions.transaction_coordinators import TransactionCoordinators
from penstock.coordinators.transactions.transaction_gate import CoordinatorGate, TransactionGate
from penstock.errors import Fatal, Refusal
from penstock.log import (
    NO_TOPIC_ID,
    Cleaner,
    ExpectedLog,
    FilePool,
    Flusher,
    FlushMetrics,
    LogFolder,
    LogHousekeeping,
    PartitionLog,
    Scrubber,
    folder_id,
    give_up_reserve,
    read_identity,
    require_first_folder,
    require_known_folders,
    settle_moves,
)
from penstock.metastore import Metastore, MetastoreError, open_metastore
from penstock.metrics import MetricsRegistry, watch_loop_lag
from penstock.model import BrokerId, Clock, Dice, TopicId, TopicPartition, topic_id_text
from penstock.replication import Fetchers, FolderMoves, Introduction, Mending, Partitions, Peers, Throttle
from penstock.settings import (
    Config,
    advertised_endpoints,
    data_folders,
    inter_broker_listener,
    listeners,
)
from penstock.settings import broker as settings

OPEN_FILES_MIN = 64
PROBE_PATIENCE = 0.75
"""Of a heartbeat: an answer that takes longer has missed it, and the next is asked for in time."""
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_log = structlog.get_logger(__name__)


class Node:
    def __init__(
        self,
        config: Config,
        *,
        clock: Clock | None = None,
        dice: Dice | None = None,
        metastore: Metastore | None = None,
    ) -> None:
        """A `metastore` that is given is one that other nodes share, and whoever gave it closes it."""
        self.config = config
        self._shared_metastore = metastore
        self.stands_alone = metastore is None and not config[settings.PENSTOCK_ETCD_ENDPOINTS]
        self.clock: Clock = clock or SystemClock()
        self.dice: Dice = dice or SystemDice()
        self.broker_id = BrokerId(config[settings.NODE_ID])
        self.registry = MetricsRegistry(config[settings.PENSTOCK_METRICS_SERIES_MAX])
        self.loggers = LOGGER_LEVELS
        self.is_ready = False
        self.store_wait = StoreWait()
        self.cluster_id = ""
        self.endpoints: dict[str, Endpoint] = {}
        self.folders: list[LogFolder] = []
        self.losses: IncompleteLogs | None = None
        self.cluster: Cluster | None = None
        self.partitions: Partitions | None = None
        self.fetchers: Fetchers | None = None
        self.peers: Peers | None = None
        self._is_folder_gone = False
        self._cleaner: Cleaner | None = None
        self._opener = BatchOpener(self.registry)
        self._tasks: set[asyncio.Task[Any]] = set()

    def damaged_batches(self) -> dict[TopicPartition, int]:
        """How many batches of which logs are refused because their checksum is wrong."""
        return {log.partition: log.damage.count for folder in self.folders for log in folder if log.damage}

    def incomplete_logs(self) -> dict[TopicPartition, str]:
        """Logs that this start found short, or not at all, and that have not caught up since."""
        return {} if self.losses is None else self.losses.reasons

    def uncleanable_logs(self) -> dict[TopicPartition, str]:
        """Logs that compaction leaves alone until a restart, and why."""
        return {} if self._cleaner is None else dict(self._cleaner.uncleanable)

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Node"]:
        async with AsyncExitStack() as closing:
            self.cluster = cluster = await (self._alone(closing) if self.stands_alone else self._among_others(closing))
            flusher = Flusher(metrics=self.registry.of(FlushMetrics))
            closing.push_async_callback(flusher.close)
            closing.callback(self._opener.close)
            async with asyncio.TaskGroup() as tasks:
                with self._ending_tasks():
                    async with self._serving(tasks, cluster, flusher):
                        yield self

    async def _alone(self, closing: AsyncExitStack) -> Cluster:
        paths = data_folders(self.config)
        require_first_folder(paths)
        self._open_folders(closing, paths[:1], self._cluster_id_on_disk() or new_cluster_id(self.dice))
        with _start_refused_in_words():
            first = self.folders[0].path
            metastore = await open_metastore(self.config, first, self.clock, make_room=lambda: give_up_reserve(first))
            closing.push_async_callback(metastore.close)
            cluster = Cluster(metastore, broker_id=self.broker_id, config=self.config, dice=self.dice)
            self.cluster_id = await cluster.start(proposed_cluster_id=self.folders[0].identity.cluster_id)
        closing.push_async_callback(cluster.stop)
        self._is_folder_gone = self._look_for_folders(cluster)
        self._open_folders(closing, paths[1:], self.cluster_id)
        return cluster

    async def _among_others(self, closing: AsyncExitStack) -> Cluster:
        """The store is asked for the cluster's id before the data folder takes one (RULES 15)."""
        first = data_folders(self.config)[0]
        first.mkdir(parents=True, exist_ok=True)
        with _start_refused_in_words():
            metastore = self._shared_metastore
            if metastore is None:
                metastore = await self.store_wait.answered(lambda: open_metastore(self.config, first, self.clock))
                closing.push_async_callback(metastore.close)
            probe = TcpProbe(timeout_s=self.config[settings.PENSTOCK_BROKER_HEARTBEAT_MS] / 1000 * PROBE_PATIENCE)
            cluster = Cluster(
                metastore,
                broker_id=self.broker_id,
                config=self.config,
                dice=self.dice,
                name=self.config[settings.PENSTOCK_CLUSTER_NAME],
                others=ClusterPorts(
                    self.clock, probe, metrics=self.registry.of(ControllerMetrics), wait=self.store_wait
                ),
            )
            self.cluster_id = await cluster.start(proposed_cluster_id=self._cluster_id_on_disk())
        closing.push_async_callback(cluster.stop)
        self._is_folder_gone = self._look_for_folders(cluster)
        self._open_folders(closing, data_folders(self.config), self.cluster_id)
        return cluster

    @asynccontextmanager
    async def _serving(self, tasks: asyncio.TaskGroup, cluster: Cluster, flusher: Flusher) -> AsyncIterator[None]:
        def spawn(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
            task = tasks.create_task(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            return task

        self.partitions = partitions = Partitions(
            broker_id=self.broker_id,
            image=cluster.image,
            config=self.config,
            clock=self.clock,
            folders=self.folders,
            flusher=flusher,
            registry=self.registry,
            spawn=spawn,
            in_sync_writes=cluster.in_sync_writes,
            resignations=cluster.in_sync_writes,
            is_cut_off=cluster.is_cut_off,
        )
        logs = await self._open_logs(cluster.image, partitions)
        self.losses = losses = IncompleteLogs(
            self.folders, cluster.image, self.broker_id, is_folder_gone=self._is_folder_gone
        )
        mine = self._identity()
        with _start_refused_in_words():
            await cluster.step_down(mine, losses.report)
        partitions.adopt(logs)
        cluster.controller.settled = partitions.settled
        groups = Groups(
            config=self.config,
            image=cluster.image,
            controller=cluster.controller,
            partitions=partitions,
            clock=self.clock,
            dice=self.dice,
            spawn=spawn,
            registry=self.registry,
            stands_alone=self.stands_alone,
        )
        self.fetchers = fetchers = self._make_fetchers(cluster, partitions, spawn)
        self.peers = peers = self._make_peers(cluster)
        moves = FolderMoves(
            partitions,
            cluster.image,
            folders=self.folders,
            flusher=flusher,
            config=self.config,
            clock=self.clock,
            spawn=spawn,
        )
        writer = MarkerWriter(partitions, groups, self.config)
        transactions = Transactions(
            config=self.config,
            image=cluster.image,
            controller=cluster.controller,
            partitions=partitions,
            producer_ids=cluster.producer_ids,
            delivery=MarkersOut(
                broker_id=self.broker_id,
                image=cluster.image,
                writer=writer,
                peers=peers,
                spawn=spawn,
                catch_up=cluster.in_sync_writes.catch_up,
            ),
            clock=self.clock,
            spawn=spawn,
            registry=self.registry,
            stands_alone=self.stands_alone,
        )
        afterwards = AfterReceive(asyncio.get_running_loop())
        server = SocketServer(
            self.config,
            Dispatcher(
                bind(
                    self._services(cluster, partitions, afterwards)
                    | {
                        Groups: groups,
                        Transactions: transactions,
                        MarkerWriter: writer,
                        FolderMoves: moves,
                        Confirmations: Confirmations(cluster.in_sync_writes.catch_up, spawn=spawn),
                        TransactionGate: CoordinatorGate(
                            TransactionCoordinators(transactions, peers, me=self.broker_id, spawn=spawn), self.config
                        ),
                    }
                ),
                self.registry,
                control_bytes_max=self.config[settings.PENSTOCK_CONTROL_REQUEST_MAX_BYTES],
            ),
            afterwards=afterwards,
            registry=self.registry,
            spawn=spawn,
            peer_listener=None if self.stands_alone else inter_broker_listener(self.config).name,
        )
        try:
            spawn(partitions.follow())
            await asyncio.sleep(0)  # it has begun, and knows what is to be made
            await partitions.settled()
            ports = server.bind(listeners(self.config))
            with _start_refused_in_words():
                await cluster.join(self._registration(ports, mine), losses.report)
            for folder in self.folders:
                folder.shortened.clear()
            cluster.when_isolated(partial(_isolated, partitions, server))
            await partitions.settled()
            moves.start()
            fetchers.start()
            due = partitions.due_for_a_look
            spawn(Mending(due, peers, cluster.image, me=self.broker_id, give_up=partitions.give_up).run())
            spawn(partitions.keep_in_sync())
            groups.start()
            transactions.start()
            spawn(self._group_lag(groups, partitions, LogEnds(partitions, cluster.image, peers)).run())
            spawn(cluster.ended())
            for work in self._background(server, partitions, flusher):
                spawn(work)
            server.accept()
            self.is_ready = True
            _log.info("broker ready", broker=self.broker_id, cluster=self.cluster_id, partitions=len(partitions))
            yield
        finally:
            self.is_ready = False
            await cluster.leave(timeout_s=self.config[settings.PENSTOCK_SHUTDOWN_TIMEOUT_MS] / 1000)
            transactions.stop()
            groups.stop()
            await server.stop()
            fetchers.stop()
            peers.close()

    def _introduction(self, cluster: Cluster) -> Introduction | None:
        """How this broker makes itself known to others; None where there are none."""
        if cluster.secret is None:
            return None
        return Introduction(
            me=self.broker_id,
            secret=cluster.secret,
            cluster_id=self.cluster_id,
            own_epoch=lambda: cluster.broker_epoch,
            dice=self.dice,
        )

    def _make_peers(self, cluster: Cluster) -> Peers:
        return Peers(
            cluster.image,
            clock=self.clock,
            own_epoch=lambda: cluster.broker_epoch,
            introduction=self._introduction(cluster),
            on_unreachable=cluster.suspect,
        )

    def _make_fetchers(
        self, cluster: Cluster, partitions: Partitions, spawn: Callable[[Coroutine[Any, Any, Any]], asyncio.Task[Any]]
    ) -> Fetchers:
        introduction = self._introduction(cluster)
        return Fetchers(
            partitions,
            cluster.image,
            me=self.broker_id,
            config=self.config,
            own_epoch=lambda: cluster.broker_epoch,
            throttle=Throttle.of_follower(self.broker_id, self.config, self.clock),
            spawn=spawn,
            registry=self.registry,
            greet=None if introduction is None else introduction.greet,
            on_unreachable=cluster.suspect,
            on_silent=cluster.availability.fell_silent,
        )

    def _background(
        self, server: SocketServer, partitions: Partitions, flusher: Flusher
    ) -> list[Coroutine[Any, Any, None]]:
        def logs() -> list[PartitionLog]:
            return [log for folder in self.folders for log in folder]

        self._cleaner = Cleaner(logs, self.config, self.clock)
        self._cleaner.expose(self.registry)
        scrubber = Scrubber(logs, self.config, self.clock)
        scrubber.expose(self.registry)
        work = [
            server.sweep(),
            *(LogHousekeeping(folder, flusher, self.config, self.clock).run() for folder in self.folders),
            watch_loop_lag(self.registry, self.clock),
            scrubber.run(),
        ]
        if self.config[settings.LOG_CLEANER_ENABLE]:
            work.append(self._cleaner.run())
        return work

    def _group_lag(self, groups: Groups, partitions: Partitions, ends: LogEnds) -> GroupLag:
        series_max = self.config[settings.PENSTOCK_METRICS_SERIES_MAX]
        lag = GroupLag(groups, partitions, ends, self.clock, series_max=series_max)
        lag.expose(self.registry)
        return lag

    def _services(self, cluster: Cluster, partitions: Partitions, afterwards: AfterReceive) -> dict[Any, object]:
        """What handlers may ask for, by type."""
        sessions = FetchSessions(
            slots_max=self.config[settings.MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS], clock=self.clock, dice=self.dice
        )
        self.registry.read(FETCH_SESSIONS, lambda: [((), len(sessions))])
        cluster.expose(self.registry)
        self.registry.read(ACTIVE_CONTROLLERS, lambda: [((), cluster.image.controller_id == self.broker_id)])
        authenticator = PeerAuthenticator(
            cluster.image,
            me=self.broker_id,
            dice=self.dice,
            secret=cluster.secret,
            peer_listener=inter_broker_listener(self.config).name,
        )
        deadlines = Deadlines(asyncio.get_running_loop())
        return {
            PeerAuthenticator: authenticator,
            ClusterImage: cluster.image,
            BrokerAvailability: cluster.availability,
            Controller: cluster.controller,
            ProducerIds: cluster.producer_ids,
            Partitions: partitions,
            AfterReceive: afterwards,
            Deadlines: deadlines,
            BatchOpener: self._opener,
            Config: self.config,
            LoggerLevels: self.loggers,
            Clock: self.clock,
            FetchSessions: sessions,
            ReplicaSessions: ReplicaSessions(
                partitions,
                cluster.image,
                self.dice,
                afterwards=afterwards,
                deadlines=deadlines,
                throttle=Throttle.of_leader(self.broker_id, self.config, self.clock),
                needs_authentication=lambda: authenticator.tells_brokers_from_strangers,
                on_lost=cluster.suspect,
            ),
        }

    @contextmanager
    def _ending_tasks(self) -> Iterator[None]:
        """Background work ends with the block, so that the task group does."""
        try:
            yield
        finally:
            for task in list(self._tasks):
                task.cancel()

    # Data folders -----------------------------------------------------------------------------------------------

    def _look_for_folders(self, cluster: Cluster) -> bool:
        """Before any is taken: refused where they are not those that the broker had, unless that is meant (RULES 46).
        True where one of them is given up.
        """
        former = cluster.last_identity()
        if former is None:
            return False
        gone = require_known_folders(
            data_folders(self.config),
            broker_id=self.broker_id,
            first=former.folder_id,
            folders=former.folders,
            machine=former.machine,
            accepted=self.config[settings.PENSTOCK_LOG_DIRS_ACCEPT],
        )
        if gone:
            _log.warning("data folders given up", ids=gone)
        return bool(gone)

    def _open_folders(self, closing: AsyncExitStack, paths: Iterable[Path], cluster_id: str) -> None:
        pool = self.folders[0].pool if self.folders else FilePool(self._open_files_max())
        for path in paths:
            folder = LogFolder(path, cluster_id=cluster_id, node_id=self.broker_id, pool=pool, clock=self.clock)
            closing.callback(self._close_folder, folder)
            self.folders.append(folder)

    def _close_folder(self, folder: LogFolder) -> None:
        folder.close(broker_epoch=-1 if self.cluster is None else self.cluster.broker_epoch)

    def _cluster_id_on_disk(self) -> str | None:
        for path in data_folders(self.config):
            identity = read_identity(path)
            if identity is not None:
                return identity.cluster_id
        return self.config[settings.PENSTOCK_CLUSTER_ID] or None

    def _open_files_max(self) -> int:
        """Half of what the process may open, after asking for as much as it is allowed: sockets need the rest."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < hard:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            soft = hard
        return self.config[settings.PENSTOCK_OPEN_FILES_MAX] or max(soft // 2, OPEN_FILES_MIN)

    async def _open_logs(self, image: ClusterImage, partitions: Partitions) -> dict[TopicPartition, PartitionLog]:
        def expected(partition: TopicPartition, topic_id: TopicId) -> ExpectedLog | None:
            topic = image.topics.get(partition.topic)
            if topic is None or partition.partition >= len(topic.partitions):
                return None
            shown = topic.partitions[partition.partition]
            is_its_own = topic_id == topic.topic_id or (topic_id == NO_TOPIC_ID and shown.counts_on(self.broker_id))
            # Moved away while this broker was down, it seems. Metadata that was taken back in time seems so too, and
            # then others may have deleted theirs: what a start does not want it sets aside (RULES 15).
            if not is_its_own or self.broker_id not in shown.replicas:
                return None
            return ExpectedLog(partitions.config_of(topic), topic.topic_id)

        with _start_refused_in_words():
            await asyncio.to_thread(settle_moves, self.folders)
        logs: dict[TopicPartition, PartitionLog] = {}
        threads = self.config[settings.NUM_RECOVERY_THREADS_PER_DATA_DIR]
        for folder in self.folders:
            logs |= await asyncio.to_thread(folder.open_all, expected, threads=threads)
        return logs

    # Registration -----------------------------------------------------------------------------------------------

    def _identity(self) -> IdentityRecord:
        folders = tuple(folder_id(folder.identity) for folder in self.folders)
        return IdentityRecord(
            folder_id=folders[0],
            incarnation=topic_id_text(TopicId(self.dice.random_bytes(16))),
            boot_id=BOOT_ID.read_text().strip() if BOOT_ID.exists() else "",
            machine=socket.gethostname(),
            rack=self.config[settings.BROKER_RACK],
            folders=folders,
        )

    def _registration(self, ports: dict[str, int], mine: IdentityRecord) -> BrokerRecord:
        self.endpoints = {
            name: Endpoint(endpoint.host, endpoint.port)
            for name, endpoint in advertised_endpoints(self.config, ports).items()
        }
        return BrokerRecord(
            endpoints=self.endpoints,
            folder_id=mine.folder_id,
            incarnation=mine.incarnation,
            boot_id=mine.boot_id,
            machine=mine.machine,
            rack=mine.rack,
            folders=mine.folders,
            peer_listener=inter_broker_listener(self.config).name,
            features={name: (low, high) for name, (low, high) in SUPPORTED_FEATURES.items()},
        )


def _isolated(partitions: Partitions, server: SocketServer, is_isolated: bool) -> None:
    partitions.stand_aside(is_isolated)
    if is_isolated:
        asyncio.get_running_loop().call_soon(server.send_away)  # after the answers to those who were told so


@contextmanager
def _start_refused_in_words() -> Iterator[None]:
    """What stands in the way of a start is for a person to read, and no bug."""
    try:
        yield
    except Refusal as refusal:
        raise Fatal(refusal.message) from refusal
    except MetastoreError as error:
        raise Fatal(str(error)) from error


def disk_is_full(folder: LogFolder, bytes_min: int) -> bool:
    try:
        space = os.statvfs(folder.path)
    except OSError:
        return True
    return space.f_bavail * space.f_frsize < bytes_min
