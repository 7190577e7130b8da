"""Leaders of a partition that write to the share machine, lost answers, repeats that come late, a log that is cut at
its beginning while its end is not replicated yet, and coordinators that move; from a seed that a failure prints.

After every step: what a leader of the partition was told is kept is in whatever is read later; what is read was
written, and by nobody whom a later leader had fenced when it asked; the start does not go back; a machine that replays
what is left of the log equals the one that wrote it.
"""

import random
from collections import defaultdict
from typing import Any, NamedTuple

import pytest
from tests.support.share_machine import KEY, ShareWorld, batch, initialize, known, write

from penstock.coordinators.decision import RUNNER, Command
from penstock.coordinators.shares import commands
from penstock.coordinators.shares.bugs import NO_BUGS, ShareBugs
from penstock.coordinators.shares.state import ShareLimits
from penstock.coordinators.shares.states import SharePartitionKey, ShareState
from penstock.errors import FencedLeaderEpoch, Refusal

STEPS = 150
SEEDS = 120
BUG_SEEDS = 400
KEYS = [KEY._replace(group_id=name) for name in ("a", "b", "cold")]
Standing = tuple[int, int, int]


class Held(NamedTuple):
    """An answer that waits for the log to be replicated so far."""

    position: int
    asked: Command
    value: Any


class Story:
    """What anybody may know of one share partition."""

    def __init__(self) -> None:
        self.leader_epoch = 0
        """The latest whose read was answered."""
        self.found: dict[int, Standing] = {}
        """What it found."""
        self.asked: defaultdict[int, set[tuple[int, Standing]]] = defaultdict(set)
        """What was ever to be written of an offset, and by the leader of which epoch."""
        self.told: dict[int, Standing] = {}
        self.start_told = self.start_asked = 0

    def ask(self, asked: commands.Write) -> None:
        self.start_asked = max(self.start_asked, asked.progress.start_offset)
        for offset, standing in standings(asked):
            self.asked[offset].add((asked.leader_epoch, standing))

    def answer(self, asked: commands.Write, leader_epoch_then: int) -> None:
        assert asked.leader_epoch >= leader_epoch_then, f"{asked} was carried out after epoch {leader_epoch_then} read"
        self.start_told = max(self.start_told, asked.progress.start_offset)
        for offset, standing in standings(asked):
            self.told[offset] = max(self.told.get(offset, (0, 0, 0)), standing)

    def read(self, epoch: int, state: ShareState) -> None:
        kept = dict(standings(state))
        assert self.start_told <= state.start_offset <= self.start_asked, f"the start is {state.start_offset}"
        for offset, standing in self.told.items():
            lost = offset >= state.start_offset and kept.get(offset, (0, 0, 0)) < standing
            assert not lost, f"{offset} was told to be {standing}, and is {kept.get(offset)}"
        for offset, standing in kept.items():
            writers = {writer for writer, asked in self.asked[offset] if asked == standing}
            is_known = self.found.get(offset) == standing or any(writer >= self.leader_epoch for writer in writers)
            assert is_known, f"{offset} is {standing}, which leaders {writers} asked for; {self.leader_epoch} had read"
        if epoch > self.leader_epoch:
            self.leader_epoch, self.found = epoch, kept


def standings(batches: Any) -> list[tuple[int, Standing]]:
    return [(n, each.standing) for each in batches.batches for n in range(each.first_offset, each.last_offset + 1)]


