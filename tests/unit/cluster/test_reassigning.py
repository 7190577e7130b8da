"""Partitions that move from broker to broker, elections by hand, and brokers that are forgotten. In virtual time."""

import asyncio
from collections.abc import Sequence

import pytest
from tests.support.brokers import Brokers, some_brokers
from tests.support.in_sync import put_in_sync
from tests.support.virtual_time import in_virtual_time

from penstock.cluster import ElectionType, ElectLeader, PartitionImage, Reassign
from penstock.cluster.commands import UnregisterBroker
from penstock.cluster.elections import ElectedFrom
from penstock.cluster.image.shapes import record_from
from penstock.cluster.keys import Keys
from penstock.cluster.records import encode
from penstock.errors import (
    BrokerIdNotRegistered,
    ElectionNotNeeded,
    EligibleLeadersNotAvailable,
    InvalidReplicaAssignment,
    InvalidReplicationFactor,
    InvalidRequest,
    NoReassignmentInProgress,
    PreferredLeaderNotAvailable,
    Refusal,
    UnknownTopicOrPartition,
)
from penstock.metastore import OPERATIONS_MAX, Put, Transaction, absent
from penstock.model import BrokerId, topic_id_text


def the(brokers: Brokers) -> PartitionImage:
    return brokers.image().topics["orders"].partitions[0]


async def move(
    brokers: Brokers, replicas: Sequence[int] | None, *, topic: str = "orders", may_change_factor: bool = True
) -> Refusal | None:
    command = Reassign(topic, 0, None if replicas is None else tuple(replicas), may_change_factor)
    (outcome,) = await brokers.clusters[min(brokers.clusters)].controller.reassign([command], timeout_ms=10_000)
    await brokers.agree()
    return outcome


async def elect(brokers: Brokers, election_type: ElectionType) -> ElectedFrom | Refusal:
    command = ElectLeader("orders", 0, election_type)
    (outcome,) = await brokers.clusters[min(brokers.clusters)].controller.elect_leaders([command], timeout_ms=10_000)
    await brokers.agree()
    return outcome


@in_virtual_time
async def test_whoever_is_dropped_before_a_move_has_ended_is_dropped_under_a_new_epoch() -> None:
    async with some_brokers(4) as brokers:
        await brokers.create("orders", replicas=2, assigned=(1, 2))
        assert await move(brokers, (1, 3)) is None
        epoch = the(brokers).leader_epoch
        assert await move(brokers, (1, 4)) is None
        assert (the(brokers).adding, the(brokers).leader, the(brokers).leader_epoch) == ((4,), 1, epoch + 1)
        assert await move(brokers, None) is None
        assert (the(brokers).replicas, the(brokers).leader, the(brokers).leader_epoch) == ((1, 2), 1, epoch + 2)


@in_virtual_time
async def test_a_partition_moves_when_those_that_were_added_have_caught_up() -> None:
    async with some_brokers(4) as brokers:
        await brokers.create("orders", replicas=2, assigned=(1, 2))
        assert await move(brokers, (3, 4)) is None
        assert (the(brokers).replicas, the(brokers).adding, the(brokers).removing) == ((3, 4, 1, 2), (3, 4), (1, 2))
        assert (the(brokers).leader, the(brokers).in_sync) == (1, (1, 2)), "nothing has moved yet"
        await put_in_sync(brokers)
        await brokers.until(lambda: the(brokers).replicas == (3, 4))
        assert (the(brokers).leader, the(brokers).in_sync, the(brokers).leader_epoch) == (3, (3, 4), 1)
        assert (the(brokers).adding, the(brokers).removing) == ((), ())


@in_virtual_time
async def test_replicas_are_put_in_another_order_and_taken_away_at_once() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", replicas=3, assigned=(1, 2, 3))
        assert await move(brokers, (3, 2, 1)) is None
        assert (the(brokers).replicas, the(brokers).leader, the(brokers).leader_epoch) == ((3, 2, 1), 1, 0)
        assert await move(brokers, (3, 2)) is None
        assert (the(brokers).replicas, the(brokers).in_sync, the(brokers).leader) == ((3, 2), (2, 3), 3)


