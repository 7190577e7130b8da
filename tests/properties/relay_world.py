"""A relay in a world of its own: a home with leaders that come and go, a target that forgets, and a network between.

Real are the relay's machine and its entries, and what a partition checks of producers. Everything else is a model: the
home's log is a list, of which some is replicated; a leader that was replaced goes on as long as the story likes; the
target's leader may fail, may forget producers, may take no large batches, and what is sent may be late, twice or lost.

There are two kinds of home. One keeps every entry, as schedules do; of the other the newest state counts, as of a share
partition: all that is open and all that is finished, with each write.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from penstock.delivery.dead_letters.refs import decode_relay, encode_relay
from penstock.delivery.relay.bugs import NO_BUGS, RelayBugs
from penstock.delivery.relay.entries import Entry, Target, decode, encode
from penstock.delivery.relay.machine import Answer, RelayMachine, Send, Start, Write
from penstock.errors import OutOfOrderSequence, Refusal
from penstock.log.producers.checks import check_batch
from penstock.log.producers.producer import Batch, ProducerState
from penstock.model import TopicId
from penstock.wire.batch import BatchHeader

RECORDS = 30
TARGET = Target("orders", TopicId(b"o" * 16), 0)
STEPS = 400
HEALING_STEPS = 3_000


class Violation(Exception):
    """A promise was broken."""


def refs_of(numbers: list[int]) -> bytes:
    return bytes(numbers)


class TargetLog:
    """The target partition, and its leader's memory of producers."""

    def __init__(self) -> None:
        self.batches: list[tuple[int, int, int, tuple[int, ...]]] = []
        """Producer id, epoch, first sequence, records."""
        self.high_watermark = 0
        self.states: dict[int, ProducerState] = {}
        self.leader_epoch = 0
        self.lost: set[int] = set()

    def append(self, send: Send, records: list[int]) -> int:
        """The offset behind the batch."""
        if len(self.batches) < send.from_offset:
            raise OutOfOrderSequence
        if send.producer_id not in self.states:
            self._recall(send.producer_id, send.from_offset)
        state = self.states.get(send.producer_id)
        if state is not None:
            try:
                duplicate = check_batch(state, header_of(send))
            except OutOfOrderSequence:
                return self._look_for(send) + 1
            if duplicate is not None:
                return duplicate.base_offset + 1
        self._note(send.producer_id, send.epoch, send.sequence, len(records), len(self.batches))
        self.batches.append((send.producer_id, send.epoch, send.sequence, tuple(records)))
        return len(self.batches)

    def _recall(self, producer_id: int, from_offset: int) -> None:
        for offset, (known_id, epoch, sequence, records) in enumerate(self.batches):
            if offset >= from_offset and known_id == producer_id:
                self._note(producer_id, epoch, sequence, len(records), offset)

    def _look_for(self, send: Send) -> int:
        """Somebody else's question may have brought only the newest batches back to mind."""
        for offset, (producer_id, epoch, sequence, records) in enumerate(self.batches):
            same = (send.producer_id, send.epoch, send.sequence, send.count)
            if offset >= send.from_offset and (producer_id, epoch, sequence, len(records)) == same:
                return offset
        raise OutOfOrderSequence

    def _note(self, producer_id: int, epoch: int, sequence: int, count: int, offset: int) -> None:
        state = self.states.setdefault(producer_id, ProducerState(producer_id, epoch))
        state.move_to(epoch)
        state.remember(Batch(sequence, offset, count - 1, 0))

    def forget(self) -> None:
        self.states.clear()

    def fail_over(self) -> None:
        """The next leader has what is replicated, and knows the producers of that unless it never did."""
        self.leader_epoch += 1
        del self.batches[self.high_watermark :]
        known = set(self.states)
        self.states = {}
        for offset, (producer_id, epoch, sequence, records) in enumerate(self.batches):
            if producer_id in known:
                self._note(producer_id, epoch, sequence, len(records), offset)

    def lose_records(self) -> None:
        """An election that was not clean: the newest that was acknowledged is gone."""
        self.lost |= set(self.batches[-1][-1]) if self.batches else set()
        self.high_watermark = max(0, len(self.batches) - 1)
        self.fail_over()


