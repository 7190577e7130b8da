"""A group changes its protocol while its members go on, both ways; and classic members of a consumer group."""

import pytest
from tests.support.consumer_groups import Client, ConsumerWorld, Topics, id_of, settle
from tests.support.groups import UNANSWERED

from penstock.coordinators.groups.consumer.classic_protocol import read_assignment
from penstock.coordinators.groups.consumer.limits import ConsumerLimits
from penstock.coordinators.groups.consumer.state import ConsumerGroup
from penstock.coordinators.groups.state import Group
from penstock.errors import (
    GroupIdNotFound,
    IllegalGeneration,
    InconsistentGroupProtocol,
    MemberIdRequired,
    RebalanceInProgress,
    Refusal,
    UnknownMemberId,
)
from penstock.wire.messages.consumer_protocol_assignment import ConsumerProtocolAssignment
from penstock.wire.messages.consumer_protocol_assignment import TopicPartition as Assigned
from penstock.wire.messages.consumer_protocol_subscription import ConsumerProtocolSubscription, TopicPartition
from penstock.wire.messages.leave_group_request import MemberIdentity


def told(*owned: int, topics: tuple[str, ...] = ("orders",)) -> tuple[tuple[str, bytes], ...]:
    """What a cooperative consumer tells when it joins."""
    parts = [TopicPartition("orders", list(owned))] if owned else []
    return (("cooperative-sticky", b"\x00\x01" + ConsumerProtocolSubscription(list(topics), None, parts).encode(1)),)


def share(*partitions: int) -> bytes:
    return b"\x00\x01" + ConsumerProtocolAssignment([Assigned("orders", list(partitions))]).encode(1)


def read(answer: object) -> set[int]:
    assert not isinstance(answer, Refusal), answer
    found = read_assignment(answer.assignment).assigned_partitions  # type: ignore[attr-defined]
    return {partition for topic in found for partition in topic.partitions}


class Classic:
    """A cooperative consumer of the classic protocol: it gives up what it lost and joins when it is called to."""

    def __init__(self, world: ConsumerWorld, member_id: str) -> None:
        self.world = world
        self.member_id = member_id
        self.generation = -1
        self.partitions: set[int] = set()

    def join(self) -> None:
        answer = self.world.reply(
            self.world.join(self.member_id, protocols=told(*sorted(self.partitions)), session_ms=45_000)
        )
        if answer is UNANSWERED:
            return
        assert answer.error_code == 0
        self.generation = answer.generation_id
        synced = self.world.reply(self.world.sync(self.member_id, self.generation, None))
        assert synced is not UNANSWERED
        if isinstance(synced, Refusal) or synced.error_code:
            return
        self.partitions = read(synced)

    def beat(self) -> None:
        answer = self.world.heartbeat(self.member_id, self.generation)
        if not isinstance(answer, Refusal) and answer.error_code == RebalanceInProgress.code:
            self.join()


def classic_group(world: ConsumerWorld, members: int = 2, partitions: int = 4) -> list[Classic]:
    """A stable classic group that shares out the topic."""
    asked = [world.join(protocols=told(), version=3) for _ in range(members)]
    world.pass_time(6_000)
    answers = [world.reply(address) for address in asked]
    ids = [answer.member_id for answer in answers]
    shares = {name: share(*range(place, partitions, members)) for place, name in enumerate(ids)}
    leader, generation = answers[0].leader, answers[0].generation_id
    for name in sorted(ids, key=lambda name: name != leader):
        world.sync(name, generation, shares if name == leader else None)
    found = []
    for place, name in enumerate(ids):
        member = Classic(world, name)
        member.generation, member.partitions = generation, set(range(place, partitions, members))
        found.append(member)
    assert world.state == "Stable"
    return found


def rounds(classic: list[Classic], new: list[Client], count: int = 8) -> None:
    for _ in range(count):
        for member in classic:
            member.beat()
        settle(new, 1)


def test_a_classic_group_becomes_a_consumer_group_when_a_new_member_comes() -> None:
    world = ConsumerWorld()
    members = classic_group(world)
    new = Client(world, "new")
    new.beat()
    assert world.machine.tables.of_kind(Group) == {} and len(world.consumers.members) == 3
    assert new.partitions == set()
    rounds(members, [new])
    owned = [*(member.partitions for member in members), new.partitions]
    assert sorted(map(len, owned)) == [1, 1, 2] and set().union(*owned) == {0, 1, 2, 3}


