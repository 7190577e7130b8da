"""Offsets committed within transactions by a stock client: consume, transform, produce."""

from __future__ import annotations

import time

import pytest
from confluent_kafka import (
    Consumer,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient
from tests.support.clients import fresh_name, make_topic, read_decided
from tests.support.group_clients import WITHIN_S, group_consumer, topic_with_records

from penstock.testing.plugin import BrokerFactory

RECORDS = 40


def a_producer(bootstrap: str, transactional_id: str | None = None) -> Producer:
    settings = {
        "bootstrap.servers": bootstrap,
        "transactional.id": transactional_id or fresh_name("txn"),
        "log_level": 0,
    }
    producer = Producer(settings | {"transaction.timeout.ms": 600_000})
    producer.init_transactions(WITHIN_S)
    return producer


def committed(bootstrap: str, group: str, topic: str, *, stable: bool) -> int:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    asked = [ConsumerGroupTopicPartitions(group, [TopicPartition(topic, 0)])]
    deadline = time.monotonic() + WITHIN_S
    while True:
        assert time.monotonic() < deadline, f"no offset of {group} within {WITHIN_S:g} s"
        (future,) = admin.list_consumer_group_offsets(asked, require_stable=stable, request_timeout=WITHIN_S).values()
        try:
            (place,) = future.result().topic_partitions
        except KafkaException as refused:  # after a start the coordinator may be reading its log
            assert refused.args[0].code() == KafkaError.COORDINATOR_LOAD_IN_PROGRESS, refused
            continue
        if place.error is None:
            offset: int = place.offset
            return offset
        # The end is settled, and its marker not yet written.
        assert place.error.code() == KafkaError.UNSTABLE_OFFSET_COMMIT, place.error


def read_some(consumer: Consumer, count: int) -> list[bytes]:
    values: list[bytes] = []
    while len(values) < count:
        for message in consumer.consume(count - len(values), WITHIN_S):
            assert message.error() is None, message.error()
            values.append(message.value() or b"")
    return values


@pytest.mark.parametrize("commits", [True, False])
def test_what_was_read_and_what_was_written_are_committed_together_or_not_at_all(bootstrap: str, commits: bool) -> None:
    source, target = topic_with_records(bootstrap, "source", RECORDS, partitions=1), make_topic(bootstrap, "target")
    group, producer = fresh_name("group"), a_producer(bootstrap)
    with group_consumer(bootstrap, group, source) as consumer:
        values = read_some(consumer, 10)
        producer.begin_transaction()
        for value in values:
            producer.produce(target, value, partition=0)
        places = consumer.position(consumer.assignment())
        producer.send_offsets_to_transaction(places, consumer.consumer_group_metadata(), WITHIN_S)
        assert committed(bootstrap, group, source, stable=False) == -1001
        if commits:
            producer.commit_transaction(WITHIN_S)
        else:
            producer.abort_transaction(WITHIN_S)
    assert committed(bootstrap, group, source, stable=True) == (10 if commits else -1001)
    seen = read_decided(bootstrap, target)
    assert [message.value() for message in seen] == (values if commits else [])


def test_a_consumer_that_starts_waits_for_the_transaction_that_may_change_where_it_starts(bootstrap: str) -> None:
    source, group = topic_with_records(bootstrap, "source", RECORDS, partitions=1), fresh_name("group")
    producer = a_producer(bootstrap)
    with group_consumer(bootstrap, group, source) as consumer:
        read_some(consumer, 10)
        producer.begin_transaction()
        places = consumer.position(consumer.assignment())
        producer.send_offsets_to_transaction(places, consumer.consumer_group_metadata(), WITHIN_S)
    with group_consumer(bootstrap, group, source, isolation_level="read_committed") as next_one:
        assert next_one.consume(1, 3) == []
        producer.commit_transaction(WITHIN_S)
        assert read_some(next_one, 5) == [b"%d" % number for number in range(10, 15)]


def test_a_producer_that_was_fenced_commits_no_offsets(bootstrap: str) -> None:
    source, group, name = topic_with_records(bootstrap, "source", 5, partitions=1), fresh_name("group"), fresh_name("t")
    with group_consumer(bootstrap, group, source) as consumer:
        read_some(consumer, 5)
        former = a_producer(bootstrap, name)
        former.begin_transaction()
        places, member = consumer.position(consumer.assignment()), consumer.consumer_group_metadata()
        former.send_offsets_to_transaction(places, member, WITHIN_S)
        a_producer(bootstrap, name)
        with pytest.raises(KafkaException) as refused:
            former.commit_transaction(WITHIN_S)
        assert refused.value.args[0].fatal()
    assert committed(bootstrap, group, source, stable=True) == -1001


@pytest.mark.parametrize("how", ["restart", "kill"])
def test_a_transaction_with_offsets_outlives_the_broker(penstock_broker_factory: BrokerFactory, how: str) -> None:
    running = penstock_broker_factory()
    bootstrap = running.bootstrap
    source, group = topic_with_records(bootstrap, "source", 20, partitions=1), fresh_name("group")
    producer = a_producer(bootstrap)
    with group_consumer(bootstrap, group, source) as consumer:
        read_some(consumer, 10)
        producer.begin_transaction()
        places = consumer.position(consumer.assignment())
        producer.send_offsets_to_transaction(places, consumer.consumer_group_metadata(), WITHIN_S)
    if how == "kill":
        running.kill()
    running.restart()
    assert committed(bootstrap, group, source, stable=False) == -1001
    producer.commit_transaction(WITHIN_S)
    assert committed(bootstrap, group, source, stable=True) == 10
