"""ConsumerGroupHeartbeat: joining, reconciling, epochs, and who is refused."""

import pytest
from tests.support.consumer_groups import Client, ConsumerWorld, Topics, as_partitions, assigned, id_of, settle

from penstock.coordinators.groups.assigned.environment import GroupSettings
from penstock.coordinators.groups.commands import DeleteGroup
from penstock.coordinators.groups.consumer.limits import ConsumerLimits
from penstock.coordinators.groups.consumer.state import ConsumerGroup
from penstock.errors import (
    FencedInstanceId,
    FencedMemberEpoch,
    GroupIdNotFound,
    GroupMaxSizeReached,
    InvalidRegularExpression,
    UnknownMemberId,
    UnreleasedInstanceId,
)

ORDERS = id_of("orders")


def test_the_first_member_gets_everything_at_once() -> None:
    world = ConsumerWorld()
    answer = world.come("m1")
    assert (answer.member_id, answer.member_epoch, answer.heartbeat_interval_ms) == ("m1", 2, 5_000)
    assert assigned(answer) == {ORDERS: {0, 1, 2, 3}}
    assert world.consumers.state.value == "Stable"


def test_a_member_without_an_id_is_given_one() -> None:
    assert ConsumerWorld().come("").member_id == "made-by-the-broker"


def test_a_partition_is_given_only_after_its_owner_gave_it_up() -> None:
    world = ConsumerWorld()
    first, second = Client(world, "m1"), Client(world, "m2")
    first.beat()
    second.beat()
    assert second.partitions == set() and world.consumers.state.value == "Reconciling"

    told = first.beat()  # still reports all four
    kept = assigned(told)[ORDERS]
    assert len(kept) == 2 and told.member_epoch == 2
    second.beat()
    assert second.partitions == set()

    first.beat()  # reports the two it kept
    assert first.epoch == 3
    second.beat()
    assert second.partitions == {0, 1, 2, 3} - kept and world.consumers.state.value == "Stable"


def test_an_answer_names_the_assignment_only_when_it_is_news() -> None:
    world = ConsumerWorld()
    world.come("m1")
    assert world.beat("m1", 2).assignment is None
    full = {"rebalance_timeout_ms": 60_000, "subscribed_topic_names": ["orders"]}
    again = world.beat("m1", 2, topic_partitions=as_partitions({ORDERS: [0, 1, 2, 3]}), **full)
    assert assigned(again) == {ORDERS: {0, 1, 2, 3}}


def test_a_heartbeat_without_news_writes_nothing() -> None:
    world = ConsumerWorld()
    world.come("m1")
    written = len(world.log)
    for _ in range(3):
        world.beat("m1", 2)
    assert len(world.log) == written


def test_what_a_member_leaves_goes_to_those_who_stay() -> None:
    world = ConsumerWorld()
    clients = [Client(world, "m1"), Client(world, "m2")]
    settle(clients)
    gone = world.go("m2")
    assert (gone.member_id, gone.member_epoch, gone.assignment) == ("m2", -1, None)
    settle(clients[:1])
    assert clients[0].partitions == {0, 1, 2, 3}


def test_the_last_member_leaves_the_group_empty() -> None:
    world = ConsumerWorld()
    world.come("m1")
    world.go("m1")
    assert world.consumers.state.value == "Empty" and world.consumers.epoch == 3


@pytest.mark.parametrize("epoch", [1, 3, 7])
def test_a_foreign_epoch_is_fenced(epoch: int) -> None:
    world = ConsumerWorld()
    world.come("m1")
    assert world.beat("m1", epoch) is FencedMemberEpoch


def test_a_member_whose_answer_was_lost_comes_again_with_its_former_epoch() -> None:
    world = ConsumerWorld(Topics(orders=4, bills=1))
    world.come("m1")
    owned = as_partitions({ORDERS: [0, 1, 2, 3]})
    lost = world.beat("m1", 2, subscribed_topic_names=["orders", "bills"], topic_partitions=owned)
    assert lost.member_epoch == 3
    again = world.beat("m1", 2, topic_partitions=owned)
    assert again.member_epoch == 3
    # It may not have anything that it was not given under the epoch it has.
    assert world.beat("m1", 2, topic_partitions=as_partitions({id_of("other"): [0]})) is FencedMemberEpoch
    assert world.beat("m1", 2) is FencedMemberEpoch


def test_a_member_that_joins_again_gets_what_it_had() -> None:
    world = ConsumerWorld()
    world.come("m1")
    answer = world.come("m1")
    assert answer.member_epoch == 2 and assigned(answer) == {ORDERS: {0, 1, 2, 3}}


def test_strangers_are_refused() -> None:
    world = ConsumerWorld()
    assert world.beat("m1", 1) is GroupIdNotFound and world.go("m1") is GroupIdNotFound
    world.come("m1")
    assert world.beat("m2", 1) is UnknownMemberId and world.go("m2") is UnknownMemberId


def test_a_full_group_takes_nobody_more() -> None:
    world = ConsumerWorld(consumer_limits=ConsumerLimits(members_max=1))
    world.come("m1")
    assert world.come("m2") is GroupMaxSizeReached
    assert world.come("m1").member_epoch == 2


