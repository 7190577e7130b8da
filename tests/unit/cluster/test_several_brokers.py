"""Several brokers on one store: registration, control, failures and what becomes of partitions. In virtual time."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from structlog.testing import capture_logs
from tests.support.brokers import Brokers, Line, SimulatedProbe, some_brokers
from tests.support.clusters import SeededDice
from tests.support.in_sync import put_in_sync
from tests.support.virtual_time import LoopClock, in_virtual_time

from penstock.cluster import (
    Cluster,
    ClusterBugs,
    ClusterPorts,
    CreateTopic,
    ElectionView,
    GrowTopic,
    IdentityRecord,
    ImageChange,
    LogReport,
    MarkChanged,
    PartitionImage,
    PartitionRef,
)
from penstock.cluster.commands import AlterSettings, CreatedTopic, Operation, SettingChange
from penstock.cluster.duties import service as duties
from penstock.cluster.duties.machine import Found
from penstock.cluster.duties.partition_writes import PartitionWrite
from penstock.cluster.image.shapes import record_from
from penstock.cluster.keys import Keys
from penstock.cluster.records import encode
from penstock.cluster.resources import BROKER_DEFAULTS
from penstock.errors import (
    DuplicateBrokerRegistration,
    Fatal,
    InvalidReplicationFactor,
    RequestTimedOut,
    TopicAlreadyExists,
)
from penstock.metastore import NO_LEASE, Conflict, Delete, Put, Revision, Transaction, Unavailable, created_at
from penstock.model import BrokerId, LeaderEpoch, topic_id_text
from penstock.settings.config import Config

KEYS = Keys("main")
LEASE_S = 3.0


def the(brokers: Brokers, topic: str = "orders") -> PartitionImage:
    return brokers.image().topics[topic].partitions[0]


# Registration -------------------------------------------------------------------------------------------------------


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


def lose_answer(line: Line, *, number: int, is_made: bool) -> None:
    """Of one write; of the others answers come."""
    asked = 0

    def before(_: Transaction) -> None:
        nonlocal asked
        is_it = asked == number
        asked += 1
        if is_it and not is_made:
            raise Unavailable("the leader has gone")
        line.loses_answers = is_it

    line.before_commit = before


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


# Control ------------------------------------------------------------------------------------------------------------


@in_virtual_time
async def test_a_killed_controller_is_replaced_within_two_heartbeats() -> None:
    async with some_brokers(3) as brokers:
        await brokers.kill(1)
        assert await brokers.until(lambda: brokers.controller in (2, 3)) < 2.0
        assert await brokers.until(lambda: 1 not in brokers.image().brokers) < 2.0


@in_virtual_time
async def test_a_hung_controller_is_replaced_when_its_lease_ends() -> None:
    async with some_brokers(3) as brokers:
        await brokers.hang(1)
        assert await brokers.until(lambda: brokers.controller in (2, 3)) < LEASE_S + 1


@in_virtual_time
async def test_a_controller_that_stops_hands_control_over_at_once() -> None:
    async with some_brokers(3) as brokers:
        await brokers.stop(1)
        assert await brokers.until(lambda: brokers.controller in (2, 3)) < 0.5


@in_virtual_time
async def test_a_vote_whose_answer_was_lost_is_recognised() -> None:
    async with some_brokers(2) as brokers:
        line = brokers.lines[2]

        def lose_if_vote(transaction: Transaction) -> None:
            line.loses_answers = any(put.key == KEYS.controller for put in transaction.puts)

        line.before_commit = lose_if_vote
        await brokers.kill(1)
        member = brokers.clusters[2].member
        assert member is not None
        await brokers.until(lambda: member.candidacy.is_in_charge)


@in_virtual_time
async def test_a_controller_cut_off_from_the_store_loses_control_and_writes_nothing_more() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        brokers.lines[1].is_cut = True
        await brokers.until(lambda: brokers.image(2).controller_id in (2, 3))
        await brokers.until(lambda: all(part.leader != 1 for _, part in brokers.image(2).partitions()))
        brokers.lines[1].is_cut = False
        await brokers.until(lambda: 1 in brokers.image(2).brokers)
        await brokers.agree()
        assert brokers.image(1).controller_id == brokers.image(2).controller_id != 1


# Failures -----------------------------------------------------------------------------------------------------------


@in_virtual_time
async def test_a_thousand_partitions_of_a_killed_leader_are_led_again_within_a_second_of_its_suspicion() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=1_000)
        assert brokers.led_by(3) in (333, 334)
        await brokers.kill(3)
        brokers.clusters[2].suspect(BrokerId(3))  # its fetcher's connection was reset
        took_s = await brokers.until(
            lambda: all(part.leader in (1, 2) and 3 not in part.in_sync for _, part in brokers.image(2).partitions())
        )
        assert took_s < 1.0


@in_virtual_time
async def test_a_controller_deposed_while_it_looks_at_all_partitions_writes_nothing_in_the_next_ones_name() -> None:
    async with some_brokers(4) as brokers:
        await brokers.create("orders", partitions=20)
        member = brokers.clusters[1].member
        assert member is not None
        brokers.network.dead.add(4)
        await brokers.clusters.pop(4).abandon()
        looks, deposed = member.machine.review_found, False

        def look(found: Found, standing: ElectionView) -> list[PartitionWrite]:
            nonlocal deposed
            if not deposed and 4 not in standing.live:
                deposed = True
                write_behind_everybodys_back(brokers, Transaction(deletes=(Delete(KEYS.controller),)))
                member.candidacy.forget()
                brokers.lines[1].commits.clear()
            return looks(found, standing)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(duties, "AT_ONCE", 1)  # a turn of the loop after each partition
            patch.setattr(member.machine, "review_found", look)
            await brokers.until(lambda: deposed and brokers.led_by(4) == 0)
        assert brokers.image().controller_id != 1
        assert not any("/partitions/" in put.key for commit in brokers.lines[1].commits for put in commit.puts)


@in_virtual_time
async def test_a_suspicion_that_proves_wrong_is_taken_back() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        epoch = brokers.image().brokers[BrokerId(3)].epoch
        suspected: list[ImageChange] = []
        brokers.image(1).subscribe(lambda changes: suspected.extend(c for c in changes if isinstance(c, MarkChanged)))
        brokers.clusters[2].suspect(BrokerId(3))
        await brokers.until(lambda: bool(suspected) and not brokers.image(1).marks.suspects)
        assert brokers.image().brokers[BrokerId(3)].epoch == epoch and brokers.led_by(3) == 1
        await asyncio.sleep(1)
        brokers.clusters[2].suspect(BrokerId(3))
        await brokers.until(lambda: len(suspected) == 2)


@in_virtual_time
async def test_a_broker_that_misses_three_heartbeats_is_fenced_though_its_lease_lives() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        epoch = brokers.image(1).brokers[BrokerId(3)].epoch
        brokers.network.cut.add((1, 3))  # the controller does not reach it, the store does
        await brokers.until(lambda: brokers.led_by(3) == 0)
        brokers.network.cut.clear()
        await brokers.until(lambda: 3 in brokers.image(1).brokers)
        assert brokers.image(1).brokers[BrokerId(3)].epoch > epoch


@in_virtual_time
async def test_a_broker_that_was_out_of_reach_is_preferred_again_only_after_a_while() -> None:
    settings = {"leader.imbalance.check.interval.seconds": "5", "penstock.broker.doubt.ms": "30000"}
    async with some_brokers(3, settings=settings) as brokers:
        await brokers.create("orders", partitions=3)
        brokers.network.cut.add((1, 3))
        await brokers.until(lambda: brokers.led_by(3) == 0)
        brokers.network.cut.clear()
        await brokers.until(lambda: 3 in brokers.image(1).brokers)
        await put_in_sync(brokers)
        assert await brokers.until(lambda: brokers.led_by(3) == 1) > 20


@in_virtual_time
async def test_a_hung_broker_is_lost_within_its_lease() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        await brokers.hang(3)
        assert await brokers.until(lambda: brokers.led_by(3) == 0) < LEASE_S + 1


@in_virtual_time
async def test_a_controller_that_reaches_nobody_gives_control_up_and_is_fenced_itself() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        epochs = {number: brokers.image().brokers[BrokerId(number)].epoch for number in (2, 3)}
        brokers.network.cut |= {(1, 2), (1, 3), (2, 1), (3, 1)}  # the store is reached by all of them
        took_s = await brokers.until(lambda: brokers.led_by(1) == 0)
        assert took_s < 5
        assert brokers.image(2).controller_id in (2, 3)
        assert {number: brokers.image(2).brokers[BrokerId(number)].epoch for number in (2, 3)} == epochs


@in_virtual_time
async def test_a_controller_that_could_not_give_control_up_decides_on() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        refused: list[Transaction] = []

        def refuse_once(transaction: Transaction) -> None:
            if not refused and Delete(KEYS.controller) in transaction.deletes:
                refused.append(transaction)
                raise Unavailable("the store's member has just gone")

        brokers.lines[1].before_commit = refuse_once
        brokers.network.cut |= {(1, 2), (1, 3), (2, 1), (3, 1)}
        await brokers.until(lambda: bool(refused))
        brokers.network.cut.clear()
        await brokers.kill(3)
        await brokers.until(lambda: brokers.led_by(3) == 0)


@in_virtual_time
async def test_a_majority_that_hangs_is_lost_with_its_leases() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        await brokers.hang(2)
        await brokers.hang(3)
        await brokers.until(lambda: sorted(brokers.image(1).brokers) == [1] and brokers.image(1).controller_id == 1)


@in_virtual_time
async def test_a_broker_that_waits_before_it_registers_again_has_a_lease_that_lasts() -> None:
    async with some_brokers(3) as brokers:
        three, key = BrokerId(3), KEYS.broker(BrokerId(3))

        def epoch() -> int:
            found = brokers.image(1).brokers.get(three)
            return 0 if found is None else found.epoch

        for _ in range(4):  # the last time it waits for four heartbeats, which is longer than a lease
            before = epoch()
            gone = Transaction(compares=(created_at(key, Revision(before)),), deletes=(Delete(key),))
            write_behind_everybodys_back(brokers, gone)
            took_s = await brokers.until(lambda before=before: epoch() > before)  # type: ignore[misc]
        assert took_s > LEASE_S
        registered = epoch()
        await asyncio.sleep(2 * LEASE_S)
        assert epoch() == registered


@in_virtual_time
async def test_after_the_store_was_away_nobody_is_declared_lost_for_a_lease_time() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        before = [(part.leader, part.leader_epoch) for _, part in brokers.image().partitions()]
        for line in brokers.lines.values():
            line.is_cut = True
        await asyncio.sleep(3 * LEASE_S)  # every lease has ended meanwhile, control's too
        for line in brokers.lines.values():
            line.is_cut = False
        await brokers.until(lambda: len(brokers.image().brokers) == 3 and brokers.controller >= 0)
        await asyncio.sleep(2 * LEASE_S)
        await brokers.agree()
        assert [(part.leader, part.leader_epoch) for _, part in brokers.image().partitions()] == before


@in_virtual_time
async def test_a_controller_that_had_lost_sight_of_the_store_fences_nobody_for_a_lease_time() -> None:
    async with some_brokers(3) as brokers:
        epoch = brokers.image(2).brokers[BrokerId(3)].epoch
        member = brokers.clusters[1].member
        assert member is not None
        brokers.lines[1].is_cut = True
        brokers.network.cut.add((1, 3))  # what it does not reach may not have had the time to say so
        await asyncio.sleep(0.88 * LEASE_S)  # its lease is about to end
        brokers.lines[1].is_cut = False
        await brokers.until(lambda: member.contact.is_patient and not member.contact.is_lost)
        await asyncio.sleep(0.7 * LEASE_S)
        assert brokers.controller == 1 and brokers.image(2).brokers[BrokerId(3)].epoch == epoch
        await brokers.until(lambda: BrokerId(3) not in brokers.image(2).brokers)


@in_virtual_time
async def test_but_whoever_has_not_come_back_by_then_is_lost() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=3)
        for line in brokers.lines.values():
            line.is_cut = True
        await brokers.hang(3)
        await asyncio.sleep(3 * LEASE_S)
        for line in brokers.lines.values():
            line.is_cut = False
        assert await brokers.until(lambda: brokers.led_by(3) == 0) > LEASE_S / 2


@in_virtual_time
async def test_whoever_went_while_the_controller_was_patient_is_lost_though_its_patience_ended_during_a_write() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", assigned=(3, 1))
        await brokers.create("payments", assigned=(2, 1))
        member = brokers.clusters[1].member
        assert member is not None
        brokers.lines[1].is_cut = True
        await asyncio.sleep(0.88 * LEASE_S)
        brokers.lines[1].is_cut = False
        await brokers.until(lambda: not member.contact.is_lost and 0 < member.contact.patience_left_s < 0.1)
        brokers.lines[1].answers_after_s = 0.3
        await brokers.hang(3)
        item = await brokers.store.get(KEYS.broker(3))
        assert item is not None
        await brokers.store.revoke(item.lease)
        resigned = record_from(the(brokers, "payments"), in_sync=(BrokerId(1),))
        key = KEYS.partition(topic_id_text(brokers.image().topics["payments"].topic_id), 0)
        await brokers.store.commit(Transaction(puts=(Put(key, encode(resigned)),)))
        await brokers.until(lambda: the(brokers, "payments").leader == 1)
        await brokers.until(lambda: the(brokers, "orders").leader == 1)


@in_virtual_time
async def test_an_election_that_loses_to_in_sync_writes_is_split_and_made_anew() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=60)
        hot = next(part for _, part in brokers.image().partitions() if part.leader == 3)
        topic_id = brokers.image().topics["orders"].topic_id
        key = KEYS.partition(topic_id_text(topic_id), hot.index)
        interrupted: list[Transaction] = []

        def meddle(transaction: Transaction) -> None:
            if len(interrupted) < 3 and any(put.key == key for put in transaction.puts):
                interrupted.append(transaction)
                write_behind_everybodys_back(brokers, Transaction(puts=(Put(key, encode(record_from(hot))),)))

        brokers.lines[1].before_commit = meddle
        await brokers.kill(3)
        await brokers.until(lambda: brokers.led_by(3) == 0)
        assert len(interrupted) == 3
        sizes = [len(transaction.puts) for transaction in interrupted]
        assert sizes == sorted(sizes, reverse=True) and sizes[0] > sizes[-1]


@in_virtual_time
async def test_stopping_moves_leaders_first_and_leaves_every_in_sync_set() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", partitions=30)
        leaving = brokers.clusters[2]
        await leaving.leave(timeout_s=10)
        assert all(part.leader != 2 and 2 not in part.in_sync for _, part in brokers.image(2).partitions())
        assert 2 in brokers.image(1).brokers, "it is still there, to answer what it was asked"
        await leaving.stop()
        brokers.clusters.pop(2)
        await brokers.until(lambda: 2 not in brokers.image(1).brokers)


@in_virtual_time
async def test_a_broker_stops_though_the_store_went_away_under_a_topic_that_it_was_creating() -> None:
    async with some_brokers(2) as brokers:
        line = brokers.lines[2]

        def go_away(transaction: Transaction) -> None:
            line.is_cut = any(put.key == KEYS.topic("orders") for put in transaction.puts)

        line.before_commit = go_away
        controller = brokers.clusters[2].controller
        (late,) = await controller.create_topics([CreateTopic("orders")], timeout_ms=100)
        assert isinstance(late, RequestTimedOut) and line.is_cut
        async with asyncio.timeout(60):
            await brokers.stop(2)


@in_virtual_time
async def test_the_last_broker_leaves_without_waiting_for_anybody() -> None:
    async with some_brokers(1) as brokers:
        await brokers.create("orders", replicas=1)
        began_s = asyncio.get_running_loop().time()
        await brokers.stop(1)
        assert asyncio.get_running_loop().time() - began_s < 1.0


@in_virtual_time
async def test_partitions_go_back_to_their_first_replica_from_time_to_time() -> None:
    async with some_brokers(3, settings={"leader.imbalance.check.interval.seconds": "5"}) as brokers:
        await brokers.create("orders", partitions=3)
        await brokers.stop(2)
        await brokers.start(2)
        await put_in_sync(brokers)
        await brokers.until(lambda: brokers.led_by(2) == 1)


@in_virtual_time
async def test_an_unclean_election_is_made_where_the_topic_allows_it_and_counted() -> None:
    async with some_brokers(2) as brokers:
        await brokers.create("orders", replicas=2, unclean_leader_election_enable="true")
        partition = the(brokers)
        alone = record_from(partition, in_sync=(partition.leader,))
        key = KEYS.partition(topic_id_text(brokers.image().topics["orders"].topic_id), 0)
        await brokers.store.commit(Transaction(puts=(Put(key, encode(alone)),)))
        await brokers.kill(partition.leader)
        await brokers.until(lambda: the(brokers).leader not in (-1, partition.leader))
        assert sum(metrics.uncleanleaderelections for metrics in brokers.metrics.values()) == 1


@in_virtual_time
async def test_an_unclean_election_is_made_when_the_default_of_all_topics_comes_to_allow_it() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders", assigned=(3, 2))
        await brokers.kill(2)
        await brokers.until(lambda: the(brokers).in_sync == (3,))
        await brokers.kill(3)
        await brokers.until(lambda: the(brokers).leader == -1)
        await brokers.start(2)
        await asyncio.sleep(1)
        assert the(brokers).leader == -1
        await set_default(brokers, "unclean.leader.election.enable", "true")
        await brokers.until(lambda: the(brokers).leader == 2)


async def set_default(brokers: Brokers, name: str, value: str) -> None:
    change = AlterSettings(BROKER_DEFAULTS, (SettingChange(name, Operation.SET, value),))
    assert await brokers.clusters[min(brokers.clusters)].controller.alter_settings([change]) == [None]


# In-sync sets -------------------------------------------------------------------------------------------------------


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


# Admin writes from any broker ---------------------------------------------------------------------------------------


@in_virtual_time
async def test_any_broker_creates_topics_and_of_two_that_create_the_same_one_succeeds() -> None:
    async with some_brokers(3) as brokers:
        requests = (
            brokers.clusters[broker_id].controller.create_topics(
                [CreateTopic("same", partitions=200, replication_factor=3)], timeout_ms=60_000
            )
            for broker_id in (1, 2, 3)
        )
        outcomes = [outcome for (outcome,) in await asyncio.gather(*requests)]
        assert sum(isinstance(outcome, CreatedTopic) for outcome in outcomes) == 1
        assert sum(isinstance(outcome, TopicAlreadyExists) for outcome in outcomes) == 2
        await asyncio.sleep(1)
        await brokers.agree()
        stored = (await brokers.store.range(KEYS.prefix + "partitions/")).items
        assert len(stored) == 200 and not brokers.image().marks.creating


@in_virtual_time
async def test_a_topic_is_created_and_grown_while_a_broker_is_away_that_gets_its_replicas_all_the_same() -> None:
    async with some_brokers(3) as brokers:
        await brokers.kill(3)
        await brokers.until(lambda: 3 not in brokers.image(1).brokers)
        controller = brokers.clusters[1].controller
        await controller.create_topics([CreateTopic("orders", partitions=2, replication_factor=3)], timeout_ms=60_000)
        assert await controller.create_partitions([GrowTopic("orders", 400)], timeout_ms=60_000) == [400]
        for partition in brokers.image(1).topics["orders"].partitions:
            assert sorted(partition.replicas) == [1, 2, 3] and sorted(partition.in_sync) == [1, 2]
            assert partition.leader == partition.replicas[0] != 3
        (refused,) = await controller.create_topics([CreateTopic("more", replication_factor=4)], timeout_ms=60_000)
        assert isinstance(refused, InvalidReplicationFactor)


@in_virtual_time
async def test_of_names_that_collide_one_is_created_though_two_brokers_are_asked_at_once() -> None:
    async with some_brokers(2) as brokers:
        await asyncio.gather(
            brokers.clusters[1].controller.create_topics([CreateTopic("a.b")], timeout_ms=60_000),
            brokers.clusters[2].controller.create_topics([CreateTopic("a_b")], timeout_ms=60_000),
        )
        await brokers.agree()
        (name,) = brokers.image().topics
        there = brokers.image().topics[name].topic_id
        await brokers.clusters[1].controller.delete_topics([there], timeout_ms=60_000)
        await brokers.create("a_b", replicas=1)


@in_virtual_time
async def test_a_topic_being_created_is_not_swept_by_the_controller() -> None:
    async with some_brokers(3) as brokers:
        line, controller = brokers.lines[2], brokers.clusters[1]
        half_way = asyncio.Event()

        def notice(transaction: Transaction) -> None:
            if transaction.puts and "/partitions/" in transaction.puts[0].key:
                half_way.set()

        line.before_commit = notice
        creating = asyncio.create_task(
            brokers.clusters[2].controller.create_topics([CreateTopic("big", partitions=500)], timeout_ms=60_000)
        )
        await half_way.wait()
        assert controller.member is not None
        controller.member.duties.begin()  # as if it had just been elected
        (outcome,) = await creating
        assert isinstance(outcome, CreatedTopic)
        assert all(part.leader >= 0 for part in brokers.image(2).topics["big"].partitions)


@in_virtual_time
async def test_what_a_broker_left_that_died_while_creating_is_swept() -> None:
    async with some_brokers(3) as brokers:
        line = brokers.lines[3]
        half_way = asyncio.Event()

        def fall_silent(transaction: Transaction) -> None:
            if any(put.key == KEYS.topic("big") for put in transaction.puts):
                half_way.set()
                line.is_cut = line.loses_answers = True
                raise Conflict("never sent")

        line.before_commit = fall_silent
        creating = asyncio.create_task(
            brokers.clusters[3].controller.create_topics([CreateTopic("big", partitions=500)], timeout_ms=60_000)
        )
        await half_way.wait()
        await brokers.kill(3)
        creating.cancel()
        await brokers.until(lambda: bool(brokers.image(1).leftovers))
        await brokers.until(lambda: not brokers.image(1).leftovers)
        assert not (await brokers.store.range(KEYS.prefix + "partitions/")).items


@in_virtual_time
async def test_two_brokers_that_grow_a_topic_at_once_do_not_overwrite_each_other() -> None:
    async with some_brokers(3) as brokers:
        await brokers.create("orders")
        outcomes = await asyncio.gather(
            brokers.clusters[1].controller.create_partitions([GrowTopic("orders", 300)], timeout_ms=60_000),
            brokers.clusters[2].controller.create_partitions([GrowTopic("orders", 5)], timeout_ms=60_000),
        )
        await brokers.agree()
        count = len(brokers.image().topics["orders"].partitions)
        assert [count] in outcomes and count in (5, 300)
        await asyncio.sleep(5)
        await brokers.agree()
        assert not brokers.image().leftovers


@in_virtual_time
async def test_a_topic_can_be_grown_by_others_though_the_store_left_a_write_of_its_growth_unanswered() -> None:
    for is_made in (True, False):
        async with some_brokers(2) as brokers:
            line = brokers.lines[1]
            for number in range(5):  # the mark, and the partitions in three transactions
                name = f"orders-{number}"
                await brokers.create(name, replicas=1)
                growth = [GrowTopic(name, 300)]
                lose_answer(line, number=number, is_made=is_made)
                await brokers.clusters[1].controller.create_partitions(growth, timeout_ms=60_000)
                line.before_commit, line.loses_answers = lambda _: None, False
                await brokers.agree()
                if len(brokers.image(2).topics[name].partitions) == 1:
                    assert await brokers.clusters[2].controller.create_partitions(growth, timeout_ms=60_000) == [300]


@in_virtual_time
async def test_no_mark_of_a_broker_that_has_no_lease_stays_behind() -> None:
    async with some_brokers(2) as brokers:
        await brokers.create("orders", replicas=1)
        member = brokers.clusters[1].member
        assert member is not None
        member.registration.lease = NO_LEASE  # as when it has just run out
        (outcome,) = await brokers.clusters[1].controller.create_partitions([GrowTopic("orders", 300)], timeout_ms=999)
        assert isinstance(outcome, RequestTimedOut)
        await brokers.kill(1)
        growth = [GrowTopic("orders", 300)]
        assert await brokers.clusters[2].controller.create_partitions(growth, timeout_ms=60_000) == [300]


def write_behind_everybodys_back(brokers: Brokers, transaction: Transaction) -> None:
    """Another's write, between a decision and its own: the images hear of it later, as always."""
    changes = brokers.store._space.decide(transaction)
    assert changes is not None
    brokers.store._space.apply(changes)
    brokers.store._watchers.tell(changes)


