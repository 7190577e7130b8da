"""Being in a classic group: sessions, heartbeats, leaving, and what a restart leaves."""

import pytest
from tests.support.groups import UNANSWERED, GroupWorld

from penstock.coordinators.groups import commands
from penstock.coordinators.groups.classic import rebalancing
from penstock.coordinators.groups.classic.draft import Draft
from penstock.coordinators.groups.state import GroupLimits, GroupState
from penstock.errors import (
    IllegalGeneration,
    InconsistentGroupProtocol,
    InvalidGroupId,
    RebalanceInProgress,
    UnknownMemberId,
)
from penstock.wire.messages.leave_group_request import MemberIdentity


def test_a_member_that_is_silent_for_its_session_is_given_up() -> None:
    world = GroupWorld()
    leader, second = world.stable(2, session_ms=6_000)
    for _ in range(3):
        world.heartbeat(leader, 1)
        world.pass_time(2_000)
    assert set(world.group.members) == {leader} and world.group.state is GroupState.PREPARING_REBALANCE
    assert isinstance(world.heartbeat(second, 1), UnknownMemberId)


def test_heartbeats_keep_a_member_and_cost_no_timer() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1, session_ms=6_000)
    timers = dict(world.timers)
    assert world.heartbeat(leader, 1).error_code == 0
    assert world.timers == timers
    for _ in range(30):
        world.pass_time(5_999)
        assert world.heartbeat(leader, 1).error_code == 0


def test_a_group_whose_members_are_all_silent_is_empty_in_the_next_generation() -> None:
    world = GroupWorld()
    world.stable(3, session_ms=6_000)
    world.pass_time(6_000)
    assert (world.group.state, world.group.generation, world.group.members) == (GroupState.EMPTY, 2, {})
    assert world.replayed().tables.groups["g"].state is GroupState.EMPTY


def test_a_member_that_waits_for_its_share_need_not_send_heartbeats() -> None:
    world = GroupWorld()
    asked = [world.join(version=3, session_ms=6_000) for _ in range(2)]
    world.pass_time(6_000)
    leader, second = (world.reply(address).member_id for address in asked)
    waiting = world.sync(second, 1)
    for _ in range(4):
        world.pass_time(5_000)
        world.heartbeat(leader, 1)
    world.sync(leader, 1, {second: b"x"})
    assert world.reply(waiting).assignment == b"x"
    world.pass_time(6_000)
    assert second not in world.group.members


def test_a_new_member_is_waited_for_five_minutes_not_its_session() -> None:
    world = GroupWorld(GroupLimits(initial_rebalance_delay_ms=0))
    world.stable(1, session_ms=1_800_000, rebalance_ms=3_600_000)
    newcomer = world.join(version=3, session_ms=6_000, rebalance_ms=3_600_000)
    world.pass_time(299_999)
    assert world.reply(newcomer) is UNANSWERED
    world.pass_time(1)
    assert world.reply(newcomer).error_code == UnknownMemberId.code


def test_sync_and_heartbeat_of_another_generation_or_protocol_are_refused() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1)
    assert isinstance(world.heartbeat(leader, 0), IllegalGeneration)
    assert isinstance(world.heartbeat("ghost", 1), UnknownMemberId)
    assert isinstance(world.reply(world.sync(leader, 2)), IllegalGeneration)
    assert isinstance(world.reply(world.sync("ghost", 1)), UnknownMemberId)
    assert isinstance(world.reply(world.sync(leader, 1, protocol_name="sticky")), InconsistentGroupProtocol)
    assert isinstance(world.reply(world.sync(leader, 1, protocol_type="connect")), InconsistentGroupProtocol)


def test_a_sync_during_a_rebalance_is_told_to_join() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1)
    world.join(version=3)
    assert isinstance(world.reply(world.sync(leader, 1)), RebalanceInProgress)


