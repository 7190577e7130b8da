"""Dead letters of a share partition, while its leaders are replaced, writes of its state are late, lost or unheard, and
the dead-letter topic is away, forgets producers, or answers and nobody hears it. In virtual time, from a seed.

What always holds: no record comes to the dead-letter topic twice. When nothing goes wrong any more, every record that
was given up is there, and so is every record whose rejection was answered.
"""

from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest
from tests.properties.relay_world import TargetLog
from tests.properties.test_share_delivery_simulation import KEY, RULES, Story

from penstock.delivery.dead_letters.home import DeadLetterHome
from penstock.delivery.dead_letters.metrics import DeadLetterMetrics
from penstock.delivery.dead_letters.topics import Place, Problem
from penstock.delivery.relay.bugs import NO_BUGS, RelayBugs
from penstock.delivery.relay.entries import Target
from penstock.delivery.relay.metrics import RelayMetrics
from penstock.delivery.relay.sender import TargetGone
from penstock.delivery.shares.metrics import ShareMetrics
from penstock.delivery.shares.settling import ACCEPT, REJECT
from penstock.delivery.shares.share_partition import SharePartition
from penstock.errors import NetworkFailure
from penstock.model import TopicId
from penstock.replication import RecordBytes
from penstock.wire.batch import BatchHeader
from penstock.wire.records import Record, build_batch, iterate

SEEDS = 100
BUG_SEEDS = 250
DROPPING_SEEDS = 40
TARGET = Target("dlq", TopicId(b"d" * 16), 0)
WITH_DEAD_LETTERS = msgspec.structs.replace(RULES, dead_letter_topic="dlq", delivery_limit=3)
FAULTS = {"target lost it", "answer lost", "target forgot", "target failed over", "no target", "another leader"}


class Topics:
    """Where the letters go, if anywhere."""

    def __init__(self, story: "DeadLetterStory") -> None:
        self._story = story
        self.is_there = True

    def find(self, *_: object) -> Place | Problem:
        is_there = self.is_there or self._story.is_calm
        return Place(TARGET, 1_000_000, copies=True) if is_there else Problem("it is away")

    def batch_bytes_max(self, _: Target) -> int:
        return 1_000_000

    def create_soon(self, _: Problem) -> None: ...


class Sender:
    """The target partition behind a network."""

    def __init__(self, story: "DeadLetterStory") -> None:
        self._story = story
        self.log = TargetLog()

    async def end_of(self, _: Target) -> int:
        await self._story.passing()
        return len(self.log.batches)

    async def send(self, target: Target, batch: bytearray, *, from_offset: int) -> int:
        fate = self._story.fate(["done", "target lost it", "answer lost"], [6, 1, 1])
        await self._story.passing()
        if fate == "target lost it" or self._story.is_target_away:
            raise NetworkFailure
        if target != TARGET:
            raise TargetGone
        header = BatchHeader.peek(batch)
        sent = SimpleNamespace(
            producer_id=header.producer_id, epoch=header.producer_epoch, sequence=header.base_sequence,
            count=header.record_count, from_offset=from_offset,
        )  # fmt: skip
        numbers = [int(dict(each.headers)["__dlq.errors.offset"] or b"") for each in iterate(bytes(batch))]
        behind = self.log.append(cast(Any, sent), numbers)
        self.log.high_watermark = len(self.log.batches)
        await self._story.passing()
        if fate == "answer lost":
            raise NetworkFailure
        return behind

    def letters(self) -> list[int]:
        return [number for *_, numbers in self.log.batches for number in numbers]


