"""Committed offsets: who may commit, what is answered, when they are forgotten; and groups as a whole."""

from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.groups import UNANSWERED, GroupWorld
from tests.support.machines import START

from penstock.coordinators.decision import InTransaction, Loaded
from penstock.coordinators.groups import commands
from penstock.coordinators.groups.deleted_topics import of_deleted_topics
from penstock.coordinators.groups.machine import GroupMachine
from penstock.coordinators.groups.offset_deletion import DELETE_WITHIN_MS
from penstock.coordinators.groups.records import GroupCodec, OffsetRecord
from penstock.coordinators.groups.state import CommittedOffset, GroupLimits
from penstock.errors import (
    CoordinatorLoadInProgress,
    GroupIdNotFound,
    GroupSubscribedToTopic,
    IllegalGeneration,
    NonEmptyGroup,
    OffsetMetadataTooLarge,
    PolicyViolation,
    RebalanceInProgress,
    UnknownMemberId,
)
from penstock.wire.messages.leave_group_request import MemberIdentity
from penstock.wire.messages.offset_delete_request import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from penstock.wire.messages.offset_fetch_response import OffsetFetchResponseGroup

DAY_MS = 24 * 3_600_000
LONG_NAME = "ö" * 16_000
LOG_TAKES_BYTES = 1_000_000


def delete_offsets(world: GroupWorld, topic: str) -> Any:
    topics = [OffsetDeleteRequestTopic(topic, [OffsetDeleteRequestPartition(0)])]
    return world.ask(commands.DeleteOffsets, request=OffsetDeleteRequest("g", topics))


def listed(world: GroupWorld, states: tuple[str, ...] = (), types: tuple[str, ...] = ()) -> list[str]:
    return [f"{g.group_id} {g.group_state} {g.protocol_type}" for g in world.ask(
        commands.ListGroups, states=list(states), types=list(types))]  # fmt: skip


def test_anyone_may_commit_for_a_group_without_members_and_it_becomes_a_simple_group() -> None:
    world = GroupWorld()
    assert world.commit(42) == 0
    assert world.committed() == 42 and world.committed("refunds") == -1
    assert listed(world) == ["g Empty "]
    assert world.replayed().tables.offsets == world.machine.tables.offsets


def test_a_commit_for_a_generation_of_no_group_is_refused_by_version() -> None:
    world = GroupWorld()
    who: dict[str, Any] = {"generation_id_or_member_epoch": 1, "member_id": "m"}
    assert isinstance(world.commit(1, **who), GroupIdNotFound)
    assert isinstance(world.commit(1, version=8, **who), IllegalGeneration)


def test_a_member_commits_in_its_own_generation_only() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1)
    assert world.commit(7, member_id=leader, generation_id_or_member_epoch=1) == 0
    assert isinstance(world.commit(8, member_id=leader, generation_id_or_member_epoch=0), IllegalGeneration)
    assert isinstance(world.commit(8, member_id="ghost", generation_id_or_member_epoch=1), UnknownMemberId)
    assert isinstance(world.commit(8), UnknownMemberId)
    assert world.committed() == 7


def test_a_member_may_commit_while_the_others_join_but_not_before_the_shares_are_out() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1)
    world.join(version=3)
    assert world.commit(7, member_id=leader, generation_id_or_member_epoch=1) == 0
    world.join(leader)
    assert isinstance(world.commit(8, member_id=leader, generation_id_or_member_epoch=2), RebalanceInProgress)


def test_a_commit_keeps_its_member_alive() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1, session_ms=6_000)
    for offset in range(4):
        world.pass_time(5_000)
        assert world.commit(offset, member_id=leader, generation_id_or_member_epoch=1) == 0


def test_too_long_a_text_beside_an_offset_is_refused_and_the_rest_kept() -> None:
    world = GroupWorld(GroupLimits(offset_metadata_max=4))
    assert world.commit(1, metadata="abcd") == 0
    assert world.commit(2, metadata="abcde") == OffsetMetadataTooLarge.code
    assert world.commit(2, metadata="ab\N{GRINNING FACE}") == 0  # four units in Java
    assert world.commit(3, metadata="abc\N{GRINNING FACE}") == OffsetMetadataTooLarge.code
    assert world.committed() == 2


