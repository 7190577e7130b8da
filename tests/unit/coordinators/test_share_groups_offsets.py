"""Share groups looked at, altered by hand, and deleted; and ids that have groups of another kind."""

from typing import Any

import pytest
from tests.support.consumer_groups import Topics, id_of
from tests.support.share_groups import Reader, ShareWorld, settle

from penstock.coordinators.groups import commands
from penstock.coordinators.groups.share.commands import (
    AlterShareOffsets,
    DeleteShareOffsets,
    DescribeShareGroup,
    FindInitialized,
    StatesDeleted,
    StatesInitialized,
    StatesToDelete,
    StatesToInitialize,
)
from penstock.coordinators.groups.share.state import KeptStates, ShareGroup
from penstock.errors import (
    CoordinatorLoadInProgress,
    GroupIdNotFound,
    InconsistentGroupProtocol,
    NonEmptyGroup,
    UnknownTopicOrPartition,
)
from penstock.wire.messages.alter_share_group_offsets_request import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
)
from penstock.wire.messages.delete_share_group_offsets_request import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
)
from penstock.wire.messages.list_groups_response import ListedGroup

ORDERS, PRICES = id_of("orders"), id_of("prices")


def an_empty_group(world: ShareWorld) -> None:
    member = Reader(world, "m1", "orders")
    settle([member])
    member.leave()


def alter(world: ShareWorld, topic: str, starts: dict[int, int]) -> Any:
    parts = [AlterShareGroupOffsetsRequestPartition(index, start) for index, start in starts.items()]
    request = AlterShareGroupOffsetsRequest("g", [AlterShareGroupOffsetsRequestTopic(topic, parts)])
    return world.ask(AlterShareOffsets, request=request)


def delete_offsets(world: ShareWorld, *topics: str) -> Any:
    request = DeleteShareGroupOffsetsRequest("g", [DeleteShareGroupOffsetsRequestTopic(topic) for topic in topics])
    return world.ask(DeleteShareOffsets, request=request)


def delete(world: ShareWorld, **facts: Any) -> Any:
    return world.ask(commands.DeleteGroup, group_id="g", **facts)


# Looking --------------------------------------------------------------------------------------------------------


def test_a_description_tells_epochs_members_and_what_each_reads() -> None:
    world = ShareWorld(Topics(orders=2))
    member = Reader(world, "m1")
    settle([member])
    told = world.ask(DescribeShareGroup, group_id="g")
    (described,) = told.members
    assert (told.group_state, told.group_epoch, told.assignment_epoch, told.assignor_name) == ("Stable", 3, 3, "simple")
    assert (described.member_id, described.member_epoch, described.client_host) == ("m1", 3, "/127.0.0.1")
    (read,) = described.assignment.topic_partitions
    assert (read.topic_id, read.topic_name, read.partitions) == (ORDERS, "orders", [0, 1])


def test_share_groups_are_listed_by_type_and_state() -> None:
    world = ShareWorld()
    an_empty_group(world)
    listed = [ListedGroup("g", "share", "Empty", "share")]
    assert world.ask(commands.ListGroups, states=[], types=["Share"]) == listed
    assert world.ask(commands.ListGroups, states=["empty"], types=[]) == listed
    assert world.ask(commands.ListGroups, states=["stable"], types=["share"]) == []


def test_of_a_group_that_is_not_there_nothing_is_initialized_and_nothing_described() -> None:
    world = ShareWorld()
    assert world.ask(FindInitialized, group_id="g") == {}
    assert isinstance(world.ask(DescribeShareGroup, group_id="g"), GroupIdNotFound)


def test_an_empty_share_group_never_expires() -> None:
    world = ShareWorld()
    an_empty_group(world)
    world.restart()
    world.pass_time(30 * 24 * 3_600_000)
    assert isinstance(world.shares, ShareGroup)


# Altering -------------------------------------------------------------------------------------------------------