def test_and_back_when_the_last_new_member_goes() -> None:
    world = ConsumerWorld()
    members = classic_group(world)
    new = Client(world, "new")
    new.beat()
    rounds(members, [new])
    epoch = world.consumers.epoch
    world.go("new")
    assert world.machine.tables.of_kind(ConsumerGroup) == {}
    assert world.state == "PreparingRebalance" and world.group.generation == epoch
    assert set(world.group.members) == {member.member_id for member in members}
    joins = [world.join(member.member_id, protocols=told(*sorted(member.partitions))) for member in members]
    assert all(world.reply(address).error_code == 0 for address in joins)
    assert world.group.generation == epoch + 1


def test_and_when_it_comes_back_as_a_static_member_of_the_classic_protocol() -> None:
    world = ConsumerWorld()
    members = classic_group(world)
    new = Client(world, "new", instance_id="i")
    new.beat()
    rounds(members, [new])
    had = new.partitions
    world.beat("new", -2, instance_id="i")
    answer = world.reply(world.join(instance="i", protocols=told()))
    assert answer.error_code == 0 and world.machine.tables.of_kind(ConsumerGroup) == {}
    assert world.state == "Stable" and world.group.instances == {"i": answer.member_id}
    assert read(world.reply(world.sync(answer.member_id, world.group.generation, group_instance_id="i"))) == had
    assert "new" not in world.replayed().tables.of_kind(Group)["g"].members


def test_what_members_still_read_is_not_given_away_when_a_group_goes_back_and_forth() -> None:
    """They were to give up partitions and had not yet when the group went back: they still have them."""
    world = ConsumerWorld()
    members = classic_group(world)
    world.come("new")
    world.go("new")
    assert world.state == "PreparingRebalance"
    again = Client(world, "again")
    again.beat()
    assert again.partitions == set() and [sorted(member.partitions) for member in members] == [[0, 2], [1, 3]]
    assert {world.consumers.owner_of(id_of("orders"), index) for index in range(4)} == {m.member_id for m in members}


def test_the_log_of_both_moves_can_be_replayed() -> None:
    world = ConsumerWorld()
    members = classic_group(world)
    world.commit(7, member_id=members[0].member_id, generation_id_or_member_epoch=members[0].generation)
    new = Client(world, "new")
    new.beat()
    rounds(members, [new])
    before = world.replayed().tables.of_kind(ConsumerGroup)["g"]
    assert before.members == world.consumers.members and before.owners == world.consumers.owners
    world.go("new")
    after = world.replayed()
    assert after.tables.of_kind(ConsumerGroup) == {} and set(after.tables.of_kind(Group)["g"].members) == {
        m.member_id for m in members
    }
    assert after.tables.offsets["g"]["orders"][0].offset == 7


def test_members_that_wait_in_a_rebalance_are_called_back() -> None:
    world = ConsumerWorld()
    members = classic_group(world)
    waiting = world.join(members[0].member_id, protocols=told(topics=("orders", "bills")))
    assert world.reply(waiting) is UNANSWERED
    world.come("new")
    assert world.reply(waiting).error_code == RebalanceInProgress.code


def test_what_cooperative_members_read_on_during_a_rebalance_is_theirs() -> None:
    """A rebalance that is begun again before it is complete drops assignments; members go on reading all the same."""
    world = ConsumerWorld()
    members = classic_group(world)
    for member in members:
        world.join(member.member_id, protocols=told(*sorted(member.partitions)))
    assert world.state == "CompletingRebalance"
    world.join(protocols=told(), version=3)
    assert {member.assignment for member in world.group.members.values()} == {b""}
    new = Client(world, "new")
    new.beat()
    assert new.partitions == set()
    assert all(world.consumers.owner_of(id_of("orders"), index) == members[index % 2].member_id for index in range(4))


@pytest.mark.parametrize("limits", [ConsumerLimits(upgrades=False), ConsumerLimits(members_max=1)])
def test_a_group_that_may_not_change_refuses_new_members(limits: ConsumerLimits) -> None:
    world = ConsumerWorld(consumer_limits=limits)
    classic_group(world)
    assert world.come("new") is GroupIdNotFound and world.state == "Stable"


def test_a_group_of_another_type_stays_what_it_is() -> None:
    world = ConsumerWorld()
    address = world.join(protocols=(("v0", b"opaque"),), protocol_type="connect", version=3)
    world.pass_time(3_000)
    assert world.reply(address).error_code == 0
    assert world.come("new") is GroupIdNotFound


