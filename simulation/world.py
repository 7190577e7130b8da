"""A whole simulated cluster from one seed: brokers, store, network, clients, faults, and the oracle that judges it.

    World(seed).run()

raises a `Violation` where an invariant does not hold. The same seed always tells the same story, as long as the code is
the same; `World(seed, is_told=True)` keeps it in `story`.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import Any, Protocol

import structlog

from penstock.cluster import (
    CONSUMER_OFFSETS,
    TRANSACTION_STATE,
    ClusterImage,
    Keys,
    PartitionChanged,
    TopicCreated,
    TopicDeleted,
)
from penstock.cluster.records import Decoders
from penstock.cluster.service import DEFAULT_NAME
from penstock.metastore import Changes
from penstock.model import BrokerId, PartitionIndex, TopicPartition, topic_id_text
from penstock.replication import Partition
from penstock.replication.machine import Leader
from penstock.settings.config import Config
from simulation.broker import BrokerProcess, SimulatedBroker
from simulation.bugs import NO_BUG, Bug
from simulation.clients import CarelessProducer, IdempotentProducer
from simulation.clock import SimulatedClock
from simulation.committing import Committer
from simulation.disk import Place
from simulation.faults import IN_SYNC_MIN, KEYS, Dealer
from simulation.fetching import is_followed_from
from simulation.file_machine import FileMachine, FileMachines, file_machines
from simulation.keeping import Held, Machine, ModelMachine
from simulation.loop import WORLD, SimulatedLoop
from simulation.members import Member, share_all
from simulation.network import Network
from simulation.operators import Operators
from simulation.oracle import Oracle, Violation, place_of
from simulation.store import SimulatedStore
from simulation.streams import Streams
from simulation.transactions import CommittedReader, Ledger, TransactionalProducer, check_apart

EFFECTS = (
    "elections",
    "elected from the eligible",
    "nobody to elect",
    "in-sync set shrinks",
    "in-sync set grows",
    "below the minimum",
    "somebody eligible",
    "diverging log cut",
    "unflushed batches lost",
    "batch sent again",
    "batch recognised as sent again",
    "write made, answer lost",
    "lease ran out",
    "broker cut off stood aside",
    "broker cut off came back",
    "message lost",
    "message late",
    "transaction committed",
    "transaction aborted",
    "transaction given up",
    "transactional producer fenced",
    "damaged log begun anew",
    "log of a deleted topic set aside",
    "offset committed",
    "committed offset read",
    "committed batch read",
    "partition given to a member",
    "partition taken from a member",
    "settled",
)
"""What faults must have led to, or they were too kind."""

TOPIC = "orders"


class HoldUp(Protocol):
    """Whether a follower's fetch of a partition, or the answer, is to wait, and for what."""

    def __call__(
        self, process: BrokerProcess, partition: Partition, *, is_answer: bool
    ) -> "asyncio.Future[None] | None": ...


FAULTS_S = 12.0
"""How long faults are dealt out."""
FILES_SHARE = 0.25
"""Of all worlds: how many keep their logs in files."""
SETTLED_WITHIN_S = 60.0
"""How long everything may take to be well again afterwards: longer than every back-off there is."""


