"""Views as stock clients read them: what they see is what they would see of the source, filtered."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka import TopicPartition as AioPartition
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import AlterConfigOpType, ConfigEntry, ConfigResource
from tests.integration.test_kcat_client import kcat
from tests.support import java
from tests.support.clients import WITHIN_S, make_topic, read_to_end
from tests.support.faults import eventually
from tests.support.kafka_python import KafkaConsumer
from tests.support.kafka_python import TopicPartition as PythonPartition
from tests.support.share_consumers import share_consumer, taken
from tests.support.shares import earliest
from tests.support.viewed import is_shown, make_view, viewed_topic

import penstock.testing
from penstock.client import Client

CONSUME = "org.apache.kafka.tools.consumer.ConsoleConsumer"
LEVELS = ["read_uncommitted", "read_committed"]

Row = tuple[int, int, bytes, bytes]
"""Offset, timestamp, key and value."""


@pytest.fixture(scope="module")
def both(bootstrap: str) -> tuple[str, str]:
    return viewed_topic(bootstrap)


def row(message: Message) -> tuple[Any, ...]:
    return message.offset(), message.timestamp()[1], message.key(), message.value(), tuple(message.headers() or ())


def shown(bootstrap: str, topic: str, level: str) -> list[Message]:
    """What the view of a topic should have."""
    return [each for each in read_to_end(bootstrap, topic, isolation_level=level) if is_shown(each)]


def plain(messages: list[Message]) -> list[Row]:
    return [(m.offset() or 0, m.timestamp()[1], m.key() or b"", m.value() or b"") for m in messages]


@pytest.mark.parametrize("level", LEVELS)
def test_librdkafka_reads_a_view(bootstrap: str, both: tuple[str, str], level: str) -> None:
    topic, view = both
    expected = [row(each) for each in shown(bootstrap, topic, level)]
    assert len(expected) > 20
    assert [row(each) for each in read_to_end(bootstrap, view, isolation_level=level)] == expected


@pytest.mark.parametrize("level", LEVELS)
async def test_aiokafka_reads_a_view(bootstrap: str, both: tuple[str, str], level: str) -> None:
    topic, view = both
    expected = plain(shown(bootstrap, topic, level))
    consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False, isolation_level=level)
    await consumer.start()
    try:
        at = AioPartition(view, 0)
        consumer.assign([at])
        consumer.seek(at, 0)
        end = (await consumer.end_offsets([at]))[at]
        found: list[Row] = []
        deadline = time.monotonic() + WITHIN_S
        while await consumer.position(at) < end:
            assert time.monotonic() < deadline
            came = (await consumer.getmany(timeout_ms=200)).get(at, [])
            found += [(each.offset, each.timestamp, each.key or b"", each.value or b"") for each in came]
    finally:
        await consumer.stop()
    assert found == expected


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("level", LEVELS)
def test_kafka_python_reads_a_view(bootstrap: str, level: str) -> None:
    topic, view = viewed_topic(bootstrap, codecs=("none", "gzip", "lz4"))  # it has no others here
    expected = plain(shown(bootstrap, topic, level))
    with closing(KafkaConsumer(bootstrap_servers=bootstrap, group_id=None, isolation_level=level)) as consumer:
        at = PythonPartition(view, 0)
        consumer.assign([at])
        consumer.seek(at, 0)
        end = consumer.end_offsets([at])[at]
        found: list[Row] = []
        deadline = time.monotonic() + WITHIN_S
        while consumer.position(at) < end:
            assert time.monotonic() < deadline
            came = consumer.poll(timeout_ms=200).get(at, [])
            found += [(each.offset, each.timestamp, each.key or b"", each.value or b"") for each in came]
    assert found == expected


@pytest.mark.parametrize("level", LEVELS)
def test_kcat_reads_a_view(bootstrap: str, both: tuple[str, str], level: str) -> None:
    topic, view = both
    rows = plain(shown(bootstrap, topic, level))
    expected = [f"{offset} {when} {key.decode()} {value.decode()}" for offset, when, key, value in rows]
    where = ("-t", view, "-p", "0", "-o", "beginning", "-X", f"isolation.level={level}")
    read = kcat(bootstrap, "-C", *where, "-e", "-q", "-f", "%o %T %k %s\n")
    assert read.splitlines() == expected


@pytest.mark.parametrize("level", LEVELS)
def test_java_reads_a_view(bootstrap: str, both: tuple[str, str], level: str) -> None:
    topic, view = both
    expected = [each.value() or b"" for each in shown(bootstrap, topic, level)]
    said = java.run(
        CONSUME, "--bootstrap-server", bootstrap, "--topic", view, "--partition", "0", "--offset", "earliest",
        "--isolation-level", level, "--max-messages", str(len(expected)), "--timeout-ms", "60000",
    ).stdout  # fmt: skip
    assert said.split() == [each.decode() for each in expected]


@pytest.mark.parametrize("level", LEVELS)
def test_a_view_over_a_compacted_topic_is_what_is_left_of_it(level: str) -> None:
    settings = {
        "log.cleaner.backoff.ms": "50",
        "log.retention.check.interval.ms": "100",
        "log.flush.offset.checkpoint.interval.ms": "100",
        "log.flush.scheduler.interval.ms": "100",
    }
    with penstock.testing.broker(settings) as running:
        compacted = {"cleanup_policy": "compact", "min_cleanable_dirty_ratio": "0", "segment_ms": "200"}
        topic, view = viewed_topic(running.bootstrap, seed=2, **compacted)
        deadline = time.monotonic() + WITHIN_S
        full = len(read_to_end(running.bootstrap, topic))
        producer = Producer({"bootstrap.servers": running.bootstrap})
        while len(read_to_end(running.bootstrap, topic)) >= full // 2:
            assert time.monotonic() < deadline, "it was not compacted"
            producer.produce(topic, b"tick", key=b"d", partition=0)  # an append closes the segment before it
            assert producer.flush(WITHIN_S) == 0
            time.sleep(0.3)

        def same() -> bool:  # the cleaner may be at work between the two reads
            expected = [row(each) for each in shown(running.bootstrap, topic, level)]
            return [row(each) for each in read_to_end(running.bootstrap, view, isolation_level=level)] == expected

        assert any(same() for _ in range(10))


def test_a_group_reads_a_view_with_offsets_of_its_own(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "viewed-group", partitions=2)
    view = make_view(bootstrap, topic)
    producer = Producer({"bootstrap.servers": bootstrap})
    for number in range(100):
        producer.produce(
            topic, b"%d" % number, partition=number % 2, headers=[("region", "us" if number % 10 else "eu")]
        )
    assert producer.flush(WITHIN_S) == 0
    group = f"group-of-{view}"

    def read(count: int) -> list[bytes]:
        settings = {"bootstrap.servers": bootstrap, "group.id": group, "auto.offset.reset": "earliest"}
        consumer = Consumer({**settings, "enable.auto.commit": False})
        try:
            consumer.subscribe([view])
            found: list[bytes] = []
            deadline = time.monotonic() + WITHIN_S
            while len(found) < count:
                assert time.monotonic() < deadline
                if (message := consumer.poll(0.2)) is not None and message.error() is None:
                    found.append(message.value() or b"")
            consumer.commit(asynchronous=False)
            return found
        finally:
            consumer.close()

    assert sorted(map(int, read(10))) == list(range(0, 100, 10))
    producer.produce(topic, b"100", partition=0, headers=[("region", "eu")])
    assert producer.flush(WITHIN_S) == 0
    assert read(1) == [b"100"], "it goes on where it was"
    checker = Consumer({"bootstrap.servers": bootstrap, "group.id": group})
    committed, of_source = (checker.committed([TopicPartition(name, 0)], 60)[0].offset for name in (view, topic))
    checker.close()
    assert committed > 40 and of_source < 0, "the source has none of them"


@pytest.mark.parametrize("level", LEVELS)
def test_a_share_group_reads_a_view(bootstrap: str, both: tuple[str, str], level: str) -> None:
    topic, view = both
    expected = sorted(each.offset() or 0 for each in shown(bootstrap, topic, level))
    group = f"shares-{level}-of-{view}"
    with Client(bootstrap) as client:
        earliest(client, group, isolation=level)
    found: list[int] = []
    with share_consumer(bootstrap, group, view) as consumer:
        while len(found) < len(expected):
            found += [each.offset() or 0 for each in taken(consumer)]
    assert sorted(found) == expected


def test_a_share_group_goes_on_with_a_view_whose_leader_was_killed_and_led_again() -> None:
    with penstock.testing.cluster(brokers=3) as cluster:
        topic = make_topic(cluster.bootstrap, "viewed-shares", replicas=3)
        view = make_view(cluster.bootstrap, topic)
        with Client(cluster.bootstrap) as client:
            earliest(client, "shares")
        producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all"})
        found: list[bytes] = []
        with share_consumer(cluster.bootstrap, "shares", view) as consumer:
            for turn in range(4):
                for number in range(50):
                    value = b"%d" % (50 * turn + number)
                    producer.produce(topic, value, partition=0, headers=[("region", "us" if number % 5 else "eu")])
                assert producer.flush(WITHIN_S) == 0
                while len(found) < 10 * (turn + 1):
                    found += [each.value() or b"" for each in taken(consumer)]
                leader = cluster.leader(topic)
                if turn % 2:
                    cluster.kill(leader)
                    eventually(lambda killed=leader: cluster.leader(topic) not in (killed, -1), "another leader")  # type: ignore[misc]
                    cluster.start(leader)
                    cluster.wait_until_in_sync(topic)
        assert found == [b"%d" % number for number in range(0, 200, 5)]


def test_a_reader_that_waits_hears_of_the_first_match(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "viewed-waiting")
    view = make_view(bootstrap, topic)
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "none", "fetch.wait.max.ms": 400})
    producer = Producer({"bootstrap.servers": bootstrap})
    try:
        consumer.assign([TopicPartition(view, 0, 0)])
        for number in range(30):
            producer.produce(topic, b"%d" % number, partition=0, headers=[("region", "us")])
            assert producer.flush(WITHIN_S) == 0
            assert consumer.poll(0.02) is None
        producer.produce(topic, b"match", partition=0, headers=[("region", "eu")])
        assert producer.flush(WITHIN_S) == 0
        message = consumer.poll(WITHIN_S)
        assert message is not None and message.value() == b"match"
    finally:
        consumer.close()


def test_a_filter_is_changed_while_somebody_reads(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "viewed-change")
    view = make_view(bootstrap, topic)
    producer = Producer({"bootstrap.servers": bootstrap})
    for region in ("eu", "us", "eu"):
        producer.produce(topic, region.encode(), partition=0, headers=[("region", region)])
    assert producer.flush(WITHIN_S) == 0
    assert [each.value() for each in read_to_end(bootstrap, view)] == [b"eu", b"eu"]
    admin = AdminClient({"bootstrap.servers": bootstrap})

    def alter(text: str) -> None:
        entry = ConfigEntry("penstock.view.filter", text, incremental_operation=AlterConfigOpType.SET)
        (done,) = admin.incremental_alter_configs(
            [ConfigResource(ConfigResource.Type.TOPIC, view, incremental_configs=[entry])]
        ).values()
        done.result(WITHIN_S)

    alter("header.region = 'us'")
    assert [each.value() for each in read_to_end(bootstrap, view)] == [b"us"]
    with pytest.raises(KafkaException, match="position 17"):
        alter("header.region = 'u")
    assert [each.value() for each in read_to_end(bootstrap, view)] == [b"us"]


def test_nobody_writes_to_a_view(bootstrap: str) -> None:
    topic = make_topic(bootstrap, "viewed-read-only")
    view = make_view(bootstrap, topic)
    refused: list[int] = []
    producer = Producer({"bootstrap.servers": bootstrap})
    producer.produce(view, b"x", on_delivery=lambda error, _: refused.append(error.code() if error else 0))
    producer.flush(WITHIN_S)
    assert refused == [KafkaError.POLICY_VIOLATION]
    transactional = Producer({"bootstrap.servers": bootstrap, "transactional.id": view})
    transactional.init_transactions(WITHIN_S)
    transactional.begin_transaction()
    transactional.produce(view, b"x")
    with pytest.raises(KafkaException):
        transactional.commit_transaction(WITHIN_S)
    admin = AdminClient({"bootstrap.servers": bootstrap})
    (deleted,) = admin.delete_records([TopicPartition(view, 0, 1)]).values()
    with pytest.raises(KafkaException) as failure:
        deleted.result(WITHIN_S)
    assert failure.value.args[0].code() == KafkaError.POLICY_VIOLATION
    assert read_to_end(bootstrap, topic) == []


def test_a_view_goes_on_after_its_sources_leader_was_killed() -> None:
    with penstock.testing.cluster(brokers=3) as cluster:
        topic = make_topic(cluster.bootstrap, "viewed-failover", replicas=3)
        view = make_view(cluster.bootstrap, topic)
        producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all"})
        consumer = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": "none"})
        consumer.assign([TopicPartition(view, 0, 0)])
        found: list[bytes] = []
        try:
            for kills in range(2):
                for number in range(50):
                    value = b"%d" % (50 * kills + number)
                    producer.produce(topic, value, partition=0, headers=[("region", "us" if number % 5 else "eu")])
                assert producer.flush(WITHIN_S) == 0
                deadline = time.monotonic() + WITHIN_S
                while len(found) < 10 * (kills + 1):
                    assert time.monotonic() < deadline
                    if (message := consumer.poll(0.5)) is not None and message.error() is None:
                        found.append(message.value() or b"")
                if not kills:
                    admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
                    leader = admin.list_topics(topic).topics[topic].partitions[0].leader
                    assert admin.list_topics(view).topics[view].partitions[0].leader == leader
                    cluster.kill(leader)
        finally:
            consumer.close()
        assert found == [b"%d" % number for number in range(0, 100, 5)]