def test_requests_to_no_group_are_refused() -> None:
    world = GroupWorld()
    assert isinstance(world.heartbeat("m", 1), UnknownMemberId)
    assert isinstance(world.reply(world.sync("m", 1)), UnknownMemberId)
    assert world.leave(MemberIdentity("m")).members[0].error_code == UnknownMemberId.code
    world = GroupWorld(group_id="")
    assert isinstance(world.heartbeat("m", 1), InvalidGroupId)
    assert isinstance(world.leave(MemberIdentity("m")), InvalidGroupId)


def test_many_members_leave_at_once_each_with_its_own_answer() -> None:
    world = GroupWorld()
    leader, second = world.stable(2)
    world.join(version=3, instance="c")
    promised = world.reply(world.join()).member_id
    answer = world.leave(
        MemberIdentity(second), MemberIdentity("", "c"), MemberIdentity("ghost"), MemberIdentity(promised),
        MemberIdentity("", "nobody"),
    )  # fmt: skip
    unknown = UnknownMemberId.code
    assert [member.error_code for member in answer.members] == [0, 0, unknown, 0, unknown]
    assert set(world.group.members) == {leader}


def test_the_last_to_leave_leaves_an_empty_group_at_once() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1)
    assert world.leave(MemberIdentity(leader)).members[0].error_code == 0
    assert (world.group.state, world.group.generation) == (GroupState.EMPTY, 2)


def test_a_member_removed_while_it_waits_is_told() -> None:
    world = GroupWorld()
    asked = [world.join(version=3, instance=name) for name in ("a", "b")]
    world.pass_time(6_000)
    second = world.reply(asked[1]).member_id
    waiting = world.sync(second, 1)
    world.leave(MemberIdentity("", "b"))
    assert world.reply(waiting).error_code == UnknownMemberId.code


def test_a_rebalance_that_nobody_joins_keeps_nobody_busy_though_members_name_next_to_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = GroupWorld()
    asked = world.join(instance="i", rebalance_ms=1, session_ms=30_000)
    world.pass_time(3_000)
    static = world.reply(asked).member_id
    world.sync(static, 1, {static: b"all"})
    asked = world.join(version=3, rebalance_ms=1)
    world.pass_time(1)
    dynamic = world.reply(asked)
    assert dynamic.leader == dynamic.member_id, "the static member may be restarting, and is not waited for"
    looks: list[int] = []
    look = rebalancing.joins_due

    def counted(draft: Draft) -> None:
        looks.append(draft.now)
        assert len(looks) < 100
        look(draft)

    monkeypatch.setattr(rebalancing, "joins_due", counted)
    world.leave(MemberIdentity(dynamic.member_id))
    world.pass_time(10_000)
    assert 1 < len(looks) < 20 and world.state == "PreparingRebalance"
    world.pass_time(30_000)
    assert world.state == "Empty"


def test_after_a_restart_members_go_on_in_their_generation_within_a_session() -> None:
    world = GroupWorld()
    leader, second = world.stable(2, session_ms=6_000)
    world.restart()
    assert world.heartbeat(leader, 1).error_code == 0
    assert world.reply(world.sync(second, 1)).assignment == second.encode()
    world.pass_time(6_000)
    assert world.group.members == {}


def test_a_rebalance_under_way_is_forgotten_by_a_restart() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1)
    world.join(version=3)
    world.restart()
    assert set(world.group.members) == {leader} and world.group.state is GroupState.STABLE


def test_a_group_larger_than_a_lowered_limit_loses_the_last_to_rejoin() -> None:
    world = GroupWorld()
    members = world.stable(3)
    world.limits = GroupLimits(members_max=2)
    world.restart()
    assert world.group.state is GroupState.PREPARING_REBALANCE
    codes = [world.reply(world.join(member)) for member in members]
    assert codes[2].error_code == 81 and set(world.group.members) == set(members[:2])


def test_a_timer_of_a_deleted_group_says_nothing() -> None:
    world = GroupWorld()
    for command in (
        commands.SessionsDue(group_id="gone"), commands.JoinsDue(group_id="gone"),
        commands.SyncsDue(group_id="gone", generation=1),
        commands.InitialDelayOver(group_id="gone", delay_ms=1, remaining_ms=1),
    ):  # fmt: skip
        world.carry_out(command)
    assert world.machine.tables.groups == {} and world.log == []
