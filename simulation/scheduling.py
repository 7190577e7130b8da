"""A simulated cluster with a schedule topic: records that come due while brokers fail and clocks are set.

    ScheduledWorld(seed).run()

The real thing fires here: homes, intents, the relay, snapshots, on real logs. What the oracle knows is judged: the two
committed logs. The time on a note is what its leader's clock showed, and what is in the target says where it waited.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import Any, NamedTuple
from unittest import mock

from penstock.cluster import CreateTopic
from penstock.delivery.relay.bugs import RelayBugs
from penstock.delivery.relay.entries import Intent, Returned, decode
from penstock.delivery.relay.machine import RelayMachine
from penstock.delivery.schedules import home, intake, outbox, snapshot_files, state
from penstock.delivery.schedules.firing import SCHEDULED_FROM
from penstock.delivery.schedules.machine import ScheduleMachine
from penstock.delivery.schedules.refs import decode as decode_refs
from penstock.model import Millis, PartitionIndex, TopicPartition
from penstock.replication import append_note
from penstock.wire.notes import read_note
from penstock.wire.records import Record, build_batch, iterate
from simulation.bugs import NO_BUG, Bug
from simulation.clients import PRODUCER_IDS_FROM, IdempotentProducer
from simulation.disk import Place
from simulation.moving import answer_mover
from simulation.operators import SEGMENTS, TIMEOUT_MS
from simulation.oracle import Violation
from simulation.world import SETTLED_WITHIN_S, TOPIC, World

LATER = TopicPartition(f"{TOPIC}.later", PartitionIndex(0))
DUE = TopicPartition(TOPIC, PartitionIndex(0))
KEY = b"k"
AHEAD_MS = 6_000
SLOWEST_S = 60.0
EFFECTS = ("clock set back", "clock set forward", "fired", "cancelled", "cancel acknowledged first", "sent again")


class Written(NamedTuple):
    """A record of the schedule topic, as the log has it."""

    due_ms: int
    schedule_id: str | None
    is_cancel: bool


class Scheduler(IdempotentProducer):
    """Writes records that are due soon, and cancels some of them."""

    def __init__(self, world: "ScheduledWorld", number: int) -> None:
        super().__init__(world, number, LATER)
        self._cancels: list[str] = []
        self.acknowledged_at: dict[str, float] = {}
        """Cancels by their ids."""
        self._sending: list[str] = []

    def _a_batch(self, place: Place, sequence: int, count: int) -> bytes:
        self._sending = []
        return bytes(
            build_batch(
                [self._a_record(sequence + at, at) for at in range(count)],
                producer_id=PRODUCER_IDS_FROM - self.address,
                producer_epoch=0,
                base_sequence=sequence,
            )
        )

    def _a_record(self, number: int, place: int) -> Record:
        now = self.world.clock.now()
        if self._cancels and self.dice.random() < 0.3:
            name = self._cancels.pop(0)
            self._sending.append(name)
            return Record(place, now, KEY, None, (("penstock-schedule-id", name.encode()),))
        headers: tuple[tuple[str, bytes | None], ...] = (
            ("penstock-deliver-at", b"%d" % (now + int(AHEAD_MS * self.dice.random() ** 2))),
        )
        if self.dice.random() < 0.4:
            name = f"{self.address}-{number}"
            self._cancels.append(name)
            headers = (*headers, ("penstock-schedule-id", name.encode()))
        return Record(place, now, KEY, b"v%d" % number, headers)

    async def deliver(self, place: Place, count: int) -> None:
        before = self.acknowledged
        await super().deliver(place, count)
        if self.acknowledged > before:
            for name in self._sending:
                self.acknowledged_at[name] = self.world.loop.time()


class ScheduledWorld(World):
    def __init__(self, seed: int, bugs: Bug = NO_BUG, *, is_told: bool = False) -> None:
        super().__init__(seed, bugs, is_told=is_told, has_files=True)
        self.has_transactions = self.commits_offsets = self.makes_anew = self.minimum_changes = False
        self.members = []
        self.in_sync_least = 2
        self.has_schedules = True
        self.answer_peer = answer_mover
        self.schedulers: list[Scheduler] = []
        self.written_at: dict[bytes, float] = {}
        """When an intent was given to a log."""
        self._is_setting_clocks = True
        self._looked_at: list[int] = []
        self._all_fired = False

    def run(self) -> None:
        with ExitStack() as stack:
            # The oracle counts batches from the first on; and snapshots are to be made in the short time there is.
            stack.enter_context(mock.patch.object(home, "FLOOR_EVERY_MS", 1 << 40))
            for name, value in (("SOME_OFFSETS", 5), ("SOME_AFTER_S", 0.5), ("LEAST_S", 0.2)):
                stack.enter_context(mock.patch.object(snapshot_files, name, value))
            stack.enter_context(mock.patch.object(outbox, "append_note", self._append_note))
            super().run()

    def _append_note(self, partition: Any, content: bytes) -> Any:
        self.written_at[content] = self.loop.time()
        return _append_note(partition, content)

    def _begin(self) -> None:
        for broker in self.brokers.values():
            broker.clock_ahead_ms = self.dice.choice((-1_500, 0, 0, 1_500))
        super()._begin()
        settings = (*SEGMENTS, ("penstock.schedule.target", TOPIC))
        command = CreateTopic(LATER.topic, partitions=1, replication_factor=3, settings=settings)
        self.loop.spawn(self._create(command))
        self._wait_for(lambda: LATER.topic in self.truth.topics, "a schedule topic")
        self.partitions.append(LATER)
        self.schedulers = [Scheduler(self, 70 + number) for number in range(2)]
        for scheduler in self.schedulers:
            self.loop.spawn(scheduler.run())
        self.loop.spawn(self._set_clocks())

    async def _create(self, command: CreateTopic) -> None:
        while command.name not in self.truth.topics:
            await self.operators._asked(lambda it: it.create_topics([command], timeout_ms=TIMEOUT_MS))

    async def _set_clocks(self) -> None:
        while self._is_setting_clocks:
            await asyncio.sleep(0.3 + 2 * self.dice.random())
            broker = self.dice.choice(list(self.brokers.values()))
            by_ms = self.dice.choice((-4_000, -1_000, -300, 300, 1_000, 4_000))
            if abs(broker.clock_ahead_ms + by_ms) > 10_000:
                continue
            broker.clock_ahead_ms += by_ms
            if broker.process is not None:
                broker.process.clock.set(ahead_ms=broker.clock_ahead_ms)
            self.marks["clock set back" if by_ms < 0 else "clock set forward"] += 1
            self.note(f"FAULT the clock of broker {broker.id} is set by {by_ms} ms")

    # Judging ------------------------------------------------------------------------------------------------------

    def _settle(self) -> None:
        self._is_setting_clocks = False
        for scheduler in self.schedulers:
            scheduler.is_stopped = True
        deadline_s = self.loop.time() + SLOWEST_S
        self.loop.run(until_s=self.loop.time() + SETTLED_WITHIN_S, is_enough=self._is_in_order)
        self.loop.run(until_s=deadline_s, is_enough=self._is_all_fired)
        if unfired := self._unfired():
            raise Violation(f"never fired: {sorted(unfired)}")
        self._judge()
        super()._settle()
        self._judge()

    def _records(self) -> dict[int, Written]:
        found = {}
        for stored in self.oracle.of(self.place_of(LATER)).batches:
            if not stored.header.is_control:
                for record in iterate(stored.data):
                    said = {name: (value or b"").decode() for name, value in record.headers}
                    due_ms = int(said.get("penstock-deliver-at", 0))
                    found[record.offset] = Written(due_ms, said.get("penstock-schedule-id"), record.value is None)
        return found

    def _fired(self) -> list[int]:
        """Offsets of the schedule topic, as the target has them."""
        found = []
        for stored in self.oracle.of(self.place_of(DUE)).batches:
            if not stored.header.is_control:
                for record in iterate(stored.data):
                    source = dict(record.headers).get(SCHEDULED_FROM)
                    if source is not None:
                        found.append(int(source.decode().rpartition("@")[2]))
        return found

    def _cancels(self, records: dict[int, Written]) -> dict[str, int]:
        return {each.schedule_id or "": offset for offset, each in records.items() if each.is_cancel}

    def _is_all_fired(self) -> bool:
        """Looked at again only when more is committed."""
        committed = [len(self.oracle.of(self.place_of(at)).batches) for at in (LATER, DUE)]
        if committed != self._looked_at:
            self._looked_at, self._all_fired = committed, not self._unfired()
        return self._all_fired

    def _unfired(self) -> set[int]:
        """Those that were cancelled, by the log, may be fired or not."""
        records = self._records()
        cancels = self._cancels(records)
        wanted = {
            offset
            for offset, each in records.items()
            if not each.is_cancel and cancels.get(each.schedule_id or "-", -1) < offset
        }
        return wanted - set(self._fired())

    def _judge(self) -> None:
        records, fired = self._records(), self._fired()
        if len(set(fired)) != len(fired):
            raise Violation(f"fired twice: {sorted(offset for offset in set(fired) if fired.count(offset) > 1)}")
        named: set[int] = set()
        for at, timestamp, content in self._notes():
            entry = decode(content)
            if isinstance(entry, Returned):
                raise Violation("given back, although the target is there")
            if isinstance(entry, Intent):
                self._judge_intent(at, timestamp, content, [ref.offset for ref in decode_refs(entry.refs)], records)
                again = named & {ref.offset for ref in decode_refs(entry.refs)}
                if again:
                    raise Violation(f"intended twice: {sorted(again)}")
                named |= {ref.offset for ref in decode_refs(entry.refs)}
        if wrong := set(fired) - named:
            raise Violation(f"fired without an intent: {sorted(wrong)}")
        self.marks["fired"] += len(fired)
        self.marks["cancelled"] += sum(not each.is_cancel for each in records.values()) - len(fired)

    def _notes(self) -> Iterator[tuple[int, int, bytes]]:
        for stored in self.oracle.of(self.place_of(LATER)).batches:
            content = read_note(stored.data)
            if content is not None:
                yield stored.header.base_offset, stored.header.max_timestamp, content

    def _judge_intent(
        self, at: int, timestamp: int, content: bytes, offsets: list[int], records: dict[int, Written]
    ) -> None:
        order = [(records[offset].due_ms, offset) for offset in offsets]
        if early := [offset for due_ms, offset in order if due_ms > timestamp]:
            raise Violation(f"S1: the intent at {at} of {timestamp} names what is due later: {early}")
        if order != sorted(order):
            raise Violation(f"S3: the intent at {at} is out of order: {order}")
        cancels = self._cancels(records)
        for offset in offsets:
            name = records[offset].schedule_id or "-"
            cancel = cancels.get(name, -1)
            told_s = min((each.acknowledged_at.get(name, 1e9) for each in self.schedulers), default=1e9)
            if cancel > offset and told_s < self.written_at.get(content, 0.0):
                raise Violation(f"S6: the intent at {at} names {offset}, whose cancel was acknowledged before")
            self.marks["cancel acknowledged first"] += cancel > at


_append_note = append_note


# Planted bugs ---------------------------------------------------------------------------------------------------------


def _relay(**bug: bool) -> Callable[[], AbstractContextManager[Any]]:
    """The relay of every home has the bug."""
    return lambda: mock.patch.object(state, "RelayMachine", partial(RelayMachine, RelayBugs(**bug)))


class _UnsetClock:
    """Goes on from what it showed at its start, whoever sets the clock."""

    def __init__(self, clock: Any) -> None:
        self._clock = clock
        self._ahead_ms = clock.now() - int(clock.monotonic() * 1000)

    def now(self) -> Millis:
        return Millis(self._ahead_ms + int(self._clock.monotonic() * 1000))

    def monotonic(self) -> float:
        return float(self._clock.monotonic())


@contextmanager
def fires_by_a_clock_that_is_not_set() -> Iterator[None]:
    """What is due is found by how long ago the home began, and not by what the clock says."""
    of_outbox = outbox.Outbox.__init__

    def begin(self: outbox.Outbox, *arguments: Any, clock: Any, **others: Any) -> None:
        of_outbox(self, *arguments, clock=_UnsetClock(clock), **others)

    with mock.patch.object(outbox.Outbox, "__init__", begin):
        yield


def fires_what_is_being_cancelled() -> AbstractContextManager[Any]:
    """Intents are written although not all that was acknowledged has been taken in."""
    return ExitStackOf(
        mock.patch.object(intake.Intake, "is_level", property(lambda _: True)),
        mock.patch.object(intake.Intake, "take_in", _lazily(intake.Intake.take_in)),
    )


def _lazily(take_in: Any) -> Any:
    async def some_time(self: Any) -> bool:
        return bool(self._clock.now() % 7 < 2 and await take_in(self))

    return some_time


def forgets_what_was_intended() -> AbstractContextManager[Any]:
    """A start does not look at the intents of the leader before."""

    def opened(self: ScheduleMachine, refs: Any) -> None:
        if self.read_to > 0:
            _opened(self, refs)

    return mock.patch.object(ScheduleMachine, "opened", opened)


def forgets_in_snapshots_what_is_open() -> AbstractContextManager[Any]:
    """A snapshot says what waits, and not what is on its way."""
    return mock.patch.object(RelayMachine, "entries", lambda _self: ())


class ExitStackOf(ExitStack):
    def __init__(self, *contexts: AbstractContextManager[Any]) -> None:
        super().__init__()
        self._contexts = contexts

    def __enter__(self) -> "ExitStackOf":
        super().__enter__()
        for context in self._contexts:
            self.enter_context(context)
        return self


_opened = ScheduleMachine.opened

BUGS: dict[str, Bug] = {
    "done-before-append": Bug(None, stands_in=_relay(done_before_append=True), seed=1),
    "new-sequence-after-failover": Bug(None, stands_in=_relay(new_sequence_after_failover=True)),
    "forgets-an-intent": Bug(None, stands_in=_relay(forgets_an_intent=True), seed=1),
    "sends-before-replicated": Bug(None, stands_in=_relay(sends_before_replicated=True), seed=9),
    "fires-by-a-clock-that-is-not-set": Bug(None, stands_in=fires_by_a_clock_that_is_not_set),
    "fires-what-is-being-cancelled": Bug(None, stands_in=fires_what_is_being_cancelled),
    "forgets-what-was-intended": Bug(None, stands_in=forgets_what_was_intended),
    "forgets-in-snapshots-what-is-open": Bug(None, stands_in=forgets_in_snapshots_what_is_open, seed=6),
}
