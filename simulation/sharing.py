"""A simulated cluster with a share group: its membership, its state, what is acquired, its dead letters, while brokers
fail and clocks are set.

    SharedWorld(seed).run()

All of it is real here: heartbeats, states begun by order of the group, share fetches with their sessions, writes of the
state, the relay. Judged is what members are told (`Book`), and the two committed logs.

A leader that others have replaced, and that does not know, may still give records out, as in Apache Kafka: nobody tells
it in time. It cannot have anything written. So what such a leader gives out is not judged.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any
from unittest import mock

from penstock.broker import services
from penstock.broker.peer_authentication import Caller
from penstock.broker.share_state_requests import answer as answer_state
from penstock.cluster import SHARE_GROUP_STATE, AlterSettings, CreateTopic, Operation
from penstock.cluster.commands import SettingChange
from penstock.cluster.resources import Resource, ResourceType
from penstock.coordinators.shares.bugs import ShareBugs as StateBugs
from penstock.coordinators.shares.peer_requests import EXCHANGES
from penstock.coordinators.shares.service import Shares
from penstock.coordinators.shares.states import SharePartitionKey
from penstock.delivery.dead_letters import home
from penstock.delivery.relay.bugs import RelayBugs
from penstock.delivery.relay.machine import RelayMachine
from penstock.delivery.shares import share_partition
from penstock.delivery.shares.acquiring import Acquired
from penstock.delivery.shares.bugs import HoldingBugs, ShareBugs
from penstock.delivery.shares.machine import SharePartitionMachine
from penstock.delivery.shares.settling import ACCEPT, REJECT, RELEASE
from penstock.delivery.shares.share_partition import SharePartition
from penstock.delivery.shares.share_partitions import SharePartitions
from penstock.model import BrokerId, PartitionIndex, TopicPartition
from penstock.wire.records import Record, build_batch, iterate
from simulation.broker import BrokerProcess
from simulation.bugs import NO_BUG, Bug
from simulation.clients import PRODUCER_IDS_FROM, IdempotentProducer
from simulation.committing import OFFSETS
from simulation.disk import Place
from simulation.moving import answer_mover
from simulation.operators import SEGMENTS, TIMEOUT_MS
from simulation.oracle import Violation
from simulation.share_members import Said, ShareMember
from simulation.world import SETTLED_WITHIN_S, World

JOBS = TopicPartition("jobs", PartitionIndex(0))
LETTERS = TopicPartition("dlq.jobs", PartitionIndex(0))
GROUP = "workers"
NOBODY = BrokerId(-1)
KEYS = (b"a", b"b", b"c", None)
DELIVERY_LIMIT = 4
LOCK_MS = 1_500
SLOWEST_S = 90.0
SETTINGS = {
    "share.coordinator.state.topic.num.partitions": "1",
    "share.coordinator.snapshot.update.records.per.snapshot": "4",
    "share.coordinator.write.timeout.ms": "2000",
    "group.share.min.session.timeout.ms": "3000",
    "group.share.session.timeout.ms": "3000",
    "group.share.min.heartbeat.interval.ms": "300",
    "group.share.heartbeat.interval.ms": "300",
    "group.share.min.record.lock.duration.ms": str(LOCK_MS),
    "group.share.record.lock.duration.ms": str(LOCK_MS),
    "group.share.min.delivery.count.limit": "2",
    "group.share.delivery.count.limit": str(DELIVERY_LIMIT),
}
DOUBTS_EVERY = 4
"""Stories: in the others members stay longer with leaders that others have replaced."""
EFFECTS = (
    "leader stood aside for a moment",
    "accepted",
    "given again",
    "dead letter",
    "given by a former leader",
    "sent again",
)


class Producer(IdempotentProducer):
    """Of records of which some share a key."""

    def _a_batch(self, place: Place, sequence: int, count: int) -> bytes:
        now = self.world.clock.now()
        records = [Record(at, now, self.dice.choice(KEYS), b"%d" % (sequence + at)) for at in range(count)]
        return bytes(
            build_batch(records, producer_id=PRODUCER_IDS_FROM - self.address, producer_epoch=0, base_sequence=sequence)
        )


class Book:
    """What members said of each record, and what they were told."""

    def __init__(self, world: "SharedWorld") -> None:
        self._world = world
        self.given: Counter[int] = Counter()
        self.told_accepted: set[int] = set()
        self.told_rejected: set[int] = set()
        self.said: dict[int, set[int]] = {}
        """Kinds, by offset: what may have been taken in."""
        self._released: dict[int, int] = {}
        """The highest delivery count of which a release was answered."""
        self._newest_of: dict[bytes, int] = {}
        """By key: the last offset of it that anybody was given."""

    def says(self, said: Said) -> None:
        for offset, kind, _ in said:
            self.said.setdefault(offset, set()).add(kind)

    def answered(self, said: Said) -> None:
        for offset, kind, deliveries in said:
            if kind == ACCEPT:
                self.told_accepted.add(offset)
                self._world.marks["accepted"] += 1
            elif kind == REJECT:
                self.told_rejected.add(offset)
            elif kind == RELEASE:
                self._released[offset] = max(self._released.get(offset, 0), deliveries)

    def gave(self, share: SharePartition, acquired: Iterable[Acquired]) -> None:
        world = self._world
        is_former = world.truth.topics[JOBS.topic].partitions[0].leader_epoch != share.leader_epoch
        for row in acquired:
            for offset in range(row.first, row.last + 1):
                self.given[offset] += 1
                world.marks["given again"] += self.given[offset] > 1
                world.note(f"{offset} is given out in epoch {share.leader_epoch}, for the {row.deliveries}. time")
                if is_former:
                    world.marks["given by a former leader"] += 1
                else:
                    self._look_at(offset, row.deliveries)

    def _look_at(self, offset: int, deliveries: int) -> None:
        world = self._world
        if offset in self.told_accepted | self.told_rejected:
            world.violated(f"{offset} is given out again, after it was answered that it is done")
        if not self._released.get(offset, 0) < deliveries <= DELIVERY_LIMIT:
            world.violated(f"{offset} is given out for the {deliveries}. time, and was given back before")
        key = world.keys.get(offset) if world.is_by_key else None
        if key is not None:
            newest = self._newest_of[key] = max(self._newest_of.get(key, 0), offset)
            if newest != offset:
                world.violated(f"{offset} is given out after {newest}, which has its key")


class SharedWorld(World):
    group = GROUP
    lock_s = LOCK_MS / 1000

    def __init__(self, seed: int, bugs: Bug = NO_BUG, *, is_told: bool = False) -> None:
        super().__init__(seed, bugs, is_told=is_told, has_files=True)
        self.has_transactions = self.commits_offsets = self.makes_anew = self.minimum_changes = False
        self.members = []
        self.in_sync_least = 2
        self.has_shares = True
        self.answer_peer = answer_peer
        self.is_by_key = self.dice.random() < 0.5
        self.has_letters = self.dice.random() < 0.7
        self.has_backoff = self.dice.random() < 0.3
        self.more_settings = dict(SETTINGS)
        self.book = Book(self)
        self.writers: list[Producer] = []
        self.workers: list[ShareMember] = []
        self._keys: dict[int, bytes | None] = {}
        self._batches_read = 0

    def run(self) -> None:
        given_out = SharePartition.given_out

        def gave(share: SharePartition, acquired: Sequence[Acquired]) -> None:
            self.book.gave(share, acquired)
            given_out(share, acquired)

        with mock.patch.object(SharePartition, "given_out", gave):
            super().run()

    def _begin(self) -> None:
        super()._begin()
        allows = (("errors.deadletterqueue.group.enable", "true"),)
        for at, settings in ((JOBS, SEGMENTS), (LETTERS, (*SEGMENTS, *allows))):
            command = CreateTopic(at.topic, partitions=1, replication_factor=3, settings=settings)
            self._have(partial(self._is_there, at), partial(_create, command), f"topic {at.topic}")
            self.partitions.append(at)
        wanted = {"share.auto.offset.reset": "earliest"}
        wanted |= {"penstock.share.order": "key"} if self.is_by_key else {}
        wanted |= {"errors.deadletterqueue.topic.name": LETTERS.topic} if self.has_letters else {}
        wanted |= {"penstock.share.retry.backoff.ms": "300"} if self.has_backoff else {}
        group = Resource(ResourceType.GROUP, GROUP)
        changes = tuple(SettingChange(name, Operation.SET, value) for name, value in wanted.items())
        self._have(
            lambda: dict(self.truth.settings.get(group, {})) == wanted,
            lambda process: process.cluster.controller.alter_settings([AlterSettings(group, changes)]),
            "settings of the group",
        )
        self._have(
            partial(self._is_there, OFFSETS), lambda process: process.services.groups.coordinator_of(GROUP), "groups"
        )
        self.writers = [Producer(self, 70 + number, JOBS) for number in range(2)]
        self.workers = [ShareMember(self, 80 + number, JOBS) for number in range(3)]
        for client in (*self.writers, *self.workers):
            self.loop.spawn(client.run())
        if self.seed % DOUBTS_EVERY == 0:
            self.loop.spawn(self._doubt())

    async def _doubt(self) -> None:
        """A leader of the jobs does not reach who keeps the state, and takes itself for cut off, for a moment in which
        nobody else is elected.
        """
        while not self.workers[0].is_steady:
            await asyncio.sleep(2 * self.dice.random())
            leader, keeper = self._leader_of(JOBS.topic), self._leader_of(SHARE_GROUP_STATE)
            cut = (leader, keeper)
            process = self.brokers[leader].process if leader in self.brokers else None
            if process is None or not process.is_serving or keeper in (leader, NOBODY) or cut in self.network.cuts:
                continue
            self.network.cuts.add(cut)
            await asyncio.sleep(0.4 * self.dice.random())
            for is_isolated in (True, False):
                if not process.is_dead and not process.is_paused and not process.is_isolated:
                    process.context.copy().run(process.stand_aside, is_isolated)
                    self.marks["leader stood aside for a moment"] += is_isolated
                await asyncio.sleep(0.02 * self.dice.random())
            self.network.cuts.discard(cut)

    def _leader_of(self, topic: str) -> BrokerId:
        return self.truth.topics[topic].partitions[0].leader if topic in self.truth.topics else NOBODY

    def _is_there(self, at: TopicPartition) -> bool:
        return at.topic in self.truth.topics

    def _have(self, is_so: Callable[[], bool], question: Callable[[Any], Any], what: str) -> None:
        """Ask some broker until it is so."""

        async def ask() -> None:
            while not is_so():
                process = self.some_process()
                if process is not None and process.is_serving:
                    asked = self.loop.create_task(question(process), context=process.context.copy())
                    await asyncio.wait([asked], timeout=TIMEOUT_MS / 1000)
                await asyncio.sleep(0.1)

        self.loop.spawn(ask())
        self._wait_for(is_so, what)

    # Judging ------------------------------------------------------------------------------------------------------

    @property
    def keys(self) -> dict[int, bytes | None]:
        """Of all records that are committed."""
        batches = self.oracle.of(self.place_of(JOBS)).batches
        for stored in batches[self._batches_read :]:
            self._keys |= {record.offset: record.key for record in iterate(stored.data)}
        self._batches_read = len(batches)
        return self._keys

    def _settle(self) -> None:
        for writer in self.writers:
            writer.is_stopped = True
        for worker in self.workers:
            worker.is_steady = True
        deadline_s = self.loop.time() + SLOWEST_S
        self.loop.run(until_s=self.loop.time() + SETTLED_WITHIN_S, is_enough=self._is_in_order)
        self.loop.run(until_s=deadline_s, is_enough=self._is_all_done)
        if not self._is_all_done():
            raise Violation(f"never done: {self._share_partitions()}")
        for worker in self.workers:
            worker.is_stopped = True
        self._judge()
        super()._settle()
        self._judge()

    def _share_partitions(self) -> list[Any]:
        """At the leader of the jobs."""
        topic = self.truth.topics[JOBS.topic]
        broker = self.brokers.get(self._leader_of(JOBS.topic))
        process = None if broker is None else broker.process
        its = None if process is None else process.services
        key = SharePartitionKey(GROUP, topic.topic_id, 0)
        share = None if its is None else its.share_delivery.share_partitions.find(key)
        return [] if share is None or share.machine is None else [share.machine.window.ranges, share]

    def _is_all_done(self) -> bool:
        if any(writer._unfinished for writer in self.writers):
            return False
        found = self._share_partitions()
        return bool(found) and found[1].machine.start_offset >= found[1].partition.high_watermark > 0

    def _letters(self) -> list[int]:
        """Offsets of the records of which there are letters."""
        return [
            int(dict(record.headers)["__dlq.errors.offset"] or b"")
            for stored in self.oracle.of(self.place_of(LETTERS)).batches
            if not stored.header.is_control
            for record in iterate(stored.data)
        ]

    def _judge(self) -> None:
        book, letters = self.book, self._letters()
        if twice := [offset for offset, count in Counter(letters).items() if count > 1]:
            raise Violation(f"there are two letters of {sorted(twice)}")
        if never := self.keys.keys() - book.given.keys():
            raise Violation(f"nobody was given {sorted(never)}")
        if self.has_letters:
            lost = {offset for offset in self.keys if ACCEPT not in book.said.get(offset, ())} - set(letters)
            if lost := lost | (book.told_rejected - book.told_accepted - set(letters)):
                raise Violation(f"neither accepted nor a letter: {sorted(lost)}")
        self.marks["dead letter"] += len(letters)


def _create(command: CreateTopic, process: Any) -> Any:
    return process.cluster.controller.create_topics([command], timeout_ms=TIMEOUT_MS)


# What brokers ask each other ------------------------------------------------------------------------------------------

_KINDS = {exchange.request: kind for kind, exchange in EXCHANGES.items()}


def answer_peer(process: BrokerProcess, request: Any) -> Any:
    kind = _KINDS.get(type(request))
    if kind is None:
        return answer_mover(process, request)
    its = process.services
    assert its is not None
    return process.spawn(
        answer_state(
            kind, request, Caller(), shares=its.shares, authenticator=its.authenticator, authorizer=its.authorizer
        )
    )


# Planted bugs ---------------------------------------------------------------------------------------------------------


def _built_with(name: str, made: Any, bugs: Any) -> Callable[[], AbstractContextManager[Any]]:
    """Every broker's service of that name has the bugs."""
    return lambda: mock.patch.object(services, name, partial(made, bugs=bugs))


