"""Joining a classic group: ids, rebalances, protocols, static members, limits."""

import pytest
from tests.support.groups import UNANSWERED, GroupWorld, subscription

from penstock.coordinators.groups.classic import joining
from penstock.coordinators.groups.state import GroupLimits
from penstock.errors import (
    FencedInstanceId,
    GroupMaxSizeReached,
    IllegalGeneration,
    InconsistentGroupProtocol,
    InvalidGroupId,
    InvalidSessionTimeout,
    MemberIdRequired,
    RebalanceInProgress,
    UnknownMemberId,
)
from penstock.wire.messages.leave_group_request import MemberIdentity


def test_a_dynamic_member_is_told_its_id_and_waits_when_it_comes_again_with_it() -> None:
    world = GroupWorld()
    first = world.reply(world.join())
    assert (first.error_code, first.member_id) == (MemberIdRequired.code, "m1")
    asked = world.join("m1")
    assert world.reply(asked) is UNANSWERED
    world.pass_time(3_000)
    joined = world.reply(asked)
    assert (joined.error_code, joined.generation_id, joined.leader, joined.protocol_name) == (0, 1, "m1", "range")
    assert [member.member_id for member in joined.members] == ["m1"]


def test_a_client_before_version_4_is_let_in_at_once() -> None:
    world = GroupWorld()
    asked = world.join(version=3)
    world.pass_time(3_000)
    assert world.reply(asked).member_id == "m1"


def test_the_first_rebalance_waits_again_for_each_newcomer_up_to_the_rebalance_timeout() -> None:
    world = GroupWorld()
    first = world.join(version=3, rebalance_ms=7_000)
    world.pass_time(2_000)
    second = world.join(version=3, rebalance_ms=7_000)
    world.pass_time(2_000)
    assert world.reply(first) is UNANSWERED
    world.join(version=3, rebalance_ms=7_000)
    world.pass_time(2_000)
    assert world.reply(first) is UNANSWERED  # 6 s of 7
    world.pass_time(1_000)
    assert world.reply(first).generation_id == world.reply(second).generation_id == 1
    assert len(world.reply(first).members) == 3 and world.reply(second).members == []


def test_without_a_delay_members_that_come_before_the_first_assignment_share_it() -> None:
    """Of two that come together neither is given all partitions first: whoever has joined alone asks for its share and
    is called back, at once and not by its next heartbeat.
    """
    world = GroupWorld(GroupLimits(initial_rebalance_delay_ms=0))
    first = world.join(instance="one")
    world.pass_time(0)
    alone = world.reply(first)
    assert (alone.generation_id, len(alone.members)) == (1, 1)
    second = world.join(instance="two")
    assert isinstance(world.reply(world.sync(alone.member_id, 1, {alone.member_id: b"all"})), RebalanceInProgress)
    again = world.reply(world.join(alone.member_id, instance="one"))
    assert (again.generation_id, len(again.members)) == (2, 2)
    assert world.reply(second).generation_id == 2


def test_without_a_delay_a_member_that_comes_after_the_first_assignment_waits_for_a_heartbeat() -> None:
    """So it is with Apache Kafka. librdkafka's test 0102 wants the other case. Its second member may ask for metadata
    first, on a timer of half a second: a broker that has just started is slow enough for both to join before the first
    assignment, Kafka more often than this one.
    """
    world = GroupWorld(GroupLimits(initial_rebalance_delay_ms=0))
    first = world.join(instance="one")
    world.pass_time(0)
    member = world.reply(first).member_id
    assert world.reply(world.sync(member, 1, {member: b"all"})).assignment == b"all"
    second = world.join(instance="two")
    assert world.reply(second) is UNANSWERED
    assert world.heartbeat(member, 1, instance="one").error_code == RebalanceInProgress.code
    assert world.reply(world.join(member, instance="one")).generation_id == 2
    assert world.reply(second).generation_id == 2


