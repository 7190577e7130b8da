"""Whole nodes, several in one process and on one loop, that share a metadata store in memory, or etcd if set so.

async with some_nodes(tmp_path, 3) as nodes:
    await nodes.create_topic("orders", replicas=(1, 2, 3))
    ...
    await nodes.stop(1)         # as on SIGTERM
    await nodes.kill(2)         # nobody is told; its log keeps what the page cache would
    await nodes.start(1)        # on the same data, under a new registration
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from penstock.broker.clock import SystemClock
from penstock.broker.node import Node
from penstock.broker.services import Services
from penstock.cluster import Cluster, ClusterImage, CreatedTopic, CreateTopic, PartitionImage
from penstock.errors import Refusal
from penstock.metastore import MemoryMetastore, Metastore
from penstock.model import BrokerId
from penstock.replication import Partition
from penstock.settings import Config
from penstock.settings.broker import PENSTOCK_ETCD_ENDPOINTS

EXPIRE_EVERY_S = 0.1
WITHIN_S = 120.0

SETTINGS = {
    "listeners": "PLAINTEXT://127.0.0.1:0",
    "group.initial.rebalance.delay.ms": "0",
    "penstock.open.files.max": "512",
}


class LeaseTime(SystemClock):
    """Goes on while the loop runs. Brokers that share a process share its stalls, and nobody may lose a lease by them:
    of brokers that are processes, the store is another one, which does not stall with them.
    """

    def __init__(self) -> None:
        self._passed_s = 0.0
        self._looked_s = time.monotonic()

    def monotonic(self) -> float:
        return self._passed_s

    def tick(self) -> None:
        now_s = time.monotonic()
        self._passed_s += min(now_s - self._looked_s, 2 * EXPIRE_EVERY_S)
        self._looked_s = now_s


class RunningNode:
    """A node's task, from `start` until `stop` has been waited for."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self._stop = asyncio.Event()
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        try:
            async with self.node.running():
                self._ready.set_result(None)
                await self._stop.wait()
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)
            raise

    async def ready(self) -> None:
        await asyncio.wait_for(asyncio.shield(self._ready), WITHIN_S)

    async def stop(self) -> None:
        self._stop.set()
        await asyncio.wait_for(self._task, WITHIN_S)

    async def kill(self) -> None:
        """As others see it: the address refuses, and the registration stays until it is found out."""
        cluster = self.node.cluster
        assert cluster is not None and cluster.member is not None
        await cluster.member.abandon()
        cluster.member = None
        await self.stop()