class DeadLetterStory(Story):
    rules = WITH_DEAD_LETTERS

    def __init__(self, seed: int, relay_bugs: RelayBugs = NO_BUGS) -> None:
        super().__init__(seed)
        self.relay_bugs = relay_bugs
        self.topics = Topics(self)
        self.sender = Sender(self)
        self.is_target_away = False
        self.metrics = DeadLetterMetrics()
        self.marks: set[str] = set()
        self.accepted: set[int] = set()
        self.rejected: set[int] = set()
        self._last_id = 1_000

    def fate(self, fates: list[str], weights: list[int]) -> str:
        fate = fates[0] if self.is_calm else self.dice.choices(fates, weights)[0]
        self.marks.add(fate)
        return fate

    async def passing(self) -> None:
        await self._pass(self.dice.random())

    async def next_producer_id(self) -> int:
        await self.passing()
        self._last_id += 1
        return self._last_id

    # What happens ---------------------------------------------------------------------------------------------------

    def wait(self) -> None:
        """In the place of nothing."""
        fate = self.fate(["done", "target forgot", "target failed over", "no target"], [12, 1, 1, 1])
        self.topics.is_there = fate != "no target"
        if fate == "target forgot":
            self.sender.log.forget()
        elif fate == "target failed over":
            self.sender.log.fail_over()

    def open(self) -> None:
        former = getattr(self, "share", None)
        if former is not None:
            self.marks.add("another leader")
        partition = SimpleNamespace(
            leader_epoch=self.epoch, start_offset=0, high_watermark=self.end, topic="orders",
            reader=SimpleNamespace(earliest_offset=lambda: (0, 0), read=self.read),
        )  # fmt: skip
        self.share = SharePartition(
            KEY, cast(Any, partition), states=self.states, rules=lambda: self.rules, clock=self.clock,
            spawn=self.loop.spawn, metrics=ShareMetrics(), on_fenced=SharePartition.drop, on_idle=lambda _: None,
            new_archiver=self.home_of,
        )  # fmt: skip
        for member in self.members:
            member.die()
            self.share.waiters[cast(Any, member)] = None
        if former is not None:
            former.drop()
        self.loop.spawn(self.share.load())

    def home_of(self, share: SharePartition, relay: bytes) -> DeadLetterHome:
        return DeadLetterHome(
            share, relay, topics=cast(Any, self.topics), sender=cast(Any, self.sender),
            next_producer_id=self.next_producer_id, clock=self.clock, spawn=self.loop.spawn,
            metrics=self.metrics, relay_metrics=RelayMetrics(), bugs=self.relay_bugs,
        )  # fmt: skip

    def read(self, offset: int, **_: object) -> SimpleNamespace:
        span = next(each for each in self.log if each.last >= offset)
        records = [Record(each, 0, None, b"%d" % each) for each in range(span.first, span.last + 1)]
        return SimpleNamespace(records=RecordBytes(bytes(build_batch(records))))

    def answered(self, said: dict[int, int], kind: int) -> None:
        super().answered(said, kind)
        if kind == ACCEPT:
            self.accepted |= set(said)
        elif kind == REJECT:
            self.rejected |= set(said)

    # What always holds ----------------------------------------------------------------------------------------------

    def check_the_end(self) -> None:
        super().check_the_end()
        letters = self.sender.letters()
        assert len(set(letters)) == len(letters), f"twice: {sorted(n for n in set(letters) if letters.count(n) > 1)}"
        # Who speaks of a record that is done, because its lock had ended, hears no refusal.
        lost = self.rejected - self.accepted - set(letters)
        assert not lost, f"rejected and not there: {sorted(lost)}"
        kept = self.states.of(KEY)
        given_up = {offset for offset, (state, _) in kept.cells.items() if state == 4}
        assert given_up <= set(letters), f"given up and not there: {sorted(given_up - set(letters))}"


class DroppingStory(DeadLetterStory):
    """Of a group that does not hold, and whose dead-letter topic takes nothing."""

    rules = msgspec.structs.replace(WITH_DEAD_LETTERS, drops_dead_letters=True)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.is_target_away = True

    def check_the_end(self) -> None:
        Story.check_the_end(self)
        given_up = sum(state == 4 for state, _ in self.states.of(KEY).cells.values())
        assert self.sender.letters() == []
        assert self.metrics.failed >= given_up  # a leader may not have written that it dropped them


def is_found(seed: int, bugs: RelayBugs) -> bool:
    try:
        DeadLetterStory(seed, bugs).run()
    except AssertionError:
        return True
    return False


def test_what_is_given_up_comes_to_the_dead_letter_topic_once() -> None:
    marks: set[str] = set()
    for seed in range(SEEDS):
        story = DeadLetterStory(seed)
        try:
            story.run()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}") from error
        marks |= story.marks
    assert marks >= FAULTS


@pytest.mark.parametrize("name", RelayBugs.__struct_fields__)
def test_a_planted_bug_is_found(name: str) -> None:
    assert any(is_found(seed, RelayBugs(**{name: True})) for seed in range(BUG_SEEDS)), f"not in {BUG_SEEDS} seeds"


def test_a_group_that_drops_is_done_though_its_dead_letter_topic_takes_nothing() -> None:
    dropped = 0
    for seed in range(DROPPING_SEEDS):
        story = DroppingStory(seed)
        story.run()
        dropped += story.metrics.failed
    assert dropped