def test_an_empty_group_takes_the_protocol_of_who_comes() -> None:
    world = ConsumerWorld()
    world.commit(7)
    world.come("new")
    assert "g" in world.machine.tables.of_kind(ConsumerGroup) and "g" not in world.machine.tables.of_kind(Group)
    world.go("new")
    world.join(protocols=told())
    assert "g" not in world.machine.tables.of_kind(ConsumerGroup) and "g" in world.machine.tables.of_kind(Group)
    assert world.machine.tables.offsets["g"]["orders"][0].offset == 7
    assert "g" not in world.replayed().tables.of_kind(ConsumerGroup)


def test_a_downgrade_can_be_forbidden() -> None:
    world = ConsumerWorld(consumer_limits=ConsumerLimits(downgrades=False))
    members = classic_group(world)
    new = Client(world, "new")
    new.beat()
    world.go("new")
    rounds(members, [])
    assert set().union(*(member.partitions for member in members)) == {0, 1, 2, 3}
    assert "g" in world.machine.tables.of_kind(ConsumerGroup)


def test_what_the_last_new_member_had_goes_to_the_others_where_a_downgrade_is_forbidden() -> None:
    """Nobody's heartbeats but theirs are left to bring a new target about."""
    world = ConsumerWorld(consumer_limits=ConsumerLimits(downgrades=False))
    members = classic_group(world)
    new = Client(world, "new")
    new.beat()
    rounds(members, [new])
    assert new.partitions
    world.go("new")
    rounds(members, [])
    assert set().union(*(member.partitions for member in members)) == {0, 1, 2, 3}
    world.topics.make("orders", 5)
    rounds(members, [])
    assert set().union(*(member.partitions for member in members)) == {0, 1, 2, 3, 4}
    assert "g" in world.machine.tables.of_kind(ConsumerGroup)


def test_a_classic_member_joins_a_consumer_group() -> None:
    world = ConsumerWorld()
    new = Client(world, "new")
    settle([new])
    asked = world.reply(world.join("", protocols=told()))
    assert asked.error_code == MemberIdRequired.code
    member = Classic(world, asked.member_id)
    member.join()
    rounds([member], [new])
    assert len(member.partitions) == len(new.partitions) == 2
    assert member.partitions | new.partitions == {0, 1, 2, 3}


def test_a_classic_member_is_held_to_its_generation_and_protocol() -> None:
    world = ConsumerWorld()
    members = classic_group(world)
    world.come("new")
    member = members[0]
    assert isinstance(world.heartbeat(member.member_id, member.generation + 5), IllegalGeneration)
    assert isinstance(world.heartbeat("nobody", member.generation), UnknownMemberId)
    assert isinstance(world.heartbeat("new", 2), UnknownMemberId)
    other = world.reply(world.join("", protocols=(("other", told()[0][1]),)))
    assert other.error_code == InconsistentGroupProtocol.code


def test_a_classic_member_that_does_not_join_when_called_is_given_up() -> None:
    world = ConsumerWorld()
    members = classic_group(world)
    new = Client(world, "new")
    new.beat()
    slow = members[0]
    for _ in range(61):  # it says that it is alive, and does nothing else
        answer = world.heartbeat(slow.member_id, slow.generation)
        members[1].beat()
        new.beat()
        world.pass_time(1_000)
        if isinstance(answer, Refusal):
            break
    assert slow.member_id not in world.consumers.members
    rounds(members[1:], [new])
    assert members[1].partitions | new.partitions == {0, 1, 2, 3}


def test_a_classic_member_leaves_a_consumer_group() -> None:
    world = ConsumerWorld()
    members = classic_group(world)
    new = Client(world, "new")
    new.beat()
    answer = world.leave(MemberIdentity(members[0].member_id), MemberIdentity("nobody"))
    assert [member.error_code for member in answer.members] == [0, UnknownMemberId.code]
    rounds(members[1:], [new])
    assert members[1].partitions | new.partitions == {0, 1, 2, 3}


def test_topics_that_are_gone_are_left_out_of_what_classic_members_get() -> None:
    world = ConsumerWorld(Topics(orders=4))
    members = classic_group(world)
    world.come("new")
    world.topics.delete("orders")
    answer = world.reply(world.sync(members[0].member_id, members[0].generation, None))
    assert isinstance(answer, Refusal) or answer.error_code or read(answer) == set()