def test_members_share_what_the_leader_hands_in_and_whom_it_forgot_gets_nothing() -> None:
    world = GroupWorld()
    asked = [world.join(version=3) for _ in range(3)]
    world.pass_time(6_000)
    leader, second, third = (world.reply(address).member_id for address in asked)
    waiting = world.sync(second, 1)
    assert world.reply(waiting) is UNANSWERED and world.state == "CompletingRebalance"
    mine = world.sync(leader, 1, {leader: b"0", second: b"1"})
    assert (world.reply(mine).assignment, world.reply(waiting).assignment) == (b"0", b"1")
    assert world.state == "Stable"
    assert world.reply(world.sync(third, 1)).assignment == b""


def test_each_member_votes_for_the_first_of_its_protocols_that_all_have() -> None:
    world = GroupWorld()
    for names in (("sticky", "range"), ("sticky", "range"), ("range", "sticky", "mine")):
        asked = world.join(version=3, protocols=tuple((name, name.encode()) for name in names))
    world.pass_time(9_000)
    assert world.reply(asked).protocol_name == "sticky"


def test_a_member_that_shares_no_protocol_with_the_others_is_refused() -> None:
    world = GroupWorld()
    world.stable(1)
    assert world.reply(world.join(protocols=(("sticky", b""),))).error_code == InconsistentGroupProtocol.code
    assert world.reply(world.join(protocol_type="connect")).error_code == InconsistentGroupProtocol.code
    assert world.reply(world.join(protocols=())).error_code == InconsistentGroupProtocol.code
    assert len(world.group.members) == 1


def test_groups_of_another_protocol_type_carry_bytes_that_nobody_reads() -> None:
    world = GroupWorld()
    asked = world.join(version=3, protocol_type="connect", protocols=(("sessioned", b"\xff\xfe\x00"),))
    world.pass_time(3_000)
    assert world.reply(asked).protocol_type == "connect"
    assert world.reply(asked).members[0].metadata == b"\xff\xfe\x00"
    assert world.group.subscribed is None


@pytest.mark.parametrize("metadata", [b"", b"\x00", b"\x00\x00\x7f\xff\xff\xff", b"\x00\x00\x00\x00\x00\x01\x00\x05ab"])
def test_a_subscription_that_cannot_be_read_is_carried_all_the_same(metadata: bytes) -> None:
    world = GroupWorld()
    asked = world.join(version=3, protocols=(("range", metadata),))
    world.pass_time(3_000)
    assert world.reply(asked).members[0].metadata == metadata
    assert world.group.is_subscribed_to("orders")  # it may be, so its offsets are spared


@pytest.mark.parametrize("session_ms", [5_999, 1_800_001, -1])
def test_a_session_outside_the_brokers_bounds_is_refused(session_ms: int) -> None:
    world = GroupWorld()
    assert world.reply(world.join(session_ms=session_ms)).error_code == InvalidSessionTimeout.code
    assert world.machine.tables.groups == {}


def test_an_empty_group_id_and_a_member_of_no_group_are_refused() -> None:
    world = GroupWorld(group_id="")
    assert world.reply(world.join()).error_code == InvalidGroupId.code
    world = GroupWorld()
    refused = world.reply(world.join("m7"))
    assert (refused.error_code, refused.member_id) == (UnknownMemberId.code, "m7")
    world.stable(1)
    refused = world.reply(world.join("m7"))
    assert (refused.error_code, refused.member_id, refused.protocol_name) == (UnknownMemberId.code, "m7", None)
    assert world.reply(world.join("m7", version=6)).protocol_name == ""


def test_a_full_group_refuses_the_next_member_but_not_its_own() -> None:
    world = GroupWorld(GroupLimits(members_max=2))
    leader, second = world.stable(2)
    assert world.reply(world.join(version=3)).error_code == GroupMaxSizeReached.code
    asked = world.join(leader)
    again = world.join(second)
    assert world.reply(asked).generation_id == world.reply(again).generation_id == 2


def test_a_promised_id_holds_up_the_next_generation_until_it_is_used_or_its_time_is_over() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1)
    promised = world.reply(world.join(session_ms=6_000)).member_id
    asked = world.join(leader)
    assert world.reply(asked) is UNANSWERED
    world.pass_time(6_000)
    assert world.reply(asked).generation_id == 2
    assert world.reply(world.join(promised)).error_code == UnknownMemberId.code


