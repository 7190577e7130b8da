"""Share groups over many random histories: members come, crash, leave and change what they want; topics come, grow and
go; coordinators are replaced; orders to begin states are done late, fail, or never come about.
"""

from random import Random

import pytest
from tests.support.consumer_groups import Topics, id_of
from tests.support.share_groups import Reader, ShareWorld, settle

from penstock.coordinators.decision import Decision
from penstock.coordinators.groups.assigned.environment import GroupSettings
from penstock.coordinators.groups.commands import ForgetTopic
from penstock.coordinators.groups.share import initialization
from penstock.coordinators.groups.share.commands import StatesInitialized, StatesToInitialize
from penstock.coordinators.groups.share.limits import ShareLimits
from penstock.coordinators.groups.share.state import ShareGroup
from penstock.coordinators.groups.share.step import Step
from penstock.coordinators.shares.states import SharePartitionKey, ShareState
from penstock.errors import CoordinatorNotAvailable

NAMES = ("orders", "prices", "stock")


class History:
    def __init__(self, seed: int) -> None:
        self.dice = Random(seed)
        self.topics = Topics(orders=self.dice.randint(1, 5), prices=self.dice.randint(1, 3))
        interval = self.dice.choice((0, 1_000))
        self.topics.settings = GroupSettings(session_timeout_ms=9_000, assignment_interval_ms=interval)
        self.world = ShareWorld(self.topics, share_limits=ShareLimits(initialize_retry_ms=2_000))
        self.readers: list[Reader] = []
        self.late: list[StatesToInitialize] = []
        """Orders that a former coordinator gave, or whose outcome was lost, and that are carried out yet."""
        self.progress: dict[SharePartitionKey, int] = {}
        self.made = 0
        self.epoch = 0

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.step()
            self.check()
        self.calm_down()

    def step(self) -> None:
        acts = (
            (self.come, 2), (self.beat, 12), (self.leave, 1), (self.crash, 1), (self.change, 1), (self.topic, 1),
            (self.grow, 1), (self.forget, 1), (self.do_one, 4), (self.lose_one, 3), (self.do_late, 2), (self.move, 1),
            (self.pass_time, 4), (self.read_on, 6), (self.refuse, 1),
        )  # fmt: skip
        self.dice.choices([act for act, _ in acts], [weight for _, weight in acts])[0]()

    # What happens -----------------------------------------------------------------------------------------------

    def come(self) -> None:
        if len(self.readers) < 6:
            self.made += 1
            wanted = self.dice.sample(NAMES, self.dice.randint(1, 2))
            self.readers.append(Reader(self.world, f"m{self.made}", *wanted))

    def beat(self) -> None:
        if self.readers:
            self.dice.choice(self.readers).beat()
            self.world.do_work()

    def leave(self) -> None:
        if self.readers:
            reader = self.readers.pop(self.dice.randrange(len(self.readers)))
            if reader.epoch:
                reader.leave()

    def crash(self) -> None:
        if self.readers:
            self.readers.pop(self.dice.randrange(len(self.readers)))

    def change(self) -> None:
        if self.readers:
            reader = self.dice.choice(self.readers)
            reader.topics = tuple(self.dice.sample(NAMES, self.dice.randint(1, 2)))
            reader.epoch = 0

    def topic(self) -> None:
        name = self.dice.choice(NAMES)
        if self.topics.topic_named(name) is None:
            self.made += 1
            self.topics.make(name, self.dice.randint(1, 4), id_of(f"{name} {self.made}"))

    def grow(self) -> None:
        facts = self.topics.topic_named(self.dice.choice(NAMES))
        if facts is not None and facts.partitions < 6:
            self.topics.make(facts.name, facts.partitions + 1, facts.topic_id)

    def forget(self) -> None:
        facts = self.topics.topic_named(self.dice.choice(NAMES))
        if facts is not None:
            self.topics.delete(facts.name)
            self.world.carry_out(ForgetTopic(topic=facts.name, ids=frozenset([facts.topic_id])))

    def do_one(self) -> None:
        if self.world.orders:
            self.world.do_order(self.world.orders.pop(self.dice.randrange(len(self.world.orders))))

    def lose_one(self) -> None:
        if self.world.orders:
            self.late.append(self.world.orders.pop())

    def do_late(self) -> None:
        if self.late:
            self.world.do_order(self.late.pop(self.dice.randrange(len(self.late))))

    def move(self) -> None:
        self.late += self.world.orders
        self.world.restart()

    def pass_time(self) -> None:
        self.world.pass_time(self.dice.choice((500, 3_000)))

    def refuse(self) -> None:
        if not self.world.kept.refuses:
            self.world.kept.refuses["initialize"] = CoordinatorNotAvailable()
        else:
            self.world.kept.refuses.clear()

    def read_on(self) -> None:
        """A leader keeps how far those who are assigned a partition have come."""
        if not self.readers:
            return
        reader = self.dice.choice(self.readers)
        for topic_id, partitions in reader.reads.items():
            facts = self.topics.topic_with(topic_id)
            for partition in partitions if facts is not None else ():
                key = SharePartitionKey("g", topic_id, partition)
                known = self.world.kept.states[key]
                self.progress[key] = max(known.start_offset, 0) + 1
                self.world.kept.states[key] = ShareState(known.state_epoch, self.progress[key])

    # What always holds ------------------------------------------------------------------------------------------

    @property
    def group(self) -> ShareGroup | None:
        found = self.world.machine.tables.groups.get("g")
        return found if isinstance(found, ShareGroup) else None

    def check(self) -> None:
        for key, offset in self.progress.items():
            assert self.world.kept.states[key].start_offset >= offset, f"{key} lost how far it was"
        group = self.group
        if group is None:
            return
        assert group.epoch >= self.epoch, "epochs never fall"
        assert group.assignment_epoch <= group.epoch
        self.epoch = group.epoch
        initialized = group.initialized()
        for reader in self.readers:
            for topic_id, partitions in reader.reads.items():
                gone = self.topics.topic_with(topic_id) is None
                assert gone or partitions <= initialized.get(topic_id, frozenset()), "read before it has begun"
        replayed = self.world.replayed().tables.groups["g"]
        for name in ("epoch", "topics_hash", "assignment_epoch", "members", "targets", "silences", "states"):
            assert getattr(replayed, name) == getattr(group, name), name
        assert replayed.name_counts == group.name_counts

    def calm_down(self) -> None:
        """Nothing goes wrong any more: sooner or later all that is wanted is read, and by nobody else."""
        self.world.kept.refuses.clear()
        for _ in range(16):
            settle(self.readers, rounds=1)
            self.world.pass_time(1_500)
            self.check()
        for reader in self.readers:
            assert all(self.topics.topic_with(topic_id).name in reader.topics for topic_id in reader.reads)  # type: ignore[union-attr]
        for name in {name for reader in self.readers for name in reader.topics}:
            facts = self.topics.topic_named(name)
            if facts is not None:
                read = {part for reader in self.readers for part in reader.reads.get(facts.topic_id, ())}
                assert read == set(range(facts.partitions)), f"{name} is not read whole"
        written = len(self.world.log)
        settle(self.readers, rounds=2)
        assert len(self.world.log) == written, "nothing is left to do"


@pytest.mark.parametrize("seed", range(60))
def test_every_history_keeps_the_promises(seed: int) -> None:
    History(seed).run(160)


def found_by(seeds: range) -> bool:
    for seed in seeds:
        try:
            History(seed).run(160)
        except AssertionError:
            return True
    return False


def test_an_order_given_again_at_the_same_epoch_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would take back, late, how far a group has come since."""
    monkeypatch.setattr(initialization, "is_begun_again", lambda _group, _parts: False)
    assert found_by(range(150))


def test_an_outcome_that_counts_though_there_is_a_newer_order_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The newer one, done later, would take back how far a group has come since."""
    real = initialization.initialized

    def initialized(step: Step, command: StatesInitialized) -> Decision:
        step.group.orders |= dict.fromkeys((*command.done, *command.failed), command.state_epoch)
        return real(step, command)

    monkeypatch.setattr(initialization, "initialized", initialized)
    assert found_by(range(150))


def test_partitions_that_begin_and_are_given_to_nobody_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(initialization, "has_unassigned", lambda _group, _environment: False)
    assert found_by(range(30))
