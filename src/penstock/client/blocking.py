"""The client for ordinary code: each method returns when the cluster has answered. No threads, no event loop.

    with Client("127.0.0.1:9092") as client:
        client.create_topics(["orders"]).all()

One client is for one thread. Nothing happens between calls: connections are kept, and used when something is asked.
"""

from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from penstock.client.clock import SystemClock
from penstock.client.core import Core
from penstock.client.lazy import LazyModule
from penstock.client.settings import ClientSettings, addresses
from penstock.client.sockets import Sockets

if TYPE_CHECKING:
    from penstock.client.admin import access, cluster, groups, partitions, topics, transactions
    from penstock.client.records.blocking import Consumer, Producer, ShareConsumer
else:
    access, cluster, groups, partitions, topics, transactions = (
        LazyModule(f"penstock.client.admin.{each}")
        for each in ("access", "cluster", "groups", "partitions", "topics", "transactions")
    )

P = ParamSpec("P")
T = TypeVar("T")


class Blocking(Generic[P, T]):
    """An operation of the core as a method that waits for it; its types are the operation's own."""

    def __init__(self, operation: Callable[Concatenate[Core, P], Coroutine[Any, Any, T]]) -> None:
        self._operation = operation

    @overload
    def __get__(self, client: None, owner: object) -> Callable[Concatenate[Core, P], Coroutine[Any, Any, T]]: ...
    @overload
    def __get__(self, client: "Client", owner: object) -> Callable[P, T]: ...
    def __get__(self, client: "Client | None", owner: object) -> Any:
        if client is None:
            return self._operation
        operation, run, core = self._operation, client.run, client.core

        def method(*args: P.args, **kwargs: P.kwargs) -> T:
            return run(operation(core, *args, **kwargs))

        return method


class Client:
    def __init__(self, bootstrap: str, **settings: Any) -> None:
        """`bootstrap`: HOST:PORT[,...] of any brokers of the cluster. `settings`: see ClientSettings."""
        self._clock = SystemClock()
        given = ClientSettings(bootstrap=addresses(bootstrap), **settings)
        self._sockets = Sockets(given.tls)
        self.core = Core(given, self._clock, self._sockets)

    def run(self, operation: Coroutine[Any, Any, T]) -> T:
        """Carry out an operation of penstock.client.admin, or one of your own over `client.core`."""
        scheduler = self.core.scheduler
        task = scheduler.start(operation)
        try:
            while True:
                scheduler.run()
                if task.is_done:
                    return task.value()
                wake_s = scheduler.next_wake_s
                self._sockets.poll(None if wake_s is None else max(wake_s - self._clock.monotonic(), 0.0))
        except BaseException:
            task.cancel()
            scheduler.run()
            raise

    def turn(self) -> None:
        """Let what is under way go on, without waiting."""
        self.core.scheduler.run()
        self._sockets.poll(0)
        self.core.scheduler.run()

    def producer(self, **settings: Any) -> "Producer":
        """Writes records. `settings`: see ProducerSettings."""
        from penstock.client.records.blocking import Producer  # noqa: PLC0415 - for who reads and writes records

        return Producer(self, **settings)

    def consumer(self, **settings: Any) -> "Consumer":
        """Reads records, as a member of a `group` or of partitions chosen by hand. `settings`: see ConsumerSettings."""
        from penstock.client.records.blocking import Consumer  # noqa: PLC0415

        return Consumer(self, **settings)

    def share_consumer(self, **settings: Any) -> "ShareConsumer":
        """Reads records that are lent to it, as a member of a share group. `settings`: see ShareConsumerSettings."""
        from penstock.client.records.blocking import ShareConsumer  # noqa: PLC0415

        return ShareConsumer(self, **settings)

    def close(self) -> None:
        self.core.network.close()
        self.core.scheduler.run()
        self._sockets.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    list_topics = Blocking(topics.list_topics)
    describe_topics = Blocking(topics.describe_topics)
    create_topics = Blocking(topics.create_topics)
    delete_topics = Blocking(topics.delete_topics)
    create_partitions = Blocking(topics.create_partitions)
    list_offsets = Blocking(partitions.list_offsets)
    offset_ranges = Blocking(partitions.offset_ranges)
    end_of_epoch = Blocking(partitions.end_of_epoch)
    delete_records = Blocking(partitions.delete_records)
    elect_leaders = Blocking(partitions.elect_leaders)
    alter_reassignments = Blocking(partitions.alter_reassignments)
    list_reassignments = Blocking(partitions.list_reassignments)
    describe_cluster = Blocking(cluster.describe_cluster)
    find_coordinators = Blocking(cluster.find_coordinators)
    api_versions = Blocking(cluster.api_versions)
    describe_configs = Blocking(cluster.describe_configs)
    alter_configs = Blocking(cluster.alter_configs)
    list_config_resources = Blocking(cluster.list_config_resources)
    describe_features = Blocking(cluster.describe_features)
    update_features = Blocking(cluster.update_features)
    unregister_broker = Blocking(cluster.unregister_broker)
    describe_quorum = Blocking(cluster.describe_quorum)
    describe_log_dirs = Blocking(cluster.describe_log_dirs)
    alter_replica_log_dirs = Blocking(cluster.alter_replica_log_dirs)
    list_groups = Blocking(groups.list_groups)
    describe_groups = Blocking(groups.describe_groups)
    describe_consumer_groups = Blocking(groups.describe_consumer_groups)
    describe_share_groups = Blocking(groups.describe_share_groups)
    describe_streams_groups = Blocking(groups.describe_streams_groups)
    delete_groups = Blocking(groups.delete_groups)
    remove_members = Blocking(groups.remove_members)
    committed_offsets = Blocking(groups.committed_offsets)
    commit_offsets = Blocking(groups.commit_offsets)
    delete_offsets = Blocking(groups.delete_offsets)
    share_group_offsets = Blocking(groups.share_group_offsets)
    share_group_in_flight = Blocking(groups.share_group_in_flight)
    release_share_member = Blocking(groups.release_share_member)
    alter_share_group_offsets = Blocking(groups.alter_share_group_offsets)
    delete_share_group_offsets = Blocking(groups.delete_share_group_offsets)
    list_transactions = Blocking(transactions.list_transactions)
    describe_transactions = Blocking(transactions.describe_transactions)
    describe_producers = Blocking(transactions.describe_producers)
    abort_transaction = Blocking(transactions.abort_transaction)
    fence_producers = Blocking(transactions.fence_producers)
    describe_acls = Blocking(access.describe_acls)
    create_acls = Blocking(access.create_acls)
    delete_acls = Blocking(access.delete_acls)
    describe_quotas = Blocking(access.describe_quotas)
    alter_quotas = Blocking(access.alter_quotas)
    describe_scram = Blocking(access.describe_scram)
    alter_scram = Blocking(access.alter_scram)
    groups_of_users = Blocking(access.groups_of_users)
    create_token = Blocking(access.create_token)
    renew_token = Blocking(access.renew_token)
    expire_token = Blocking(access.expire_token)
    describe_tokens = Blocking(access.describe_tokens)
