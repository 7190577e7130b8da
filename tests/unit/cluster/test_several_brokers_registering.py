"""Several brokers on one store: how they find each other, come back and are taken for who they are. In virtual time."""

import asyncio

import pytest
from tests.support.brokers import (
    KEYS,
    LEASE_S,
    Line,
    SimulatedProbe,
    lose_answer,
    some_brokers,
    the,
)
from tests.support.clusters import SeededDice
from tests.support.virtual_time import LoopClock, in_virtual_time

from penstock.cluster import (
    Cluster,
    ClusterBugs,
    ClusterPorts,
    IdentityRecord,
    LogReport,
    PartitionRef,
)
from penstock.errors import (
    DuplicateBrokerRegistration,
    Fatal,
)
from penstock.metastore import Conflict, Delete, Put, Revision, Transaction, created_at
from penstock.model import BrokerId
from penstock.settings.config import Config


@in_virtual_time
async def test_brokers_find_each_other_and_agree_on_one_controller() -> None:
    async with some_brokers(3) as brokers:
        for broker_id in (1, 2, 3):
            image = brokers.image(broker_id)
            assert (sorted(image.brokers), image.controller_id) == ([1, 2, 3], 1)
        assert len({brokers.image(broker_id).cluster_id for broker_id in (1, 2, 3)}) == 1


@in_virtual_time
async def test_a_broker_catches_up_with_a_store_in_which_others_write_too() -> None:
    """Their writes are not shown to it, so it waits for one of its own."""
    async with some_brokers(1) as brokers:
        await brokers.store.commit(Transaction(puts=(Put("/another/cluster", b"{}"),)))
        async with asyncio.timeout(60):
            await brokers.clusters[1].in_sync_writes.catch_up()


@in_virtual_time
async def test_a_broker_that_is_shown_its_registration_before_it_is_answered_stands_for_controller_too() -> None:
    async with some_brokers(1) as brokers:
        reign = brokers.image().controller_epoch
        brokers.lines[1].answers_after_s = 0.05
        item = await brokers.store.get(KEYS.broker(1))
        assert item is not None
        await brokers.store.revoke(item.lease)  # registration and control are gone at once, as when a lease runs out
        await brokers.until(lambda: brokers.controller == 1 and brokers.image().controller_epoch > reign)


@in_virtual_time
async def test_a_restarted_broker_takes_its_registration_over_at_once() -> None:
    async with some_brokers(3) as brokers:
        before = brokers.image(2).brokers[BrokerId(3)]
        brokers.network.dead.clear()
        await brokers.clusters.pop(3).abandon()
        await brokers.start(3)  # long before its lease ends, or anybody has noticed
        await brokers.agree()
        after = brokers.image(2).brokers[BrokerId(3)]
        assert after.epoch > before.epoch and after.incarnation != before.incarnation


@in_virtual_time
async def test_a_broker_starts_though_the_store_has_left_one_of_its_writes_unanswered() -> None:
    """As it does when its leader is killed: that is no reason to stay away for good."""
    for is_made in (True, False):
        async with some_brokers(1) as brokers:
            await brokers.create("orders", replicas=1)
            number = 0
            is_one_lost = True
            while is_one_lost:
                line = Line(brokers.store)
                lose_answer(line, number=number, is_made=is_made)
                await brokers.clusters.pop(1).abandon()
                await brokers.start(1, line=line)
                member = brokers.clusters[1].member
                assert member is not None
                await brokers.until(lambda member=member: member.candidacy.is_in_charge)  # type: ignore[misc]
                await brokers.until(lambda: the(brokers).leader == 1)
                is_one_lost = number < len(line.commits)
                number += 1
            assert number > 5


@in_virtual_time
async def test_a_new_process_never_leads_under_an_epoch_of_its_former_self() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        led = {part.index: part.leader_epoch for _, part in brokers.image(2).partitions() if part.leader == 3}
        await brokers.clusters.pop(3).abandon()
        await brokers.start(3)
        await brokers.until(lambda: all(part.leader >= 0 for _, part in brokers.image(2).partitions()))
        now = {part.index: part.leader_epoch for _, part in brokers.image(2).partitions()}
        assert led and all(now[index] > epoch for index, epoch in led.items())


@in_virtual_time
async def test_without_the_rule_it_would() -> None:
    async with some_brokers(1, bugs=ClusterBugs(keeps_epoch_of_former_self=True)) as brokers:
        await brokers.create("orders", replicas=1)
        await brokers.clusters.pop(1).abandon()
        await brokers.start(1)
        await brokers.until(lambda: the(brokers).leader == 1)
        assert the(brokers).leader_epoch == 0


