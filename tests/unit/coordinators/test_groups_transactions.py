"""Offsets within transactions: pending until the marker, and then all of them or none."""

from typing import Any

import pytest
from tests.support.groups import GroupWorld

from penstock.coordinators.groups import commands
from penstock.coordinators.groups.state import GroupLimits
from penstock.errors import (
    FencedInstanceId,
    IllegalGeneration,
    OffsetMetadataTooLarge,
    UnknownMemberId,
    UnstableOffsetCommit,
)
from penstock.wire.messages.leave_group_request import MemberIdentity
from penstock.wire.messages.offset_delete_request import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)

DAY_MS = 24 * 3_600_000
A, B = 11, 12
"""Two producers."""


def a_world(*, committed: int = 5) -> GroupWorld:
    world = GroupWorld(GroupLimits(offsets_retention_ms=7 * DAY_MS))
    world.restart()
    world.commit(committed)
    return world


def delete_offsets(world: GroupWorld, topic: str = "orders") -> Any:
    topics = [OffsetDeleteRequestTopic(topic, [OffsetDeleteRequestPartition(0)])]
    return world.ask(commands.DeleteOffsets, request=OffsetDeleteRequest("g", topics))


def test_offsets_of_a_transaction_count_when_it_commits() -> None:
    world = a_world(committed=5)
    assert world.commit_within(A, 9) == 0
    assert world.committed() == 5
    world.end_transaction(A, commits=True)
    assert world.committed() == 9 and len(world.machine.tables.pending) == 0


def test_offsets_of_a_transaction_that_is_aborted_never_count() -> None:
    world = a_world(committed=5)
    world.commit_within(A, 9)
    world.end_transaction(A, commits=False)
    assert world.committed() == 5 and len(world.machine.tables.pending) == 0


def test_while_a_transaction_is_open_its_offsets_are_unstable_and_no_others() -> None:
    world = a_world()
    world.commit(3, topic="refunds")
    world.commit_within(A, 9)
    assert world.stable_code() == UnstableOffsetCommit.code and world.stable_code("refunds") == 0
    world.end_transaction(A, commits=True)
    assert world.stable_code() == 0


def test_whoever_does_not_insist_is_told_what_was_committed_before() -> None:
    world = a_world(committed=5)
    world.commit_within(A, 9)
    assert world.committed() == 5
    everything = world.fetch(None, require_stable=True)
    assert [part.error_code for part in everything.topics[0].partitions] == [UnstableOffsetCommit.code]


@pytest.mark.parametrize("commits", [True, False])
def test_a_transaction_open_at_the_logs_end_is_ended_after_the_restart(commits: bool) -> None:
    world = a_world(committed=5)
    world.commit_within(A, 9)
    world.restart()
    assert world.committed() == 5 and world.stable_code() == UnstableOffsetCommit.code
    world.end_transaction(A, commits=commits)
    world.restart()
    assert world.committed() == (9 if commits else 5)


def test_a_transaction_may_be_a_groups_first_commit() -> None:
    world = GroupWorld()
    assert world.commit_within(A, 9) == 0
    assert world.committed() == -1
    world.end_transaction(A, commits=True)
    assert world.committed() == 9 and world.replayed().tables.offsets == world.machine.tables.offsets


def test_a_plain_commit_after_a_pending_one_wins_though_the_transaction_commits_later() -> None:
    world = a_world()
    world.commit_within(A, 9)
    world.commit(7)
    assert world.stable_code() == UnstableOffsetCommit.code
    world.end_transaction(A, commits=True)
    assert world.committed() == 7 and world.replayed().tables.offsets == world.machine.tables.offsets


def test_of_two_transactions_the_one_that_wrote_last_wins_whichever_ends_last() -> None:
    world = a_world()
    world.commit_within(A, 9)
    world.commit_within(B, 11)
    world.end_transaction(B, commits=True)
    assert world.stable_code() == UnstableOffsetCommit.code
    world.end_transaction(A, commits=True)
    assert world.committed() == 11


def test_a_transaction_that_writes_again_outdoes_what_came_between() -> None:
    world = a_world()
    world.commit_within(A, 9)
    world.commit(7)
    world.commit_within(A, 12)
    world.end_transaction(A, commits=True)
    assert world.committed() == 12


