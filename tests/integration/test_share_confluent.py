"""confluent-kafka's share consumer: who gets which record, how often, and what stops nobody."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer
from tests.support.faults import eventually
from tests.support.share_consumers import (
    ACCEPT,
    PATIENCE_S,
    REJECT,
    RELEASE,
    at,
    committed,
    lent,
    polled,
    share_consumer,
    taken,
)
from tests.support.shares import earliest, group_settings

from penstock.client import Client, NewTopic, OffsetSpec, place

LIMIT = 5
"""How often a record is lent, by default."""


@pytest.fixture
def client(share_cluster: str) -> Iterator[Client]:
    with Client(share_cluster, timeout_s=PATIENCE_S) as client:
        yield client


def make(client: Client, name: str, partitions: int = 1, **settings: str) -> None:
    """A topic, and a group of its name that begins with its first record."""
    told = {key.replace("_", "."): value for key, value in settings.items()}
    client.create_topics([NewTopic(name, partitions, settings=told)]).all()
    eventually(lambda: name in client.list_topics(), f"{name} is known")
    earliest(client, name)


def fill(client: Client, topic: str, count: int, *, partitions: int = 1, batch_bytes: int = 256_000) -> None:
    with client.producer(batch_bytes=batch_bytes) as producer:
        for number in range(count):
            producer.send(topic, b"%d" % number, partition=number % partitions)


def lag(client: Client, group: str) -> int:
    return sum(each.lag for each in client.share_group_offsets(group).all().values())


def test_accepted_records_of_several_partitions_come_once(client: Client, share_cluster: str) -> None:
    make(client, "once", 3)
    fill(client, "once", 300, partitions=3, batch_bytes=500)
    seen: list[bytes | None] = []
    with share_consumer(share_cluster, "once", "once") as consumer:
        while len(seen) < 300:
            seen += [each.value() for each in taken(consumer)]
        assert Counter(seen) == Counter(b"%d" % number for number in range(300))
        eventually(lambda: lag(client, "once") == 0, "all is accepted")
        assert polled(consumer) == []
    with share_consumer(share_cluster, "once", "once") as consumer:
        fill(client, "once", 1)
        assert [at(each) for each in taken(consumer)] == [(0, 100, 1)]


def test_implicitly_accepted_records_come_once(client: Client, share_cluster: str) -> None:
    make(client, "implicit")
    fill(client, "implicit", 20)
    seen = 0
    with share_consumer(share_cluster, "implicit", "implicit", share_acknowledgement_mode="implicit") as consumer:
        while seen < 20:
            seen += len(lent(consumer))
        assert set(consumer.commit_sync(PATIENCE_S).values()) == {None}  # closing gives back what came last
    with share_consumer(share_cluster, "implicit", "implicit") as consumer:
        fill(client, "implicit", 1)
        assert [at(each) for each in taken(consumer)] == [(0, 20, 1)]


def test_a_released_record_comes_again_as_often_as_the_limit_says(client: Client, share_cluster: str) -> None:
    make(client, "released")
    fill(client, "released", 8)
    tried: Counter[int] = Counter()
    with share_consumer(share_cluster, "released", "released") as consumer:
        while tried.total() < 7 + LIMIT:
            for partition, offset, count in map(
                at, taken(consumer, lambda each: RELEASE if each.offset() == 3 else ACCEPT)
            ):
                tried[offset] += 1
                assert (partition, count) == (0, tried[offset])
        assert tried == {offset: LIMIT if offset == 3 else 1 for offset in range(8)}
        eventually(lambda: lag(client, "released") == 0, "it was given up")
        assert polled(consumer) == []


def test_the_limit_of_a_group_is_what_counts(client: Client, share_cluster: str) -> None:
    make(client, "limited")
    group_settings(client, "limited", delivery_count_limit="2")
    fill(client, "limited", 1)
    with share_consumer(share_cluster, "limited", "limited") as consumer:
        counts = [at(each)[2] for _ in range(2) for each in taken(consumer, lambda _: RELEASE)]
        assert counts == [1, 2]
        eventually(lambda: lag(client, "limited") == 0, "it was given up")


def test_a_rejected_record_comes_to_nobody_again(client: Client, share_cluster: str) -> None:
    make(client, "rejected")
    fill(client, "rejected", 10)
    with share_consumer(share_cluster, "rejected", "rejected") as consumer:
        seen = 0
        while seen < 10:
            seen += len(taken(consumer, lambda _: REJECT))
        fill(client, "rejected", 1)
        assert [at(each) for each in taken(consumer)] == [(0, 10, 1)]


def test_a_record_whose_time_is_over_goes_to_another_and_the_late_word_is_refused(
    client: Client, share_cluster: str
) -> None:
    make(client, "expired")
    fill(client, "expired", 1)
    with share_consumer(share_cluster, "expired", "expired") as slow:
        (late,) = lent(slow)
        with share_consumer(share_cluster, "expired", "expired") as quick:
            (again,) = lent(quick)
            assert at(again) == (0, 0, 2)
            slow.acknowledge(late, ACCEPT)
            (outcome,) = slow.commit_sync(PATIENCE_S).values()
            assert isinstance(outcome, KafkaException)
            assert outcome.args[0].code() == KafkaError.INVALID_RECORD_STATE
            quick.acknowledge(again, ACCEPT)
            committed(quick)


def test_what_a_consumer_leaves_behind_goes_to_another_at_once(client: Client, share_cluster: str) -> None:
    make(client, "left")
    fill(client, "left", 4)
    with share_consumer(share_cluster, "left", "left") as consumer:
        assert len(lent(consumer)) == 4
    with share_consumer(share_cluster, "left", "left") as consumer:
        assert [at(each) for each in taken(consumer)] == [(0, offset, 2) for offset in range(4)]


def test_two_consumers_share_one_partition(client: Client, share_cluster: str) -> None:
    make(client, "one-for-two")
    seen: Counter[int] = Counter()
    with (
        share_consumer(share_cluster, "one-for-two", "one-for-two", max_poll_records=10) as one,
        share_consumer(share_cluster, "one-for-two", "one-for-two", max_poll_records=10) as two,
    ):
        shares = [0, 0]
        written = 0
        deadline = time.monotonic() + PATIENCE_S
        while not (min(shares) > 20 and seen.total() == written):
            assert time.monotonic() < deadline, f"{shares} of {written}"
            if seen.total() == written:
                fill(client, "one-for-two", 50, batch_bytes=200)
                written += 50
            for index, consumer in enumerate((one, two)):
                for message in polled(consumer, 0.2):
                    seen[at(message)[1]] += 1
                    shares[index] += 1
                    consumer.acknowledge(message)
        for consumer in (one, two):
            assert [each for each in consumer.commit_sync(PATIENCE_S).values() if each is not None] == []
    assert seen == dict.fromkeys(range(written), 1)
    eventually(lambda: lag(client, "one-for-two") == 0, "all is accepted")


def test_a_group_begins_where_its_setting_says(client: Client, share_cluster: str) -> None:
    make(client, "begin")
    fill(client, "begin", 5)
    group_settings(client, "from-the-end", auto_offset_reset="latest")
    with share_consumer(share_cluster, "from-the-end", "begin") as consumer:
        while not (messages := polled(consumer)):  # what is written before it has begun is not its own
            fill(client, "begin", 1)
        assert at(messages[0]) >= (0, 5, 1)
    with share_consumer(share_cluster, "begin", "begin") as consumer:
        assert at(taken(consumer)[0]) == (0, 0, 1)


@pytest.mark.parametrize("isolation", ["read_committed", "read_uncommitted"])
def test_aborted_records_come_to_those_who_want_them(client: Client, share_cluster: str, isolation: str) -> None:
    topic = f"aborted-{isolation}"
    make(client, topic)
    earliest(client, topic, isolation=isolation)
    producer = Producer({"bootstrap.servers": share_cluster, "transactional.id": topic})
    producer.init_transactions(PATIENCE_S)
    for number in range(10):
        producer.begin_transaction()
        producer.produce(topic, b"%d" % number)
        producer.flush(PATIENCE_S)
        (producer.commit_transaction if number % 2 else producer.abort_transaction)(PATIENCE_S)
    expected = [b"%d" % number for number in range(10) if number % 2 or isolation == "read_uncommitted"]
    seen: list[bytes | None] = []
    with share_consumer(share_cluster, topic, topic) as consumer:
        while len(seen) < len(expected):
            seen += [each.value() for each in taken(consumer)]
        assert seen == expected
        assert polled(consumer) == []
        producer.begin_transaction()
        producer.produce(topic, b"open")
        producer.flush(PATIENCE_S)
        if isolation == "read_committed":
            assert polled(consumer) == []
        producer.commit_transaction(PATIENCE_S)
        assert [each.value() for each in taken(consumer)] == [b"open"]


def test_gaps_that_compaction_left_stop_nobody(client: Client, share_cluster: str) -> None:
    make(
        client, "compacted", cleanup_policy="compact", min_cleanable_dirty_ratio="0.01", segment_ms="100",
        min_compaction_lag_ms="0",
    )  # fmt: skip
    with client.producer(batch_bytes=200) as producer:
        for number in range(200):
            producer.send("compacted", b"%d" % number, key=b"%d" % (number % 7))

    def offsets() -> list[int]:
        """What is there by now; another record lets the segment before it be compacted."""
        with client.producer() as producer:
            producer.send("compacted", b"last", key=b"last")
        end = client.list_offsets({place("compacted", 0): OffsetSpec.LATEST}).all()[place("compacted", 0)].offset
        found: list[int] = []
        with client.consumer() as consumer:
            consumer.assign({place("compacted", 0): 0})
            while (
                consumer.position(place("compacted", 0)) is None
                or (consumer.position(place("compacted", 0)) or 0) < end
            ):
                found += [each.offset for each in consumer.poll(1.0)]
        return found

    eventually(lambda: len(offsets()) < 50, "most of it is compacted away")
    seen: list[int] = []
    with share_consumer(share_cluster, "compacted", "compacted") as consumer:
        while 199 not in seen:
            seen += [at(each)[1] for each in taken(consumer)]
        while messages := polled(consumer):
            seen += [at(each)[1] for each in messages]
            for message in messages:
                consumer.acknowledge(message)
    assert len(seen) == len(set(seen)) and set(range(193, 200)) <= set(seen)


def test_records_that_are_deleted_under_a_group_are_passed_over(client: Client, share_cluster: str) -> None:
    make(client, "log-start")
    fill(client, "log-start", 10)
    with share_consumer(share_cluster, "log-start", "log-start", max_poll_records=10) as consumer:
        in_hand = lent(consumer)
        assert [at(each)[1] for each in in_hand] == list(range(10))
        client.delete_records({place("log-start", 0): 6}).all()
        for message in in_hand:
            consumer.acknowledge(message, RELEASE)
        consumer.commit_sync(PATIENCE_S)  # of records that are gone, a broker may refuse to hear
        fill(client, "log-start", 1)
        seen: set[int] = set()
        while seen < {6, 7, 8, 9, 10}:
            seen |= {at(each)[1] for each in taken(consumer)}
        assert seen == {6, 7, 8, 9, 10}
        eventually(lambda: lag(client, "log-start") == 0, "nothing is left")


def test_a_topic_that_is_deleted_and_made_anew_is_read_from_its_beginning(client: Client, share_cluster: str) -> None:
    make(client, "anew")
    make(client, "other")
    fill(client, "anew", 5)
    with share_consumer(share_cluster, "other", "anew", "other") as consumer:
        assert len(taken(consumer)) == 5
        client.delete_topics(["anew"]).all()
        fill(client, "other", 1)
        assert [each.topic() for each in taken(consumer)] == ["other"]
        client.create_topics(["anew"]).all()
        eventually(lambda: "anew" in client.list_topics(), "it is there again")
        fill(client, "anew", 2)
        seen: list[tuple[int, int, int]] = []
        while len(seen) < 2:
            seen += [at(each) for each in taken(consumer)]
        assert seen == [(0, 0, 1), (0, 1, 1)]


def test_a_group_that_is_deleted_begins_anew(client: Client, share_cluster: str) -> None:
    make(client, "gone-group")
    fill(client, "gone-group", 3)
    with share_consumer(share_cluster, "gone-group", "gone-group") as consumer:
        assert len(taken(consumer)) == 3
    client.delete_groups(["gone-group"]).all()
    earliest(client, "gone-group")
    with share_consumer(share_cluster, "gone-group", "gone-group") as consumer:
        assert [at(each) for each in taken(consumer)] == [(0, offset, 1) for offset in range(3)]
