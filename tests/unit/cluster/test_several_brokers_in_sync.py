"""Several brokers on one store: in-sync and eligible sets as leaders and followers change them. In virtual time."""

import pytest
from tests.support.brokers import some_brokers, the
from tests.support.virtual_time import in_virtual_time

from penstock.metastore import Conflict, Revision
from penstock.model import BrokerId, LeaderEpoch


@in_virtual_time
async def test_a_follower_joins_only_under_the_registration_that_its_fetch_carried() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders")
        leader, follower = the(brokers).leader, the(brokers).replicas[1]
        stale = brokers.image(leader).brokers[follower].epoch
        await brokers.clusters.pop(follower).abandon()
        await brokers.start(follower)
        await brokers.agree()
        partition = brokers.image(leader).topics["orders"].partitions[0]
        topic_id = brokers.image(leader).topics["orders"].topic_id

        async def join(epoch: Revision, *, again: bool) -> Revision:
            return await brokers.clusters[leader].in_sync_writes.write(
                topic_id,
                0,
                expected_revision=partition.revision,
                in_sync=partition.replicas,
                eligible=(),
                joining={follower: epoch},
                again=again,
            )

        for again in (False, True):  # by what the image knows, and by the store's own word
            with pytest.raises(Conflict):
                await join(stale, again=again)
        assert await join(brokers.image(leader).brokers[follower].epoch, again=False) > partition.revision


@in_virtual_time
async def test_a_leader_that_resigns_is_replaced_by_another_in_sync_replica() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders")
        leader, topic_id = the(brokers).leader, brokers.image().topics["orders"].topic_id
        await brokers.clusters[leader].in_sync_writes.resign(
            topic_id, 0, leader_epoch=LeaderEpoch(0), reason="its disk is full"
        )
        await brokers.until(lambda: the(brokers).leader not in (leader, -1))
        assert leader not in the(brokers).in_sync


@in_virtual_time
async def test_a_leader_alone_in_sync_that_resigns_is_replaced_by_an_eligible_replica() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", assigned=(1, 2, 3), min_insync_replicas="2")
        topic_id = brokers.image().topics["orders"].topic_id
        writes = brokers.clusters[1].in_sync_writes
        await writes.write(
            topic_id,
            0,
            expected_revision=the(brokers).revision,
            in_sync=(BrokerId(1),),
            eligible=(BrokerId(3),),
            joining={},
        )
        await brokers.agree()
        await writes.resign(topic_id, 0, leader_epoch=LeaderEpoch(0), reason="its log is damaged")
        await brokers.until(lambda: the(brokers).leader == 3)
        assert (the(brokers).in_sync, the(brokers).eligible) == ((3,), ())


@in_virtual_time
async def test_who_leaves_below_the_minimum_with_all_it_had_is_eligible_and_else_it_is_not() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", assigned=(1, 2, 3), min_insync_replicas="2")
        topic_id = brokers.image().topics["orders"].topic_id
        await brokers.clusters[2].in_sync_writes.leave(topic_id, 0, reason="its log is damaged", eligible_below=0)
        await brokers.agree()
        await brokers.clusters[3].in_sync_writes.leave(topic_id, 0, reason="its disk is full", eligible_below=2)
        await brokers.agree()
        assert (the(brokers).in_sync, the(brokers).eligible) == ((1,), (3,))
        await brokers.clusters[3].in_sync_writes.leave(topic_id, 0, reason="its disk is full", eligible_below=2)
        epoch = the(brokers).leader_epoch
        await brokers.clusters[1].in_sync_writes.resign(
            topic_id, 0, leader_epoch=epoch, reason="its disk is full", eligible_below=2
        )
        await brokers.until(lambda: the(brokers).leader == 3)
        assert (the(brokers).in_sync, the(brokers).eligible) == ((3,), (1,))
        await brokers.clusters[1].in_sync_writes.leave(topic_id, 0, reason="its log is damaged", eligible_below=0)
        await brokers.agree()
        assert the(brokers).eligible == ()


@in_virtual_time
async def test_a_follower_that_begins_anew_is_forgotten_by_its_leader_which_leads_on() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders")
        leader, topic_id = the(brokers).leader, brokers.image().topics["orders"].topic_id
        follower = next(broker for broker in the(brokers).replicas if broker != leader)
        writes, first = brokers.clusters[follower].in_sync_writes, the(brokers).leader_epoch
        await writes.begin_anew(topic_id, 0, leader_epoch=first)
        image = brokers.image(follower).topics["orders"].partitions[0]
        assert (image.leader, image.leader_epoch, len(image.in_sync)) == (leader, first + 1, 3)
        await writes.begin_anew(topic_id, 0, leader_epoch=first)
        await brokers.agree()
        assert the(brokers).leader_epoch == first + 1, "once is enough"
