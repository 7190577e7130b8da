"""A simulated broker: its machine, whose disks outlive every process, and the process that runs on it now.

What is real in a process: the cluster image, registration, candidacy, duties, failure detector and in-sync writes
(`Cluster`), and all services of a node, made by the same function (`build`). Those that are simulated start in the
order in which a node starts them. What is simulated: the store, the network, and the disks: below real logs, or
together with a model of them (keeping.py).
"""

import asyncio
import contextvars
import random
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from penstock.broker.services import Ports, Services, build
from penstock.cluster import (
    BrokerImage,
    BrokerRecord,
    Cluster,
    ClusterPorts,
    Endpoint,
    IdentityRecord,
    PeerView,
    ProbeResult,
)
from penstock.errors import Fatal, UnknownTopicId, UnknownTopicOrPartition
from penstock.metastore import MetastoreError
from penstock.metrics import MetricsRegistry
from penstock.model import BrokerId, TopicPartition
from penstock.replication import Partition, Partitions, Promise
from simulation.clock import SimulatedClock
from simulation.coordinating import Coordinators, SimulatedPeers
from simulation.disk import Place
from simulation.fetching import FetchServer
from simulation.keeping import KeptLogs, Machine, View, stored_between
from simulation.loop import OWNER, WORLD, Owner
from simulation.oracle import incarnation_of
from simulation.store import StoreClient
from simulation.streams import End
from simulation.transactions import transaction_of

if TYPE_CHECKING:
    from simulation.world import World

LEAVE_TIMEOUT_S = 3.0
CLOCKS_AHEAD_MS = (0, 0, 0, -1_500, 1_500, 60_000)
"""Of machines' clocks: none is right, and some are far off."""


class SeededDice:
    def __init__(self, dice: random.Random) -> None:
        self._dice = dice

    def random_bytes(self, count: int) -> bytes:
        return self._dice.randbytes(count)

    def uniform(self, low: float, high: float) -> float:
        return self._dice.uniform(low, high)


class SimulatedBroker:
    """A machine, which can be started, killed and switched off."""

    def __init__(self, world: "World", broker_id: int) -> None:
        self.world = world
        self.id = BrokerId(broker_id)
        self.machine: Machine = world.new_machine(self.id)
        self.boots = 1
        self.lives = 0
        self.clock_ahead_ms = world.dice.choice(CLOCKS_AHEAD_MS)
        self.is_full = False
        """Its disk takes no more."""
        self.process: BrokerProcess | None = None

    @property
    def boot_id(self) -> str:
        return f"boot-{self.boots}"

    def start(self) -> None:
        if self.process is None:
            self.lives += 1
            self.process = BrokerProcess(self.world, self)
            self.process.begin()

    def kill(self, *, is_told: bool = True) -> None:
        """The process is gone; what it wrote stays in the page cache. `is_told`: the kernel closes its connections."""
        process, self.process = self.process, None
        if process is not None:
            process.is_dead = True
            self.machine.killed()
            process.store.forget()
            self.world.connections_broke(self.id)
            self.world.streams.process_ended(process, is_told=is_told)

    def stop(self) -> None:
        """To the end of a clean stop: what the process keeps is flushed and closed."""
        process = self.process
        if process is not None and process.cluster is not None and not process.is_dead:
            process.is_dead = True
            self.machine.stopped(process.cluster.broker_epoch)
        self.kill()

    def lose_power(self) -> int:
        self.kill(is_told=False)
        self.boots += 1
        return self.machine.lose_power()