@in_virtual_time
async def test_a_move_under_way_can_be_changed_and_taken_back() -> None:
    async with some_brokers(4) as brokers:
        await brokers.create("orders", replicas=2, assigned=(1, 2))
        await move(brokers, (1, 3))
        await move(brokers, (1, 4))
        assert (the(brokers).replicas, the(brokers).adding, the(brokers).removing) == ((1, 4, 2), (4,), (2,))
        assert await move(brokers, None) is None
        assert (set(the(brokers).replicas), the(brokers).adding, the(brokers).removing) == ({1, 2}, (), ())
        assert isinstance(await move(brokers, None), NoReassignmentInProgress)


@in_virtual_time
async def test_a_move_is_not_taken_back_where_only_those_that_were_added_have_all_records() -> None:
    """Also when they are away and so in sync no more: they may come back yet."""
    async with some_brokers(5) as brokers:

        def partition() -> PartitionImage:
            return brokers.image(5).topics["orders"].partitions[0]

        await brokers.create("orders", assigned=(1, 2), min_insync_replicas="1")
        await brokers.kill(4)
        await brokers.until(lambda: 4 not in brokers.image(5).brokers)
        assert await move(brokers, (3, 4)) is None
        await put_in_sync(brokers)
        for broker_id in (2, 1):
            await brokers.kill(broker_id)
        await brokers.until(lambda: partition().in_sync == (3,))
        assert isinstance(await move(brokers, None), InvalidReplicaAssignment)
        await brokers.kill(3)
        await brokers.until(lambda: (partition().in_sync, partition().eligible) == ((), (3,)))
        assert isinstance(await move(brokers, None), InvalidReplicaAssignment)
        await brokers.start(3, boot_id="later")  # what it had is not certain any more, but nobody has more
        await brokers.kill(3)
        await brokers.until(lambda: 3 not in brokers.image(5).brokers)
        assert isinstance(await move(brokers, None), InvalidReplicaAssignment)
        await brokers.start(3, boot_id="later")
        await brokers.until(lambda: partition().leader == 3)


@in_virtual_time
async def test_moves_that_cannot_be_are_refused() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", replicas=2, assigned=(1, 2))
        assert isinstance(await move(brokers, (1, 9)), InvalidReplicaAssignment)
        assert isinstance(await move(brokers, (1, 1)), InvalidReplicaAssignment)
        assert isinstance(await move(brokers, ()), InvalidReplicaAssignment)
        assert isinstance(await move(brokers, (1, 2), topic="nothing"), UnknownTopicOrPartition)
        assert isinstance(await move(brokers, (1, 2, 3), may_change_factor=False), InvalidReplicationFactor)
        assert await move(brokers, (2, 3), may_change_factor=False) is None


@in_virtual_time
async def test_the_preferred_replica_is_elected_when_somebody_asks() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", replicas=3, assigned=(1, 2, 3))
        assert isinstance(await elect(brokers, ElectionType.PREFERRED), ElectionNotNeeded)
        await move(brokers, (3, 2, 1))
        assert await elect(brokers, ElectionType.PREFERRED) is ElectedFrom.IN_SYNC
        assert (the(brokers).leader, the(brokers).leader_epoch) == (3, 1)
        await brokers.kill(3)
        await brokers.until(lambda: the(brokers).leader in (1, 2))
        assert isinstance(await elect(brokers, ElectionType.PREFERRED), PreferredLeaderNotAvailable)