@in_virtual_time
async def test_the_same_id_from_another_folder_is_refused_in_words_also_when_the_first_is_gone() -> None:
    async with some_brokers(2) as brokers:
        for _ in range(2):
            with pytest.raises(DuplicateBrokerRegistration, match=r"last seen on machine-2|belongs to data folder"):
                await brokers.start(2, folder_id="another")
            if 2 in brokers.clusters:
                await brokers.clusters.pop(2).abandon()
            await asyncio.sleep(2 * LEASE_S)
        assert 2 not in brokers.image(1).brokers


@in_virtual_time
async def test_a_lost_lease_is_not_fatal_the_same_process_registers_again() -> None:
    async with some_brokers(3) as brokers:
        before = brokers.image(1).brokers[BrokerId(2)]
        member = brokers.clusters[2].member
        assert member is not None
        await brokers.store.revoke(member.registration.lease)
        await brokers.until(lambda: brokers.image(1).brokers.get(BrokerId(2), before).epoch > before.epoch)
        assert brokers.image(1).brokers[BrokerId(2)].incarnation == before.incarnation


@in_virtual_time
async def test_a_broker_that_is_fenced_while_it_lives_registers_again_and_leads_no_more() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        key, epoch = KEYS.broker(2), brokers.image(1).brokers[BrokerId(2)].epoch
        await brokers.store.commit(Transaction(compares=(created_at(key, epoch),), deletes=(Delete(key),)))
        await brokers.until(lambda: brokers.led_by(2) == 0 and 2 in brokers.image(1).brokers)
        assert brokers.image(1).brokers[BrokerId(2)].epoch > epoch


@in_virtual_time
async def test_a_broker_that_is_fenced_before_it_hears_that_it_is_registered_registers_again() -> None:
    async with some_brokers(3) as brokers:
        key = KEYS.broker(3)

        def epoch() -> int:
            found = brokers.image(3).brokers.get(BrokerId(3))
            return 0 if found is None else found.epoch

        brokers.lines[3].answers_after_s = 0.5
        for _ in range(2):  # the second time the answer to its registration is on its way
            fenced = epoch()
            fence = created_at(key, Revision(fenced))
            await brokers.store.commit(Transaction(compares=(fence,), deletes=(Delete(key),)))
            await brokers.until(lambda fenced=fenced: epoch() > fenced)  # type: ignore[misc]


@in_virtual_time
async def test_a_broker_that_has_registered_anew_is_not_fenced_for_its_former_registration() -> None:
    async with some_brokers(3) as brokers:
        member, broker = brokers.clusters[1].member, brokers.image(1).brokers[BrokerId(3)]
        assert member is not None
        with pytest.raises(Conflict):
            await brokers.store.commit(member.machine.fence(broker.id, Revision(broker.epoch - 1)))
        assert await brokers.store.get(KEYS.broker(3)) is not None
        await brokers.store.commit(member.machine.fence(broker.id, broker.epoch))
        assert await brokers.store.get(KEYS.broker(3)) is None


@in_virtual_time
async def test_a_broker_that_finds_another_process_in_its_place_stops() -> None:
    async with some_brokers(2) as brokers:
        former = brokers.clusters[2]
        await brokers.start(2)  # a copy of its data folder, say
        with pytest.raises(Fatal, match="another process has registered as broker 2"):
            await former.ended()
        await former.abandon()


@in_virtual_time
async def test_what_the_page_cache_held_counts_only_until_the_machine_is_restarted() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders")
        follower = the(brokers).replicas[1]
        await brokers.clusters.pop(follower).abandon()
        await brokers.start(follower, boot_id="another boot")
        await brokers.agree()
        assert follower not in the(brokers).in_sync


@in_virtual_time
async def test_what_a_clean_stop_flushed_counts_after_a_restart_of_the_machine_too() -> None:
    async with some_brokers(2) as brokers:
        await brokers.create("orders", replicas=2, min_insync_replicas="2")
        follower = the(brokers).replicas[1]
        epochs = []
        for boot_id in ("boot", "another boot", "a third boot"):
            epochs.append(brokers.clusters[follower].broker_epoch)
            await brokers.stop(follower)
            assert the(brokers).eligible == (follower,)
            await brokers.start(follower, boot_id=boot_id, stopped_under=epochs[-1])
        await brokers.stop(follower)
        # A backup of the folder, taken at an earlier clean stop and put back, is not what the last one left.
        await brokers.start(follower, boot_id="a fourth boot", stopped_under=epochs[-1])
        await brokers.agree()
        assert the(brokers).eligible == ()