class Nodes:
    def __init__(self, folder: Path, settings: Mapping[str, str], *, folders_each: int = 1) -> None:
        self._folders_each = folders_each
        self._lease_time = LeaseTime()
        self.store = MemoryMetastore(self._lease_time)
        self.running: dict[int, RunningNode] = {}
        self._folder = folder
        self._settings = settings
        self.lines: dict[int, Metastore] = {}
        """Brokers that reach the store by a way of their own."""

    def __getitem__(self, broker_id: int) -> Node:
        return self.running[broker_id].node

    @property
    def bootstrap(self) -> str:
        endpoints = [running.node.endpoints["PLAINTEXT"] for running in self.running.values()]
        return ",".join(f"{endpoint.host}:{endpoint.port}" for endpoint in endpoints)

    def folders(self, broker_id: int) -> list[Path]:
        """A broker's data folders."""
        first = self._folder / f"broker-{broker_id}"
        return [first, *(self._folder / f"broker-{broker_id}-{number}" for number in range(1, self._folders_each))]

    async def start(self, broker_id: int, **more: str) -> None:
        config = Config.for_broker(
            {
                **SETTINGS,
                **self._settings,
                **{name.replace("_", "."): value for name, value in more.items()},
                "node.id": str(broker_id),
                "log.dirs": ",".join(str(path) for path in self.folders(broker_id)),
            }
        )
        store = None if config[PENSTOCK_ETCD_ENDPOINTS] else self.lines.get(broker_id, self.store)
        running = self.running[broker_id] = RunningNode(Node(config, metastore=store))
        await running.ready()

    async def stop(self, broker_id: int) -> None:
        await self.running.pop(broker_id).stop()

    async def kill(self, broker_id: int) -> None:
        await self.running.pop(broker_id).kill()

    @property
    def by_id(self) -> dict[int, Node]:
        return {broker_id: running.node for broker_id, running in self.running.items()}

    async def create_topic(
        self, name: str, *, replicas: tuple[int, ...], partitions: int = 1, **settings: str
    ) -> CreatedTopic:
        """Each partition on these brokers; the first leads. There when every node's image and logs are."""
        controller = self.cluster().controller
        command = CreateTopic(
            name=name,
            assignments=tuple((index, replicas) for index in range(partitions)),
            settings=tuple((key.replace("_", "."), value) for key, value in settings.items()),
        )
        (outcome,) = await controller.create_topics([command], timeout_ms=120_000)
        if isinstance(outcome, Refusal):
            raise outcome
        await self.until(lambda: all(name in self.image(at).topics for at in self.running))
        await self.until(lambda: all(self.replica(name, at) is not None for at in replicas if at in self.running))
        return outcome

    def services(self, at: int) -> Services:
        services = self[at].services
        assert services is not None
        return services

    def cluster(self, at: int | None = None) -> Cluster:
        """As broker `at` sees it, or any."""
        cluster = self[next(iter(self.running)) if at is None else at].cluster
        assert cluster is not None
        return cluster

    def image(self, at: int | None = None) -> ClusterImage:
        return self.cluster(at).image

    def state(self, topic: str, index: int = 0, *, at: int | None = None) -> PartitionImage:
        """Who leads and who is in sync, as the metadata store has it."""
        return self.image(at).topics[topic].partitions[index]

    def replica(self, topic: str, at: int, index: int = 0) -> Partition | None:
        partitions = self[at].partitions
        return None if partitions is None else partitions.get(topic, index)

    def partition(self, topic: str, at: int, index: int = 0) -> Partition:
        found = self.replica(topic, at, index)
        assert found is not None, f"broker {at} keeps no {topic}-{index}"
        return found

    def leader(self, topic: str, index: int = 0) -> Partition:
        return self.partition(topic, self.state(topic, index).leader, index)

    async def until(self, holds: Callable[[], object], *, within_s: float = WITHIN_S) -> None:
        async with asyncio.timeout(within_s):
            while not holds():
                await asyncio.sleep(0.005)

    async def until_all_are_known(self) -> None:
        """Every node that runs knows every other that does, and nobody else."""
        everyone = {BrokerId(broker_id) for broker_id in self.running}
        await self.until(lambda: all(set(self.image(at).brokers) == everyone for at in self.running))

    async def until_in_sync(self, topic: str, *brokers: int, index: int = 0) -> None:
        await self.until(lambda: set(self.state(topic, index).in_sync) == set(brokers))

    async def _expire_leases(self) -> None:
        while True:
            await asyncio.sleep(EXPIRE_EVERY_S)
            self._lease_time.tick()
            await self.store.expire_leases()


@asynccontextmanager
async def some_nodes(
    folder: Path, count: int = 3, settings: Mapping[str, str] | None = None, *, folders_each: int = 1
) -> AsyncIterator[Nodes]:
    nodes = Nodes(folder, settings or {}, folders_each=folders_each)
    expiring = asyncio.create_task(nodes._expire_leases())
    try:
        for broker_id in range(1, count + 1):
            await nodes.start(broker_id)
        await nodes.until_all_are_known()
        yield nodes
    finally:
        for broker_id in list(nodes.running):
            await nodes.stop(broker_id)
        expiring.cancel()
        await asyncio.gather(expiring, return_exceptions=True)
        await nodes.store.close()