@in_virtual_time
async def test_an_incomplete_replica_is_elected_only_where_there_is_no_leader_and_somebody_asks() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", replicas=2, assigned=(3, 2))
        assert isinstance(await elect(brokers, ElectionType.UNCLEAN), ElectionNotNeeded)
        await brokers.kill(2)
        await brokers.until(lambda: the(brokers).in_sync == (3,))
        await brokers.kill(3)
        await brokers.until(lambda: the(brokers).leader == -1)
        assert isinstance(await elect(brokers, ElectionType.UNCLEAN), EligibleLeadersNotAvailable)
        await brokers.start(2)
        await asyncio.sleep(1)
        assert the(brokers).leader == -1
        assert await elect(brokers, ElectionType.UNCLEAN) is ElectedFrom.UNCLEAN
        assert brokers.metrics[1].uncleanleaderelections == 1
        assert (the(brokers).leader, the(brokers).in_sync, the(brokers).eligible) == (2, (2,), ())


@in_virtual_time
async def test_a_broker_that_is_gone_for_good_is_forgotten_and_its_id_free() -> None:
    async with some_brokers(2) as brokers:
        await brokers.create("orders", replicas=1, assigned=(2,))
        controller = brokers.clusters[1].controller
        with pytest.raises(InvalidRequest, match="running"):
            await controller.unregister_broker(BrokerId(2))
        with pytest.raises(BrokerIdNotRegistered):
            await controller.unregister_broker(BrokerId(7))
        await brokers.kill(2)
        await brokers.until(lambda: the(brokers).eligible == (2,))
        await controller.unregister_broker(BrokerId(2))
        await brokers.start(2, folder_id="another")
        await asyncio.sleep(1)
        assert the(brokers).leader == -1, "an empty folder does not pass for the one that had the records"


@in_virtual_time
async def test_a_broker_that_comes_back_while_it_is_being_forgotten_keeps_what_it_has() -> None:
    async with some_brokers(2) as brokers:
        await brokers.create("orders", partitions=300, replicas=1)
        await brokers.kill(2)
        its_own = [part.index for part in brokers.image().topics["orders"].partitions if part.replicas == (2,)]
        assert len(its_own) == 150
        await brokers.until(
            lambda: all(brokers.image().topics["orders"].partitions[index].eligible == (2,) for index in its_own)
        )
        decision = brokers.clusters[1].controller._machine.decide(UnregisterBroker(BrokerId(2)))
        assert len(decision.transactions) == 3, "two for the partitions, one for its name"
        assert all(absent(Keys("main").broker(BrokerId(2))) in each.compares for each in decision.transactions)
        assert all(len(each.compares) <= OPERATIONS_MAX for each in decision.transactions)


@in_virtual_time
async def test_nor_does_it_where_the_broker_was_forgotten_before_anybody_declared_it_lost() -> None:
    async with some_brokers(2) as brokers:
        await brokers.create("orders", replicas=2, assigned=(2, 1))
        member = brokers.clusters[1].member
        assert member is not None
        brokers.lines[1].is_cut = True
        await brokers.kill(2)
        await asyncio.sleep(0.9 * member.contact._lease_s)
        brokers.lines[1].is_cut = False  # just back, the controller is patient with whoever is not there
        await brokers.until(lambda: BrokerId(2) not in brokers.image().brokers)
        topic_id, behind = brokers.image().topics["orders"].topic_id, record_from(the(brokers), in_sync=(BrokerId(2),))
        key = Keys("main").partition(topic_id_text(topic_id), 0)
        await brokers.store.commit(Transaction(puts=(Put(key, encode(behind)),)))
        await brokers.until(lambda: the(brokers).in_sync == (2,))
        assert the(brokers).leader == 2 and member.contact.is_patient
        await brokers.clusters[1].controller.unregister_broker(BrokerId(2))
        await brokers.until(lambda: not member.contact.is_patient and the(brokers).leader == -1)
        await brokers.start(2, folder_id="another")
        await asyncio.sleep(1)
        assert the(brokers).leader == -1
        assert await elect(brokers, ElectionType.UNCLEAN) is ElectedFrom.UNCLEAN