def test_a_new_member_calls_the_others_back_and_heartbeats_tell_them() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1)
    newcomer = world.join(version=3)
    assert world.heartbeat(leader, 1).error_code == RebalanceInProgress.code
    asked = world.join(leader)
    assert [world.reply(address).generation_id for address in (asked, newcomer)] == [2, 2]
    assert world.reply(asked).leader == leader


def test_members_that_do_not_come_back_within_the_rebalance_timeout_are_out() -> None:
    world = GroupWorld()
    leader, second = world.stable(2, rebalance_ms=5_000)
    newcomer = world.join(version=3, rebalance_ms=5_000)
    asked = world.join(second, rebalance_ms=5_000)
    for _ in range(5):
        world.heartbeat(leader, 1)
        world.pass_time(1_000)
    assert set(world.group.members) == {second, world.reply(newcomer).member_id}
    assert world.reply(asked).leader == second


def test_an_unchanged_follower_learns_the_generation_again_and_a_leader_begins_the_next() -> None:
    world = GroupWorld()
    leader, second = world.stable(2)
    assert world.reply(world.join(second)).generation_id == 1
    assert world.state == "Stable"
    assert world.reply(world.join(leader)) is UNANSWERED
    assert world.state == "PreparingRebalance"


def test_a_changed_subscription_begins_a_rebalance() -> None:
    world = GroupWorld()
    leader, second = world.stable(2)
    asked = world.join(second, protocols=(("range", subscription("orders", "refunds")),))
    world.join(leader)
    assert world.reply(asked).generation_id == 2
    assert world.group.subscribed == frozenset(("orders", "refunds"))


def test_a_lost_join_answer_is_given_again_before_the_sync() -> None:
    world = GroupWorld()
    asked = world.join(version=3)
    world.pass_time(3_000)
    leader = world.reply(asked).member_id
    again = world.reply(world.join(leader))
    assert (again.generation_id, len(again.members)) == (1, 1)


def test_members_that_never_sync_are_dropped_after_the_rebalance_timeout() -> None:
    world = GroupWorld()
    first = world.join(version=3, rebalance_ms=8_000)
    second = world.join(version=3, rebalance_ms=8_000)
    world.pass_time(6_000)
    leader, other = world.reply(first).member_id, world.reply(second).member_id
    waiting = world.sync(other, 1)
    world.pass_time(4_000)
    world.heartbeat(leader, 1)  # alive, but it does not hand in the shares
    world.pass_time(4_000)
    assert world.reply(waiting).error_code == RebalanceInProgress.code
    assert set(world.group.members) == {other} and world.group.leader == other


def test_a_question_asked_twice_is_answered_twice() -> None:
    world = GroupWorld()
    leader, _second = world.stable(2)
    first, again = world.join(leader), world.join(leader)
    assert world.reply(first).error_code == RebalanceInProgress.code and world.reply(again) is UNANSWERED


# Static members ---------------------------------------------------------------------------------------------------


def static_pair(world: GroupWorld) -> tuple[str, str]:
    asked = [world.join(instance=instance) for instance in ("a", "b")]
    world.pass_time(6_000)
    leader, second = (world.reply(address).member_id for address in asked)
    world.sync(leader, 1, {leader: b"A", second: b"B"})
    world.sync(second, 1)
    return leader, second


def test_a_restarted_static_member_takes_its_place_without_a_rebalance() -> None:
    world = GroupWorld()
    _leader, second = static_pair(world)
    back = world.reply(world.join(instance="b"))
    assert (back.generation_id, back.error_code, back.skip_assignment) == (1, 0, False)
    assert back.member_id != second
    assert world.reply(world.sync(back.member_id, 1)).assignment == b"B"
    assert world.replayed().tables.groups["g"].instances["b"] == back.member_id


def test_a_restarted_static_leader_is_told_that_there_is_nothing_to_assign() -> None:
    world = GroupWorld()
    leader, _second = static_pair(world)
    back = world.reply(world.join(instance="a"))
    assert back.skip_assignment and back.leader == back.member_id and len(back.members) == 2
    older = world.reply(world.join(instance="a", version=8))
    assert (older.leader, older.members, older.skip_assignment) == (back.member_id, [], False)
    assert older.member_id != older.leader != leader


