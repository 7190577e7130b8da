"""Groups of the consumer protocol (KIP-848) as librdkafka uses them: sharing, patterns, static members, commits at
epochs, and a group that changes its protocol while its members read on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any

import pytest
from confluent_kafka import Consumer, ConsumerGroupState, ConsumerGroupType, TopicPartition
from confluent_kafka.admin import AdminClient
from tests.support.group_clients import (
    CONSUMER_PROTOCOL,
    fresh_name,
    group_consumer,
    read_each,
    read_together,
    topic_with_records,
    wait_for_shares,
    wait_until_empty,
    write,
)

import penstock.testing
from penstock.testing.plugin import BrokerFactory

WITHIN_S = 120.0
QUICK = {
    "group.consumer.heartbeat.interval.ms": "100",
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.assignment.interval.ms": "100",
    "group.initial.rebalance.delay.ms": "0",
}
"""Members learn of changes with their heartbeats, and 5 s between two are long for a test."""


@pytest.fixture(scope="module")
def quick() -> Iterator[str]:
    with penstock.testing.broker(QUICK) as running:
        yield running.bootstrap


def new_consumer(bootstrap: str, group: str, *topics: str, **more: Any) -> AbstractContextManager[Consumer]:
    return group_consumer(bootstrap, group, *topics, **CONSUMER_PROTOCOL, **more)


def wait_until(holds: Callable[[], bool], consumers: Sequence[Consumer], what: str) -> None:
    deadline = time.monotonic() + WITHIN_S
    while not holds():
        assert time.monotonic() < deadline, what
        for consumer in consumers:
            consumer.poll(0.02)


@pytest.mark.parametrize("assignor", ["uniform", "range"])
def test_two_consumers_share_a_topic_and_the_one_that_stays_takes_over(quick: str, assignor: str) -> None:
    topic, group = topic_with_records(quick, "shared", 400), fresh_name("group")
    with new_consumer(quick, group, topic, group_remote_assignor=assignor) as first:
        # Of a partition that was paused for others to come and go, librdkafka begins anew what was not polled yet.
        read_each([first], range(400))
        with new_consumer(quick, group, topic, group_remote_assignor=assignor) as second:
            shares = wait_for_shares([first, second], 2, 2)
            assert shares[0] | shares[1] == {0, 1, 2, 3}
        assert wait_for_shares([first], 4) == [{0, 1, 2, 3}]
        write(quick, topic, range(400, 800), 4)
        assert sorted(read_each([first], range(400, 800))) == list(range(400, 800))


def test_after_members_came_every_record_is_read_by_one_of_them(quick: str) -> None:
    topic, group = topic_with_records(quick, "handover", 1_000), fresh_name("group")
    facts = {"enable_auto_commit": True, "auto_commit_interval_ms": 100}
    with ExitStack() as opened:
        consumers = [opened.enter_context(new_consumer(quick, group, topic, **facts))]
        read_together(consumers, 100)
        consumers += [opened.enter_context(new_consumer(quick, group, topic, **facts)) for _ in range(3)]
        wait_for_shares(consumers, 1, 1, 1, 1)
        write(quick, topic, range(1_000, 1_400), 4)
        newest = read_each(consumers, range(1_000, 1_400))
    assert sorted(newest) == list(range(1_000, 1_400))


def test_a_group_goes_on_where_it_has_committed(quick: str) -> None:
    topic, group = topic_with_records(quick, "resume", 100, partitions=1), fresh_name("group")
    with new_consumer(quick, group, topic) as consumer:
        assert read_together([consumer], 100) == [list(range(100))]
        consumer.commit(offsets=[TopicPartition(topic, 0, 60, metadata="sixty")], asynchronous=False)
    with new_consumer(quick, group, topic) as consumer:
        assert read_together([consumer], 40) == [list(range(60, 100))]
        (found,) = consumer.committed([TopicPartition(topic, 0)], WITHIN_S)
        assert (found.offset, found.metadata) == (60, "sixty")


def test_a_pattern_takes_in_topics_that_come_later(quick: str) -> None:
    stem = fresh_name("logs")
    first, group = topic_with_records(quick, f"{stem}-a", 10, partitions=1), fresh_name("group")
    with new_consumer(quick, group, f"^{stem}-.*") as consumer:
        assert sorted(read_together([consumer], 10)[0]) == list(range(10))
        second = topic_with_records(quick, f"{stem}-b", 10, partitions=1)
        # Topics are gone through every ten seconds at most.
        wait_until(lambda: len(consumer.assignment()) == 2, [consumer], "the second topic is not assigned")
        assert {place.topic for place in consumer.assignment()} == {first, second}


def test_a_static_member_restarts_without_a_rebalance(quick: str) -> None:
    topic, group = topic_with_records(quick, "static", 100), fresh_name("group")
    with new_consumer(quick, group, topic, group_instance_id="a") as stays:
        with new_consumer(quick, group, topic, group_instance_id="b") as leaves:
            before = wait_for_shares([stays, leaves], 2, 2)
        with new_consumer(quick, group, topic, group_instance_id="b") as back:
            assert wait_for_shares([stays, back], 2, 2) == before


def test_an_administrator_sees_the_group(quick: str) -> None:
    topic, group = topic_with_records(quick, "seen", 10), fresh_name("group")
    admin = AdminClient({"bootstrap.servers": quick})
    with new_consumer(quick, group, topic, client_id="reader") as consumer:
        wait_for_shares([consumer], 4)
        described = admin.describe_consumer_groups([group])[group].result(WITHIN_S)
        (member,) = described.members
        assert (described.type, described.state) == (ConsumerGroupType.CONSUMER, ConsumerGroupState.STABLE)
        assert (member.client_id, len(member.assignment.topic_partitions)) == ("reader", 4)
        assert described.partition_assignor == "uniform"
        listed = admin.list_consumer_groups().result(WITHIN_S).valid
        assert [each.type for each in listed if each.group_id == group] == [ConsumerGroupType.CONSUMER]
    wait_until_empty(quick, group)
    admin.delete_consumer_groups([group])[group].result(WITHIN_S)


# Changing the protocol ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky"])
def test_a_group_changes_its_protocol_and_back_while_its_members_read(quick: str, strategy: str) -> None:
    topic, group = topic_with_records(quick, "migration", 0), fresh_name("group")
    classic = {"partition_assignment_strategy": strategy, "heartbeat_interval_ms": 100}
    admin = AdminClient({"bootstrap.servers": quick})

    def kind() -> object:
        return admin.describe_consumer_groups([group])[group].result(WITHIN_S).type

    def check_reading(consumers: Sequence[Consumer], numbers: range) -> None:
        write(quick, topic, numbers, 4)
        assert sorted(read_each(consumers, numbers)) == list(numbers)

    facts = {"enable_auto_commit": True, "auto_commit_interval_ms": 50}
    with ExitStack() as opened:
        old = [opened.enter_context(group_consumer(quick, group, topic, **classic, **facts)) for _ in range(2)]
        wait_for_shares(old, 2, 2)
        check_reading(old, range(100))
        with ExitStack() as newer:
            new = [newer.enter_context(new_consumer(quick, group, topic, **facts)) for _ in range(2)]
            wait_for_shares([*old, *new], 1, 1, 1, 1)
            assert kind() == ConsumerGroupType.CONSUMER
            check_reading([*old, *new], range(100, 200))
        wait_for_shares(old, 2, 2)
        assert kind() == ConsumerGroupType.CLASSIC
        check_reading(old, range(200, 300))


def test_a_group_of_the_newer_protocol_takes_in_an_older_consumer(quick: str) -> None:
    topic, group = topic_with_records(quick, "older", 40), fresh_name("group")
    with (
        new_consumer(quick, group, topic) as new,
        group_consumer(quick, group, topic, partition_assignment_strategy="cooperative-sticky") as old,
    ):
        shares = wait_for_shares([new, old], 2, 2)
        assert shares[0] | shares[1] == {0, 1, 2, 3}


# Restarts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ends", ["stop", "kill"])
def test_members_go_on_where_they_were_after_a_restart(penstock_broker_factory: BrokerFactory, ends: str) -> None:
    broker = penstock_broker_factory(QUICK)
    topic = topic_with_records(broker.bootstrap, "outlives", 100)
    with (
        new_consumer(broker.bootstrap, "g", topic) as first,
        new_consumer(broker.bootstrap, "g", topic) as second,
    ):
        before = wait_for_shares([first, second], 2, 2)
        if ends == "kill":
            broker.kill()
        else:
            broker.stop()
        broker.start()
        write(broker.bootstrap, topic, range(100, 200), 4)
        newest = read_each([first, second], range(100, 200))
        assert wait_for_shares([first, second], 2, 2) == before
        assert sorted(newest) == list(range(100, 200))
