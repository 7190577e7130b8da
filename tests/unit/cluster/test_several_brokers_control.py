"""Several brokers on one store: who decides, and what is done when brokers fail. In virtual time."""

import asyncio

import pytest
from tests.support.brokers import (
    KEYS,
    LEASE_S,
    Brokers,
    some_brokers,
    the,
    write_behind_everybodys_back,
)
from tests.support.in_sync import put_in_sync
from tests.support.virtual_time import in_virtual_time

from penstock.cluster import (
    CreateTopic,
    ElectionView,
    ImageChange,
    MarkChanged,
)
from penstock.cluster.commands import AlterSettings, Operation, SettingChange
from penstock.cluster.duties import service as duties
from penstock.cluster.duties.machine import Found
from penstock.cluster.duties.partition_writes import PartitionWrite
from penstock.cluster.image.shapes import record_from
from penstock.cluster.records import encode
from penstock.cluster.resources import BROKER_DEFAULTS
from penstock.errors import (
    RequestTimedOut,
)
from penstock.metastore import Delete, Put, Revision, Transaction, Unavailable, created_at
from penstock.model import BrokerId, topic_id_text


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