def test_all_offsets_of_a_group_are_listed_when_no_topic_is_named() -> None:
    world = GroupWorld()
    world.commit(1, topic="b")
    world.commit(2, topic="a")
    answer = world.fetch(None)
    assert [(topic.name, topic.partitions[0].committed_offset) for topic in answer.topics] == [("a", 2), ("b", 1)]
    world.group_id = "other"
    assert world.fetch(None).topics == []


def test_offsets_of_subscribed_topics_are_not_deleted() -> None:
    world = GroupWorld()
    assert isinstance(delete_offsets(world, "orders"), GroupIdNotFound)
    world.commit(1, topic="refunds")
    (leader,) = world.stable(1)
    world.commit(1, member_id=leader, generation_id_or_member_epoch=1)
    assert delete_offsets(world, "orders").topics[0].partitions[0].error_code == GroupSubscribedToTopic.code
    assert delete_offsets(world, "refunds").topics[0].partitions[0].error_code == 0
    assert (world.committed("orders"), world.committed("refunds")) == (1, -1)


def test_offsets_of_members_that_nobody_can_look_into_are_not_deleted() -> None:
    world = GroupWorld()
    world.stable(1, protocol_type="connect")
    assert isinstance(delete_offsets(world, "orders"), NonEmptyGroup)


def test_an_empty_groups_offsets_expire_together_and_the_group_with_them() -> None:
    world = GroupWorld(GroupLimits(offsets_retention_ms=60_000, expiry_interval_ms=1_000))
    world.restart()
    (leader,) = world.stable(1)
    world.commit(1, member_id=leader, generation_id_or_member_epoch=1)
    for _ in range(10):
        world.pass_time(9_000)
        world.heartbeat(leader, 1)
    assert world.committed() == 1  # older than a minute, but subscribed
    world.leave(MemberIdentity(leader))
    world.pass_time(59_000)
    assert world.committed() == 1
    world.pass_time(2_000)
    assert world.committed() == -1 and world.machine.tables.groups == {}
    assert world.replayed().tables.groups == {} and world.replayed().tables.offsets == {}


def test_what_is_committed_for_an_empty_group_is_kept_for_as_long_as_anything_else() -> None:
    world = GroupWorld()
    world.restart()
    (leader,) = world.stable(1)
    world.commit(1, topic="old", member_id=leader, generation_id_or_member_epoch=1)
    world.leave(MemberIdentity(leader))
    world.pass_time(6 * DAY_MS)
    world.commit(9)  # somebody has set the group back, or goes on without joining it
    world.pass_time(DAY_MS + 600_000)
    assert (world.committed("old"), world.committed()) == (-1, 9)
    world.pass_time(5 * DAY_MS)
    assert world.committed() == 9
    world.pass_time(DAY_MS)
    assert world.committed() == -1 and world.machine.tables.groups == {}


def test_offsets_of_a_simple_group_and_of_topics_left_behind_expire_from_their_commit() -> None:
    world = GroupWorld()
    world.restart()
    world.commit(1, topic="old")
    world.pass_time(3 * DAY_MS)
    world.commit(1, topic="young")
    world.pass_time(4 * DAY_MS + 600_000)
    assert (world.committed("old"), world.committed("young")) == (-1, 1)


def test_a_commit_with_a_retention_of_its_own_expires_by_it() -> None:
    world = GroupWorld()
    world.restart()
    world.commit(1, version=2, retention_time_ms=1_000)
    world.pass_time(600_000)
    assert world.committed() == -1


def test_a_thousand_expired_offsets_at_a_time_until_none_is_left() -> None:
    world = GroupWorld(GroupLimits(expiry_interval_ms=DAY_MS))
    world.restart()
    for number in range(2_500):
        world.group_id = f"g{number}"
        world.commit(1)
    world.pass_time(8 * DAY_MS)
    assert world.machine.tables.groups == {} and world.machine.tables.offsets == {}


def one_large_group(world: GroupWorld, partitions: int) -> None:
    committed = CommittedOffset(offset=1, leader_epoch=-1, metadata="", committed_at=world.now)
    for partition in range(partitions):
        world.machine.apply(OffsetRecord("g", "orders", partition, committed))


