"""Random members, faults and restarts on consumer groups, from a seed that a failure prints.

Members of both protocols come, go, fall silent, lose answers and repeat themselves; topics come, grow and go; the group
is deleted and made anew; the coordinator restarts, its work in threads comes late or never. After every step: what
members believe they may read never overlaps (one owner a partition at any time), no epoch falls, and a machine that
replays the log agrees with the one that wrote it. When faults stop, every partition has an owner and the group is
stable.
"""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.consumer_groups import Client, ConsumerWorld, Topics, as_partitions

from penstock.coordinators.groups.assigned import targets
from penstock.coordinators.groups.assigned.environment import GroupSettings
from penstock.coordinators.groups.commands import DeleteGroup
from penstock.coordinators.groups.consumer import reconciliation
from penstock.coordinators.groups.consumer.state import ConsumerGroup
from penstock.coordinators.groups.machine import GroupMachine
from penstock.model import TopicId

STEPS = 120
TOPICS = ("orders", "bills", "log-a", "log-b")
SUBSCRIPTIONS: tuple[dict[str, Any], ...] = (
    {"subscribed_topic_names": ["orders"]},
    {"subscribed_topic_names": ["orders", "bills"]},
    {"subscribed_topic_names": ["bills", "log-a"], "subscribed_topic_regex": ""},
    {"subscribed_topic_names": [], "subscribed_topic_regex": "log-.*"},
)


class Consumer(Client):
    """A member with faults. It goes on reading what it owns until it learns otherwise, or its session has passed; and
    takes its time then: meanwhile it says that it still has all, or nothing of what it has, as clients do.
    """

    is_alive = True
    is_slow = True
    is_deaf = False
    last_answer_ms = 0
    told: dict[TopicId, frozenset[int]] | None = None
    """What it is to own once it has given up the rest."""

    def __init__(self, world: ConsumerWorld, member_id: str, *, dice: random.Random, **facts: Any) -> None:
        super().__init__(world, member_id, **facts)
        self.dice = dice

    def read(self) -> set[tuple[TopicId, int]]:
        lives = self.is_alive and self.world.now - self.last_answer_ms < self.world.topics.settings.session_timeout_ms
        return {(topic, index) for topic, parts in self.owned.items() for index in parts} if lives else set()

    def beat(self, **facts: Any) -> Any:
        if self.told is not None and self.dice.random() < 0.7:
            facts |= self.dice.choice(({}, {"topic_partitions": None}))
        elif self.told is not None:
            self.owned, self.told = self.told, None
        return super().beat(**facts)

    def beat_and_lose_the_answer(self) -> None:
        self.is_deaf = True
        self.beat()
        self.is_deaf = False
        self.tells_all = True

    def take(self, answer: Any) -> None:
        if self.is_deaf:
            return
        self.last_answer_ms = self.world.now
        before = self.owned
        super().take(answer)
        if self.epoch == 0:
            self.told = None  # fenced
        elif self.owned is not before:
            self.told = None
            if self.is_slow and any(parts - self.owned.get(topic, frozenset()) for topic, parts in before.items()):
                self.owned, self.told = before, self.owned


