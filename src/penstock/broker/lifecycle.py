"""In which order a broker's services start and stop: `START` and `STOP` are the lists, their steps come below.

Whoever is registered is expected to answer, and a broker with a new disk may have thousands of logs to make. So logs
are made and listeners bound before it registers, and connections are accepted last. A stop goes the other way round:
others take over, answers under way leave, and then nothing is fetched or asked of others any more.
"""

import asyncio
import socket
from pathlib import Path

import structlog

from penstock.access.users.first import add_first_users, read_first_users
from penstock.broker.foundation import Foundation, start_refused_in_words
from penstock.broker.incomplete_logs import IncompleteLogs
from penstock.broker.listeners import SocketServer
from penstock.broker.services import Ports, Services
from penstock.cluster import SUPPORTED_FEATURES, BrokerRecord, Endpoint, EntryKind, IdentityRecord
from penstock.errors import Fatal
from penstock.log import NO_TOPIC_ID, ExpectedLog, PartitionLog, folder_id, settle_moves
from penstock.metrics import watch_loop_lag
from penstock.model import TopicId, TopicPartition, topic_id_text
from penstock.settings import Config, advertised_endpoints, inter_broker_listener, listeners
from penstock.settings import broker as settings
from penstock.settings.listeners import Listener
from penstock.settings.per_listener import ListenerConfig

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

_log = structlog.get_logger(__name__)


