"""Who may commit for a consumer group and look at what it committed; looking at such groups, and deleting them."""

from typing import Any

import pytest
from tests.support.consumer_groups import Client, ConsumerWorld, Topics, id_of, settle

from penstock.coordinators.groups import commands
from penstock.coordinators.groups.consumer.commands import DescribeConsumerGroup
from penstock.coordinators.groups.consumer.state import ConsumerGroup
from penstock.coordinators.groups.state import Group, GroupLimits
from penstock.errors import (
    GroupIdNotFound,
    GroupSubscribedToTopic,
    IllegalGeneration,
    NonEmptyGroup,
    PolicyViolation,
    Refusal,
    StaleMemberEpoch,
    UnknownMemberId,
    UnsupportedVersion,
)
from penstock.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from penstock.wire.messages.offset_delete_request import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)


def commit(world: ConsumerWorld, member: str, epoch: int, *, version: int = 10, partition: int = 0) -> Any:
    """0, or the class of the refusal."""
    part = OffsetCommitRequestPartition(partition, 7)
    topic = OffsetCommitRequestTopic("orders", id_of("orders"), [part])
    request = OffsetCommitRequest("g", epoch, member, topics=[topic])
    answer = world.ask(commands.CommitOffsets, request=request, api_version=version)
    return answer.topics[0].partitions[0].error_code if hasattr(answer, "topics") else type(answer)


def fetch(world: ConsumerWorld, member: str | None, epoch: int) -> Any:
    facts = {"member_id": member, "member_epoch": epoch, "topics": [("orders", [0])]}
    found = world.ask(commands.FetchOffsets, group_id="g", **facts)
    return type(found) if isinstance(found, Refusal) else world.committed()


def test_a_member_commits_at_its_epoch_and_sees_it() -> None:
    world = ConsumerWorld()
    world.come("m1")
    assert commit(world, "m1", 2) == 0
    assert fetch(world, "m1", 2) == fetch(world, None, -1) == 7


def test_others_do_neither() -> None:
    world = ConsumerWorld()
    world.come("m1")
    assert commit(world, "m1", 3) is StaleMemberEpoch and fetch(world, "m1", 1) is StaleMemberEpoch
    assert commit(world, "ghost", 2) is UnknownMemberId and fetch(world, "ghost", 2) is UnknownMemberId
    assert commit(world, "", -1) is UnknownMemberId
    assert commit(world, "m1", 2, version=8) is UnsupportedVersion


def test_an_older_epoch_counts_for_what_was_the_members_then() -> None:
    world = ConsumerWorld(Topics(orders=2))
    first = Client(world, "m1")
    first.beat()
    world.topics.make("orders", 3)
    first.beat()
    assert first.epoch == 3 and first.partitions == {0, 1, 2}
    assert commit(world, "m1", 2, partition=1) == 0
    assert commit(world, "m1", 2, partition=2) is StaleMemberEpoch  # it came with epoch 3
    assert commit(world, "m1", 2, partition=9) is StaleMemberEpoch


def test_what_a_member_is_to_give_up_it_may_still_commit() -> None:
    world = ConsumerWorld(Topics(orders=2))
    clients = [Client(world, "m1"), Client(world, "m2")]
    for client in clients:
        client.beat()
    clients[0].beat()
    (given_up,) = {0, 1} - clients[0].partitions
    assert commit(world, "m1", 2, partition=given_up) == 0


def test_anyone_commits_for_a_group_without_members() -> None:
    world = ConsumerWorld()
    world.come("m1")
    world.go("m1")
    assert commit(world, "", -1) == 0 and fetch(world, None, -1) == 7


def test_a_transaction_is_told_of_generations() -> None:
    world = ConsumerWorld()
    world.come("m1")
    assert world.commit_within(5, 9, member_id="m1", generation_id=2) == 0
    assert isinstance(world.commit_within(5, 9, member_id="m1", generation_id=3), IllegalGeneration)
    assert world.commit_within(6, 9) == 0  # says nothing of the group
    world.end_transaction(5, commits=True)
    assert world.committed() == 9


# Looking --------------------------------------------------------------------------------------------------------


def test_a_group_is_listed_with_its_type_and_state() -> None:
    world = ConsumerWorld()
    world.come("m1")
    (listed,) = world.ask(commands.ListGroups, states=["STABLE"], types=["consumer"])
    assert (listed.group_id, listed.protocol_type, listed.group_state, listed.group_type) == (
        "g",
        "consumer",
        "Stable",
        "consumer",
    )
    assert world.ask(commands.ListGroups, states=[], types=["classic"]) == []
    assert world.ask(commands.ListGroups, states=["empty"], types=[]) == []