def test_one_groups_many_offsets_expire_a_thousand_at_a_time() -> None:
    world = GroupWorld(GroupLimits(expiry_interval_ms=DAY_MS))
    world.restart()
    one_large_group(world, 2_500)
    world.pass_time(8 * DAY_MS)
    assert world.machine.tables.groups == {} and world.machine.tables.offsets == {}
    assert [len(batch) for batch in world.log] == [1_000, 1_000, 501], "the last with the group"


def test_a_group_with_many_offsets_is_deleted_a_thousand_at_a_time_and_answered_at_the_end() -> None:
    world = GroupWorld()
    one_large_group(world, 2_500)
    asked = world.send(commands.DeleteGroup, group_id="g")
    assert world.reply(asked) is UNANSWERED and len(world.machine.tables.offsets["g"]["orders"]) == 1_500
    world.pass_time(0)
    assert world.reply(asked) is None
    assert world.machine.tables.groups == {} and world.machine.tables.offsets == {}
    assert [len(batch) for batch in world.log] == [1_000, 1_000, 501]


def test_nobody_uses_a_group_while_its_many_offsets_are_taken_back() -> None:
    world = GroupWorld()
    one_large_group(world, 2_500)
    asked = world.send(commands.DeleteGroup, group_id="g")
    assert isinstance(world.reply(world.join(version=3)), CoordinatorLoadInProgress)
    assert isinstance(world.commit(7), CoordinatorLoadInProgress)
    world.group_id = "another"
    world.commit(7)
    world.group_id = "g"
    world.pass_time(0)
    assert world.reply(asked) is None
    world.commit(7)
    assert world.committed() == 7


def test_a_group_is_open_again_if_its_deletion_does_not_go_on() -> None:
    world = GroupWorld()
    one_large_group(world, 2_500)
    world.send(commands.DeleteGroup, group_id="g")
    world.timers.clear()  # as where too few replicas are in sync for the next batch
    world.pass_time(DELETE_WITHIN_MS)
    world.commit(7)
    assert world.committed() == 7


def test_a_deletion_that_a_crash_cut_short_leaves_a_group_that_can_be_deleted_again() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1)
    world.leave(MemberIdentity(leader))
    committed = CommittedOffset(offset=1, leader_epoch=-1, metadata="", committed_at=world.now)
    world.log.append([OffsetRecord("g", "orders", partition, committed) for partition in range(2_500)])
    world.restart()
    world.send(commands.DeleteGroup, group_id="g")
    world.restart()
    assert len(world.machine.tables.offsets["g"]["orders"]) == 1_500 and list(world.machine.tables.groups) == ["g"]
    world.send(commands.DeleteGroup, group_id="g")
    world.pass_time(0)
    assert (
        world.machine.tables.groups == {}
        and world.replayed().tables.groups == {}
        and world.replayed().tables.offsets == {}
    )


def test_what_a_group_committed_on_a_deleted_topic_is_forgotten_a_thousand_at_a_time() -> None:
    world = GroupWorld()
    one_large_group(world, 2_500)
    world.carry_out(commands.ForgetTopic(topic="orders"))
    world.pass_time(0)
    assert world.machine.tables.offsets == {} and [len(batch) for batch in world.log] == [1_000, 1_000, 500]


@pytest.mark.parametrize("by", ["topic", "group", "age"])
def test_offsets_of_groups_with_long_names_are_taken_back_in_batches_that_the_log_takes(by: str) -> None:
    """A batch that the log does not take would be tried again for good."""
    world = GroupWorld(GroupLimits(offsets_retention_ms=1_000))
    committed = CommittedOffset(offset=1, leader_epoch=-1, metadata="", committed_at=world.now)
    names = [f"{LONG_NAME}{number}" for number in range(3)]
    for name in names:
        for partition in range(100):
            world.machine.apply(OffsetRecord(name, "orders", partition, committed))
    if by == "topic":
        world.carry_out(commands.ForgetTopic(topic="orders"))
    elif by == "group":
        for name in names:
            world.send(commands.DeleteGroup, group_id=name)
    else:
        world.carry_out(Loaded())
        world.pass_time(world.limits.expiry_interval_ms)
    world.pass_time(0)
    assert world.machine.tables.offsets == {} and len(world.log) > 1
    encode = GroupCodec().encode
    assert max(sum(len(encode(record)[0]) for record in batch) for batch in world.log) < LOG_TAKES_BYTES


