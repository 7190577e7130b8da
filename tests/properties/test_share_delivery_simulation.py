"""Members of a share group at the leaders of a partition: records given out, answered, given back, forgotten by members
that die; locks that end, writes that come late, fail or fail after they were done, leaders that are replaced; in
virtual time, from a seed that a failure prints.

What always holds: a record whose acceptance or rejection was answered is not given out again; it is with one member at
most; its delivery count goes on from what was answered. When nothing goes wrong any more, every record is done, and
each was given to somebody: by members that fetch only when they are told that there may be something.
"""

import random
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest
from simulation.clock import SimulatedClock
from simulation.loop import SimulatedLoop
from tests.support.share_states import StatesInMemory

from penstock.coordinators.shares.states import SharePartitionKey, ShareState
from penstock.delivery.shares.acquiring import BatchSpan, Wanted
from penstock.delivery.shares.bugs import NO_BUGS, ShareBugs
from penstock.delivery.shares.metrics import ShareMetrics
from penstock.delivery.shares.ranges import ACQUIRED
from penstock.delivery.shares.rules import ShareRules
from penstock.delivery.shares.settling import ACCEPT, REJECT, RELEASE, RENEW, Said
from penstock.delivery.shares.share_partition import SharePartition
from penstock.errors import CoordinatorNotAvailable, Refusal
from penstock.model import TopicId

STEPS = 120
SEEDS = 120
BUG_SEEDS = 300
KEY = SharePartitionKey("workers", TopicId(b"x" * 16), 0)
RULES = ShareRules(reset="earliest", lock_ms=3_000, delivery_limit=6, locks_max=20)
CALM_S = 120.0


class LateStates(StatesInMemory):
    """Writes take their time; some are refused, before or after they are done."""

    def __init__(self, dice: random.Random, loop: SimulatedLoop) -> None:
        super().__init__()
        self._dice = dice
        self._loop = loop
        self.is_calm = False

    async def write(self, key: SharePartitionKey, **what: Any) -> None:
        fate = "done" if self.is_calm else self._dice.choices(["done", "refused", "unheard"], [8, 1, 1])[0]
        await self._wait()
        if fate == "refused":
            raise CoordinatorNotAvailable
        await super().write(key, **what)
        if fate == "unheard":
            raise CoordinatorNotAvailable
        await self._wait()

    async def read(self, key: SharePartitionKey, *, leader_epoch: int) -> ShareState:
        await self._wait()
        return await super().read(key, leader_epoch=leader_epoch)

    async def _wait(self) -> None:
        done = self._loop.create_future()
        self._loop.call_later(self._dice.random(), done.set_result, None)
        await done


class Member:
    """Holds what it was given, and looks for more only when it is told."""

    def __init__(self, story: "Story", name: str) -> None:
        self.story = story
        self.name = name
        self.has: dict[int, int] = {}
        """How manieth deliveries, by offset, of what it was given and has not answered."""

    def partition_moved(self) -> None:
        if self.story.is_calm:
            self.story.loop.call_soon(self.work)

    def fetch(self) -> None:
        story, share = self.story, self.story.reopened()
        offset = share.read_from()
        if offset is None or share.machine is None or offset >= story.end:
            share.waiters[cast(Any, self)] = None
            return
        batches = [batch for batch in story.log if batch.last >= offset][: story.dice.randint(1, 3)]
        wanted = Wanted(self.name, story.dice.randint(1, 8), story.dice.randint(1, 4), story.dice.random() < 0.3)
        until = share.machine.useful_until(offset, wanted, RULES)
        batches = [batch for batch in batches if batch.first <= until] or batches[:1]
        given = share.machine.acquire(wanted, RULES, now=story.clock.monotonic(), asked_from=offset, batches=batches)
        share.given_out(given)
        for row in given:
            for each in range(row.first, row.last + 1):
                story.gave(each, row.deliveries, self)
                self.has[each] = row.deliveries

    def answer(self, kinds: Sequence[int]) -> None:
        """A run of what it has, all in one way."""
        if not self.has:
            return
        first = self.story.dice.choice(sorted(self.has))
        last = first
        while last + 1 in self.has and self.story.dice.random() < 0.7:
            last += 1
        self.say(first, last, self.story.dice.choice(kinds))

    def say(self, first: int, last: int, kind: int) -> None:
        story = self.story
        said = {offset: self.has[offset] for offset in range(first, last + 1)}
        if kind != RENEW:
            for offset in said:
                del self.has[offset]
        try:
            promise = story.share.acknowledge(self.name, [Said(first, last, [kind])])
        except Refusal:
            return
        promise.add_done_callback(lambda done: None if done.exception() else story.answered(said, kind))

    def work(self) -> None:
        """When all is well: take everything, accept everything."""
        share = self.story.reopened()
        share.waiters.pop(cast(Any, self), None)
        while True:
            before = len(self.has)
            self.fetch()
            if len(self.has) == before:
                break
        for offset in sorted(self.has):
            self.say(offset, offset, ACCEPT)

    def die(self) -> None:
        """Without a word: its locks end."""
        self.has.clear()

    def hang_up(self) -> None:
        self.has.clear()
        self.story.share.release(self.name)
        self.story.share.tell()