def test_a_marker_for_a_producer_with_nothing_pending_changes_nothing() -> None:
    world = a_world(committed=5)
    world.end_transaction(A, commits=True)
    assert world.committed() == 5


def test_who_commits_is_checked_if_it_says_so() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1)
    assert world.commit_within(A, 9, generation_id=1, member_id=leader) == 0
    assert isinstance(world.commit_within(A, 9, generation_id=0, member_id=leader), IllegalGeneration)
    assert isinstance(world.commit_within(A, 9, generation_id=1, member_id="ghost"), UnknownMemberId)
    assert world.commit_within(A, 9) == 0, "clients before version 3 cannot say"


def test_a_static_member_that_was_replaced_is_fenced() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1, instance="i1")
    world.join(instance="i1")
    assert isinstance(
        world.commit_within(A, 9, generation_id=1, member_id=leader, group_instance_id="i1"), FencedInstanceId
    )


def test_a_member_may_commit_while_the_shares_are_not_out() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1)
    world.join(leader)
    assert world.state == "CompletingRebalance"
    assert world.commit_within(A, 9, generation_id=2, member_id=leader) == 0


def test_a_generation_of_no_group_is_refused() -> None:
    world = GroupWorld()
    assert isinstance(world.commit_within(A, 9, generation_id=1, member_id="m"), IllegalGeneration)
    assert world.machine.tables.groups == {} and world.log == []


def test_too_long_a_text_beside_a_pending_offset_is_refused() -> None:
    world = a_world(committed=5)
    assert world.commit_within(A, 9, metadata="x" * 4_097) == OffsetMetadataTooLarge.code
    world.end_transaction(A, commits=True)
    assert world.committed() == 5


def test_deleting_a_group_takes_back_what_its_transactions_would_commit() -> None:
    world = a_world()
    world.commit_within(A, 9, topic="refunds")
    assert world.ask(commands.DeleteGroup, group_id="g") is None
    world.end_transaction(A, commits=True)
    assert world.committed() == world.committed("refunds") == -1 and world.machine.tables.groups == {}
    assert world.replayed().tables.offsets == {} == world.replayed().tables.groups


def test_deleting_an_offset_takes_back_what_a_transaction_would_commit() -> None:
    world = a_world()
    world.commit_within(A, 9, topic="refunds")
    assert delete_offsets(world, "refunds").topics[0].partitions[0].error_code == 0
    world.end_transaction(A, commits=True)
    assert world.committed("refunds") == -1 and world.committed() == 5


def test_a_deleted_topics_pending_offsets_go_with_it() -> None:
    world = a_world()
    world.commit_within(A, 9)
    world.carry_out(commands.ForgetTopic(topic="orders"))
    world.end_transaction(A, commits=True)
    assert world.committed() == -1 and world.replayed().tables.offsets == {}


def test_what_a_transaction_is_about_to_change_does_not_expire() -> None:
    world = a_world(committed=5)
    world.commit_within(A, 9)
    world.pass_time(8 * DAY_MS)
    assert world.committed() == 5
    world.end_transaction(A, commits=False)
    world.pass_time(DAY_MS)
    assert world.committed() == -1 and world.machine.tables.groups == {}


def test_a_group_with_nothing_but_an_open_transaction_is_not_given_up() -> None:
    world = GroupWorld(GroupLimits(offsets_retention_ms=DAY_MS))
    world.restart()
    world.commit_within(A, 9)
    world.pass_time(8 * DAY_MS)
    assert "g" in world.machine.tables.groups
    world.end_transaction(A, commits=True)
    assert world.committed() == 9


def test_a_clock_that_is_set_ends_no_session_and_dates_commits_right() -> None:
    world = GroupWorld()
    (leader,) = world.stable(1, session_ms=6_000)
    world.set_clock(ahead_ms=3_600_000)
    world.pass_time(5_000)
    assert world.heartbeat(leader, 1).error_code == 0
    world.commit(1, member_id=leader, generation_id_or_member_epoch=1)
    assert world.machine.tables.offsets["g"]["orders"][0].committed_at == world.now + 3_600_000
    world.pass_time(5_000)
    assert world.group.members
    world.leave(MemberIdentity(leader))
    assert world.group.state_since == world.now + 3_600_000
