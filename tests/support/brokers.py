"""Several brokers' cluster sides on one store in memory, with a network that does as it is told, in virtual time.

async with some_brokers(3) as brokers:
    await brokers.kill(1)                      # its address refuses connections from now on
    await brokers.until(lambda: brokers.led_by(1) == 0)
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from tests.support.clusters import SeededDice
from tests.support.virtual_time import LoopClock

from penstock.cluster import (
    BrokerImage,
    BrokerRecord,
    Cluster,
    ClusterBugs,
    ClusterImage,
    ClusterPorts,
    ControllerMetrics,
    CreateTopic,
    Endpoint,
    LogReport,
    PartitionImage,
    PartitionRef,
    PeerView,
    ProbeResult,
)
from penstock.cluster.commands import CreatedTopic
from penstock.cluster.keys import Keys
from penstock.metastore import (
    Changes,
    KeyValue,
    LeaseId,
    Listing,
    MemoryMetastore,
    Revision,
    Transaction,
    Unavailable,
)
from penstock.model import BrokerId
from penstock.settings.config import Config

KEYS = Keys("main")
LEASE_S = 3.0
EXPIRE_EVERY_S = 0.05
LIMIT_S = 120.0


class Network:
    def __init__(self) -> None:
        self.dead: set[int] = set()
        self.hung: set[int] = set()
        self.cut: set[tuple[int, int]] = set()
        """(from, to): pings from the one do not reach the other."""


class SimulatedProbe:
    def __init__(self, me: int, network: Network, find: Callable[[int], Cluster]) -> None:
        self._me = me
        self._network = network
        self._find = find

    async def ping(self, broker: BrokerImage) -> ProbeResult:
        network = self._network
        await asyncio.sleep(0.001)
        if broker.id in network.hung or (self._me, broker.id) in network.cut:
            await asyncio.sleep(0.75)
            return ProbeResult.SILENT
        return ProbeResult.REFUSED if broker.id in network.dead else ProbeResult.ALIVE

    async def opinion(self, broker: BrokerImage, about: BrokerId) -> PeerView:
        match await self.ping(broker):
            case ProbeResult.SILENT:
                return PeerView.SILENT
            case ProbeResult.REFUSED:
                return PeerView.REFUSED
            case _:
                return PeerView.MEMBER if about in self._find(broker.id).image.brokers else PeerView.GONE

    def watch(self, on_break: Callable[[BrokerId], None]) -> None:
        pass

    def close(self) -> None:
        pass


class Line:
    """One broker's way to the store, which can be cut; `loses_answers` carries writes out and forgets to say so."""

    def __init__(self, store: MemoryMetastore) -> None:
        self._store = store
        self.is_cut = False
        self.loses_answers = False
        self.answers_after_s = 0.0
        """How long the answer to a write takes: what the write changed may be shown by the watch before."""
        self.before_commit: Callable[[Transaction], None] = lambda _: None
        self.commits: list[Transaction] = []

    async def _reach(self) -> None:
        await asyncio.sleep(0.002)
        if self.is_cut:
            await asyncio.sleep(0.1)
            raise Unavailable("cut off")

    async def get(self, key: str) -> KeyValue | None:
        await self._reach()
        return await self._store.get(key)

    async def range(self, prefix: str) -> Listing:
        await self._reach()
        return await self._store.range(prefix)

    async def watch(self, prefix: str, from_revision: Revision) -> AsyncGenerator[Changes, None]:
        async for changes in self._store.watch(prefix, from_revision):
            while self.is_cut:  # resumed where it was, as etcd's watch is
                await asyncio.sleep(0.1)
            await asyncio.sleep(0.001)
            yield changes

    async def commit(self, transaction: Transaction) -> Revision:
        await self._reach()
        self.before_commit(transaction)
        self.commits.append(transaction)
        revision = await self._store.commit(transaction)
        if self.loses_answers:
            raise Unavailable("the answer was lost")
        await asyncio.sleep(self.answers_after_s)
        return revision

    async def grant(self, ttl_ms: int) -> LeaseId:
        await self._reach()
        return await self._store.grant(ttl_ms)

    async def keep_alive(self, lease: LeaseId) -> None:
        await self._reach()
        await self._store.keep_alive(lease)

    async def revoke(self, lease: LeaseId) -> None:
        await self._reach()
        await self._store.revoke(lease)

    async def close(self) -> None:
        pass