class BrokerProcess(Owner):
    def __init__(self, world: "World", broker: SimulatedBroker) -> None:
        super().__init__()
        self.world = world
        self.broker = broker
        self.id = broker.id
        self.life = broker.lives
        self.context: contextvars.Context = WORLD.copy()
        self.context.run(OWNER.set, self)
        self.clock = SimulatedClock(world.loop, ahead_ms=broker.clock_ahead_ms)
        self.dice = SeededDice(world.dice)
        self.config = world.new_config()
        self.store = StoreClient(world.store, broker.id, self.context)
        self.probe = SimulatedProbe(self)
        self.is_listening = False
        self.is_serving = False
        self.is_leaving = self.is_isolated = False
        self._waiting: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        self._life: asyncio.Task[None] | None = None
        self.cluster: Cluster | None = None
        self.partitions: Partitions | None = None
        self.coordinators: Coordinators | None = None
        self.services: Services | None = None
        """All that it has, once it fetches."""
        self.held_fetches: dict[TopicPartition, asyncio.Future[None]] = {}
        """Fetches that are to be late: they arrive when the log that they tell of is gone."""
        self.kept: KeptLogs
        """From its start on."""
        self.watched: list[Partition] = []
        """Its partitions, for those who look after each step."""

    def __repr__(self) -> str:
        return f"broker {self.id} (life {self.life})"

    def begin(self) -> None:
        # Kept: what ends it in an unforeseen way is seen by the loop's exception handler when it is let go.
        self._life = self.world.loop.create_task(self._live(), name=f"{self}", context=self.context)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        return self.world.loop.create_task(work)

    async def _live(self) -> None:
        try:
            await self._start()
        except (MetastoreError, Fatal, OSError) as refused:
            self.world.note(f"{self} does not start: {refused!r}")
            self.world.give_up(self)

    async def _start(self) -> None:
        world, config = self.world, self.config
        cluster = self.cluster = Cluster(
            self.store,
            broker_id=self.id,
            config=config,
            dice=self.dice,
            others=ClusterPorts(self.clock, self.probe, bugs=world.bugs.cluster),
        )
        await cluster.start()
        kept = self.kept = self.broker.machine.begin(self)
        services = self._build(cluster, kept)
        partitions = self.partitions = services.partitions
        partitions.subscribe(self._partition_changed)
        logs, report = kept.open(cluster.image, partitions.config_of)
        mine = IdentityRecord(f"folder-{self.id}", incarnation_of(self.id, self.broker.lives), self.broker.boot_id)
        await cluster.step_down(mine, report)
        partitions.adopt(logs)
        if world.has_transactions:
            self.coordinators = Coordinators(self, services)
        self.is_listening = True
        self.spawn(partitions.follow())
        await cluster.join(self._record(mine), report)
        cluster.when_isolated(self._isolated)
        await partitions.logs.settled()
        self.services = services
        services.fetchers.start()
        self.spawn(partitions.keep_in_sync())
        if self.coordinators is not None:
            self.coordinators.start()
        if world.has_schedules:
            services.schedules.start()
        if world.has_shares:
            services.groups.start()
            services.shares.start()
        self.spawn(kept.keep_house())
        self.spawn(self._until_ended(cluster))
        self.is_serving = True
        world.oracle.serves(self)
        for answer, arguments in self._waiting:
            answer(*arguments)
        self._waiting.clear()
        world.note(f"{self} serves, epoch {cluster.broker_epoch}")

    def _build(self, cluster: Cluster, kept: KeptLogs) -> Services:
        """As a node does it. That brokers prove to each other who they are is left out here."""
        cluster.secret = None
        # Cast: what a model of a data folder and a flusher lack, only services that are not started here ask for.
        ports: Any = {"folders": [kept.folder], "flusher": kept.flusher}
        return build(
            self.config,
            Ports(
                me=self.id,
                cluster=cluster,
                cluster_id="simulated",
                clock=self.clock,
                dice=self.dice,
                registry=MetricsRegistry(),
                spawn=self.spawn,
                peers=SimulatedPeers(self, cluster),
                bugs=self.world.bugs.replication,
                **ports,
            ),
        )

    def _record(self, mine: IdentityRecord) -> BrokerRecord:
        return BrokerRecord(
            endpoints={"PLAINTEXT": Endpoint("simulated", self.id)},
            folder_id=mine.folder_id,
            incarnation=mine.incarnation,
            boot_id=mine.boot_id,
            machine=f"machine-{self.id}",
        )

    def _partition_changed(self, partition: Partition) -> None:
        if partition not in self.watched:
            held = self.held_fetches.pop(partition.topic_partition, None)
            if held is not None and not held.done():
                held.set_result(None)
            self.watched = [other for other in self.watched if other.topic_partition != partition.topic_partition]
            self.watched.append(partition)
            self.world.oracle.watch(self, partition)

    def _isolated(self, is_isolated: bool) -> None:
        assert self.partitions is not None
        self.world.marks["broker cut off stood aside" if is_isolated else "broker cut off came back"] += 1
        self.world.note(f"{self} is {'cut off' if is_isolated else 'back'}")
        self.is_isolated = is_isolated
        self.stand_aside(is_isolated)

    def stand_aside(self, is_isolated: bool) -> None:
        assert self.partitions is not None
        self.partitions.stand_aside(is_isolated)

    def was_cut(self) -> None:
        self.world.marks["diverging log cut"] += 1

    def set_aside(self, partition: TopicPartition) -> None:
        self.world.marks["damaged log begun anew"] += 1
        self.world.note(f"{self} begins {partition} anew")

    async def _until_ended(self, cluster: Cluster) -> None:
        """A broker whose part in the cluster fails stops, and is started again."""
        try:
            await cluster.ended()
        except (MetastoreError, Fatal) as failure:
            self.world.note(f"{self} ends: {failure!r}")
            self.world.give_up(self)

    async def leave(self) -> None:
        """A controlled stop, to its end."""
        self.is_leaving = True
        if self.cluster is not None and self.is_serving:
            await self.cluster.leave(timeout_s=LEAVE_TIMEOUT_S)
            try:
                await self.cluster.stop()
            except MetastoreError:
                pass

    def view(self, partition: Partition) -> View:
        return self.kept.view(partition.log)

    # What others ask --------------------------------------------------------------------------------------------

    def answer(self, carry_out: Callable[..., None], *arguments: Any) -> None:
        """Connections wait in the backlog until the broker accepts them."""
        if self.is_serving:
            carry_out(*arguments)
        else:
            self._waiting.append((carry_out, arguments))

    def accept(self, end: End) -> FetchServer:
        return FetchServer(self, end)

    def find(self, partition: TopicPartition) -> Partition:
        assert self.partitions is not None
        found = self.partitions.get(partition.topic, partition.partition)
        if found is None:
            raise UnknownTopicOrPartition
        return found

    def find_by_id(self, place: Place) -> Partition:
        assert self.partitions is not None
        local = self.partitions.finder(by_id=True)(place.topic_id)
        found = None if local is None else local.get(place.at.partition)
        if found is None:
            raise UnknownTopicId
        return found

    def produce(self, place: Place, batch: bytes, acks: int) -> Any:
        """The base offset, or a future of it."""
        found = self.find_by_id(place)
        end_offset = found.log.end_offset
        appended = found.append(memoryview(bytearray(batch)), acks=acks)
        self.world.marks["batch recognised as sent again"] += found.log.end_offset == end_offset
        return when_acknowledged(found, appended, acks)

    def delete_records(self, place: Place, before: int) -> int:
        """Where the log begins then."""
        return self.find_by_id(place).delete_records(before)

    def read_committed(self, at: TopicPartition, position: int) -> tuple[list[tuple[str, int]], int]:
        """Batches of transactions that a reader of committed records is shown from `position` on: whose, and where; and
        how far that goes. Leaders and followers are read alike.
        """
        partition = self.find(at)
        partition.log.health.ensure_readable()
        stable = partition.last_stable_offset
        if stable <= position:
            return [], stable
        aborted: dict[int, list[tuple[int, int]]] = {}
        for entry in self.kept.aborted(partition.log, position, stable):
            aborted.setdefault(entry.producer_id, []).append((entry.first_offset, entry.last_offset))
        shown = []
        for stored in stored_between(self.view(partition), position, before=stable):
            header = stored.header
            if not header.is_transactional or header.is_control:
                continue
            gone = aborted.get(header.producer_id, ())
            if not any(first <= header.base_offset <= last for first, last in gone):
                shown.append((transaction_of(stored.data), header.base_offset))
        return shown, stable