def test_offsets_are_set_above_all_that_was_before() -> None:
    world = ShareWorld()
    an_empty_group(world)
    epoch = world.shares.epoch
    told = alter(world, "orders", {0: 17, 9: 1})
    assert told.order == StatesToInitialize("g", epoch + 1, {ORDERS: {0: 17}})
    (topic,) = told.response.responses
    assert topic.topic_id == ORDERS
    assert [(part.partition_index, part.error_code) for part in topic.partitions] == [
        (0, 0),
        (9, UnknownTopicOrPartition.code),
    ]
    assert world.read("m2") is CoordinatorLoadInProgress, "nobody reads before it is set"
    done = {ORDERS: frozenset([0])}
    world.carry_out(StatesInitialized(group_id="g", state_epoch=epoch + 1, done=done, failed={}, reopens=True))
    assert world.read("m2").member_epoch > epoch


def test_a_group_may_begin_with_offsets_that_are_set() -> None:
    world = ShareWorld()
    told = alter(world, "orders", {0: 5})
    assert told.order == StatesToInitialize("g", 2, {ORDERS: {0: 5}})
    assert world.shares.state.value == "Empty"


def test_offsets_of_a_topic_that_is_not_there_are_refused_one_by_one() -> None:
    told = alter(ShareWorld(), "none", {0: 1, 1: 1})
    assert told.order is None
    assert {part.error_code for part in told.response.responses[0].partitions} == {UnknownTopicOrPartition.code}


def test_a_group_with_members_is_left_alone() -> None:
    world = ShareWorld()
    world.read("m1")
    refused = alter(world, "orders", {0: 1}), delete_offsets(world, "orders"), delete(world)
    assert [type(refusal) for refusal in refused] == [NonEmptyGroup] * 3


# Deleting -------------------------------------------------------------------------------------------------------


def test_offsets_of_a_topic_are_deleted_where_they_are_kept_and_forgotten_then() -> None:
    world = ShareWorld(Topics(orders=2, prices=1))
    an_empty_group(world)
    told = delete_offsets(world, "orders", "prices", "none")
    assert told.order == StatesToDelete("g", {ORDERS: frozenset([0, 1])})
    assert [(topic.topic_name, topic.error_code) for topic in told.response.responses] == [("prices", 3), ("none", 3)]
    assert world.shares.states == KeptStates(deleting={ORDERS: "orders"})
    assert world.read("m2") is CoordinatorLoadInProgress
    world.ask(StatesDeleted, group_id="g", topics=frozenset([ORDERS]))
    assert world.shares.states == KeptStates()
    world.read("m2")
    (order,) = world.orders
    assert order.starts == {ORDERS: {0: -1, 1: -1}}


def test_a_deletion_that_was_left_half_done_is_asked_for_again() -> None:
    world = ShareWorld(Topics(orders=2))
    an_empty_group(world)
    delete_offsets(world, "orders")
    world.restart()
    assert delete_offsets(world, "orders").order == StatesToDelete("g", {ORDERS: frozenset([0, 1])})


def test_a_group_is_deleted_after_its_states() -> None:
    world = ShareWorld(Topics(orders=2))
    an_empty_group(world)
    assert delete(world) == StatesToDelete("g", {ORDERS: frozenset([0, 1])})
    assert world.read("m2") is CoordinatorLoadInProgress
    assert delete(world, states_are_deleted=True) is None
    assert world.replayed().tables.groups == {} == world.machine.tables.groups
    assert world.read("m2").member_epoch == 2


def test_a_group_of_which_nothing_is_kept_is_deleted_at_once() -> None:
    world = ShareWorld(Topics())
    an_empty_group(world)
    assert delete(world) is None
    assert world.machine.tables.groups == {}


# Ids of other kinds ---------------------------------------------------------------------------------------------


def test_an_id_is_a_group_of_one_kind() -> None:
    world = ShareWorld()
    world.read("m1")
    assert world.come("m2") is GroupIdNotFound
    assert isinstance(world.reply(world.join()), InconsistentGroupProtocol)
    assert isinstance(world.commit(1), GroupIdNotFound)
    assert list(world.machine.tables.groups.values()) == [world.shares]


@pytest.mark.parametrize("begin", [lambda world: world.come("m1"), ShareWorld.join, lambda world: world.commit(1)])
def test_a_share_group_takes_no_id_that_is_in_use(begin: Any) -> None:
    world = ShareWorld()
    begin(world)
    assert world.read("m2") is GroupIdNotFound
    refused = alter(world, "orders", {0: 1}), delete_offsets(world, "orders")
    assert [type(refusal) for refusal in refused] == [GroupIdNotFound] * 2
