"""Members, committers and producers around a group machine whose leadership moves, all from one seed.

After every step: no group's generation has fallen within a leadership, nobody was answered twice, whoever waits is
known to its group, a machine that replays the log agrees with the one that wrote it, offsets are what Kafka's rule
makes of the log, and nothing that a client was told of is gone. In the end, once members fall silent, transactions have
ended and time has passed, nobody is left without an answer and nothing is pending.
"""

import random
from collections.abc import Callable
from typing import Any

import msgspec
from tests.support.groups import UNANSWERED
from tests.support.groups_replicated import ReplicatedWorld, offsets_by_the_book

from penstock.coordinators.decision import InTransaction
from penstock.coordinators.groups import commands
from penstock.coordinators.groups.machine import GroupMachine
from penstock.coordinators.groups.pending_offsets import place_of
from penstock.coordinators.groups.records import kept
from penstock.coordinators.groups.state import Group, GroupLimits, GroupState
from penstock.errors import Refusal
from penstock.wire.messages.leave_group_request import MemberIdentity

STEPS = 150
LIMITS = GroupLimits(
    members_max=5, initial_rebalance_delay_ms=500, offsets_retention_ms=60_000, expiry_interval_ms=7_000
)
PROTOCOLS = ((("range", b"r"), ("sticky", b"s")), (("sticky", b"t"),), (("sticky", b"t"), ("range", b"r2")))
PRODUCERS = (1, 2, 3)
TOPICS = ("orders", "refunds")
SKIPS_RECORDS, RELEASES_EARLY, SKIPS_MARKERS, LAST_MARKER_WINS, LOADS_PENDING_AS_COMMITTED = BUGS = (
    "a record is not written",
    "replies leave before what they tell of is replicated",
    "a marker is applied and not written",
    "of two transactions the one that ends last wins",
    "loading takes offsets of open transactions for committed",
)


class OpenTransaction(msgspec.Struct):
    """What its producer knows: who asked, and once it has decided, the outcome and the marker."""

    asked: list[int] = []
    commits: bool | None = None
    marker_at: int = -1
    marker: Any = None


class BuggyWorld(ReplicatedWorld):
    def __init__(self, limits: GroupLimits, bug: str | None) -> None:
        self.bug = bug
        super().__init__(limits, releases_early=bug == RELEASES_EARLY)

    def replayed(self) -> GroupMachine:
        machine = GroupMachine(self.limits)
        if self.bug == LAST_MARKER_WINS:
            machine.tables.pending.outdo = lambda place, before=None: None  # type: ignore[method-assign]
        for change in (change for changes in self.log for change in changes):
            is_pending = isinstance(change, InTransaction)
            machine.apply(change.record if is_pending and self.bug == LOADS_PENDING_AS_COMMITTED else change)
        return machine


