"""ShareGroupHeartbeat: joining, being given partitions, epochs, leaving, and who is refused."""

import pytest
from tests.support.consumer_groups import Topics, id_of
from tests.support.share_groups import Reader, ShareWorld, assigned, settle

from penstock.coordinators.groups.assigned import targets
from penstock.coordinators.groups.assigned.environment import GroupSettings
from penstock.coordinators.groups.share.limits import ShareLimits
from penstock.errors import FencedMemberEpoch, GroupIdNotFound, GroupMaxSizeReached, UnknownMemberId
from penstock.wire.messages.share_group_heartbeat_response import Assignment

ORDERS, PRICES = id_of("orders"), id_of("prices")


def readers(world: ShareWorld, *names: str) -> list[Reader]:
    return [Reader(world, name) for name in names]


def test_a_member_gets_nothing_until_the_states_of_its_partitions_have_begun() -> None:
    world = ShareWorld()
    joined = world.read("m1")
    assert (joined.member_id, joined.member_epoch, joined.heartbeat_interval_ms) == ("m1", 2, 5_000)
    assert assigned(joined) == {}

    world.do_orders()
    given = world.share_beat("m1", 2)
    assert given.member_epoch == 3
    assert assigned(given) == {ORDERS: {0, 1, 2, 3}}


def test_members_share_the_partitions_out_while_there_are_enough() -> None:
    world = ShareWorld()
    members = readers(world, "m1", "m2")
    settle(members)
    assert [len(member.partitions) for member in members] == [2, 2]
    assert members[0].partitions | members[1].partitions == {0, 1, 2, 3}


def test_members_read_the_same_partitions_where_there_are_too_few() -> None:
    world = ShareWorld(Topics(orders=2))
    members = readers(world, "m1", "m2", "m3", "m4")
    settle(members)
    assert sorted(sorted(member.partitions) for member in members) == [[0], [0], [1], [1]]


def test_an_answer_names_the_assignment_only_when_it_is_news_or_asked_for() -> None:
    world = ShareWorld()
    member = Reader(world, "m1")
    settle([member])
    epoch = member.epoch
    assert world.share_beat("m1", epoch).assignment is None
    assert assigned(world.share_beat("m1", epoch, subscribed_topic_names=["orders"])) == {ORDERS: {0, 1, 2, 3}}
    assert assigned(world.read("m1")) == {ORDERS: {0, 1, 2, 3}}
    assert world.shares.epoch == epoch


def test_a_heartbeat_without_news_writes_nothing() -> None:
    world = ShareWorld()
    member = Reader(world, "m1")
    settle([member])
    written = len(world.log)
    for _ in range(3):
        member.beat()
    assert len(world.log) == written and world.shares.is_settled


def test_who_comes_again_with_the_epoch_before_is_believed_and_others_are_fenced() -> None:
    world = ShareWorld()
    world.read("m1")
    world.do_orders()
    assert world.share_beat("m1", 2).member_epoch == 3
    again = world.share_beat("m1", 2)
    assert (again.member_epoch, again.assignment) == (3, None)
    assert world.share_beat("m1", 1) is FencedMemberEpoch
    assert world.share_beat("m1", 4) is FencedMemberEpoch
    assert world.read("m1").member_epoch == 3


def test_what_a_member_leaves_goes_to_those_who_stay() -> None:
    world = ShareWorld()
    first, second = readers(world, "m1", "m2")
    settle([first, second])
    gone = second.leave()
    assert (gone.member_id, gone.member_epoch, gone.assignment) == ("m2", -1, None)
    first.beat()
    assert first.partitions == {0, 1, 2, 3}


def test_a_silent_member_is_given_up_after_its_session() -> None:
    world = ShareWorld()
    first, second = readers(world, "m1", "m2")
    settle([first, second])
    for _ in range(10):
        world.pass_time(5_000)
        first.beat()
    assert set(world.shares.members) == {"m1"} and first.partitions == {0, 1, 2, 3}
    assert world.share_beat("m2", second.epoch) is UnknownMemberId


def test_the_session_and_the_heartbeats_are_the_groups_own() -> None:
    world = ShareWorld()
    world.topics.settings = GroupSettings(
        session_timeout_ms=9_000, heartbeat_interval_ms=1_000, assignment_interval_ms=0
    )
    assert world.read("m1").heartbeat_interval_ms == 1_000
    world.pass_time(9_001)
    assert not world.shares.members


@pytest.mark.parametrize("epoch", [1, -1])
def test_a_group_that_is_not_there_is_not_found(epoch: int) -> None:
    assert ShareWorld().share_beat("m1", epoch) is GroupIdNotFound


@pytest.mark.parametrize("epoch", [2, -1])
def test_a_member_that_never_joined_is_unknown(epoch: int) -> None:
    world = ShareWorld()
    world.read("m1")
    assert world.share_beat("m2", epoch) is UnknownMemberId


def test_a_full_group_takes_nobody_more() -> None:
    world = ShareWorld(share_limits=ShareLimits(members_max=1))
    world.read("m1")
    assert world.read("m2") is GroupMaxSizeReached
    assert world.read("m1").member_epoch == 2


def test_a_topic_that_is_not_wanted_any_more_is_not_read_from_that_answer_on() -> None:
    world = ShareWorld(Topics(orders=1, prices=1))
    member = Reader(world, "m1", "orders", "prices")
    settle([member])
    assert set(member.reads) == {ORDERS, PRICES}
    answer = world.share_beat("m1", member.epoch, subscribed_topic_names=["prices"])
    assert set(assigned(answer)) == {PRICES}
    assert answer.member_epoch == member.epoch + 1


def test_a_change_of_rack_or_client_is_kept_and_moves_nothing() -> None:
    world = ShareWorld()
    member = Reader(world, "m1")
    settle([member])
    assert world.share_beat("m1", member.epoch, rack_id="r1").member_epoch == member.epoch
    assert world.shares.members["m1"].rack == "r1"
    assert world.replayed().tables.groups["g"].members["m1"].rack == "r1"


def test_members_that_come_together_share_one_assignment() -> None:
    world = ShareWorld()
    world.topics.settings = GroupSettings(assignment_interval_ms=1_000)
    first, second = readers(world, "m1", "m2")
    first.beat()
    world.do_orders()
    second.beat()
    assert world.shares.epoch == 3 and world.shares.assignment_epoch == 2
    assert second.epoch == 2, "at the assignment there is, in which it has nothing"
    world.pass_time(1_000)
    settle([first, second])
    assert world.shares.assignment_epoch == world.shares.epoch
    assert first.partitions | second.partitions == {0, 1, 2, 3} and len(first.partitions) == 2


def test_a_large_group_is_assigned_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets, "AT_ONCE_MAX", 0)
    world = ShareWorld()
    members = readers(world, "m1", "m2", "m3")
    settle(members, rounds=8)
    assert set().union(*(member.partitions for member in members)) == {0, 1, 2, 3}
    assert world.shares.assignment_epoch == world.shares.epoch


def test_a_subscription_to_topics_that_are_not_there_is_no_error() -> None:
    world = ShareWorld()
    answer = world.read("m1", "none")
    assert answer.assignment == Assignment([]) and not world.orders
    world.topics.make("none", 1)
    world.share_beat("m1", answer.member_epoch)
    world.do_orders()
    assert assigned(world.read("m1", "none")) == {id_of("none"): {0}}