def test_a_description_shows_what_members_own_and_are_to_own() -> None:
    world = ConsumerWorld()
    clients = [Client(world, "m1", instance_id="i", rack_id="r"), Client(world, "m2")]
    for client in clients:
        client.beat()
    described = world.ask(DescribeConsumerGroup, group_id="g")
    assert (described.group_state, described.group_epoch, described.assignment_epoch) == ("Reconciling", 3, 3)
    first, second = described.members
    assert (first.member_id, first.instance_id, first.rack_id, first.member_type) == ("m1", "i", "r", 1)
    assert first.assignment.topic_partitions[0].partitions == [0, 1, 2, 3]
    assert len(first.target_assignment.topic_partitions[0].partitions) == 2
    assert second.assignment.topic_partitions == []


def test_classic_groups_and_strangers_are_not_described() -> None:
    world = ConsumerWorld()
    assert isinstance(world.ask(DescribeConsumerGroup, group_id="g"), GroupIdNotFound)
    world.commit(7)
    refused = world.ask(DescribeConsumerGroup, group_id="g")
    assert isinstance(refused, GroupIdNotFound) and "not a consumer group" in refused.message


# Forgetting -----------------------------------------------------------------------------------------------------


def test_only_a_group_without_members_is_deleted_and_with_it_all_that_is_kept() -> None:
    world = ConsumerWorld(Topics(**{"log-a": 1}))
    client = Client(world, "m1", subscribed_topic_names=None, subscribed_topic_regex="log.*")
    settle([client])
    assert isinstance(world.ask(commands.DeleteGroup, group_id="g"), NonEmptyGroup)
    world.go("m1")
    assert commit(world, "", -1) == 0
    assert world.ask(commands.DeleteGroup, group_id="g") is None
    for machine in (world.machine, world.replayed()):
        assert (machine.tables.of_kind(ConsumerGroup), machine.tables.of_kind(Group), machine.tables.offsets) == (
            {},
            {},
            {},
        )


def test_offsets_of_topics_in_use_are_not_deleted() -> None:
    world = ConsumerWorld()
    world.come("m1")
    commit(world, "m1", 2)
    topics = [OffsetDeleteRequestTopic(name, [OffsetDeleteRequestPartition(0)]) for name in ("orders", "bills")]
    answer = world.ask(commands.DeleteOffsets, request=OffsetDeleteRequest("g", topics))
    assert [topic.partitions[0].error_code for topic in answer.topics] == [GroupSubscribedToTopic.code, 0]


@pytest.mark.parametrize("restarts", [False, True])
def test_offsets_expire_once_nobody_has_used_them_for_long_and_with_the_last_the_group(restarts: bool) -> None:
    world = ConsumerWorld(limits=GroupLimits(offsets_retention_ms=60_000, expiry_interval_ms=1_000))
    world.restart()
    member = Client(world, "m1")
    member.beat()
    assert commit(world, "m1", 2) == 0
    for _ in range(10):
        world.pass_time(30_000)
        member.beat()
    assert world.committed() == 7
    world.go("m1")
    if restarts:
        world.restart()
    world.pass_time(59_000)
    assert world.committed() == 7  # the application is only being started anew
    world.pass_time(2_000)
    assert world.committed() == -1 and world.machine.tables.of_kind(ConsumerGroup) == {}


def test_there_is_room_for_so_many_groups_of_both_kinds() -> None:
    world = ConsumerWorld(limits=GroupLimits(groups_max=1))
    world.come("m1")
    assert world.beat("m1", 2).member_epoch == 2
    assert world.come("m1", group_id="another") is PolicyViolation


@pytest.mark.parametrize("restarts", [False, True])
def test_a_group_survives_a_restart_with_its_epochs(restarts: bool) -> None:
    world = ConsumerWorld()
    world.come("m1", instance_id="i", rack_id="r", server_assignor="range")
    if restarts:
        world.restart()
    member = world.consumers.members["m1"]
    assert (world.consumers.epoch, world.consumers.assignment_epoch, member.epoch) == (2, 2, 2)
    assert (member.instance_id, member.rack, member.assignor, member.names) == (
        "i",
        "r",
        "range",
        frozenset({"orders"}),
    )
    assert member.assigned == {id_of("orders"): {0: 2, 1: 2, 2: 2, 3: 2}}
