"""The client for asyncio: each method is awaited. Many may be under way at once, on the same connections.

    async with AsyncClient("127.0.0.1:9092") as client:
        (await client.create_topics(["orders"])).all()

The core's tasks run inside callbacks of the event loop: asyncio brings bytes and time, and nothing else.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from penstock.client.clock import SystemClock
from penstock.client.core import Core
from penstock.client.lazy import LazyModule
from penstock.client.network import Wire
from penstock.client.settings import ClientSettings, addresses
from penstock.transport import connect

if TYPE_CHECKING:
    import ssl

    from penstock.client.admin import access, cluster, groups, partitions, topics, transactions
    from penstock.client.outcomes import Outcomes
    from penstock.client.records.aio import AsyncConsumer, AsyncProducer, AsyncShareConsumer
    from penstock.client.records.fetched import Fetched
    from penstock.model import TopicPartition
else:
    access, cluster, groups, partitions, topics, transactions = (
        LazyModule(f"penstock.client.admin.{each}")
        for each in ("access", "cluster", "groups", "partitions", "topics", "transactions")
    )

P = ParamSpec("P")
T = TypeVar("T")


class AsyncLine(asyncio.BufferedProtocol):
    """A connection of the event loop. What happens on it is told to the wire, then the core gets its turn."""

    def __init__(self, wire: Wire, turn: Callable[[], None]) -> None:
        self._wire = wire
        self._turn = turn
        self._transport: asyncio.Transport | None = None
        self._unsent: list[bytes] = []
        self.connecting: asyncio.Task[None] | None = None

    async def connect(self, host: str, port: int, tls: "ssl.SSLContext | None") -> None:
        try:
            await connect(lambda: self, host, port, tls=tls)
        except OSError as error:
            self._wire.lost(getattr(error, "strerror", None) or str(error))
            self._turn()

    def send(self, frames: list[bytes]) -> None:
        if self._transport is None:
            self._unsent += frames
        else:
            self._transport.writelines(frames)

    def close(self) -> None:
        if self.connecting is not None:
            self.connecting.cancel()
        if self._transport is not None:
            self._transport.abort()

    # asyncio's side -------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        frames, self._unsent = self._unsent, []
        transport.writelines(frames)
        self._wire.opened()
        self._turn()

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._wire.buffer()

    def buffer_updated(self, nbytes: int) -> None:
        self._wire.received(nbytes)
        self._turn()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wire.lost(str(exc) if exc else "the broker closed the connection")
        self._turn()


class Awaited(Generic[P, T]):
    """An operation of the core as a method to be awaited; its types are the operation's own."""

    def __init__(self, operation: Callable[Concatenate[Core, P], Coroutine[Any, Any, T]]) -> None:
        self._operation = operation

    @overload
    def __get__(self, client: None, owner: object) -> Callable[Concatenate[Core, P], Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, client: "AsyncClient", owner: object) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: "AsyncClient | None", owner: object) -> Any:
        if client is None:
            return self._operation
        operation, run, core = self._operation, client.run, client.core

        def method(*args: P.args, **kwargs: P.kwargs) -> Coroutine[Any, Any, T]:
            return run(operation(core, *args, **kwargs))

        return method


