"""Members that fall silent, and coordinators that change meanwhile: the session goes on where it was (ADR 42).

The session is 45 s and heartbeats come every 5 s, as by default: after 15 s a member counts as silent.
"""

from typing import Any

import pytest
from tests.support.consumer_groups import Client, ConsumerWorld, Topics, settle

from penstock.coordinators.groups.assigned.environment import GroupSettings
from penstock.coordinators.groups.assigned.records import SilenceRecord
from penstock.coordinators.groups.consumer.state import ConsumerGroup
from penstock.coordinators.groups.records import GroupCodec
from penstock.model import Millis


def a_group(*members: str, heartbeat_ms: int = 5_000) -> tuple[ConsumerWorld, list[Client]]:
    topics = Topics(orders=4)
    topics.settings = GroupSettings(assignment_interval_ms=0, heartbeat_interval_ms=heartbeat_ms)
    world = ConsumerWorld(topics)
    clients = [Client(world, member) for member in members]
    settle(clients)
    return world, clients


def go_on(world: ConsumerWorld, *clients: Client, for_s: int, every_s: int = 5) -> None:
    """Time passes, in which these are heard."""
    for _ in range(0, for_s, every_s):
        world.pass_time(every_s * 1000)
        for client in clients:
            client.beat()
        world.do_work()


def silences(world: ConsumerWorld) -> list[Any]:
    return [change for batch in world.log for change in batch if isinstance(change, SilenceRecord)]


def test_a_killed_member_is_given_up_in_time_though_the_coordinator_changes_again_and_again() -> None:
    world, (alive, _killed) = a_group("alive", "killed")
    for _change in range(2):
        go_on(world, alive, for_s=20)
        world.restart()
    go_on(world, alive, for_s=15)
    assert set(world.consumers.members) == {"alive"}
    settle([alive])
    assert alive.partitions == {0, 1, 2, 3}


def test_a_new_coordinator_gives_a_silent_member_what_is_left_of_its_session() -> None:
    world, (alive, _killed) = a_group("alive", "killed")
    go_on(world, alive, for_s=20)
    world.restart()
    go_on(world, alive, for_s=20)
    assert "killed" in world.consumers.members
    go_on(world, alive, for_s=5)
    assert "killed" not in world.consumers.members


def test_a_member_that_lives_has_time_to_find_its_new_coordinator_however_long_it_was_silent() -> None:
    """It could not reach the former one. What the new coordinator allows is never less than three heartbeats."""
    world, (alive, cut_off) = a_group("alive", "cut off")
    go_on(world, alive, for_s=40)
    world.restart()
    go_on(world, alive, for_s=10)
    assert cut_off.beat().error_code == 0
    go_on(world, alive, cut_off, for_s=60)
    assert set(world.consumers.members) == {"alive", "cut off"} and cut_off.refused is None


def test_a_member_that_was_not_silent_has_a_whole_session_at_a_new_coordinator() -> None:
    world, (first, second) = a_group("first", "second")
    go_on(world, first, second, for_s=60)
    world.restart()
    world.pass_time(44_000)
    assert first.beat().error_code == 0 and second.beat().error_code == 0
    assert silences(world)[2:] == [SilenceRecord("g", "first", None), SilenceRecord("g", "second", None)]


def test_a_member_that_is_heard_of_again_is_silent_no_longer() -> None:
    world, (alive, slow) = a_group("alive", "slow")
    go_on(world, alive, for_s=20)
    assert list(world.consumers.silences) == ["slow"]
    slow.beat()
    assert world.consumers.silences == {}
    world.restart()
    go_on(world, alive, for_s=40)
    assert "slow" in world.consumers.members, "it has a whole session again"


def test_a_static_member_that_leaves_for_a_while_has_one_session_to_come_back_whoever_coordinates() -> None:
    topics = Topics(orders=4)
    topics.settings = GroupSettings(assignment_interval_ms=0)
    world = ConsumerWorld(topics)
    alive, away = Client(world, "alive"), Client(world, "away", instance_id="i")
    settle([alive, away])
    away.beat(member_epoch=-2)
    for _change in range(3):
        go_on(world, alive, for_s=10)
        world.restart()
    go_on(world, alive, for_s=10)
    assert "away" in world.consumers.members
    go_on(world, alive, for_s=5)
    assert "away" not in world.consumers.members


def test_a_static_member_that_comes_back_is_silent_no_longer() -> None:
    world = ConsumerWorld(Topics(orders=4))
    first = Client(world, "first", instance_id="i")
    settle([first])
    first.beat(member_epoch=-2)
    again = Client(world, "again", instance_id="i")
    settle([again])
    assert set(world.consumers.members) == {"again"}
    assert world.consumers.silences == world.replayed().tables.of_kind(ConsumerGroup)["g"].silences == {}


def test_nothing_is_written_of_members_whose_heartbeats_come() -> None:
    world, clients = a_group("first", "second")
    batches = len(world.log)
    go_on(world, *clients, for_s=300)
    assert len(world.log) == batches


def test_heartbeats_that_may_be_as_rare_as_a_session_is_long_are_never_missed_before_its_end() -> None:
    world, (alive, _killed) = a_group("alive", "killed", heartbeat_ms=15_000)
    go_on(world, alive, for_s=40)
    assert silences(world) == []


@pytest.mark.parametrize("skew_s", [-3600, 3600])
def test_clocks_that_differ_give_no_more_than_a_session_and_no_less_than_three_heartbeats(skew_s: int) -> None:
    world, (alive, _killed) = a_group("alive", "killed")
    go_on(world, alive, for_s=40)
    world.now = Millis(world.now + skew_s * 1000)
    world.restart()
    alive.beat()
    allowed_ms = world.consumers.deadlines["killed"] - world.now
    assert allowed_ms == (45_000 if skew_s < 0 else 15_000)


def test_what_is_kept_of_a_silence_is_taken_back_with_its_member() -> None:
    world, (alive, _killed) = a_group("alive", "killed")
    go_on(world, alive, for_s=60)
    assert "killed" not in world.consumers.members
    noted, taken_back = silences(world)
    assert (noted.member_id, taken_back) == ("killed", SilenceRecord("g", "killed", None))
    assert world.replayed().tables.of_kind(ConsumerGroup)["g"].silences == {}


def test_a_silence_that_compaction_left_over_brings_no_group_back() -> None:
    world = ConsumerWorld()
    world.machine.apply(SilenceRecord("g", "m", Millis(1)))
    assert world.machine.tables.of_kind(ConsumerGroup) == {}


@pytest.mark.parametrize("heard_at", [None, Millis(1_700_000_000_000)])
def test_a_silence_is_read_as_it_was_written(heard_at: Millis | None) -> None:
    codec = GroupCodec()
    record = SilenceRecord("g", "m", heard_at)
    assert codec.decode(*codec.encode(record)) == record