def test_members_that_come_together_share_one_assignment() -> None:
    topics = Topics(orders=4)
    topics.settings = GroupSettings(assignment_interval_ms=1_000)
    world = ConsumerWorld(topics)
    first = world.come("m1")
    second = world.come("m2")
    assert (first.member_epoch, second.member_epoch) == (2, 2) and assigned(second) == {}
    assert world.consumers.state.value == "Assigning"
    world.pass_time(1_000)
    assert world.beat("m1", 2).member_epoch == 2 and world.consumers.assignment_epoch == 3


# Silence and slowness -------------------------------------------------------------------------------------------


def test_a_member_that_is_silent_for_its_session_is_given_up() -> None:
    world = ConsumerWorld()
    clients = [Client(world, "m1"), Client(world, "m2")]
    settle(clients)
    world.pass_time(44_999)
    clients[0].beat()
    world.pass_time(1)
    assert set(world.consumers.members) == {"m1"}
    settle(clients[:1])
    assert clients[0].partitions == {0, 1, 2, 3} and world.beat("m2", 3) is UnknownMemberId


def test_a_member_that_does_not_give_up_in_time_is_fenced() -> None:
    world = ConsumerWorld()
    first, second = Client(world, "m1", rebalance_timeout_ms=30_000), Client(world, "m2")
    first.beat()
    second.beat()
    world.beat("m1", 2)  # told to give up two, and says nothing
    world.pass_time(29_999)
    assert world.beat("m1", 2).member_epoch == 2
    world.pass_time(1)
    assert world.beat("m1", 2) is UnknownMemberId
    settle([second])
    assert second.partitions == {0, 1, 2, 3}


def test_a_restart_gives_members_their_session_anew() -> None:
    world = ConsumerWorld()
    clients = [Client(world, "m1"), Client(world, "m2")]
    settle(clients)
    owned = [client.partitions for client in clients]
    world.restart()
    settle(clients)
    assert [client.partitions for client in clients] == owned
    world.pass_time(45_000)
    assert world.consumers.state.value == "Empty"


# Static members -------------------------------------------------------------------------------------------------


def test_a_static_member_comes_back_to_what_it_had() -> None:
    world = ConsumerWorld()
    clients = [Client(world, "m1"), Client(world, "m2", instance_id="i")]
    settle(clients)
    had = clients[1].partitions
    assert world.beat("m2", -2, instance_id="i").member_epoch == -2
    back = Client(world, "m3", instance_id="i")
    back.beat()
    assert back.partitions == had and back.epoch == clients[0].epoch
    assert "m2" not in world.consumers.members and world.beat("m2", 3, instance_id="i") is FencedInstanceId


def test_an_instance_in_use_is_not_given_away() -> None:
    world = ConsumerWorld()
    world.come("m1", instance_id="i")
    assert world.come("m2", instance_id="i") is UnreleasedInstanceId
    assert world.go("m2", instance_id="i") is FencedInstanceId
    assert world.go("m2", instance_id="other") is UnknownMemberId


def test_a_static_member_whose_first_answer_was_lost_comes_again() -> None:
    world = ConsumerWorld()
    other = Client(world, "m1")
    settle([other])
    world.come("m2", instance_id="i")
    again = Client(world, "m2", instance_id="i")
    settle([again, other])
    assert again.refused is None and len(again.partitions) == len(other.partitions) == 2


def test_a_static_member_that_was_fenced_comes_again_under_its_id() -> None:
    world = ConsumerWorld()
    client = Client(world, "m1", instance_id="i")
    settle([client])
    client.epoch += 1
    client.beat()
    assert client.refused is FencedMemberEpoch and client.epoch == 0
    client.beat()
    assert client.partitions == {0, 1, 2, 3} and client.epoch == world.consumers.epoch


def test_a_static_member_that_does_not_come_back_is_given_up() -> None:
    world = ConsumerWorld()
    world.come("m1", instance_id="i")
    world.beat("m1", -2, instance_id="i")
    world.pass_time(45_000)
    assert world.consumers.state.value == "Empty"


# Topics and patterns --------------------------------------------------------------------------------------------


def test_a_topic_that_grows_is_shared_out_anew() -> None:
    world = ConsumerWorld()
    client = Client(world, "m1")
    client.beat()
    world.topics.make("orders", 6)
    client.beat()
    assert client.partitions == {0, 1, 2, 3, 4, 5} and client.epoch == 3


def test_a_topic_that_comes_later_is_assigned_then() -> None:
    world = ConsumerWorld(Topics())
    client = Client(world, "m1")
    client.beat()
    assert client.partitions == set()
    world.topics.make("orders", 2)
    client.beat()
    assert client.partitions == {0, 1}


def test_a_topic_that_is_deleted_and_made_anew_is_another() -> None:
    world = ConsumerWorld()
    client = Client(world, "m1")
    client.beat()
    world.topics.delete("orders")
    settle([client])
    assert client.owned == {}
    world.topics.make("orders", 1, id_of("another"))
    settle([client])
    assert client.owned == {id_of("another"): {0}}