class Simulation:
    def __init__(self, seed: int, *, bug: str | None = None) -> None:
        self.dice = random.Random(seed)
        self.world = BuggyWorld(LIMITS, bug)
        self.world.restart()
        self.bug = bug
        self.transactions: dict[int, OpenTransaction] = {}
        self.generations: dict[str, int] = {}
        self.checked_log: list[Any] = []

    def run(self) -> None:
        for _ in range(STEPS):
            self.step()
            self.check()
        self.settle()

    def some_member(self) -> str:
        group = self.world.machine.tables.get("g", Group)
        known = [] if group is None else [*group.members, *group.promised]
        return self.dice.choice([*known, "ghost", ""])

    def some_generation(self) -> int:
        group = self.world.machine.tables.get("g", Group)
        return -1 if group is None else group.generation - self.dice.choice((0, 0, 0, 1))

    def step(self) -> None:
        world, dice = self.world, self.dice
        member, generation = self.some_member(), self.some_generation()
        instance = dice.choice((None, None, "a", "b"))
        match dice.randrange(14):
            case 0 | 1 | 2:
                facts: dict[str, Any] = {"protocols": dice.choice(PROTOCOLS), "version": dice.choice((3, 9))}
                facts |= {"session_ms": dice.choice((6_000, 9_000)), "rebalance_ms": dice.choice((3_000, 9_000))}
                self.at_least_once(lambda: world.join(member, instance=instance, **facts))
            case 3 | 4:
                group = world.machine.tables.get("g", Group)
                shares = {} if group is None else {name: dice.randbytes(2) for name in group.members}
                self.at_least_once(lambda: world.sync(member, generation, shares))
            case 5:
                world.heartbeat(member, generation)
            case 6:
                offset, topic = dice.randrange(100), dice.choice(TOPICS)
                who: dict[str, Any] = {"member_id": member, "generation_id_or_member_epoch": generation}
                self.at_least_once(lambda: world.commit(offset, topic=topic, **who))
            case 7:
                world.leave(MemberIdentity(member, instance))
            case 8:
                world.pass_time(dice.choice((10, 500, 3_000, 6_000, 61_000)))
            case 9 if dice.random() < 0.3:
                world.move_leadership(dice.randint(0, len(world.log)))
                self.generations.clear()  # one that was not completed, or not replicated, may come again
            case 10 | 11:
                self.commit_within(member, generation)
            case 12:
                self.end_some_transaction()
            case 13:
                world.replicate(dice.randint(0, len(world.log)))
            case _ if dice.random() < 0.5:
                world.ask(commands.DeleteGroup, group_id="g")
            case _:
                world.carry_out(commands.ForgetTopic(topic=dice.choice(TOPICS)))
        if self.bug == SKIPS_RECORDS and world.log and dice.random() < 0.02:
            world.log.pop()

    def at_least_once(self, ask: Callable[[], Any]) -> None:
        """A client whose answer was lost asks again."""
        ask()
        while self.dice.random() < 0.15:
            ask()

    # Transactions -----------------------------------------------------------------------------------------------

    def commit_within(self, member: str, generation: int) -> None:
        producer_id = self.dice.choice(PRODUCERS)
        transaction = self.transactions.setdefault(producer_id, OpenTransaction())
        if transaction.commits is not None:
            return
        offset, topic = self.dice.randrange(100), self.dice.choice(TOPICS)
        who: dict[str, Any] = self.dice.choice(({}, {"member_id": member, "generation_id": generation}))
        self.at_least_once(
            lambda: transaction.asked.append(self.world.send_within(producer_id, offset, topic=topic, **who))
        )

    def end_some_transaction(self) -> None:
        if not self.transactions:
            return
        producer_id = self.dice.choice(sorted(self.transactions))
        transaction = self.transactions[producer_id]
        if transaction.commits is None:
            # Who does not know that all of its offsets were taken must not commit.
            answers = [self.world.reply(address) for address in transaction.asked]
            is_whole = not any(answer is UNANSWERED or isinstance(answer, Refusal) for answer in answers)
            transaction.commits = is_whole and self.dice.random() < 0.7
        self.end(producer_id, transaction)

    def end(self, producer_id: int, transaction: OpenTransaction) -> None:
        """The transaction's coordinator sends its marker until it is replicated, with the same outcome each time."""
        log, at = self.world.log, transaction.marker_at
        if at < 0 or at >= len(log) or log[at] is not transaction.marker:
            self.world.end_transaction(producer_id, commits=bool(transaction.commits))
            transaction.marker_at, transaction.marker = len(log) - 1, log[-1]
            if self.bug == SKIPS_MARKERS and self.dice.random() < 0.2:
                log.pop()
                del self.transactions[producer_id]
        elif at < self.world.high_watermark:
            del self.transactions[producer_id]

    # What must hold ---------------------------------------------------------------------------------------------

    def check_by_the_book(self) -> None:
        found = {
            (group_id, topic, partition): committed.offset
            for group_id, topics in self.world.machine.tables.offsets.items()
            for topic, parts in topics.items()
            for partition, committed in parts.items()
        }
        assert found == offsets_by_the_book(self.world.log), "offsets are not what the log says"

    def check(self) -> None:
        for group in self.world.machine.tables.groups.values():
            assert group.generation >= self.generations.get(group.group_id, 0), "a generation fell"
            check_group(group)
        self.generations = {group_id: group.generation for group_id, group in self.world.machine.tables.groups.items()}
        self.world.check_nothing_told_is_gone()
        if self.world.log != self.checked_log:
            self.checked_log = list(self.world.log)
            self.check_replayed()

    def check_replayed(self) -> None:
        replayed = self.world.replayed()
        assert replayed.tables.offsets == self.world.machine.tables.offsets
        assert sorted(map(place_of, replayed.tables.pending)) == sorted(
            map(place_of, self.world.machine.tables.pending)
        )
        self.check_by_the_book()
        count = sum(len(parts) for topics in replayed.tables.offsets.values() for parts in topics.values())
        assert replayed.tables.offset_count == self.world.machine.tables.offset_count == count
        assert replayed.tables.groups.keys() == self.world.machine.tables.groups.keys()
        for group_id, group in self.world.machine.tables.groups.items():
            for instance_id, member_id in replayed.tables.groups[group_id].instances.items():
                assert group.instances.get(instance_id, member_id) == member_id, "a static member would be fenced"
            if group.state in (GroupState.STABLE, GroupState.EMPTY):
                assert kept(replayed.tables.groups[group_id]) == kept(group)

    def settle(self) -> None:
        world = self.world
        while self.transactions:
            self.end_some_transaction()
            world.replicate(len(world.log))
        world.pass_time(600_000)
        world.replicate(len(world.log))
        self.check()
        waiting = {address for address in world.asked if world.reply(address) is UNANSWERED} - world.lost
        assert not waiting, "never answered"
        assert len(world.machine.tables.pending) == 0, "a transaction has ended and is pending"
        assert all(not group.members for group in world.machine.tables.groups.values())


def check_group(group: Group) -> None:
    members = group.members.values()
    assert set(group.instances.values()) == {m.member_id for m in members if m.instance_id is not None}
    assert (group.leader in group.members) or not group.members
    assert set(group.deadlines) == set(group.members) | set(group.promised)
    assert not group.deadlines or (group.sessions_looked_at or 0) <= min(group.deadlines.values())
    assert set(group.unsynced) <= set(group.members)
    match group.state:
        case GroupState.EMPTY:
            assert not group.members and group.protocol is None
        case GroupState.PREPARING_REBALANCE:
            assert all(member.syncing is None for member in members)
        case GroupState.COMPLETING_REBALANCE:
            assert all(member.joining is None for member in members) and group.protocol is not None
        case GroupState.STABLE:
            assert all(member.joining is member.syncing is None for member in members) and group.members