def header_of(send: Send) -> BatchHeader:
    delta = send.count - 1
    return BatchHeader(0, 0, 0, 2, 0, 0, delta, 0, 0, send.producer_id, send.epoch, send.sequence, send.count)


class HomeLeader:
    """One broker that leads the home, or believes so. Its log keeps entries."""

    def __init__(self, world: "RelayWorld", log: list[bytes], bugs: RelayBugs) -> None:
        self.world = world
        self.machine = RelayMachine(bugs)
        self.waiting = list(range(RECORDS))
        self.finished: set[int] = set()
        self.log = log
        self.replicated = 0
        self._replay()
        self.machine.loaded(world.now)
        self.machine.replicated_to(self.replicated)

    def _replay(self) -> None:
        for position, data in enumerate(self.log, 1):
            self._take(decode(data), position)

    @property
    def is_leader(self) -> bool:
        return self.world.leader is self

    def write(self, entry: Entry) -> None:
        """A leader that was replaced appends to a log that nobody replicates."""
        self.log.append(encode(entry))
        self._take(entry, len(self.log))

    def _take(self, entry: Entry, position: int) -> None:
        change = self.machine.apply(entry, position)
        if change.opened is not None:
            self.waiting = [number for number in self.waiting if number not in change.opened]
        for refs in change.finished:
            self.finished |= set(refs)
        for refs in change.returned:
            self.waiting = sorted([*refs, *self.waiting])

    def turn(self) -> None:
        now, chance = self.world.now, self.world.chance
        if self.is_leader and chance.random() < 0.5:
            self.replicated = self.world.committed = len(self.log)
            self.machine.replicated_to(self.replicated)
        if self.waiting and self.machine.has_room(TARGET, now) and chance.random() < 0.6:
            some = self.waiting[: chance.randint(1, 4)]
            self.write(self.machine.intent(TARGET, refs_of(some), len(some)))
        for step in self.machine.steps(now):
            match step:
                case Write():
                    self.write(step.entry)
                case Start():
                    self.world.send(lambda step=step: self._start(step))  # type: ignore[misc]
                case Send():
                    self.world.send(lambda step=step: self._deliver(step), self._lost(step))  # type: ignore[misc]

    def _lost(self, step: Send) -> Callable[[], None]:
        return lambda: self.machine.answered(step, Answer.LATER, self.world.now)

    def _deliver(self, step: Send) -> Iterator[Any]:
        target = self.world.target
        leader_epoch = target.leader_epoch
        try:
            behind = target.append(step, list(step.refs))
        except Refusal:
            yield
            self.machine.answered(step, Answer.OUT_OF_ORDER, self.world.now)
            return
        yield
        if behind > target.high_watermark or target.leader_epoch != leader_epoch:  # not replicated in time
            self.machine.answered(step, Answer.LATER, self.world.now)
        else:
            self.machine.answered(step, Answer.TAKEN, self.world.now, offset=behind)

    def _start(self, step: Start) -> Iterator[Any]:
        yield
        end, now = self.world.target.high_watermark, self.world.now
        self.machine.started(step, producer_id=self.world.next_id(), from_offset=end, now=now)


class StateKeeper(HomeLeader):
    """One whose log keeps states, of which the newest counts."""

    def _replay(self) -> None:
        if self.log:
            relay, finished = msgspec.msgpack.decode(self.log[-1], type=tuple[bytes, list[int]])
            self.finished = set(finished)
            for entry in decode_relay(relay)[1]:
                self._take(entry, len(self.log))
            self.waiting = [number for number in self.waiting if number not in self.finished]

    def write(self, entry: Entry) -> None:
        self._take(entry, len(self.log) + 1)
        relay = encode_relay(len(self.log) + 1, self.machine.entries())
        self.log.append(msgspec.msgpack.encode((relay, sorted(self.finished))))