def test_whoever_uses_the_id_of_a_replaced_static_member_is_fenced() -> None:
    world = GroupWorld()
    _leader, second = static_pair(world)
    world.join(instance="b")
    assert isinstance(world.heartbeat(second, 1, "b"), FencedInstanceId)
    assert world.reply(world.join(second, instance="b")).error_code == FencedInstanceId.code
    assert isinstance(world.reply(world.sync(second, 1, group_instance_id="b")), FencedInstanceId)
    assert isinstance(
        world.commit(5, member_id=second, generation_id_or_member_epoch=1, group_instance_id="b"), FencedInstanceId
    )
    assert world.leave(MemberIdentity(second, "b")).members[0].error_code == FencedInstanceId.code


def test_a_static_member_that_comes_twice_while_it_waits_fences_its_former_self() -> None:
    world = GroupWorld()
    first = world.join(instance="a")
    second = world.join(instance="a")
    fenced = world.reply(first)
    assert (fenced.error_code, fenced.protocol_name) == (FencedInstanceId.code, None)
    world.pass_time(10_000)
    assert world.reply(second).generation_id == 1


def test_the_next_coordinator_knows_a_static_member_that_restarted_in_a_rebalance() -> None:
    """Told its new id, it would be fenced by that id's former owner, which is the end of it."""
    world = GroupWorld()
    leader, second = static_pair(world)
    world.join(leader, instance="a")
    back = world.reply(world.join(instance="b"))
    assert back.generation_id == 2
    world.restart()
    assert isinstance(world.heartbeat(back.member_id, 2, "b"), IllegalGeneration)  # upon which it joins again
    assert isinstance(world.heartbeat(second, 1, "b"), FencedInstanceId)
    group = world.group
    assert (group.generation, group.leader, group.members[back.member_id].assignment) == (1, leader, b"B")


def test_and_one_that_was_given_up_in_it() -> None:
    world = GroupWorld()
    leader, second = static_pair(world)
    world.join(leader, instance="a")
    world.leave(MemberIdentity(second, "b"))
    back = world.join(instance="b")
    world.join(leader, instance="a")
    assert world.reply(back).generation_id == 3
    world.restart()
    assert isinstance(world.heartbeat(world.reply(back).member_id, 3, "b"), IllegalGeneration)


def test_a_static_leader_that_restarted_in_a_rebalance_leads_there_too() -> None:
    world = GroupWorld()
    leader, second = static_pair(world)
    world.join(leader, instance="a")
    world.join(instance="a")
    world.join(instance="a")  # and once more
    last = world.group.instances["a"]
    world.restart()
    assert world.group.leader == world.group.instances["a"] == last != leader
    assert world.group.instances["b"] == second


def test_a_static_member_with_another_protocol_begins_a_rebalance() -> None:
    world = GroupWorld()
    both = (("range", b"\x00\x00"), ("sticky", b"\x00\x00"))
    for instance in ("a", "b"):
        world.join(instance=instance, protocols=both)
    world.pass_time(6_000)
    leader = world.group.leader
    assert leader is not None
    world.sync(leader, 1)
    world.join(instance="b", protocols=(("sticky", b"\x00\x00"),))
    assert world.state == "PreparingRebalance"


def test_a_static_member_keeps_its_place_through_a_rebalance_that_it_misses() -> None:
    world = GroupWorld()
    leader, second = static_pair(world)
    asked = world.join(leader, instance="a")
    for _ in range(60):
        assert world.reply(asked) is UNANSWERED
        world.heartbeat(second, 1, "b")  # alive, but busy
        world.pass_time(1_000)
    assert world.reply(asked).generation_id == 2
    assert {member.group_instance_id for member in world.reply(asked).members} == {"a", "b"}


def test_of_ids_that_were_promised_and_never_used_the_oldest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining, "PROMISED_MAX", 3)
    world = GroupWorld()
    for _ in range(5):
        world.join()
    assert list(world.group.promised) == ["m3", "m4", "m5"] == list(world.group.deadlines)
    assert world.reply(world.join("m1")).error_code == UnknownMemberId.code
    assert world.reply(world.join("m3")) is UNANSWERED