def test_two_topics_of_one_name_are_forgotten_each_to_the_end() -> None:
    world = GroupWorld()
    for group, topic_id in (("old", b"o" * 16), ("new", b"n" * 16)):
        for partition in range(1_500):
            kept = CommittedOffset(offset=1, leader_epoch=-1, metadata="", committed_at=world.now, topic_id=topic_id)
            world.machine.apply(OffsetRecord(group, "orders", partition, kept))
    for topic_id in (b"o" * 16, b"n" * 16):
        world.carry_out(commands.ForgetTopic(topic="orders", ids=frozenset({topic_id})))
    world.pass_time(0)
    assert world.machine.tables.offsets == {}


def test_a_deleted_topics_offsets_are_forgotten() -> None:
    world = GroupWorld()
    world.commit(1, topic="orders")
    world.commit(2, topic="refunds")
    world.carry_out(commands.ForgetTopic(topic="orders"))
    assert (world.committed("orders"), world.committed("refunds")) == (-1, 2)


def test_groups_are_listed_by_state_and_type_whatever_the_case() -> None:
    world = GroupWorld()
    world.stable(1)
    world.group_id = "simple"
    world.commit(1)
    assert listed(world) == ["g Stable consumer", "simple Empty "]
    assert listed(world, states=("stable", "Dead")) == ["g Stable consumer"]
    assert len(listed(world, types=("CLASSIC",))) == 2 and listed(world, types=("consumer",)) == []


def test_a_group_is_described_with_metadata_only_when_it_is_stable() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1)
    described = world.ask(commands.DescribeGroup, group_id="g", api_version=6)
    (member,) = described.members
    assert (described.group_state, described.protocol_data, member.member_assignment) == ("Stable", "range", b"m1")
    assert (member.client_id, member.client_host, member.member_id) == ("client", "/10.0.0.1", leader)
    world.join(version=3)
    described = world.ask(commands.DescribeGroup, group_id="g", api_version=6)
    assert (described.group_state, described.protocol_data) == ("PreparingRebalance", "")
    assert [member.member_metadata for member in described.members] == [b"", b""]


def test_a_group_that_does_not_exist_is_dead_or_not_found_by_version() -> None:
    world = GroupWorld()
    described = world.ask(commands.DescribeGroup, group_id="g", api_version=5)
    assert (described.error_code, described.group_state) == (0, "Dead")
    described = world.ask(commands.DescribeGroup, group_id="g", api_version=6)
    assert (described.error_code, described.error_message) == (GroupIdNotFound.code, "Group g not found.")


def test_only_an_empty_group_is_deleted_with_all_that_it_committed() -> None:
    world = GroupWorld()
    assert isinstance(world.ask(commands.DeleteGroup, group_id="g"), GroupIdNotFound)
    (leader,) = world.stable(1)
    world.commit(1, member_id=leader, generation_id_or_member_epoch=1)
    assert isinstance(world.ask(commands.DeleteGroup, group_id="g"), NonEmptyGroup)
    world.leave(MemberIdentity(leader))
    assert world.ask(commands.DeleteGroup, group_id="g") is None
    assert world.machine.tables.groups == {} and world.replayed().tables.offsets == {}


def test_what_was_committed_on_a_new_topic_of_the_same_name_stays_when_the_old_one_is_forgotten() -> None:
    world = GroupWorld()
    world.commit(1)
    new = CommittedOffset(offset=2, leader_epoch=-1, metadata="", committed_at=world.now, topic_id=b"n" * 16)
    world.machine.apply(OffsetRecord("other", "orders", 0, new))
    world.carry_out(commands.ForgetTopic(topic="orders", ids=frozenset({bytes(16), b"o" * 16})))
    assert world.committed() == -1 and world.machine.tables.offsets["other"]["orders"][0] == new