def _relay(**bug: bool) -> Callable[[], AbstractContextManager[Any]]:
    return lambda: mock.patch.object(home, "RelayMachine", lambda _: RelayMachine(RelayBugs(**bug)))


def _window(**bug: bool) -> Callable[[], AbstractContextManager[Any]]:
    machine = partial(SharePartitionMachine, bugs=HoldingBugs(**bug))
    return lambda: mock.patch.object(share_partition, "SharePartitionMachine", machine)


async def _at_once(_: SharePartition) -> None: ...


BUGS: dict[str, Bug] = {
    "reads-while-its-former-self-writes": Bug(
        None, stands_in=lambda: mock.patch.object(SharePartition, "all_written", _at_once), seed=48
    ),
    "answers-before-written": Bug(
        None, stands_in=_built_with("SharePartitions", SharePartitions, ShareBugs(answers_before_written=True)), seed=1
    ),
    "forgets-delivery-counts": Bug(
        None, stands_in=_built_with("SharePartitions", SharePartitions, ShareBugs(forgets_delivery_counts=True))
    ),
    "ignores-leader-epochs": Bug(
        None, stands_in=_built_with("Shares", Shares, StateBugs(ignores_leader_epochs=True)), seed=17
    ),
    "snapshots-without-the-write": Bug(
        None, stands_in=_built_with("Shares", Shares, StateBugs(snapshots_without_the_write=True))
    ),
    "ends-keys-early": Bug(None, stands_in=_window(ends_keys_early=True), seed=9),
    "begins-without-keys": Bug(None, stands_in=_window(begins_without_keys=True), seed=5),
    "done-before-append": Bug(None, stands_in=_relay(done_before_append=True), seed=17),
    "new-sequence-after-failover": Bug(None, stands_in=_relay(new_sequence_after_failover=True)),
    "forgets-an-intent": Bug(None, stands_in=_relay(forgets_an_intent=True), seed=9),
    "sends-before-replicated": Bug(None, stands_in=_relay(sends_before_replicated=True), seed=25),
}
