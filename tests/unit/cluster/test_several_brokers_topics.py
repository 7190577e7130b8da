"""Several brokers on one store: topics that any of them creates and grows, and where replicas go. In virtual time."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from structlog.testing import capture_logs
from tests.support.brokers import (
    KEYS,
    lose_answer,
    some_brokers,
)
from tests.support.virtual_time import in_virtual_time

from penstock.cluster import (
    CreateTopic,
    GrowTopic,
)
from penstock.cluster.commands import CreatedTopic
from penstock.errors import (
    InvalidReplicationFactor,
    RequestTimedOut,
    TopicAlreadyExists,
)
from penstock.metastore import NO_LEASE, Conflict, Transaction


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
