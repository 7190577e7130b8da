"""Thousands of groups go on after a load, in turns: nobody is forgotten, and who comes before its turn is served."""

import msgspec
import pytest
from tests.support.consumer_groups import Client, ConsumerWorld, settle
from tests.support.groups import GroupWorld

from penstock.coordinators.decision import Loaded
from penstock.coordinators.groups import resuming
from penstock.coordinators.groups.records import GroupMetadataRecord
from penstock.coordinators.groups.resuming import RESUME_AT_ONCE
from penstock.coordinators.groups.state import GroupState

GROUPS = 1_000
SESSION_MS = 6_000


def many_loaded_groups() -> tuple[GroupWorld, str, str]:
    """Groups g0, g1, ... of the same two members each, read from the log; what comes of that has not begun."""
    world = GroupWorld()
    leader, second = world.stable(2, session_ms=SESSION_MS)
    one = [change for changes in world.log for change in changes if isinstance(change, GroupMetadataRecord)][-1]
    world.log.append([msgspec.structs.replace(one, group_id=f"g{number}") for number in range(GROUPS)])
    world.machine = world.replayed()
    world.timers.clear()
    return world, leader, second


def with_deadlines(world: GroupWorld) -> int:
    return sum(bool(group.deadlines) for group in world.machine.tables.groups.values())


def test_a_turn_is_short_and_every_group_has_one() -> None:
    world, _, _ = many_loaded_groups()
    world.carry_out(Loaded())
    turns = [with_deadlines(world)]
    while ("resume",) in world.timers:
        world.carry_out(world.timers.pop(("resume",))[1])
        turns.append(with_deadlines(world) - sum(turns))
    assert sum(turns) == GROUPS + 1
    assert max(turns) * 3 <= RESUME_AT_ONCE + 3


def test_members_that_stay_silent_are_given_up_in_every_group() -> None:
    world, _, _ = many_loaded_groups()
    world.carry_out(Loaded())
    world.pass_time(SESSION_MS + 1)
    assert {group.state for group in world.machine.tables.groups.values()} == {GroupState.EMPTY}


def test_a_group_is_used_before_its_turn_and_only_who_is_silent_is_missed() -> None:
    world, leader, second = many_loaded_groups()
    world.carry_out(Loaded())
    world.group_id = f"g{GROUPS - 1}"
    assert not world.group.deadlines, "its turn has not come"
    assert world.heartbeat(leader, 1).error_code == 0
    world.pass_time(SESSION_MS - 1)
    assert world.heartbeat(leader, 1).error_code == 0
    world.pass_time(1)
    assert set(world.group.members) == {leader}
    assert second not in world.group.deadlines


def test_a_group_that_rebalances_before_its_turn_goes_on_with_that() -> None:
    world, leader, second = many_loaded_groups()
    world.carry_out(Loaded())
    world.group_id = f"g{GROUPS - 1}"
    joining = world.join(leader, version=3, session_ms=SESSION_MS)
    assert world.group.state is GroupState.PREPARING_REBALANCE
    world.pass_time(0)
    world.join(second, version=3, session_ms=SESSION_MS)
    assert world.reply(joining).generation_id == 2 and set(world.group.members) == {leader, second}


def test_a_member_that_is_heard_of_before_its_groups_turn_must_still_give_up_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = ConsumerWorld()
    first, second = Client(world, "m1", rebalance_timeout_ms=30_000), Client(world, "m2")
    first.beat()
    second.beat()
    world.beat("m1", 2)  # told to give up two, and says nothing
    monkeypatch.setattr(resuming, "RESUME_AT_ONCE", 0)
    world.restart()
    world.beat("m1", 2)  # its group's turn has not come
    monkeypatch.undo()
    world.pass_time(29_999)
    assert world.beat("m1", 2).member_epoch == 2
    world.pass_time(1)
    settle([second])
    assert second.partitions == {0, 1, 2, 3}
