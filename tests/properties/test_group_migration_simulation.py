"""Members of both protocols in one group, which goes from one to the other and back while they come, go and are silent.

After every step nobody reads what another reads, and a machine that replays the log agrees with the one that wrote it.
When faults stop, every partition is read.
"""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.properties.test_consumer_groups_simulation import Consumer, kept_of
from tests.support.classic_consumers import SESSION_MS, EagerConsumer
from tests.support.consumer_groups import ConsumerWorld, Topics

from penstock.coordinators.groups.assigned.environment import GroupSettings
from penstock.coordinators.groups.consumer import migration
from penstock.coordinators.groups.consumer.limits import ConsumerLimits
from penstock.coordinators.groups.consumer.state import ConsumerGroup
from penstock.coordinators.groups.records import kept
from penstock.coordinators.groups.state import Group, GroupLimits
from penstock.model import TopicId

STEPS = 150
Someone = Consumer | EagerConsumer


class Migration:
    def __init__(self, seed: int, consumer_limits: ConsumerLimits | None = None) -> None:
        self.dice = random.Random(seed)
        topics = Topics(orders=4)
        topics.settings = GroupSettings(session_timeout_ms=SESSION_MS, assignment_interval_ms=0)
        limits = GroupLimits(initial_rebalance_delay_ms=100)
        self.world = ConsumerWorld(topics, limits=limits, consumer_limits=consumer_limits)
        self.world.restart()
        self.members: list[Someone] = []
        self.made = 0
        self.kinds: set[str] = set()

    def run(self) -> None:
        for _ in range(STEPS):
            self.step()
            self.check()
        self.settle()

    def alive(self) -> list[Someone]:
        return [member for member in self.members if member.is_alive]

    def come(self) -> None:
        self.made += 1
        member: Someone = EagerConsumer(self.world)
        if self.dice.random() < 0.4:
            member = Consumer(self.world, f"new-{self.made}", dice=self.dice)
        self.members.append(member)
        member.beat()

    def step(self) -> None:
        dice, alive = self.dice, self.alive()
        match dice.randrange(12):
            case 0 if len(alive) < 4:
                self.come()
            case 1 if alive and dice.random() < 0.5:
                member = dice.choice(alive)
                member.is_alive = False
                if dice.random() < 0.7:
                    self.go(member)
            case 2 if alive and dice.random() < 0.4:
                dice.choice(alive).beat_and_lose_the_answer()
            case 3:
                self.world.pass_time(dice.choice((10, 500, 3_000)))
            case 4 if dice.random() < 0.2:
                self.restart()
            case _ if alive:
                dice.choice(alive).beat()

    def go(self, member: Someone) -> None:
        if isinstance(member, EagerConsumer):
            member.leave()
        else:
            self.world.go(member.member_id)

    def restart(self) -> None:
        """Whoever waits for an answer gets none from this coordinator any more."""
        self.world.restart()
        for member in self.members:
            if isinstance(member, EagerConsumer):
                member.beat_and_lose_the_answer()

    def check(self) -> None:
        owners: dict[tuple[TopicId, int], int] = {}
        for number, member in enumerate(self.members):
            for place in member.read():
                assert place not in owners, f"{place} is read by members {owners[place]} and {number}"
                owners[place] = number
        machine = self.world.machine
        assert not ("g" in machine.tables.of_kind(Group) and "g" in machine.tables.of_kind(ConsumerGroup))
        self.kinds |= {"classic"} if "g" in machine.tables.of_kind(Group) else set()
        self.kinds |= {"consumer"} if "g" in machine.tables.of_kind(ConsumerGroup) else set()
        if self.dice.random() < 0.2:
            replayed = self.world.replayed()
            assert kept_of(replayed) == kept_of(machine) and set(replayed.tables.of_kind(Group)) == set(
                machine.tables.of_kind(Group)
            )

    def settle(self) -> None:
        if not self.alive():
            self.come()
        for _ in range(40):
            for member in self.alive():
                member.beat()
                self.check()
            self.world.do_work()
            self.world.pass_time(700)
        facts = self.world.topics.topic_named("orders")
        assert facts is not None
        found: set[tuple[TopicId, int]] = set()
        for member in self.alive():
            found |= member.read()
        assert found == {(facts.topic_id, index) for index in range(facts.partitions)}


@pytest.mark.parametrize("seed", range(40))
def test_a_group_keeps_its_promises_while_it_changes_protocols(seed: int) -> None:
    Migration(seed).run()


@pytest.mark.parametrize("seed", range(20))
def test_and_while_it_may_not_go_back(seed: int) -> None:
    Migration(seed, ConsumerLimits(downgrades=False)).run()


@settings(deadline=None, max_examples=40)
@given(st.integers(min_value=1_000, max_value=1 << 40))
def test_and_in_other_orders_of_events(seed: int) -> None:
    Migration(seed).run()


def test_groups_do_change_their_protocols_here() -> None:
    changed = 0
    for seed in range(20):
        simulation = Migration(seed)
        simulation.run()
        changed += simulation.kinds == {"classic", "consumer"}
    assert changed >= 5


def test_a_group_that_forgets_what_its_members_own_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: when a group changes its protocol, nobody is known to own anything."""
    monkeypatch.setattr(migration, "assignment_of", lambda told, around: {})
    with pytest.raises(AssertionError, match="is read by"):
        for seed in range(40):
            Migration(seed).run()


def test_a_classic_group_is_kept_as_it_was_before_it_changed() -> None:
    simulation = Migration(1)
    member = EagerConsumer(simulation.world)
    member.beat()
    for _ in range(5):
        simulation.world.pass_time(1_000)
        member.beat()
    before = kept(simulation.world.group)
    assert kept(simulation.world.replayed().tables.of_kind(Group)["g"]) == before
