"""Groups as librdkafka uses them: subscribe(), both ways of rebalancing, static members, commits that last."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from confluent_kafka import (
    Consumer,
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient
from tests.support.group_clients import (
    commit_once_loaded,
    fresh_name,
    group_consumer,
    read_each,
    read_together,
    topic_with_records,
    wait_for_shares,
    wait_until_empty,
    write,
)

from penstock.testing.plugin import BrokerFactory

WITHIN_S = 120.0


@pytest.mark.parametrize("strategy", ["range", "roundrobin", "cooperative-sticky"])
def test_two_consumers_share_a_topic_and_the_one_that_stays_takes_over(bootstrap: str, strategy: str) -> None:
    topic, group = topic_with_records(bootstrap, "shared", 400), fresh_name("group")
    with group_consumer(bootstrap, group, topic, partition_assignment_strategy=strategy) as first:
        with group_consumer(bootstrap, group, topic, partition_assignment_strategy=strategy) as second:
            shares = wait_for_shares([first, second], 2, 2)
            assert shares[0] | shares[1] == {0, 1, 2, 3}
        assert wait_for_shares([first], 4) == [{0, 1, 2, 3}]
        write(bootstrap, topic, range(400, 800), 4)
        assert sorted(read_each([first], range(400, 800))) == list(range(400, 800))


@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky"])
def test_after_a_member_came_every_record_is_read_by_one_of_them(bootstrap: str, strategy: str) -> None:
    topic, group = topic_with_records(bootstrap, "handover", 1_000), fresh_name("group")
    facts = {"partition_assignment_strategy": strategy, "enable_auto_commit": True, "auto_commit_interval_ms": 100}
    with ExitStack() as opened:
        consumers = [opened.enter_context(group_consumer(bootstrap, group, topic, **facts))]
        read_together(consumers, 100)
        consumers.append(opened.enter_context(group_consumer(bootstrap, group, topic, **facts)))
        wait_for_shares(consumers, 2, 2)
        write(bootstrap, topic, range(1_000, 1_400), 4)
        newest = read_each(consumers, range(1_000, 1_400))
    assert sorted(newest) == list(range(1_000, 1_400))


def test_a_group_goes_on_where_it_has_committed(bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "resume", 100, partitions=1), fresh_name("group")
    with group_consumer(bootstrap, group, topic) as consumer:
        (numbers,) = read_together([consumer], 100)
        assert numbers == list(range(100))
        consumer.commit(offsets=[TopicPartition(topic, 0, 60, metadata="sixty")], asynchronous=False)
    with group_consumer(bootstrap, group, topic) as consumer:
        assert read_together([consumer], 40) == [list(range(60, 100))]
        (found,) = consumer.committed([TopicPartition(topic, 0)], WITHIN_S)
        assert (found.offset, found.metadata) == (60, "sixty")


def test_a_static_member_restarts_without_a_rebalance(bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "static", 100), fresh_name("group")
    facts = {"session_timeout_ms": 30_000}
    with group_consumer(bootstrap, group, topic, group_instance_id="a", **facts) as stays:
        with group_consumer(bootstrap, group, topic, group_instance_id="b", **facts) as leaves:
            before = wait_for_shares([stays, leaves], 2, 2)
        # A static member says no good-bye: its place is kept for it.
        with group_consumer(bootstrap, group, topic, group_instance_id="b", **facts) as back:
            assert wait_for_shares([stays, back], 2, 2) == before


def test_a_second_consumer_with_the_same_instance_id_fences_the_first(bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "fenced", 10), fresh_name("group")
    with group_consumer(bootstrap, group, topic, group_instance_id="a") as first:
        wait_for_shares([first], 4)
        with group_consumer(bootstrap, group, topic, group_instance_id="a") as second:
            wait_for_shares([second], 4)
            with pytest.raises(KafkaException, match=r"FENCED_INSTANCE_ID|instance"):
                while True:
                    record = first.poll(0.1)
                    if record is not None and record.error() is not None:
                        raise KafkaException(record.error())


@pytest.mark.parametrize("ends", ["restart", "kill"])
def test_what_was_committed_and_who_had_what_outlives_the_broker(
    penstock_broker_factory: BrokerFactory, ends: str
) -> None:
    broker = penstock_broker_factory()
    topic = topic_with_records(broker.bootstrap, "outlives", 100)
    with group_consumer(broker.bootstrap, "g", topic, session_timeout_ms=30_000) as consumer:
        read_together([consumer], 100)
        consumer.commit(asynchronous=False)
        if ends == "kill":
            broker.kill()
        broker.restart()
        write(broker.bootstrap, topic, range(100, 140), 4)
        (numbers,) = read_together([consumer], 40)
        assert sorted(numbers) == list(range(100, 140))
        commit_once_loaded(consumer)
    broker.kill()
    broker.restart()
    with group_consumer(broker.bootstrap, "g", topic) as consumer:
        found = consumer.committed([TopicPartition(topic, index) for index in range(4)], WITHIN_S)
        assert [place.offset for place in found] == [35, 35, 35, 35]


def test_commits_never_go_back_over_many_crashes(penstock_broker_factory: BrokerFactory) -> None:
    broker = penstock_broker_factory()
    topic = topic_with_records(broker.bootstrap, "crashes", 0, partitions=1)
    committed = 0
    with group_consumer(broker.bootstrap, "g", "unused-" + topic) as consumer:
        for round_number in range(1, 6):
            for offset in range(round_number * 100, round_number * 100 + 20):
                committed = commit_for_sure(consumer, topic, offset)
            broker.kill()
            broker.restart()
            (found,) = consumer.committed([TopicPartition(topic, 0)], WITHIN_S)
            assert found.offset == committed


def commit_for_sure(consumer: Consumer, topic: str, offset: int) -> int:
    """Again and again, as the broker may just be starting or the group rebalancing."""
    while True:
        consumer.poll(0)
        try:
            consumer.commit(offsets=[TopicPartition(topic, 0, offset)], asynchronous=False)
            return offset
        except KafkaException as error:
            assert error.args[0].retriable() or error.args[0].name() in (
                "REBALANCE_IN_PROGRESS", "ILLEGAL_GENERATION", "UNKNOWN_MEMBER_ID", "_NO_OFFSET", "NOT_COORDINATOR",
                "_TRANSPORT", "_WAIT_COORD", "COORDINATOR_LOAD_IN_PROGRESS",
            ), error  # fmt: skip


def test_the_admin_client_lists_describes_resets_and_deletes_groups(bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "admin", 40), fresh_name("group")
    admin = AdminClient({"bootstrap.servers": bootstrap})
    with group_consumer(bootstrap, group, topic, client_id="me") as consumer:
        wait_for_shares([consumer], 4)
        described = admin.describe_consumer_groups([group])[group].result(WITHIN_S)
        (member,) = described.members
        assert (described.state, described.partition_assignor) == (ConsumerGroupState.STABLE, "range")
        assert member.client_id == "me" and member.host == "/127.0.0.1"
        assert {place.partition for place in member.assignment.topic_partitions} == {0, 1, 2, 3}
        with pytest.raises(KafkaException, match=r"NON_EMPTY_GROUP|not empty"):
            admin.delete_consumer_groups([group])[group].result(WITHIN_S)
    wait_until_empty(bootstrap, group)
    wanted = ConsumerGroupTopicPartitions(group, [TopicPartition(topic, 1, 7)])
    admin.alter_consumer_group_offsets([wanted])[group].result(WITHIN_S)
    asked = ConsumerGroupTopicPartitions(group, None)
    found = admin.list_consumer_group_offsets([asked])[group].result(WITHIN_S)
    assert [(place.topic, place.partition, place.offset) for place in found.topic_partitions] == [(topic, 1, 7)]
    listed = admin.list_consumer_groups(states={ConsumerGroupState.EMPTY}).result(WITHIN_S)
    assert group in {each.group_id for each in listed.valid}
    admin.delete_consumer_groups([group])[group].result(WITHIN_S)
    listed = admin.list_consumer_groups().result(WITHIN_S)
    assert group not in {each.group_id for each in listed.valid}


def test_nobody_else_writes_to_the_topic_that_groups_are_kept_in(bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "intruder", 10), fresh_name("group")
    with group_consumer(bootstrap, group, topic) as consumer:
        wait_for_shares([consumer], 4)
    producer = Producer({"bootstrap.servers": bootstrap})
    refused: list[KafkaError | None] = []
    producer.produce("__consumer_offsets", b"v", key=b"k", on_delivery=lambda error, _: refused.append(error))
    producer.flush(WITHIN_S)
    assert [error and error.name() for error in refused] == ["TOPIC_EXCEPTION"]