class World:
    def __init__(self, seed: int, bugs: Bug = NO_BUG, *, is_told: bool = False, has_files: bool | None = None) -> None:
        self.seed = seed
        self.topic = TOPIC
        self.bugs = bugs
        self.dice = dice = random.Random(seed)
        self.story: list[str] | None = [] if is_told else None
        self.marks: Counter[str] = Counter()
        self.loop = SimulatedLoop()
        self.clock = SimulatedClock(self.loop)
        self.network = Network(self.loop, dice, self._process_at)
        self.streams = Streams(self.loop, self.network, self._process_at)
        self.streams.hold_up = partial(self._hold_up, is_answer=False)
        self.streams.hold_up_answer = partial(self._hold_up, is_answer=True)
        self.loop.connect = self.streams.connect
        self.loop.thread_delay_s = lambda: dice.random() * 0.002
        self.store = SimulatedStore(self.loop, self.network, dice)
        self.store.on_change = self._store_changed
        self.truth = ClusterImage(Keys(DEFAULT_NAME))
        self.truth.subscribe(self._truth_changed)
        self.oracle = Oracle(self.truth, self._disk_of)
        self.flushes_before_ack = dice.random() < 0.25
        self.lease_ms = dice.choice((1_000, 2_000, 3_000))
        self.heartbeat_ms = self.lease_ms // 3
        self.probe_timeout_s = self.heartbeat_ms / 1000
        self.flushing_changes = not self.flushes_before_ack and dice.random() < 0.3
        self.minimum_changes = dice.random() < 0.25
        self.in_sync_least = 1 if self.minimum_changes else IN_SYNC_MIN
        """How many in-sync replicas may have been enough for what is committed, at whatever time."""
        self.hurts_fetches = dice.random() < 0.4
        """Logs damaged, replicas taken away and connections broken while a fetch is under way, more often than else."""
        self.pace_s = dice.choice((0.15, 0.6, 1.5) if self.hurts_fetches else (0.05, 0.15, 0.4))
        self.fault_gap_s = dice.choice((0.3, 0.6, 1.2))
        self.spite = dice.choice((0.0, 0.2, 0.5))
        """How often a fault strikes at the worst moment."""
        self.count = dice.choice((3, 3, 3, 4))
        self.brokers: dict[int, SimulatedBroker] = {}
        self.has_files = dice.random() < FILES_SHARE if has_files is None else has_files
        """Brokers keep real logs on simulated disks, and not the model of a log."""
        self._machines: FileMachines | None = None
        self.partitions = [TopicPartition(TOPIC, PartitionIndex(index)) for index in range(dice.choice((1, 2, 3)))]
        self.has_transactions = dice.random() < 0.5
        self.has_schedules = self.has_shares = False
        self.more_settings: dict[str, str] = {}
        """Of all brokers."""
        self.answer_peer: Callable[[BrokerProcess, Any], Any] | None = None
        """What brokers answer each other, where it is not about transactions."""
        self.commits_offsets = self.has_transactions and dice.random() < 0.5
        self.makes_anew = not self.has_transactions and dice.random() < 0.4
        self.operators = Operators(self, factors=(IN_SYNC_MIN, 3, 3))
        self.committer = Committer(self, 98)
        self.ledger = Ledger()
        self.transactional: list[TransactionalProducer] = []
        self.members = [
            Member(self, 90 + number) for number in range(dice.choice((0, 2, 3)) if self.commits_offsets else 0)
        ]
        self.reader = CommittedReader(self, 99)
        self.producers: list[IdempotentProducer] = []
        self.careless: list[CarelessProducer] = []
        self.hold_up_answer: Callable[[], float] = lambda: 0.0
        self.hold_up_fetch: HoldUp = lambda _who, _what, *, is_answer: None
        self.may_fail: Callable[[BrokerProcess, TopicPartition], bool] = lambda _who, _what: False
        self.when_somebody_is_eligible: Callable[[], None] = lambda: None
        self._started_s = self.loop.time()
        self.oracle.on_violation = self._violated
        self.oracle.about_to_count = self._about_to_count

    # Running ----------------------------------------------------------------------------------------------------

    def run(self) -> None:
        with ExitStack() as stack:
            stack.enter_context(_quiet())
            stack.enter_context(self.bugs.planted())
            if self.has_files:
                self._machines = stack.enter_context(file_machines(self.dice))
            self.brokers |= {number: SimulatedBroker(self, number) for number in range(1, self.count + 1)}
            try:
                self._begin()
                dealer = Dealer(self)
                self.store.on_send = dealer.when_sent
                self.hold_up_answer = dealer.hold_up_answer
                self.hold_up_fetch = dealer.hold_up_fetch
                self.streams.breaks = dealer.breaks
                self.may_fail = dealer.may_fail
                self.when_somebody_is_eligible = dealer.when_somebody_is_eligible
                self.loop.spawn(dealer.run())
                self.loop.run(until_s=self.loop.time() + FAULTS_S)
                dealer.stop()
                self.note("no more faults")
                self._settle()
            finally:
                self._count()
                marks = self.marks.copy()
                self.loop.close()
                self.marks = marks  # what happens while all of it ends is not of the story

    def _begin(self) -> None:
        for broker in self.brokers.values():
            broker.start()
        self._wait_for(lambda: all(b.process and b.process.is_serving for b in self.brokers.values()), "a start")
        self.loop.spawn(self.operators.create())
        self._wait_for(lambda: TOPIC in self.truth.topics, "a topic")
        if self.has_transactions:
            self.loop.spawn(self._look_for_coordinator())
            wanted = {TRANSACTION_STATE, CONSUMER_OFFSETS} if self.commits_offsets else {TRANSACTION_STATE}
            self._wait_for(lambda: wanted <= self.truth.topics.keys(), "topics of coordinators")
            self.operators.shorten_segments(wanted)
        number = 0
        for partition in self.partitions:
            for _ in range(self.dice.choice((1, 2))):
                number += 1
                self.producers.append(IdempotentProducer(self, number, partition))
            number += 1
            self.careless.append(CarelessProducer(self, number, partition))
        for client in (*self.producers, *self.careless):
            self.loop.spawn(client.run())
        if self.has_transactions:
            self._begin_transactions()

    async def _look_for_coordinator(self) -> None:
        """As a client does, which makes the cluster create the topic."""
        for topic in (TRANSACTION_STATE, CONSUMER_OFFSETS) if self.commits_offsets else (TRANSACTION_STATE,):
            while topic not in self.truth.topics:
                process = self.some_process()
                if process is not None and process.coordinators is not None and process.is_serving:
                    asked = process.coordinators
                    looking = (
                        asked.transactions.coordinator_of("t")
                        if topic == TRANSACTION_STATE
                        else asked.groups.coordinator_of(self.committer.group)
                    )
                    await asyncio.wait([self.loop.create_task(looking, context=process.context.copy())], timeout=3)
                await asyncio.sleep(0.2)

    def _begin_transactions(self) -> None:
        for number in range(self.dice.choice((1, 2, 3))):
            client = TransactionalProducer(self, 50 + number, is_newer=self.dice.random() < 0.4)
            self.transactional.append(client)
            self.loop.spawn(client.run())
        self.loop.spawn(self.reader.run())
        if self.commits_offsets:
            self.loop.spawn(self.committer.run())
        for member in self.members:
            self.loop.spawn(member.run())
        self.loop.spawn(self._watch_coordinators())

    async def _watch_coordinators(self) -> None:
        """What a coordinator goes by is what its log says, at every moment: the next one will have nothing else."""
        while True:
            await asyncio.sleep(0.2)
            for broker in self.brokers.values():
                if broker.process is not None and broker.process.coordinators is not None:
                    broker.process.coordinators.check_against_log()

    def some_process(self) -> BrokerProcess | None:
        running = [broker.process for broker in self.brokers.values() if broker.process is not None]
        return self.dice.choice(running) if running else None

    def _settle(self) -> None:
        """Once faults stop, every partition takes writes again, and all replicas come to be the same."""
        acknowledged = {producer: producer.acknowledged for producer in self.producers}
        for member in self.members:
            member.is_steady = True
        deadline_s = self.loop.time() + SETTLED_WITHIN_S

        def is_well() -> bool:
            writes = all(p.acknowledged >= acknowledged[p] + 3 for p in self.producers)
            return writes and self._is_in_order() and self._is_shared()

        self.loop.run(until_s=deadline_s, is_enough=is_well)
        if not is_well():
            raise Violation(f"not well {SETTLED_WITHIN_S} s after the last fault: {self.describe()}")
        for client in (*self.producers, *self.careless):
            client.is_stopped = True
        for producer in self.transactional:
            producer.is_stopped = True
        for member in self.members:
            member.is_stopped = True
        self.committer.is_stopped = True
        self._until(self._is_all_decided, "a transaction is still open although all of them have ended")
        self._until(self._is_all_the_same, "replicas differ although nobody writes any more")
        self._read_to_the_end()
        self.marks["settled"] += 1

    def _is_shared(self) -> bool:
        """Every partition has its reader in the group."""
        topic = self.truth.topics[TOPIC]
        places = {(bytes(topic.topic_id), int(image.index)) for image in topic.partitions}
        return not self.members or share_all(self.members, places)

    def _count(self) -> None:
        self.marks["write made, answer lost"] += self.store.unknown_outcomes
        self.marks["lease ran out"] += self.store.expired
        self.marks["message lost"] += self.network.lost
        self.marks["message late"] += self.network.late

    def _until(self, is_so: Callable[[], bool], otherwise: str) -> None:
        self.loop.run(until_s=self.loop.time() + SETTLED_WITHIN_S, is_enough=is_so)
        if not is_so():
            raise Violation(f"{otherwise}: {self.describe()}")

    def _is_all_decided(self) -> bool:
        """No transaction hangs: the last stable offset is the high watermark wherever a partition is led."""
        if not all(client.is_done for client in self.transactional):
            return False
        led = list(self._led())
        return len(led) == len(list(self.truth.partitions())) and all(
            partition.last_stable_offset == partition.high_watermark for partition in led
        )

    def _led(self) -> Iterator[Partition]:
        for topic, image in self.truth.partitions():
            broker = self.brokers.get(image.leader)
            process = None if broker is None else broker.process
            if process is not None and process.partitions is not None:
                partition = process.partitions.get(topic.name, image.index)
                if partition is not None and partition.is_leader:
                    yield partition

    def _read_to_the_end(self) -> None:
        self.reader.is_stopped = True
        for image in self.truth.topics[TOPIC].partitions:
            at = TopicPartition(TOPIC, image.index)
            check_apart(at, self.oracle.of(self.place_of(at)).batches)
            processes = (self.brokers[replica].process for replica in image.replicas)
            reads = [process.read_committed(at, 0) for process in processes if process is not None]
            stable = min(stable for _, stable in reads)
            views = [[place for place in shown if place[1] < stable] for shown, _ in reads]
            if any(view != views[0] for view in views):
                raise Violation(f"{at}: readers of committed records see different things at different replicas")
            for transaction, base_offset in max((shown for shown, _ in reads), key=len):
                self.ledger.show(transaction, at, base_offset)
        for transaction in self.ledger.endings:
            self.ledger.check(transaction)

    def place_of(self, at: TopicPartition) -> Place:
        return Place(self.truth.topics[at.topic].topic_id, at)

    def _is_in_order(self) -> bool:
        return (
            not self.operators.is_making_anew
            and all(
                partition.leader in self.truth.brokers
                and set(partition.in_sync) == set(partition.replicas)
                and not (partition.adding or partition.removing)
                for _, partition in self.truth.partitions()
            )
            and all(broker.process is not None and broker.process.is_serving for broker in self.brokers.values())
        )

    def _is_all_the_same(self) -> bool:
        if not self._is_in_order():
            return False
        for topic, image in self.truth.partitions():
            where = TopicPartition(topic.name, image.index)
            committed = self.oracle.of(self.place_of(where))
            for disk in (self.brokers[replica].machine.held[where] for replica in image.replicas):
                since = max(committed.deleted_to, disk.begins)
                here, all_of_it = (
                    [stored.data for stored in batches if stored.header.next_offset > since]
                    for batches in (disk.batches, committed.batches)
                )
                if here != all_of_it:
                    return False
        return True

    def _wait_for(self, is_so: Callable[[], bool], what: str) -> None:
        self.loop.run(until_s=self.loop.time() + 30, is_enough=is_so)
        if not is_so():
            raise Violation(f"no {what} within 30 s: {self.describe()}")

    def new_config(self) -> Config:
        return Config.for_broker(
            {
                "penstock.broker.lease.ms": str(self.lease_ms),
                "penstock.broker.heartbeat.ms": str(self.heartbeat_ms),
                "penstock.broker.doubt.ms": "2000",
                "replica.lag.time.max.ms": "1500",
                "leader.imbalance.check.interval.seconds": "3",
                "min.insync.replicas": str(IN_SYNC_MIN),
                "penstock.flush.before.ack": str(self.flushes_before_ack).lower(),
                "transaction.state.log.num.partitions": "1",
                "transaction.abort.timed.out.transaction.cleanup.interval.ms": "1000",
                "offsets.topic.num.partitions": "1",
                "group.consumer.min.session.timeout.ms": "3000",
                "group.consumer.session.timeout.ms": "3000",
                "group.consumer.min.heartbeat.interval.ms": "300",
                "group.consumer.heartbeat.interval.ms": "300",
                "request.timeout.ms": "3000",
                "replica.fetch.wait.max.ms": "250",
                "replica.socket.timeout.ms": "1500",
                "replica.fetch.backoff.ms": "100",
                "replica.fetch.max.bytes": "600",
                "log.flush.interval.ms": "2000",
                "replica.high.watermark.checkpoint.interval.ms": "1500",
                "log.cleaner.enable": "false",
                **self.more_settings,
            }
        )

    # What happens -----------------------------------------------------------------------------------------------

    def note(self, what: str) -> None:
        if self.story is not None and not self.loop.is_over:
            self.story.append(f"{self.loop.time() - self._started_s:9.4f}  {what}")

    def later(self, delay_s: float, callback: Callable[[], None]) -> None:
        self.loop.call_later(delay_s, callback, context=WORLD)

    def leave(self, process: BrokerProcess, gone: Callable[[], None]) -> None:
        """A controlled stop, in the process's own time; `gone` when it has ended."""
        task = self.loop.create_task(process.leave(), context=process.context)
        task.add_done_callback(lambda _: self.later(0.0, gone))

    def give_up(self, process: BrokerProcess) -> None:
        """A process could not start, or ended by itself: its supervisor starts another."""

        def again() -> None:
            if process.broker.process is process:
                process.broker.kill()
                self.later(0.3, process.broker.start)

        self.marks["process gave up"] += 1
        self.later(0.0, again)

    def connections_broke(self, broker_id: BrokerId) -> None:
        """A process is gone: the kernel closes its connections, and those on the other side who still listen hear."""
        for broker in self.brokers.values():
            process = broker.process
            if process is not None and self.network.passes(broker_id, broker.id):
                delay_s = self.network.delay_s()
                self.loop.call_later(delay_s, process.probe.broke, broker_id, context=process.context)

    def _hold_up(self, process: BrokerProcess, leader: int, *, is_answer: bool) -> "asyncio.Future[None] | None":
        """Whether a fetch, or what is answered to it, is to come at the worst moment."""
        followed = () if process.is_dead else is_followed_from(process, leader)
        held = (self.hold_up_fetch(process, partition, is_answer=is_answer) for partition in followed)
        return next((each for each in held if each is not None), None)

    def _process_at(self, address: int) -> BrokerProcess | None:
        process = self.brokers[address].process
        return process if process is not None and process.is_listening else None

    def _about_to_count(self, place: Place) -> set[BrokerId]:
        key, found = KEYS.partition(topic_id_text(place.topic_id), place.at.partition), set[BrokerId]()
        for put in (put for transaction in self.store.under_way for put in transaction.puts if put.key == key):
            record = Decoders.partition.decode(put.value)
            found |= {*record.in_sync, *record.eligible}
        for broker in self.brokers.values():
            for partition in () if broker.process is None else broker.process.watched:
                role = partition.role
                if isinstance(role, Leader) and role.pending is not None and place_of(partition) == place:
                    found |= {*role.pending.in_sync, *role.pending.eligible}
        return found

    def new_machine(self, broker_id: BrokerId) -> Machine:
        if self._machines is None:
            return ModelMachine(self, broker_id)
        return FileMachine(self, broker_id, self._machines)

    def _disk_of(self, broker_id: int, place: Place) -> Held | None:
        disk = self.brokers[broker_id].machine.held.get(place.at)
        return disk if disk is not None and disk.topic_id == place.topic_id else None

    def appended_with_a_gap(self, what: str) -> None:
        self.violated(what)

    def violated(self, what: str) -> None:
        self._violated(Violation(what))

    def _violated(self, violation: Violation) -> None:
        self.loop.fail(violation)

    def _store_changed(self, changes: Changes) -> None:
        self.truth.apply(changes)

    def _truth_changed(self, changes: Any) -> None:
        for change in changes:
            if isinstance(change, PartitionChanged):
                where = Place(change.topic.topic_id, TopicPartition(change.topic.name, change.partition.index))
                before, after = change.before, change.partition
                self.oracle.partition_written(where, before, after, self.in_sync_least)
                self._mark(before, after)
                if after.eligible and not before.eligible:
                    self.when_somebody_is_eligible()
                self.note(
                    f"{where} leader {after.leader} epoch {after.leader_epoch} in sync {after.in_sync}"
                    f" eligible {after.eligible} of {after.replicas} (revision {after.revision})"
                )
            elif isinstance(change, TopicCreated):
                self.oracle.topic_created(change.topic)
            elif isinstance(change, TopicDeleted):
                self.oracle.topic_deleted(change.topic)
            elif self.story is not None:
                self.note(f"{type(change).__name__} {getattr(getattr(change, 'broker', None), 'id', '')}")

    def _mark(self, before: Any, after: Any) -> None:
        marks = self.marks
        marks["in-sync set shrinks"] += len(after.in_sync) < len(before.in_sync)
        marks["in-sync set grows"] += len(after.in_sync) > len(before.in_sync)
        marks["below the minimum"] += len(after.in_sync) < IN_SYNC_MIN
        marks["somebody eligible"] += bool(after.eligible)
        if after.leader_epoch > before.leader_epoch:
            marks["elections"] += 1
            marks["elected from the eligible"] += after.leader in before.eligible
            marks["nobody to elect"] += after.leader < 0

    def describe(self) -> str:
        partitions = [
            f"{part.index}: leader {part.leader} epoch {part.leader_epoch} in sync {part.in_sync}"
            f" eligible {part.eligible}"
            for _, part in self.truth.partitions()
        ]
        waiting = [f"{p.place} at {p.sequences}" for p in self.producers]
        members = {each.member_id: sorted(index for _, index in each.owned) for each in self.members}
        who = f"brokers {sorted(self.truth.brokers)}, controller {self.truth.controller_id}"
        return f"{who}, {partitions}, {waiting}, members {members}"


def _quiet() -> AbstractContextManager[Any]:
    """The brokers' own logs cost more than all the rest, and the story tells more."""
    return _Quiet()


class _Silent:
    """A logger that says nothing."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __getattr__(self, _: str) -> Callable[..., None]:
        return _nothing


def _nothing(*_: Any, **__: Any) -> None:
    pass


class _Quiet:
    def __enter__(self) -> None:
        self._before = structlog.get_config()
        silent: Any = _Silent  # takes every call of a logger, by __getattr__
        structlog.configure(wrapper_class=silent, cache_logger_on_first_use=False)

    def __exit__(self, *_: Any) -> None:
        structlog.configure(**self._before)