class RelayWorld:
    def __init__(self, seed: int, bugs: RelayBugs = NO_BUGS, home: type[HomeLeader] = HomeLeader) -> None:
        self.home = home
        self.chance = random.Random(seed)
        self.may_lose_records = seed % 4 == 0
        self.bugs = bugs
        self.now = 0
        self.target = TargetLog()
        self.committed = 0
        self.leader: HomeLeader | None = None
        self.zombies: list[HomeLeader] = []
        self.under_way: list[tuple[int, Callable[[], object]]] = []
        self.marks: set[str] = set()
        self.is_healed = False
        self._last_id = 1000
        self.leader = home(self, [], bugs)

    def next_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def send(self, deliver: Callable[[], Iterator[Any]], lost: Callable[[], None] | None = None) -> None:
        """It arrives, after a while; and the answer after another. With `lost` it may be taken for lost before."""
        work = deliver()

        def go_on() -> None:
            if next(work, "over") != "over":
                self._later(go_on)

        if lost is not None and not self.is_healed and self.chance.random() < 0.15:
            self.marks.add("lost")
            self._later(lost)
            if self.chance.random() < 0.7:  # it is under way all the same: its answer is not heard
                self.marks.add("late")
                self._later(lambda: next(work, None), slowest=200)
            return
        self._later(go_on)

    def _later(self, call: Callable[[], object], slowest: int = 20) -> None:
        self.under_way.append((self.now + self.chance.randint(1, slowest), call))

    def run(self) -> None:
        for _ in range(STEPS):
            self._turn()
        self.is_healed = True
        for _ in range(HEALING_STEPS):
            self._turn()
            assert self.leader is not None
            if len(self.leader.finished) == RECORDS:
                break
        self._check(is_over=True)

    def _turn(self) -> None:
        self.now += 5
        due = [call for at, call in self.under_way if at <= self.now]
        self.under_way = [(at, call) for at, call in self.under_way if at > self.now]
        self.chance.shuffle(due)
        for call in due:
            call()
        if self.chance.random() < 0.6:
            self.target.high_watermark = len(self.target.batches)
        for leader in [self.leader, *self.zombies]:
            assert leader is not None
            if leader.is_leader or self.chance.random() < 0.5:
                leader.turn()
        if not self.is_healed:
            self._fault()
        self._check()

    def _fault(self) -> None:
        chance = self.chance.random()
        if chance < 0.02:
            self.marks.add("home failed over")
            assert self.leader is not None
            self.zombies = [*self.zombies[-1:], self.leader]
            kept = self.chance.randint(self.committed, len(self.leader.log))
            self.leader = self.home(self, self.leader.log[:kept], self.bugs)
        elif chance < 0.03:
            self.marks.add("target failed over")
            self.target.fail_over()
        elif chance < 0.04:
            self.marks.add("target forgot")
            self.target.forget()
        elif chance < 0.041 and self.may_lose_records:
            self.marks.add("target lost records")
            self.target.lose_records()

    def _check(self, *, is_over: bool = False) -> None:
        there = [number for *_, records in self.target.batches[: self.target.high_watermark] for number in records]
        if len(set(there)) != len(there):
            raise Violation(f"twice: {sorted(number for number in set(there) if there.count(number) > 1)}")
        if there != sorted(there):
            raise Violation(f"out of order: {there}")
        there += self.target.lost  # by an election that was not clean, whether it was acknowledged or not
        assert self.leader is not None
        if missing := self.leader.finished - set(there):
            raise Violation(f"done and not there: {sorted(missing)}")
        if is_over and len(set(there)) != RECORDS:
            raise Violation(f"never came: {sorted(set(range(RECORDS)) - set(there))}")


def story(
    seed: int, bugs: RelayBugs = NO_BUGS, home: type[HomeLeader] = HomeLeader
) -> tuple[Violation | None, set[str]]:
    world = RelayWorld(seed, bugs, home)
    try:
        world.run()
    except Violation as violation:
        return violation, world.marks
    return None, world.marks