def when_acknowledged(partition: Partition, appended: Any, acks: int) -> Any:
    pending = partition.acknowledged(appended, acks=acks)
    if pending is None:
        return appended.base_offset
    answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    pending.add_done_callback(lambda done: _pass_on(done, answer, appended.base_offset))
    return answer


def _pass_on(done: Promise[None], answer: "asyncio.Future[int]", base_offset: int) -> None:
    error = done.exception()
    if answer.done():  # whoever asked is gone
        return
    if error is not None:
        answer.set_exception(error)
    else:
        answer.set_result(base_offset)


class SimulatedProbe:
    """Pings over the simulated network; connections that were made are known to break."""

    def __init__(self, process: BrokerProcess) -> None:
        self._process = process
        self._on_break: Callable[[BrokerId], None] = lambda _: None
        self.connected: set[BrokerId] = set()

    def watch(self, on_break: Callable[[BrokerId], None]) -> None:
        self._on_break = on_break

    async def ping(self, broker: BrokerImage) -> ProbeResult:
        process = self._process
        try:
            await process.world.network.ask(
                process.id, broker.id, _is_there, timeout_s=process.world.probe_timeout_s, context=process.context
            )
        except TimeoutError:
            return ProbeResult.SILENT
        except ConnectionRefusedError:
            return ProbeResult.REFUSED
        self.connected.add(broker.id)
        return ProbeResult.ALIVE

    async def opinion(self, broker: BrokerImage, about: BrokerId) -> PeerView:
        process = self._process
        try:
            is_listed = await process.world.network.ask(
                process.id,
                broker.id,
                lambda other: _lists(other, about),
                timeout_s=process.world.probe_timeout_s,
                context=process.context,
            )
        except TimeoutError:
            return PeerView.SILENT
        except ConnectionRefusedError:
            return PeerView.REFUSED
        return PeerView.MEMBER if is_listed else PeerView.GONE

    def broke(self, broker_id: BrokerId) -> None:
        if broker_id in self.connected:
            self.connected.discard(broker_id)
            self._on_break(broker_id)

    def close(self) -> None:
        self.connected.clear()


def _is_there(_: BrokerProcess) -> bool:
    return True


def _lists(process: BrokerProcess, about: BrokerId) -> bool:
    assert process.cluster is not None
    return about in process.cluster.image.brokers
