"""Partitions whose state must have begun before anybody reads them: ordered, done, failed, ordered again, forgotten."""

from tests.support.consumer_groups import Topics, id_of
from tests.support.share_groups import Reader, ShareWorld, settle

from penstock.coordinators.groups.commands import ForgetTopic
from penstock.coordinators.groups.share.commands import StatesInitialized, StatesToInitialize
from penstock.coordinators.groups.share.limits import ShareLimits
from penstock.coordinators.groups.share.records import KeptStatesRecord
from penstock.coordinators.groups.share.state import KeptStates, TopicPart
from penstock.coordinators.shares.states import SharePartitionKey
from penstock.errors import CoordinatorNotAvailable

ORDERS = id_of("orders")
ALL = frozenset(range(4))
UNKNOWN = dict.fromkeys(range(4), -1)


def completion(order: StatesToInitialize, *, fails: bool = False, known_epoch: int = 0) -> StatesInitialized:
    parts = {topic_id: frozenset(starts) for topic_id, starts in order.starts.items()}
    done, failed = ({}, parts) if fails else (parts, {})
    return StatesInitialized(
        group_id=order.group_id, state_epoch=order.state_epoch, done=done, failed=failed, known_epoch=known_epoch
    )


def test_the_first_member_has_all_partitions_of_its_topics_ordered_at_the_groups_epoch() -> None:
    world = ShareWorld()
    world.read("m1")
    assert world.orders == [StatesToInitialize("g", 2, {ORDERS: UNKNOWN})]
    assert world.shares.states == KeptStates(initializing={ORDERS: TopicPart("orders", ALL)})


def test_what_is_under_way_is_not_ordered_twice() -> None:
    world = ShareWorld()
    first, second = Reader(world, "m1"), Reader(world, "m2")
    for member in (first, second, first, second):
        member.beat()
    assert len(world.orders) == 1


def test_partitions_that_a_topic_grows_by_are_ordered_alone_and_given_when_they_are_done() -> None:
    world = ShareWorld(Topics(orders=2))
    member = Reader(world, "m1")
    settle([member])
    world.topics.make("orders", 4)
    member.beat()
    (order,) = world.orders
    assert order.starts == {ORDERS: {2: -1, 3: -1}} and member.partitions == {0, 1}
    world.do_orders()
    member.beat()
    assert member.partitions == {0, 1, 2, 3}


def test_what_failed_is_ordered_again_at_the_next_heartbeat() -> None:
    world = ShareWorld()
    world.kept.refuses["initialize"] = CoordinatorNotAvailable()
    member = Reader(world, "m1")
    member.beat()
    world.do_orders()
    assert world.shares.states == KeptStates() and not world.shares.is_settled
    member.beat()
    assert len(world.orders) == 1
    world.kept.refuses.clear()
    settle([member])
    assert member.partitions == {0, 1, 2, 3}


def test_what_stays_without_an_outcome_is_ordered_again_at_a_higher_epoch() -> None:
    world = ShareWorld(share_limits=ShareLimits(initialize_retry_ms=10_000))
    member = Reader(world, "m1")
    member.beat()
    for _ in range(2):
        world.pass_time(5_000)
        member.beat()
    lost, second = world.orders
    assert (lost.state_epoch, second.state_epoch) == (2, 3)
    assert second.starts == lost.starts


def test_an_outcome_of_an_old_order_does_not_count_once_there_is_a_newer_one() -> None:
    """Or the newer one would take back, later, how far the group has come since."""
    world = ShareWorld(share_limits=ShareLimits(initialize_retry_ms=10_000))
    member = Reader(world, "m1")
    member.beat()
    world.pass_time(10_000)
    member.beat()
    old, new = world.orders
    world.carry_out(completion(old))
    assert not world.shares.initialized()
    world.carry_out(completion(new))
    assert world.shares.initialized() == {ORDERS: ALL}
    world.carry_out(completion(old, fails=True))
    assert world.shares.initialized() == {ORDERS: ALL}


def test_a_new_coordinator_orders_again_what_was_under_way_above_the_former_epoch() -> None:
    world = ShareWorld()
    member = Reader(world, "m1")
    member.beat()
    (former,) = world.orders
    world.restart()
    (order,) = world.orders
    assert order.state_epoch > former.state_epoch and order.starts == former.starts
    world.do_orders()
    key = SharePartitionKey("g", ORDERS, 0)
    assert world.kept.states[key].state_epoch == order.state_epoch
    world.do_order(former)
    assert world.kept.states[key].state_epoch == order.state_epoch, "what the former one does late is refused"
    assert world.shares.initialized() == {ORDERS: ALL}
    settle([member])
    assert member.partitions == {0, 1, 2, 3}


def test_a_state_left_by_a_former_group_of_the_name_is_overcome() -> None:
    world = ShareWorld()
    world.kept.begin(SharePartitionKey("g", ORDERS, 1), state_epoch=40, start_offset=7)
    member = Reader(world, "m1")
    member.beat()
    (order,) = world.orders
    world.orders.clear()
    world.carry_out(completion(order, fails=True, known_epoch=40))
    settle([member])
    assert world.shares.epoch > 40 and member.partitions == {0, 1, 2, 3}
    assert world.kept.states[SharePartitionKey("g", ORDERS, 1)].start_offset == -1


def test_a_deleted_topic_is_forgotten_wherever_it_stands() -> None:
    world = ShareWorld(Topics(orders=2, prices=1))
    member = Reader(world, "m1", "orders", "prices")
    settle([member])
    world.topics.delete("orders")
    world.carry_out(ForgetTopic(topic="orders", ids=frozenset([ORDERS])))
    assert set(world.shares.initialized()) == {id_of("prices")}
    member.beat()
    assert set(member.reads) == {id_of("prices")}


def test_a_new_topic_of_the_name_begins_anew() -> None:
    world = ShareWorld(Topics(orders=1))
    member = Reader(world, "m1")
    settle([member])
    world.topics.delete("orders")
    world.topics.make("orders", 1, id_of("another"))
    settle([member])
    assert set(member.reads) == {id_of("another")}


def test_an_outcome_for_a_topic_that_was_deleted_meanwhile_brings_nothing_back() -> None:
    world = ShareWorld()
    Reader(world, "m1").beat()
    world.topics.delete("orders")
    world.carry_out(ForgetTopic(topic="orders", ids=frozenset([ORDERS])))
    world.do_orders()
    assert world.shares.states == KeptStates()


def test_topics_of_many_groups_are_forgotten_in_several_batches() -> None:
    world = ShareWorld(Topics(orders=1, prices=3_000))
    for number in range(30):
        world.group_id = f"g{number}"
        world.read("m1", "orders", "prices")
    world.topics.delete("orders")
    before = len(world.log)
    world.carry_out(ForgetTopic(topic="orders", ids=frozenset([ORDERS])))
    world.pass_time(1)
    batches = world.log[before:]
    assert len(batches) > 1 and sum(len(batch) for batch in batches) == 30
    assert all(isinstance(record, KeptStatesRecord) for batch in batches for record in batch)


def test_readers_that_come_back_to_a_group_that_was_empty_begin_nothing_anew() -> None:
    world = ShareWorld()
    member = Reader(world, "m1")
    settle([member])
    member.leave()
    again = Reader(world, "m2")
    again.beat()
    assert again.partitions == {0, 1, 2, 3} and not world.orders