class Simulation:
    def __init__(self, seed: int, *, starts_over: bool = False) -> None:
        self.dice = random.Random(seed)
        self.starts_over = starts_over
        topics = Topics(orders=3, bills=2)
        interval = self.dice.choice((0, 0, 1_000))
        topics.settings = GroupSettings(session_timeout_ms=9_000, assignment_interval_ms=interval)
        self.world = ConsumerWorld(topics)
        self.world.restart()
        self.members: list[Consumer] = []
        self.made = 0
        self.epochs = (0, 0)

    def run(self) -> None:
        for _ in range(STEPS):
            self.step()
            self.check()
        self.settle()

    def new_member(self, **facts: Any) -> Consumer:
        self.made += 1
        facts = self.dice.choice(SUBSCRIPTIONS) | facts
        member = Consumer(self.world, f"m{self.made}", dice=self.dice, **facts)
        self.members.append(member)
        return member

    def step(self) -> None:
        dice = self.dice
        alive = [member for member in self.members if member.is_alive]
        match dice.randrange(12):
            case 0 if len(alive) < 5:
                self.new_member(**dice.choice(({}, {}, {"instance_id": dice.choice("ab")}))).beat()
            case 1 if alive:
                dice.choice(alive).beat_and_lose_the_answer()
            case 2 if alive and dice.random() < 0.5:
                self.leave(dice.choice(alive))
            case 3 if alive:
                dice.choice(alive).is_alive = False
            case 4:
                self.world.pass_time(dice.choice((10, 500, 1_000, 4_000)))
            case 5 if dice.random() < 0.3:
                self.world.restart()
            case 6:
                self.change_topics()
            case 7 if alive:
                member = dice.choice(alive)
                member.facts |= dice.choice(SUBSCRIPTIONS)
                member.beat()
            case 8:
                self.work()
            case 9 if self.starts_over and dice.random() < 0.1:
                self.start_over(alive)
            case _ if alive:
                dice.choice(alive).beat()

    def leave(self, member: Consumer) -> None:
        instance = member.facts.get("instance_id")
        is_coming_back = instance is not None and self.dice.random() < 0.6
        self.world.beat(member.member_id, -2 if is_coming_back else -1, instance_id=instance)
        member.is_alive = False
        if is_coming_back and self.dice.random() < 0.7:
            self.new_member(instance_id=instance).beat()

    def start_over(self, alive: list[Consumer]) -> None:
        """The group is deleted, with work for it under way, and is soon there again, with the same members."""
        for member in alive:
            self.world.go(member.member_id, instance_id=member.facts.get("instance_id"))
            member.epoch, member.owned = 0, {}
        if self.world.ask(DeleteGroup, group_id="g") is None:
            self.epochs = (0, 0)

    def change_topics(self) -> None:
        topics, name = self.world.topics, self.dice.choice(TOPICS)
        known = topics.topic_named(name)
        if known is None:
            topics.make(name, self.dice.randrange(1, 4), TopicId(self.dice.randbytes(16)))
        elif self.dice.random() < 0.5:
            topics.make(name, known.partitions + 1)
        else:
            topics.delete(name)

    def work(self) -> None:
        """In any order, some of it late, as threads do."""
        pending, self.world.work = self.world.work, []
        self.dice.shuffle(pending)
        for work in pending:
            if self.dice.random() < 0.8:
                self.world.carry_out(work.run())
            else:
                self.world.work.append(work)

    # What must hold ---------------------------------------------------------------------------------------------

    def check(self) -> None:
        owners: dict[tuple[TopicId, int], str] = {}
        for member in self.members:
            for place in member.read():
                assert place not in owners, f"{place} is read by {owners[place]} and {member.member_id}"
                owners[place] = member.member_id
        group = self.world.machine.tables.of_kind(ConsumerGroup).get("g")
        if group is not None:
            assert group.epoch >= self.epochs[0] and group.assignment_epoch >= self.epochs[1]
            self.epochs = group.epoch, group.assignment_epoch
        if self.dice.random() < 0.3:
            assert kept_of(self.world.replayed()) == kept_of(self.world.machine)

    def settle(self) -> None:
        """Faults stop: the dead are given up, the living converge."""
        alive = [member for member in self.members if member.is_alive] or [self.new_member()]
        for member in alive:
            member.is_slow = False
        for _ in range(30):
            for member in alive:
                member.beat()
                self.check()
            self.world.do_work()
            self.world.pass_time(1_100)
        group = self.world.consumers
        assert group.state.value == "Stable", group
        subscribed = {self.world.topics.topic_named(name) for name in group.topics} - {None}
        wanted = {(facts.topic_id, index) for facts in subscribed if facts for index in range(facts.partitions)}
        found: set[tuple[TopicId, int]] = set()
        for member in alive:
            found |= member.read()
        assert found == wanted


def kept_of(machine: GroupMachine) -> dict[str, Any]:
    return {
        group_id: (
            group.epoch,
            group.assignment_epoch,
            group.topics_hash,
            group.members,
            dict(group.targets),
            group.resolved,
            group.instances,
            {topic_id: owners for topic_id, owners in group.owners.items() if owners},
            group.name_counts,
            group.pattern_counts,
        )
        for group_id, group in machine.tables.of_kind(ConsumerGroup).items()
    }


@pytest.mark.parametrize("seed", range(40))
def test_groups_keep_their_promises_under_random_faults(seed: int) -> None:
    Simulation(seed).run()


@settings(deadline=None, max_examples=40)
@given(st.integers(min_value=1_000, max_value=1 << 40))
def test_and_under_faults_that_nobody_thought_of(seed: int) -> None:
    Simulation(seed).run()


@pytest.mark.parametrize("seed", range(40))
def test_large_groups_that_are_deleted_and_made_anew_keep_them_too(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their targets are worked out in threads, and written piece by piece."""
    monkeypatch.setattr(targets, "AT_ONCE_MAX", 0)
    monkeypatch.setattr(targets, "WRITTEN_AT_ONCE", 1)
    Simulation(seed, starts_over=True).run()


def test_a_coordinator_that_gives_away_what_others_still_own_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: partitions are handed out without looking who has them."""

    def hands_out_everything(owned: Any, group: Any, member: Any, wanted: Any) -> bool:
        for topic_id, target in wanted.target.items():
            if topic_id in wanted.topic_ids:
                for partition in target:
                    owned.setdefault(topic_id, {}).setdefault(partition, wanted.epoch)
        return False

    monkeypatch.setattr(reconciliation, "_add_what_is_free", hands_out_everything)
    with pytest.raises(AssertionError, match="is read by"):
        for seed in range(40):
            Simulation(seed).run()


def test_a_coordinator_that_takes_silence_for_giving_up_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted bug: a member is taken to have given up what it does not mention."""
    monkeypatch.setattr(reconciliation, "_owns_any", lambda reported, revoking: False)
    with pytest.raises(AssertionError, match="is read by"):
        for seed in range(40):
            Simulation(seed).run()


def test_what_a_member_reports_is_what_it_owns() -> None:
    assert as_partitions({TopicId(b"t" * 16): [2, 0]})[0].partitions == [0, 2]