class Simulation:
    def __init__(self, seed: int, bugs: ShareBugs = NO_BUGS, *, cuts_at_once: bool = False) -> None:
        self.dice = random.Random(seed)
        self.keys = self.dice.choice((KEYS, KEYS[:1]))
        self.world = ShareWorld(ShareLimits(updates_per_snapshot=3, cold_after_ms=200), bugs=bugs)
        self.cuts_at_once = cuts_at_once
        """A planted bug: the log is cut before a snapshot that only this coordinator has."""
        self.high_watermark = 0
        self.held: list[Held] = []
        self.stories: dict[SharePartitionKey, Story] = {key: Story() for key in self.keys}
        self.epochs = dict.fromkeys(self.keys, 0)
        self.unanswered: list[tuple[commands.Write, int]] = []
        """Writes whose answer was lost, or is late; and whom their leader could have known of."""
        for key in self.keys:
            self.world.do(initialize(key))
        self.replicate(len(self.world.log))

    def run(self) -> None:
        steps = (self.write, self.write, self.write, self.repeat, self.read, self.lead, self.catch_up, self.catch_up,
                 self.cut, self.look_for_cold, self.move)  # fmt: skip
        for _ in range(STEPS):
            self.dice.choice(steps)()
            self.world.pass_ms(self.dice.randrange(40))
            if not self.world.bugs.ignores_leader_epochs:
                assert known(self.world.replayed()) == known(self.world.machine)
        self.replicate(len(self.world.log))
        for key in self.keys:
            self.send(commands.Read(key=key, leader_epoch=self.epochs[key]), self.stories[key].leader_epoch)

    # What is asked

    def send(self, asked: Command, leader_epoch_then: int) -> None:
        try:
            decision = self.world.do(asked)
        except FencedLeaderEpoch:
            return
        except Refusal as refusal:
            raise AssertionError(f"{asked} is refused: {refusal}") from refusal
        for reply in decision.replies:
            self.held.append(Held(len(self.world.log), asked, (reply.address, reply.value, leader_epoch_then)))
        self.release()

    def write(self) -> None:
        """By the leader, or by one who does not know that it is one no longer."""
        key = self.dice.choice(self.keys[:2] if self.dice.random() < 0.9 else self.keys)
        epoch = max(self.epochs[key] - self.dice.choice((0, 0, 0, 1)), 0)
        story, first = self.stories[key], self.dice.randrange(30)
        rows = [batch(first, first + self.dice.randrange(3), self.dice.choice((0, 2, 4)), self.dice.randrange(1, 4))]
        start = self.dice.choice((-1, -1, story.start_asked, story.start_asked + self.dice.randrange(3)))
        asked = write(*rows, key=key, leader_epoch=epoch, start=start, complete=self.dice.randrange(5))
        story.ask(asked)
        if self.dice.random() < 0.2:
            self.unanswered.append((asked, story.leader_epoch))
        if self.dice.random() < 0.9:
            self.send(asked, story.leader_epoch)

    def repeat(self) -> None:
        """Late, and perhaps not for the first time."""
        if self.unanswered:
            asked, leader_epoch_then = self.unanswered.pop(self.dice.randrange(len(self.unanswered)))
            self.send(asked, leader_epoch_then)

    def read(self) -> None:
        key = self.dice.choice(self.keys)
        self.send(commands.Read(key=key, leader_epoch=self.epochs[key]), 0)

    def lead(self) -> None:
        """Another broker leads the partition, and reads."""
        key = self.dice.choice(self.keys)
        self.epochs[key] += 1
        self.send(commands.Read(key=key, leader_epoch=self.epochs[key]), 0)

    # What happens to the coordinator

    def catch_up(self) -> None:
        self.replicate(self.dice.randint(self.high_watermark, len(self.world.log)))

    def replicate(self, upto: int) -> None:
        self.high_watermark = max(self.high_watermark, upto)
        self.release()

    def release(self) -> None:
        while self.held and self.held[0].position <= self.high_watermark:
            _, asked, (address, value, leader_epoch_then) = self.held.pop(0)
            if address == RUNNER:
                self.cut_at(value.before)
            elif isinstance(asked, commands.Write):
                self.stories[asked.key].answer(asked, leader_epoch_then)
            elif isinstance(asked, commands.Read):
                self.stories[asked.key].read(asked.leader_epoch, value)

    def cut(self) -> None:
        if self.cuts_at_once:
            (reply,) = self.world.do(commands.PruneDue()).replies
            self.cut_at(min(reply.value.before, self.high_watermark))
        else:
            self.send(commands.PruneDue(), 0)

    def cut_at(self, before: int) -> None:
        if before <= self.high_watermark:  # the partition refuses anything else
            self.world.start_offset = max(self.world.start_offset, before)

    def look_for_cold(self) -> None:
        self.send(commands.ColdDue(), 0)

    def move(self) -> None:
        """Another broker coordinates: it has all that was replicated, and of the rest some whole batches."""
        end = self.dice.randint(self.high_watermark, len(self.world.log))
        while 0 < end < len(self.world.log) and self.world.log[end][0] < end:
            end -= 1
        del self.world.log[max(end, self.high_watermark) :]
        self.held.clear()
        self.world.machine = self.world.replayed()
        self.replicate(len(self.world.log))


@pytest.mark.parametrize("seed", range(SEEDS))
def test_nothing_that_was_told_is_forgotten_and_nobody_who_is_fenced_writes(seed: int) -> None:
    Simulation(seed).run()


@pytest.mark.parametrize(
    "bugs",
    [
        ShareBugs(ignores_leader_epochs=True),
        ShareBugs(snapshots_without_the_write=True),
        ShareBugs(cuts_needed_updates=True),
        ShareBugs(repeats_go_back=True),
        None,
    ],
    ids=["leader-epochs", "snapshots", "cut-too-far", "start-goes-back", "cut-before-replicated"],
)
def test_a_planted_bug_is_found(bugs: ShareBugs | None) -> None:
    def is_found(seed: int) -> bool:
        try:
            (Simulation(seed, cuts_at_once=True) if bugs is None else Simulation(seed, bugs)).run()
        except AssertionError:
            return True
        return False

    assert any(is_found(seed) for seed in range(BUG_SEEDS)), f"not in {BUG_SEEDS} seeds"


def test_each_bug_is_planted() -> None:
    assert set(ShareBugs.__struct_fields__) == {
        "ignores_leader_epochs",
        "snapshots_without_the_write",
        "cuts_needed_updates",
        "repeats_go_back",
    }