class Lifecycle:
    def __init__(
        self, config: Config, foundation: Foundation, ports: Ports, services: Services, server: SocketServer
    ) -> None:
        self._config = config
        self._foundation = foundation
        self._ports = ports
        self._services = services
        self._server = server
        self._identity = self._who_this_is()
        self.incomplete: IncompleteLogs | None = None
        self.endpoints: dict[str, Endpoint] = {}
        self.is_ready = False

    async def start(self) -> None:
        for step in START:
            await step(self)

    async def stop(self) -> None:
        self.is_ready = False
        for step in STOP:
            await step(self)

    # Logs -------------------------------------------------------------------------------------------------------

    async def open_logs(self) -> None:
        """Those on disk that the cluster knows. They are scanned only after a crash."""
        with start_refused_in_words():
            await asyncio.to_thread(settle_moves, self._ports.folders)
        logs: dict[TopicPartition, PartitionLog] = {}
        threads = self._config[settings.NUM_RECOVERY_THREADS_PER_DATA_DIR]
        for folder in self._ports.folders:
            logs |= await asyncio.to_thread(folder.open_all, self._expected, threads=threads)
        await self._tell_what_is_missing()
        self._services.partitions.adopt(logs)

    async def _tell_what_is_missing(self) -> None:
        """The cluster hears of it before anything takes its place (RULES 46)."""
        self.incomplete = IncompleteLogs(
            self._ports.folders,
            self._services.image,
            self._ports.me,
            is_folder_gone=self._foundation.is_folder_gone,
        )
        with start_refused_in_words():
            await self._services.cluster.step_down(self._identity, self.incomplete.report)

    def _expected(self, partition: TopicPartition, topic_id: TopicId) -> ExpectedLog | None:
        me, topic = self._ports.me, self._services.image.topics.get(partition.topic)
        if topic is None or partition.partition >= len(topic.partitions):
            return None
        shown = topic.partitions[partition.partition]
        is_its_own = topic_id == topic.topic_id or (topic_id == NO_TOPIC_ID and shown.counts_on(me))
        # Moved away while this broker was down, it seems. Metadata that was taken back in time seems so too, and
        # then others may have deleted theirs: what a start does not want it sets aside (RULES 15).
        if not is_its_own or me not in shown.replicas:
            return None
        return ExpectedLog(self._services.partitions.config_of(topic), topic.topic_id)

    async def make_missing_logs(self) -> None:
        self._ports.spawn(self._services.partitions.follow())
        await asyncio.sleep(0)  # it has begun, and knows what is to be made
        await self._services.partitions.logs.settled()

    # The broker's place in the cluster --------------------------------------------------------------------------

    async def bind_listeners(self) -> None:
        """Connections wait until they are accepted."""
        opened = listeners(self._config)
        ports = self._server.bind(opened)
        protocols = {listener.name: _protocol_for_peers(listener, self._config) for listener in opened}
        advertised = advertised_endpoints(self._config, ports)
        self.endpoints = {name: Endpoint(told.host, told.port, protocols[name]) for name, told in advertised.items()}

    async def register(self) -> None:
        """Under a new broker epoch, and new leader epochs (RULES 2)."""
        assert self.incomplete is not None
        with start_refused_in_words():
            await self._services.cluster.join(self._registration(), self.incomplete.report)
        for folder in self._ports.folders:
            folder.shortened.clear()
        self._services.cluster.when_isolated(self._isolated)
        await self._services.partitions.logs.settled()

    async def hand_over(self) -> None:
        """Others take over what this broker leads."""
        await self._services.cluster.leave(timeout_s=self._config[settings.PENSTOCK_SHUTDOWN_TIMEOUT_MS] / 1000)

    def _isolated(self, is_isolated: bool) -> None:
        self._services.partitions.stand_aside(is_isolated)
        if is_isolated:  # after the answers to those who were told so
            asyncio.get_running_loop().call_soon(self._server.send_away)

    def _who_this_is(self) -> IdentityRecord:
        folders = tuple(folder_id(folder.identity) for folder in self._ports.folders)
        return IdentityRecord(
            folder_id=folders[0],
            incarnation=topic_id_text(TopicId(self._ports.dice.random_bytes(16))),
            boot_id=BOOT_ID.read_text().strip() if BOOT_ID.exists() else "",
            machine=socket.gethostname(),
            rack=self._config[settings.BROKER_RACK],
            folders=folders,
        )

    def _registration(self) -> BrokerRecord:
        mine = self._identity
        return BrokerRecord(
            endpoints=self.endpoints,
            folder_id=mine.folder_id,
            incarnation=mine.incarnation,
            boot_id=mine.boot_id,
            machine=mine.machine,
            rack=mine.rack,
            folders=mine.folders,
            peer_listener=inter_broker_listener(self._config).name,
            features={name: (low, high) for name, (low, high) in SUPPORTED_FEATURES.items()},
        )

    # Work -------------------------------------------------------------------------------------------------------

    async def start_replication(self) -> None:
        services, spawn = self._services, self._ports.spawn
        services.dedup.start()
        services.moves.start()
        services.fetchers.start()
        spawn(services.mending.run())
        spawn(services.partitions.keep_in_sync())

    async def stop_replication(self) -> None:
        self._services.fetchers.stop()
        await self._services.dedup.stop()
        self._services.peers.close()

    async def start_coordinators(self) -> None:
        self._services.groups.start()
        self._services.transactions.start()
        self._services.shares.start()
        self._services.schedules.start()
        self._ports.spawn(self._services.group_lag.run())

    async def stop_coordinators(self) -> None:
        """Whoever waits for an answer gets one."""
        self._services.share_delivery.stop()
        self._services.shares.stop()
        self._services.schedules.stop()
        self._services.transactions.stop()
        self._services.groups.stop()

    async def start_housekeeping(self) -> None:
        """All of it ends with the node's tasks."""
        services, spawn = self._services, self._ports.spawn
        spawn(services.cluster.ended())
        spawn(services.token_authority.sweep())
        spawn(self._server.sweep())
        for housekeeping in services.housekeeping:
            spawn(housekeeping.run())
        spawn(watch_loop_lag(self._ports.registry, self._ports.clock))
        spawn(services.scrubber.run())
        if self._config[settings.LOG_CLEANER_ENABLE]:
            spawn(services.cleaner.run())

    async def prepare_logins(self) -> None:
        """Keys that cannot be used refuse the start: else users would be refused, one after the other, later."""
        services = self._services
        has_sasl = any(listener.has_sasl for listener in listeners(self._config))
        if services.users.names() and (has_sasl or services.secrets.are_there):
            problem = services.users.unopened()
            if problem is not None:
                raise Fatal(f"penstock.secrets.key.file: {problem}")
        first = self._config[settings.PENSTOCK_BOOTSTRAP_USERS_FILE]
        if first is not None:
            decide = add_first_users(read_first_users(Path(first)), services.users.sealing)
            with start_refused_in_words():
                added = await services.controller.change_entries(EntryKind.USERS, decide)
            if added:
                _log.info("first users added", users=added)

    async def start_audit(self) -> None:
        """Before anybody can change anything."""
        if self._services.audit is not None:
            await self._services.audit.open()
            self._services.audit.start(self._ports.spawn)
        if self._services.audit_topic is not None:
            self._services.audit_topic.start(self._ports.spawn)

    async def stop_audit(self) -> None:
        """When nobody can any more; the metadata store is told how far the log reaches."""
        if self._services.audit is not None:
            await self._services.audit.stop()
        if self._services.audit_topic is not None:
            await self._services.audit_topic.stop()

    # Connections ------------------------------------------------------------------------------------------------

    async def accept_connections(self) -> None:
        self._server.accept()
        self.is_ready = True
        partitions = len(self._services.partitions)
        _log.info("broker ready", broker=self._ports.me, cluster=self._ports.cluster_id, partitions=partitions)

    async def close_connections(self) -> None:
        """When the answers under way have left."""
        await self._server.stop()


def _protocol_for_peers(listener: Listener, config: Config) -> str:
    """Where TLS is optional, other brokers do without: not each of them need have its certificates yet."""
    if listener.has_tls and ListenerConfig(config, listener.name).get(settings.PENSTOCK_TLS) == "optional":
        return "SASL_PLAINTEXT" if listener.has_sasl else "PLAINTEXT"
    return listener.protocol


START = (
    Lifecycle.open_logs,
    Lifecycle.start_audit,
    Lifecycle.make_missing_logs,
    Lifecycle.bind_listeners,
    Lifecycle.register,
    Lifecycle.start_replication,
    Lifecycle.start_coordinators,
    Lifecycle.start_housekeeping,
    Lifecycle.prepare_logins,
    Lifecycle.accept_connections,
)
STOP = (
    Lifecycle.hand_over,
    Lifecycle.stop_coordinators,
    Lifecycle.close_connections,
    Lifecycle.stop_audit,
    Lifecycle.stop_replication,
)