async def test_topics_that_were_deleted_while_nobody_coordinated_are_found_by_their_ids() -> None:
    machine = GroupMachine(GroupLimits())
    for topic, topic_id in (("there", b"t"), ("anew", b"o"), ("anew", b"n"), ("gone", b"g"), ("old", b"\0")):
        committed = CommittedOffset(offset=2, leader_epoch=-1, metadata="", committed_at=START, topic_id=topic_id * 16)
        machine.apply(OffsetRecord("g" + topic_id.decode(), topic, 0, committed))
    pending = CommittedOffset(offset=2, leader_epoch=-1, metadata="", committed_at=START, topic_id=b"p" * 16)
    machine.apply(InTransaction(7, OffsetRecord("g", "going", 0, pending)))
    topics = {
        name: SimpleNamespace(topic_id=topic_id * 16)
        for name, topic_id in (("there", b"t"), ("anew", b"n"), ("old", b"x"))
    }
    found = await of_deleted_topics(machine, SimpleNamespace(topics=topics))  # type: ignore[arg-type]
    assert {(command.topic, command.ids) for command in found} == {
        ("anew", frozenset({b"o" * 16})),
        ("gone", frozenset({b"g" * 16})),
        ("going", frozenset({b"p" * 16})),
    }


def test_a_partition_takes_so_many_groups_and_those_that_are_there_go_on() -> None:
    world = GroupWorld(GroupLimits(groups_max=2))
    for group_id in ("g1", "g2"):
        world.group_id = group_id
        assert world.commit(1) == 0
    world.group_id = "g3"
    assert isinstance(world.commit(1), PolicyViolation) and isinstance(world.commit_within(7, 1), PolicyViolation)
    assert isinstance(world.reply(world.join()), PolicyViolation)
    world.group_id = "g2"
    assert world.commit(2) == 0 and world.join() and set(world.machine.tables.groups) == {"g1", "g2"}


def test_many_offsets_are_told_piece_by_piece_as_they_were_at_one_moment() -> None:
    world = GroupWorld()
    world.commit(0)
    for index in range(2_500):
        committed = CommittedOffset(offset=index, leader_epoch=-1, metadata="", committed_at=world.now)
        world.machine.apply(OffsetRecord("g", "orders", index, committed))
    found = world.ask(commands.FetchOffsets, group_id="g", topics=None)
    response, pauses = OffsetFetchResponseGroup("g"), 0
    for _ in found.fill(response, lambda _topic: None):
        pauses += 1
        world.commit(9)
    assert [part.committed_offset for part in response.topics[0].partitions] == list(range(2_500)) and pauses == 2


def test_what_was_committed_on_a_former_topic_of_a_name_is_not_told_of_the_one_that_is_there() -> None:
    """As Apache Kafka does for who asks by id."""
    world = GroupWorld()
    former, present = b"o" * 16, b"n" * 16
    for index, topic_id in enumerate((former, present, bytes(16))):
        kept = CommittedOffset(offset=5, leader_epoch=-1, metadata="", committed_at=world.now, topic_id=topic_id)
        world.machine.apply(OffsetRecord("g", "orders", index, kept))

    def told(asked: list[tuple[str, list[int]]] | None, topic_id: bytes | None) -> dict[int, int]:
        (topic,) = world.fetch(asked, topic_id=topic_id).topics
        return {part.partition_index: part.committed_offset for part in topic.partitions}

    assert told([("orders", [0, 1, 2])], present) == {0: -1, 1: 5, 2: 5}
    assert told(None, present) == {1: 5, 2: 5}
    assert told(None, None) == {0: 5, 1: 5, 2: 5}, "there is no such topic here, or not yet"


def test_to_prove_that_it_leads_a_coordinator_writes_what_changes_nothing() -> None:
    world = GroupWorld()
    world.group_id = ""  # Kafka lets anybody commit for it
    world.commit(7)
    before, written = world.replayed().tables.offsets, len(world.log)
    assert world.fetch([("orders", [0])], proves_lead=True).topics[0].partitions[0].committed_offset == 7
    assert len(world.log) == written + 1
    replayed = world.replayed()
    assert (replayed.tables.offsets, replayed.tables.offset_count, list(replayed.tables.groups)) == (before, 1, [""])


def test_of_many_partitions_some_can_be_asked_for() -> None:
    world = GroupWorld()
    for index in range(100):
        committed = CommittedOffset(offset=index, leader_epoch=-1, metadata="", committed_at=world.now)
        world.machine.apply(OffsetRecord("g", "orders", index, committed))
    asked = [99, 3, 100, -1]
    assert [part.committed_offset for part in world.fetch([("orders", asked)]).topics[0].partitions] == [99, 3, -1, -1]
