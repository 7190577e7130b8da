"""Random commands, silences, timers and restarts on the group machine, from a seed that a failure prints.

After every step: no group's generation has fallen, nobody was answered twice (the world asserts it), whoever waits is
known to its group, and a machine that replays the log agrees with the one that wrote it. In the end, once members fall
silent and time has passed, nobody is left without an answer.
"""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.groups import UNANSWERED, GroupWorld

from penstock.coordinators.groups import commands
from penstock.coordinators.groups.machine import GroupMachine
from penstock.coordinators.groups.records import GroupCodec, GroupKept, OffsetKept, kept
from penstock.coordinators.groups.state import CommittedOffset, Group, GroupLimits, GroupState
from penstock.errors import Refusal
from penstock.model import Millis
from penstock.wire.messages.group_metadata_value import GroupMetadataValue, MemberMetadata
from penstock.wire.messages.leave_group_request import MemberIdentity

STEPS = 150
LIMITS = GroupLimits(
    members_max=5, initial_rebalance_delay_ms=500, offsets_retention_ms=60_000, expiry_interval_ms=7_000
)
PROTOCOLS = ((("range", b"r"), ("sticky", b"s")), (("sticky", b"t"),), (("sticky", b"t"), ("range", b"r2")))


class Simulation:
    def __init__(self, seed: int, *, skips_records: bool = False) -> None:
        self.dice = random.Random(seed)
        self.world = GroupWorld(LIMITS)
        self.world.restart()
        self.skips_records = skips_records
        self.asked: set[int] = set()
        self.lost: set[int] = set()
        self.generations: dict[str, int] = {}

    def run(self) -> None:
        for _ in range(STEPS):
            self.step()
            self.check()
        self.settle()

    def some_member(self) -> str:
        group = self.world.machine.groups.get("g")
        known = [] if group is None else [*group.members, *group.promised]
        return self.dice.choice([*known, "ghost", ""])

    def some_generation(self) -> int:
        group = self.world.machine.groups.get("g")
        return -1 if group is None else group.generation - self.dice.choice((0, 0, 0, 1))

    def step(self) -> None:
        world, dice = self.world, self.dice
        member, generation = self.some_member(), self.some_generation()
        instance = dice.choice((None, None, "a", "b"))
        match dice.randrange(10):
            case 0 | 1 | 2:
                facts: dict[str, Any] = {"protocols": dice.choice(PROTOCOLS), "version": dice.choice((3, 9))}
                facts |= {"session_ms": dice.choice((6_000, 9_000)), "rebalance_ms": dice.choice((3_000, 9_000))}
                self.asked.add(world.join(member, instance=instance, **facts))
            case 3 | 4:
                group = world.machine.groups.get("g")
                shares = {} if group is None else {name: dice.randbytes(2) for name in group.members}
                self.asked.add(world.sync(member, generation, shares))
            case 5:
                world.heartbeat(member, generation)
            case 6:
                world.commit(dice.randrange(100), member_id=member, generation_id_or_member_epoch=generation)
            case 7:
                world.leave(MemberIdentity(member, instance))
            case 8:
                world.pass_time(dice.choice((10, 500, 3_000, 6_000, 61_000)))
            case 9 if dice.random() < 0.3:
                self.restart()
            case _:
                world.ask(commands.DeleteGroup, group_id="g")
        if self.skips_records and world.log and dice.random() < 0.02:
            world.log.pop()

    def restart(self) -> None:
        """Whoever waited is told by the runtime to look for the coordinator."""
        self.lost |= {address for address in self.asked if self.world.reply(address) is UNANSWERED}
        self.world.restart()
        self.generations.clear()  # one that was not completed may come again

    def check(self) -> None:
        for group in self.world.machine.groups.values():
            assert group.generation >= self.generations.get(group.group_id, 0), "a generation fell"
            check_group(group)
        self.generations = {group_id: group.generation for group_id, group in self.world.machine.groups.items()}
        replayed = self.world.replayed()
        assert replayed.offsets == self.world.machine.offsets
        count = sum(len(parts) for topics in replayed.offsets.values() for parts in topics.values())
        assert replayed.offset_count == self.world.machine.offset_count == count
        assert replayed.groups.keys() == self.world.machine.groups.keys()
        for group_id, group in self.world.machine.groups.items():
            if group.state in (GroupState.STABLE, GroupState.EMPTY):
                assert kept(replayed.groups[group_id]) == kept(group)

    def settle(self) -> None:
        self.world.pass_time(600_000)
        self.check()
        waiting = {address for address in self.asked - self.lost if self.world.reply(address) is UNANSWERED}
        assert not waiting, "never answered"
        assert all(not group.members for group in self.world.machine.groups.values())


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


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_invariants_hold_under_random_commands_and_restarts(start: int) -> None:
    for seed in range(start, start + 50):
        try:
            Simulation(seed).run()
        except Exception as error:
            raise AssertionError(f"seed {seed}") from error


def test_a_coordinator_that_loses_a_record_is_found_out() -> None:
    def is_found(seed: int) -> bool:
        try:
            Simulation(seed, skips_records=True).run()
        except (AssertionError, KeyError):
            return True
        return False

    assert any(is_found(seed) for seed in range(50))


names = st.text(max_size=12)
offsets = st.builds(
    CommittedOffset,
    offset=st.integers(-1, 2**63 - 1),
    leader_epoch=st.integers(-1, 2**31 - 1),
    metadata=names,
    committed_at=st.integers(0, 2**60).map(Millis),
    topic_id=st.binary(min_size=16, max_size=16),
)
members = st.builds(
    MemberMetadata,
    names,
    st.none() | names,
    names,
    names,
    st.integers(0, 9),
    st.integers(0, 9),
    st.binary(),
    st.binary(),
)
generations = st.builds(
    GroupMetadataValue, names, st.integers(0, 9), st.none() | names, st.none() | names, st.integers(-1, 9),
    st.lists(members, max_size=3),
)  # fmt: skip
records = st.one_of(
    st.builds(OffsetKept, names, names, st.integers(0, 9), st.none() | offsets),
    st.builds(GroupKept, names, st.none() | generations),
)


@given(records)
def test_what_is_kept_is_found_again(record: OffsetKept | GroupKept) -> None:
    codec = GroupCodec()
    assert codec.decode(*codec.encode(record)) == record


@given(st.lists(records, max_size=8))
def test_replaying_twice_is_replaying_once(log: list[OffsetKept | GroupKept]) -> None:
    once, twice = GroupMachine(LIMITS), GroupMachine(LIMITS)
    for record in log:
        once.apply(record)
    for record in [*log, *log]:
        twice.apply(record)
    assert twice.offsets == once.offsets


def test_a_record_of_another_kind_is_let_be() -> None:
    assert GroupCodec().decode(b"\x00\x03\x00\x01g", b"\x00\x00") is None


def test_a_refusal_changes_nothing() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1)
    before = kept(world.group)
    assert isinstance(world.heartbeat(leader, 9), Refusal) and kept(world.group) == before
