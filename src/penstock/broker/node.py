"""The node: a broker as a whole. What it stands on is in `foundation`, its parts meet in `services`, and the order of a
start and a stop is in `lifecycle`.

`async with node.running(): ...` serves for as long as the block lasts; a background task that fails ends it.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from penstock.broker import handlers as _handlers  # noqa: F401 - importing them fills the registry
from penstock.broker.auditing import audited
from penstock.broker.clock import SystemClock, SystemDice
from penstock.broker.connection_rates import ConnectionRates
from penstock.broker.dispatch import Dispatcher
from penstock.broker.foundation import Foundation
from penstock.broker.lifecycle import Lifecycle
from penstock.broker.listeners import SocketServer
from penstock.broker.registry import bind
from penstock.broker.services import Ports, Services, Spawn, build
from penstock.broker.throttling import throttle
from penstock.cluster import Cluster, Endpoint, StoreWait
from penstock.errors import Fatal
from penstock.log import Flusher, FlushMetrics, LogFolder
from penstock.metastore import Metastore
from penstock.metrics import MetricsRegistry
from penstock.model import BrokerId, Clock, Dice, TopicPartition
from penstock.replication import Partitions
from penstock.settings import Config, inter_broker_listener, listeners
from penstock.settings import broker as settings
from penstock.settings.listeners import WITH_TLS, http_listener

if TYPE_CHECKING:
    import ssl

    from penstock.broker.tls import BrokerTls
    from penstock.broker.tls_acceptor import TlsAcceptor


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
        self.clock: Clock = clock or SystemClock()
        self.dice: Dice = dice or SystemDice()
        self.broker_id = BrokerId(config[settings.NODE_ID])
        self.registry = MetricsRegistry(config[settings.PENSTOCK_METRICS_SERIES_MAX])
        self._foundation = Foundation(
            config,
            clock=self.clock,
            dice=self.dice,
            registry=self.registry,
            metastore=metastore,
            context_of=self._context_for_peers,
        )
        self._lifecycle: Lifecycle | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self.services: Services | None = None
        """All of them, from the moment when the metadata store and the data folders are open."""
        self.dispatcher: Dispatcher | None = None
        self.tls: BrokerTls | None = None
        """Its certificates, where a listener takes TLS."""

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Node"]:
        self.read_certificates()
        async with AsyncExitStack() as closing:
            cluster = await self._foundation.open(closing)
            flusher = Flusher(metrics=self.registry.of(FlushMetrics))
            closing.push_async_callback(flusher.close)
            async with asyncio.TaskGroup() as tasks:
                with self._ending_tasks():
                    self._lifecycle = lifecycle = self._built(closing, tasks, cluster, flusher)
                    try:
                        await lifecycle.start()
                        yield self
                    finally:
                        await lifecycle.stop()

    def read_certificates(self) -> None:
        """Before anything is opened: a broker without them is not to be half there."""
        http = http_listener(self.config)
        opened = listeners(self.config) if http is None else (*listeners(self.config), http)
        if self.tls is None and any(listener.has_tls for listener in opened):
            from penstock.broker.tls import BrokerTls  # noqa: PLC0415 - loads ssl

            try:
                self.tls = BrokerTls(self.config, opened, clock=self.clock, registry=self.registry)
            except ValueError as error:
                raise Fatal(str(error)) from error

    def _built(
        self, closing: AsyncExitStack, tasks: asyncio.TaskGroup, cluster: Cluster, flusher: Flusher
    ) -> Lifecycle:
        def spawn(work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
            task = tasks.create_task(work)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            return task

        config, registry = self.config, self.registry
        ports = Ports(
            me=self.broker_id,
            cluster=cluster,
            cluster_id=self.cluster_id,
            folders=self.folders,
            flusher=flusher,
            clock=self.clock,
            dice=self.dice,
            registry=registry,
            spawn=spawn,
            context_of=self._context_for_peers,
        )
        self.services = services = build(config, ports)
        closing.callback(services.batch_opener.close)
        closing.callback(services.views.close)
        closing.callback(services.logins.close)
        bound = audited(
            bind(services.by_type()),
            services.audit,
            image=services.image,
            authorizer=services.authorizer,
            config=config,
            clock=self.clock,
        )
        self.dispatcher = Dispatcher(
            bound, registry, control_bytes_max=config[settings.PENSTOCK_CONTROL_REQUEST_MAX_BYTES]
        )
        throttle(self.dispatcher, services.quotas)
        server = SocketServer(
            config,
            self.dispatcher,
            afterwards=services.after_receive,
            registry=registry,
            spawn=spawn,
            logins=services.logins,
            peer_listener=None if cluster.stands_alone else inter_broker_listener(config).name,
            tls=self._acceptor(spawn),
            rates=ConnectionRates(config, services.quotas, registry, peer_listener=self._listener_apart(cluster)),
        )
        return Lifecycle(config, self._foundation, ports, services, server)

    def _listener_apart(self, cluster: Cluster) -> str | None:
        """That of brokers, where clients have another."""
        is_apart = not cluster.stands_alone and len(listeners(self.config)) > 1
        return inter_broker_listener(self.config).name if is_apart else None

    def _context_for_peers(self, protocol: str) -> "ssl.SSLContext | None":
        if protocol not in WITH_TLS:
            return None
        if self.tls is None:  # others speak it already, and this one does not serve it
            from penstock.broker.tls import BrokerTls  # noqa: PLC0415

            try:
                self.tls = BrokerTls(self.config, (), clock=self.clock, registry=self.registry)
            except ValueError as error:
                raise OSError(str(error)) from error
        return self.tls.for_peers

    def _acceptor(self, spawn: Spawn) -> "TlsAcceptor | None":
        if self.tls is None:
            return None
        from penstock.broker.tls_acceptor import TlsAcceptor  # noqa: PLC0415

        spawn(self.tls.watch())
        return TlsAcceptor(self.tls, self.config, listeners(self.config), self.registry)

    @contextmanager
    def _ending_tasks(self) -> Iterator[None]:
        """Background work ends with the block, so that the task group does."""
        try:
            yield
        finally:
            for task in list(self._tasks):
                task.cancel()

    # What it says of itself -------------------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        """Whether it listens and answers."""
        return self._lifecycle is not None and self._lifecycle.is_ready

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """Where clients find it, by listener."""
        return {} if self._lifecycle is None else self._lifecycle.endpoints

    @property
    def cluster_id(self) -> str:
        return self._foundation.cluster_id

    @property
    def cluster(self) -> Cluster | None:
        return self._foundation.cluster

    @property
    def folders(self) -> list[LogFolder]:
        return self._foundation.folders

    @property
    def store_wait(self) -> StoreWait:
        return self._foundation.store_wait

    @property
    def partitions(self) -> Partitions | None:
        return None if self.services is None else self.services.partitions

    def damaged_batches(self) -> dict[TopicPartition, int]:
        """How many batches of which logs are refused because their checksum is wrong."""
        return {log.partition: log.damage.count for folder in self.folders for log in folder if log.damage}

    def incomplete_logs(self) -> dict[TopicPartition, str]:
        """Logs that this start found short, or not at all, and that have not caught up since."""
        incomplete = None if self._lifecycle is None else self._lifecycle.incomplete
        return {} if incomplete is None else incomplete.reasons

    def uncleanable_logs(self) -> dict[TopicPartition, str]:
        """Logs that compaction leaves alone until a restart, and why."""
        return {} if self.services is None else dict(self.services.cleaner.uncleanable)