@in_virtual_time
async def test_replicas_go_to_other_racks_than_the_leader_as_brokers_say_theirs() -> None:
    async with some_brokers(0) as brokers:
        for broker_id in range(1, 7):
            await brokers.start(broker_id, rack="east" if broker_id <= 3 else "west")
        await brokers.agree()
        await brokers.create("orders", partitions=12, replicas=2)
        for partition in brokers.image().topics["orders"].partitions:
            assert {brokers.image().brokers[replica].rack for replica in partition.replicas} == {"east", "west"}


@in_virtual_time
async def test_replicas_that_share_a_machine_are_counted_by_whoever_leads_them() -> None:
    async with some_brokers(1) as brokers:
        await brokers.start(2, machine="machine-1")
        await brokers.start(3, machine="elsewhere")
        await brokers.agree()
        with capture_logs() as said:
            await brokers.create("apart", assigned=(1, 3))
            assert sum(cluster.machines.count() for cluster in brokers.clusters.values()) == 0
            assert warned_of(said) == []
            await brokers.create("together", assigned=(1, 2))
            await brokers.create("again", assigned=(1, 2))
            assert [brokers.clusters[broker_id].machines.count() for broker_id in (1, 2, 3)] == [2, 0, 0]
            assert warned_of(said) == ["together"], "said once"
        await brokers.kill(2)
        await brokers.until(lambda: 2 not in brokers.image(1).brokers)
        assert brokers.clusters[1].machines.count() == 2, "it will be back there"


def warned_of(said: Sequence[Mapping[str, Any]]) -> list[str]:
    return [line["topic"] for line in said if line["event"].startswith("replicas share a machine")]


# Large topics -------------------------------------------------------------------------------------------------------


@in_virtual_time
async def test_a_large_topic_can_be_asked_about_and_created_and_grown() -> None:
    async with some_brokers(3) as brokers:
        controller = brokers.clusters[1].controller
        asked = CreateTopic("large", partitions=700, replication_factor=3)
        (would_be,) = await controller.create_topics([asked], timeout_ms=60_000, validate_only=True)
        assert isinstance(would_be, CreatedTopic) and would_be.partitions == 700
        assert "large" not in brokers.image().topics
        await controller.create_topics([asked], timeout_ms=60_000)
        growth = [GrowTopic("large", 1_400)]
        assert await controller.create_partitions(growth, timeout_ms=60_000, validate_only=True) == [1_400]
        assert len(brokers.image(1).topics["large"].partitions) == 700
        assert await controller.create_partitions(growth, timeout_ms=60_000) == [1_400]
        led = Counter(part.leader for part in brokers.image(1).topics["large"].partitions)
        assert max(led.values()) - min(led.values()) <= 1