@in_virtual_time
async def test_who_is_not_registered_yet_has_no_epoch_though_its_former_self_still_is() -> None:
    """Else a start that is broken off would say that all was flushed that that one wrote, whatever was lost since."""
    async with some_brokers(2) as brokers:
        former = brokers.clusters[2].broker_epoch
        await brokers.kill(2)
        starting = brokers.unjoined(2)
        await starting.start()
        assert starting.image.brokers[BrokerId(2)].epoch == former > 0
        assert starting.broker_epoch == 0
        await starting.stop()


@in_virtual_time
async def test_a_folder_that_says_all_was_flushed_before_it_counted_loses_nothing_with_the_page_cache() -> None:
    async with some_brokers(2) as brokers:
        for name in ("safe", "new"):
            await brokers.create(name, replicas=2, min_insync_replicas="2", penstock_flush_before_ack="true")
        await brokers.kill(1)
        await brokers.until(lambda: the(brokers, "safe").eligible == the(brokers, "new").eligible == (1,))
        safe = PartitionRef(brokers.image().topics["safe"].topic_id, 0)
        await brokers.start(1, boot_id="another boot", flushed=frozenset([safe]))
        await brokers.agree()
        assert the(brokers, "safe").eligible == (1,)
        assert the(brokers, "new").eligible == (), "the setting alone says nothing of what this broker did"


@in_virtual_time
async def test_a_broker_whose_logs_are_missing_counts_for_none_of_them_when_it_registers() -> None:
    async with some_brokers(3) as brokers:
        for name in ("kept", "gone"):
            await brokers.create(name, assigned=(3, 1, 2))
        topics = brokers.image().topics
        for broker in (1, 2, 3):
            await brokers.kill(broker)
        kept = PartitionRef(topics["kept"].topic_id, 0)
        await brokers.start(3, held=frozenset([kept]))
        assert 3 in the(brokers, "kept").in_sync
        assert 3 not in the(brokers, "gone").in_sync and the(brokers, "gone").without_log == (3,)
        await brokers.until(lambda: the(brokers, "kept").leader == 3)
        await brokers.start(1, held=frozenset([kept, PartitionRef(topics["gone"].topic_id, 0)]))
        await brokers.until(lambda: the(brokers, "gone").leader == 1)


@in_virtual_time
async def test_without_the_rule_a_missing_log_would_be_led() -> None:
    async with some_brokers(1, bugs=ClusterBugs(takes_missing_logs_for_empty=True)) as brokers:
        await brokers.create("orders", replicas=1)
        await brokers.clusters.pop(1).abandon()
        await brokers.start(1, held=frozenset())
        assert the(brokers).without_log == () and the(brokers).in_sync == (1,)


@in_virtual_time
async def test_that_a_log_is_missing_is_known_before_another_is_made() -> None:
    """A start that ends between the two leaves an empty log, which looks as if nothing were missing."""
    async with some_brokers(2) as brokers:
        await brokers.create("orders", replicas=2)
        await brokers.kill(2)
        cluster = Cluster(
            brokers.store,
            broker_id=BrokerId(2),
            config=Config.for_broker({"node.id": "2"}),
            dice=SeededDice(7),
            others=ClusterPorts(LoopClock(), SimulatedProbe(2, brokers.network, brokers.clusters.__getitem__)),
        )
        await cluster.start()
        await cluster.step_down(IdentityRecord("folder-2", boot_id="boot"), LogReport(held=frozenset()))
        await cluster.stop()
        await brokers.start(2, held=frozenset([PartitionRef(brokers.image().topics["orders"].topic_id, 0)]))
        assert the(brokers).in_sync == (1,)


@in_virtual_time
async def test_the_folders_that_a_broker_had_are_known_to_its_next_process() -> None:
    async with some_brokers(1) as brokers:
        await brokers.clusters.pop(1).abandon()
        await brokers.start(1, folders=("folder-1", "second"))
        former = brokers.clusters[1].last_identity()
        assert former is not None and former.folders == ("folder-1", "second")


@in_virtual_time
async def test_where_all_have_lost_their_page_cache_the_last_leader_leads() -> None:
    async with some_brokers(1) as brokers:
        await brokers.create("safe", replicas=1, penstock_flush_before_ack="true")
        await brokers.create("fast", replicas=1)
        await brokers.clusters.pop(1).abandon()
        await brokers.start(1, boot_id="another boot")
        await brokers.until(lambda: the(brokers, "safe").leader == the(brokers, "fast").leader == 1)