class AsyncClient:
    def __init__(self, bootstrap: str, **settings: Any) -> None:
        """As Client. All calls come from one event loop."""
        self._clock = SystemClock()
        self._timer: asyncio.TimerHandle | None = None
        self._lines: set[asyncio.Task[None]] = set()
        self.core = Core(ClientSettings(bootstrap=addresses(bootstrap), **settings), self._clock, self)

    async def run(self, operation: Coroutine[Any, Any, T]) -> T:
        """Carry out an operation of penstock.client.admin, or one of your own over `client.core`."""
        task = self.core.scheduler.start(operation)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def settle() -> None:
            if not done.done():
                done.set_result(None)

        task.when_done(settle)
        self._turn()
        try:
            await done
        except asyncio.CancelledError:
            task.cancel()
            self._turn()
            raise
        return task.value()

    def open(self, host: str, port: int, wire: Wire) -> AsyncLine:
        line = AsyncLine(wire, self._turn)
        line.connecting = asyncio.get_running_loop().create_task(line.connect(host, port, self.core.settings.tls))
        self._lines.add(line.connecting)
        line.connecting.add_done_callback(self._lines.discard)
        return line

    def _turn(self) -> None:
        """Let the core go on, and come back when its next timer is due."""
        scheduler = self.core.scheduler
        scheduler.run()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if (wake_s := scheduler.next_wake_s) is not None:
            delay_s = max(wake_s - self._clock.monotonic(), 0.0)
            self._timer = asyncio.get_running_loop().call_later(delay_s, self._turn)

    def turn(self) -> None:
        """Let what is under way go on, and be called again when it has to."""
        self._turn()

    def producer(self, **settings: Any) -> "AsyncProducer":
        """Writes records. `settings`: see ProducerSettings."""
        from penstock.client.records.aio import AsyncProducer  # noqa: PLC0415 - for who reads and writes records

        return AsyncProducer(self, **settings)

    def consumer(self, **settings: Any) -> "AsyncConsumer":
        """Reads records, as a member of a `group` or of partitions chosen by hand. `settings`: see ConsumerSettings."""
        from penstock.client.records.aio import AsyncConsumer  # noqa: PLC0415

        return AsyncConsumer(self, **settings)

    def share_consumer(self, **settings: Any) -> "AsyncShareConsumer":
        """Reads records that are lent to it, as a member of a share group. `settings`: see ShareConsumerSettings."""
        from penstock.client.records.aio import AsyncShareConsumer  # noqa: PLC0415

        return AsyncShareConsumer(self, **settings)

    async def fetch_once(
        self, positions: "Mapping[TopicPartition, int]", **settings: Any
    ) -> "Outcomes[TopicPartition, Fetched]":
        """One look at partitions, from these offsets. `settings`: those of a consumer that are about fetching."""
        from penstock.client.records.fetcher import fetch_once  # noqa: PLC0415
        from penstock.client.records.settings import ConsumerSettings  # noqa: PLC0415

        return await self.run(fetch_once(self.core, positions, ConsumerSettings(**settings)))

    async def close(self) -> None:
        self.core.network.close()
        self._turn()
        if self._lines:
            await asyncio.wait(self._lines)
        if self._timer is not None:
            self._timer.cancel()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    list_topics = Awaited(topics.list_topics)
    describe_topics = Awaited(topics.describe_topics)
    create_topics = Awaited(topics.create_topics)
    delete_topics = Awaited(topics.delete_topics)
    create_partitions = Awaited(topics.create_partitions)
    list_offsets = Awaited(partitions.list_offsets)
    offset_ranges = Awaited(partitions.offset_ranges)
    end_of_epoch = Awaited(partitions.end_of_epoch)
    delete_records = Awaited(partitions.delete_records)
    elect_leaders = Awaited(partitions.elect_leaders)
    alter_reassignments = Awaited(partitions.alter_reassignments)
    list_reassignments = Awaited(partitions.list_reassignments)
    describe_cluster = Awaited(cluster.describe_cluster)
    find_coordinators = Awaited(cluster.find_coordinators)
    api_versions = Awaited(cluster.api_versions)
    describe_configs = Awaited(cluster.describe_configs)
    alter_configs = Awaited(cluster.alter_configs)
    list_config_resources = Awaited(cluster.list_config_resources)
    describe_features = Awaited(cluster.describe_features)
    update_features = Awaited(cluster.update_features)
    unregister_broker = Awaited(cluster.unregister_broker)
    describe_quorum = Awaited(cluster.describe_quorum)
    describe_log_dirs = Awaited(cluster.describe_log_dirs)
    alter_replica_log_dirs = Awaited(cluster.alter_replica_log_dirs)
    list_groups = Awaited(groups.list_groups)
    describe_groups = Awaited(groups.describe_groups)
    describe_consumer_groups = Awaited(groups.describe_consumer_groups)
    describe_share_groups = Awaited(groups.describe_share_groups)
    describe_streams_groups = Awaited(groups.describe_streams_groups)
    delete_groups = Awaited(groups.delete_groups)
    remove_members = Awaited(groups.remove_members)
    committed_offsets = Awaited(groups.committed_offsets)
    commit_offsets = Awaited(groups.commit_offsets)
    delete_offsets = Awaited(groups.delete_offsets)
    share_group_offsets = Awaited(groups.share_group_offsets)
    share_group_in_flight = Awaited(groups.share_group_in_flight)
    release_share_member = Awaited(groups.release_share_member)
    alter_share_group_offsets = Awaited(groups.alter_share_group_offsets)
    delete_share_group_offsets = Awaited(groups.delete_share_group_offsets)
    list_transactions = Awaited(transactions.list_transactions)
    describe_transactions = Awaited(transactions.describe_transactions)
    describe_producers = Awaited(transactions.describe_producers)
    abort_transaction = Awaited(transactions.abort_transaction)
    fence_producers = Awaited(transactions.fence_producers)
    describe_acls = Awaited(access.describe_acls)
    create_acls = Awaited(access.create_acls)
    delete_acls = Awaited(access.delete_acls)
    describe_quotas = Awaited(access.describe_quotas)
    alter_quotas = Awaited(access.alter_quotas)
    describe_scram = Awaited(access.describe_scram)
    alter_scram = Awaited(access.alter_scram)
    groups_of_users = Awaited(access.groups_of_users)
    create_token = Awaited(access.create_token)
    renew_token = Awaited(access.renew_token)
    expire_token = Awaited(access.expire_token)
    describe_tokens = Awaited(access.describe_tokens)