class Brokers:
    def __init__(self, settings: Mapping[str, str], bugs: ClusterBugs) -> None:
        self.store = MemoryMetastore(LoopClock())
        self.network = Network()
        self.clusters: dict[int, Cluster] = {}
        self.lines: dict[int, Line] = {}
        self.producer_id_next = 0
        """After all producers in the logs of a broker that starts."""
        self.is_store_up = True
        """A store that is down ends no lease; cut the lines too."""
        self.metrics: dict[int, ControllerMetrics] = {}
        self._settings = settings
        self._bugs = bugs
        self._lives = 0

    async def start(
        self,
        broker_id: int,
        *,
        folder_id: str | None = None,
        boot_id: str = "boot",
        machine: str | None = None,
        rack: str | None = None,
        stopped_under: Revision | None = None,
        flushed: frozenset[PartitionRef] = frozenset(),
        held: frozenset[PartitionRef] | None = None,
        folders: tuple[str, ...] = (),
        line: Line | None = None,
    ) -> Cluster:
        cluster = self.unjoined(broker_id, line)
        await cluster.start()
        try:
            await cluster.join(
                BrokerRecord(
                    endpoints={"PLAINTEXT": Endpoint("127.0.0.1", 9_000 + broker_id)},
                    folder_id=folder_id or f"folder-{broker_id}",
                    incarnation=f"life-{self._lives}",
                    boot_id=boot_id,
                    machine=machine or f"machine-{broker_id}",
                    rack=rack,
                    folders=folders,
                ),
                LogReport(
                    stopped_under=stopped_under, flushed=flushed, held=held, producer_id_next=self.producer_id_next
                ),
            )
        except BaseException:
            await cluster.stop()
            raise
        self.clusters[broker_id] = cluster
        return cluster

    def unjoined(self, broker_id: int, line: Line | None = None) -> Cluster:
        """Not started yet either."""
        self._lives += 1
        self.network.dead.discard(broker_id)
        self.network.hung.discard(broker_id)
        line = self.lines[broker_id] = line or Line(self.store)
        metrics = self.metrics[broker_id] = ControllerMetrics()
        return Cluster(
            line,
            broker_id=BrokerId(broker_id),
            config=Config.for_broker({"node.id": str(broker_id), **self._settings}),
            dice=SeededDice(self._lives),
            others=ClusterPorts(LoopClock(), self._probe(broker_id), metrics=metrics, bugs=self._bugs),
        )

    def _probe(self, broker_id: int) -> SimulatedProbe:
        return SimulatedProbe(broker_id, self.network, lambda other: self.clusters[other])

    async def kill(self, broker_id: int) -> None:
        """kill -9: it says nothing to anybody, and its address refuses connections."""
        self.network.dead.add(broker_id)
        await self.clusters.pop(broker_id).abandon()

    async def hang(self, broker_id: int) -> None:
        """SIGSTOP: connections are taken and never answered."""
        self.network.hung.add(broker_id)
        await self.clusters.pop(broker_id).abandon()

    async def stop(self, broker_id: int) -> None:
        cluster = self.clusters.pop(broker_id)
        await cluster.leave(timeout_s=10)
        await cluster.stop()

    def image(self, broker_id: int | None = None) -> ClusterImage:
        return self.clusters[broker_id if broker_id is not None else min(self.clusters)].image

    @property
    def controller(self) -> int:
        return self.image().controller_id

    def led_by(self, broker_id: int) -> int:
        return sum(partition.leader == broker_id for _, partition in self.image().partitions())

    async def create(
        self,
        name: str,
        *,
        partitions: int = 1,
        replicas: int = 3,
        assigned: tuple[int, ...] | None = None,
        **settings: str,
    ) -> None:
        topic = CreateTopic(
            name,
            partitions=partitions if assigned is None else -1,
            replication_factor=replicas if assigned is None else -1,
            assignments=() if assigned is None else ((0, assigned),),
            settings=tuple((key.replace("_", "."), value) for key, value in settings.items()),
        )
        controller = self.clusters[min(self.clusters)].controller
        (outcome,) = await controller.create_topics([topic], timeout_ms=10_000)
        assert isinstance(outcome, CreatedTopic), outcome
        await self.agree()

    async def agree(self) -> None:
        """Wait until every broker's image holds all that there is."""
        for cluster in self.clusters.values():
            await cluster._feed.catch_up()

    async def pass_time(self, seconds: float) -> None:
        """Virtual ones."""
        await asyncio.sleep(seconds)

    async def until(self, holds: Callable[[], bool]) -> float:
        """Wait until it holds; the virtual seconds that took."""
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        while not holds():
            assert loop.time() < began_s + LIMIT_S, "it never came true"
            await asyncio.sleep(0.01)
        return loop.time() - began_s


@asynccontextmanager
async def some_brokers(
    count: int, *, settings: Mapping[str, str] | None = None, bugs: ClusterBugs | None = None
) -> AsyncIterator[Brokers]:
    brokers = Brokers(settings or {}, bugs or ClusterBugs())

    async def expire() -> None:
        while True:
            if brokers.is_store_up:
                await brokers.store.expire_leases()
            await asyncio.sleep(EXPIRE_EVERY_S)

    expiring = asyncio.create_task(expire())
    try:
        for broker_id in range(1, count + 1):
            await brokers.start(broker_id)
        await brokers.agree()
        yield brokers
    finally:
        for cluster in brokers.clusters.values():
            await cluster.abandon()
        expiring.cancel()
        await asyncio.wait([expiring])
        await brokers.store.close()


def the(brokers: Brokers, topic: str = "orders") -> PartitionImage:
    return brokers.image().topics[topic].partitions[0]


def lose_answer(line: Line, *, number: int, is_made: bool) -> None:
    """Of one write; of the others answers come."""
    asked = 0

    def before(_: Transaction) -> None:
        nonlocal asked
        is_it = asked == number
        asked += 1
        if is_it and not is_made:
            raise Unavailable("the leader has gone")
        line.loses_answers = is_it

    line.before_commit = before


def write_behind_everybodys_back(brokers: Brokers, transaction: Transaction) -> None:
    """Another's write, between a decision and its own: the images hear of it later, as always."""
    changes = brokers.store._space.decide(transaction)
    assert changes is not None
    brokers.store._space.apply(changes)
    brokers.store._watchers.tell(changes)