class Story:
    def __init__(self, seed: int, bugs: ShareBugs = NO_BUGS) -> None:
        self.dice = random.Random(seed)
        self.loop = SimulatedLoop()
        self.clock = SimulatedClock(self.loop)
        self.states = LateStates(self.dice, self.loop)
        self.bugs = bugs
        self.log: list[BatchSpan] = []
        self.epoch = 0
        self.is_calm = False
        self.given: set[int] = set()
        self.finished: set[int] = set()
        """Accepted or rejected, and answered."""
        self.counts: dict[int, int] = {}
        """The highest delivery count of which a release was answered."""
        self.members = [Member(self, name) for name in ("a", "b", "c")]
        self.share: SharePartition

    @property
    def end(self) -> int:
        return self.log[-1].last + 1 if self.log else 0

    # What happens ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        self.loop.spawn(self._tell())
        try:
            self.loop.run(until_s=self.loop.time() + STEPS + CALM_S)
            self.check_the_end()
        finally:
            self.loop.close()

    async def _tell(self) -> None:
        await self.states.initialize(KEY, state_epoch=1, start_offset=-1)
        self.lead()
        acts: list[Callable[[], None]] = [
            self.produce,
            self.fetch,
            self.fetch,
            self.answer,
            self.answer,
            self.wait,
            self.wait,
            self.leave,
        ]
        rare: list[Callable[[], None]] = [self.lead, self.die]
        for _ in range(STEPS):
            self.dice.choice(rare if self.dice.random() < 0.08 else acts)()
            await self._pass(self.dice.random())
        for member in self.members:
            member.die()
        self.is_calm = self.states.is_calm = True
        for member in self.members:
            member.work()
        idle = 0
        while True:
            await self._pass(0.1)
            offset = self.share.read_from()
            is_idle = offset is not None and offset < self.end and len(self.share.waiters) == len(self.members)
            idle = idle + 1 if is_idle else 0
            assert idle < 3, f"{offset} could be given out, all members wait, and nobody tells them"

    async def _pass(self, seconds: float) -> None:
        done = self.loop.create_future()
        self.loop.call_later(seconds, done.set_result, None)
        await done

    def produce(self) -> None:
        self.log.append(BatchSpan(self.end, self.end + self.dice.randint(0, 4)))
        cast(Any, self.share.partition).high_watermark = self.end
        self.share.tell()

    def fetch(self) -> None:
        self.dice.choice(self.members).fetch()

    def answer(self) -> None:
        self.dice.choice(self.members).answer((ACCEPT, ACCEPT, RELEASE, RELEASE, REJECT, RENEW))

    def wait(self) -> None: ...

    def leave(self) -> None:
        if self.dice.random() < 0.3:
            self.dice.choice(self.members).hang_up()

    def die(self) -> None:
        self.dice.choice(self.members).die()

    def reopened(self) -> SharePartition:
        """What could not be read is read anew when somebody fetches."""
        if self.share.failure is not None:
            self.open()
        return self.share

    def lead(self) -> None:
        """The next leader. What the former one is writing may still be done; members learn that it is gone."""
        self.epoch += 1
        self.open()

    def open(self) -> None:
        former = getattr(self, "share", None)
        partition = SimpleNamespace(
            leader_epoch=self.epoch, start_offset=0, high_watermark=self.end,
            reader=SimpleNamespace(earliest_offset=lambda: (0, 0)),
        )  # fmt: skip
        self.share = SharePartition(
            KEY, cast(Any, partition), states=self.states, rules=lambda: RULES, clock=self.clock,
            spawn=self.loop.spawn, metrics=ShareMetrics(), on_fenced=SharePartition.drop, on_idle=lambda _: None,
            bugs=self.bugs,
        )  # fmt: skip
        for member in self.members:
            member.die()
        if former is not None:
            former.drop()
        for member in self.members:
            self.share.waiters[cast(Any, member)] = None
        self.loop.spawn(self.share.load())

    # What always holds ----------------------------------------------------------------------------------------------

    def gave(self, offset: int, deliveries: int, to: Member) -> None:
        self.given.add(offset)
        assert offset < self.end
        assert offset not in self.finished, f"{offset} is given out again, after it was answered that it is done"
        assert deliveries <= RULES.delivery_limit
        assert deliveries > self.counts.get(offset, 0), f"{offset} begins to be counted anew"
        holders = {each.member for each in self.machine_ranges() if each.first <= offset <= each.last}
        assert holders == {to.name}

    def machine_ranges(self) -> list[Any]:
        assert self.share.machine is not None
        return [each for each in self.share.machine.window.ranges if each.state == ACQUIRED]

    def answered(self, said: dict[int, int], kind: int) -> None:
        for offset, deliveries in said.items():
            if kind in (ACCEPT, REJECT):
                self.finished.add(offset)
            elif kind == RELEASE:
                self.counts[offset] = max(self.counts.get(offset, 0), deliveries)

    def check_the_end(self) -> None:
        machine = self.share.machine
        assert machine is not None
        assert self.given == set(range(self.end)), "records that nobody was given"
        assert machine.start_offset == self.end, f"all is done but {machine.window.ranges}"


def is_found(seed: int, bugs: ShareBugs) -> bool:
    try:
        Story(seed, bugs).run()
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_was_answered_is_done_and_all_is_done_in_the_end(seed: int) -> None:
    Story(seed).run()


@pytest.mark.parametrize("name", ShareBugs.__struct_fields__)
def test_a_planted_bug_is_found(name: str) -> None:
    assert any(is_found(seed, ShareBugs(**{name: True})) for seed in range(BUG_SEEDS)), f"not in {BUG_SEEDS} seeds"