def test_topics_that_come_and_go_leave_nothing_behind() -> None:
    world = ConsumerWorld()
    client = Client(world, "m1", "orders", "daily")
    for day in range(3):
        world.topics.make("daily", 2, id_of(f"daily-{day}"))
        settle([client])
        assert client.owned.keys() == {ORDERS, id_of(f"daily-{day}")}
        world.topics.delete("daily")
        settle([client])
    assert world.consumers.owners.keys() == {ORDERS}


def test_a_pattern_is_resolved_in_a_thread_and_again_when_topics_come() -> None:
    world = ConsumerWorld(Topics(**{"log-a": 1, "log-b": 1, "other": 1}))
    client = Client(world, "m1", subscribed_topic_names=None, subscribed_topic_regex="log-.*")
    client.beat()
    assert client.owned == {}
    settle([client])
    assert client.owned == {id_of("log-a"): {0}, id_of("log-b"): {0}}
    world.topics.make("log-c", 2)
    world.pass_time(10_001)
    settle([client])
    assert client.owned[id_of("log-c")] == {0, 1}


def test_a_pattern_finds_what_its_member_may_see() -> None:
    world = ConsumerWorld(Topics(**{"log-a": 1, "log-secret": 1}))
    world.shows = "log-secret".__ne__
    client = Client(world, "m1", subscribed_topic_names=None, subscribed_topic_regex="log-.*")
    settle([client])
    assert client.owned == {id_of("log-a"): {0}}
    world.shows = None
    world.topics.make("log-c", 1)
    world.pass_time(10_001)
    settle([client])
    assert set(client.owned) == {id_of("log-a"), id_of("log-c"), id_of("log-secret")}


def test_the_first_member_has_the_topics_of_its_pattern_at_its_second_heartbeat() -> None:
    world = ConsumerWorld(Topics(**{"log-a": 1, "other": 1}))
    world.topics.settings = GroupSettings(assignment_interval_ms=1_000)
    client = Client(world, "m1", subscribed_topic_names=None, subscribed_topic_regex="log-.*")
    client.beat()
    world.do_work()
    client.beat()
    assert client.owned == {id_of("log-a"): {0}}


def test_a_clock_that_was_set_back_keeps_nobody_from_learning_of_topics() -> None:
    world = ConsumerWorld(Topics(**{"log-a": 1, "other": 1}))
    first = Client(world, "m1", subscribed_topic_names=None, subscribed_topic_regex="log-.*")
    settle([first])
    world.set_clock(ahead_ms=-3_600_000)
    second = Client(world, "m2", subscribed_topic_names=None, subscribed_topic_regex="oth.*")
    world.topics.make("log-b", 1)
    settle([first, second])
    world.pass_time(10_001)
    settle([first, second])
    assert first.owned == {id_of("log-a"): {0}, id_of("log-b"): {0}}
    assert second.owned == {id_of("other"): {0}}


def test_a_pattern_that_is_none_is_refused() -> None:
    world = ConsumerWorld()
    assert world.come("m1", subscribed_topic_regex="log-(") is InvalidRegularExpression
    assert "g" not in world.machine.tables.of_kind(ConsumerGroup)


def test_a_pattern_that_nobody_has_any_more_is_forgotten() -> None:
    world = ConsumerWorld(Topics(**{"log-a": 1}))
    client = Client(world, "m1", subscribed_topic_names=None, subscribed_topic_regex="log-.*")
    settle([client])
    assert set(world.consumers.resolved) == {"log-.*"}
    client.facts = {}
    client.beat(subscribed_topic_regex="")
    settle([client], 1)
    assert world.consumers.resolved == {} and client.owned == {}


def test_a_large_group_is_assigned_in_a_thread() -> None:
    world = ConsumerWorld(Topics(orders=300))
    clients = [Client(world, f"m{number}") for number in range(3)]
    clients[0].beat()
    assert clients[0].partitions == set() and len(world.work) == 1
    settle(clients)
    assert [len(client.partitions) for client in clients] == [100, 100, 100]


def test_a_target_of_a_group_that_was_deleted_is_not_taken_for_the_next_one_of_its_name() -> None:
    world = ConsumerWorld(Topics(orders=300))
    clients = [Client(world, f"m{number}") for number in range(3)]
    settle(clients)
    world.go("m0")
    clients[1].beat()
    (late,) = world.work
    world.work.clear()
    world.go("m1")
    world.go("m2")
    assert world.ask(DeleteGroup, group_id="g") is None
    again = Client(world, "m2")
    again.beat()
    world.carry_out(late.run())
    settle([again])
    assert again.partitions == set(range(300))
    assert world.consumers.state.value == "Stable" and world.consumers.assignment_epoch == world.consumers.epoch


def test_members_choose_the_assignor_by_majority() -> None:
    world = ConsumerWorld()
    world.come("m1", server_assignor="range")
    assert world.consumers.default_assignor(("uniform", "range")) == "range"
    world.come("m2", server_assignor="uniform")
    world.come("m3", server_assignor="uniform")
    assert world.consumers.default_assignor(("uniform", "range")) == "uniform"
