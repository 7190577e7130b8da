"""kafka-python: records both ways by assignment, and its admin client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from tests.support.clients import fresh_name, make_topic
from tests.support.kafka_python import KafkaAdminClient, KafkaConsumer, KafkaProducer, NewTopic, TopicPartition

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
WHEN = 1_750_000_000_000


@pytest.fixture
def consumer(bootstrap: str) -> Iterator[KafkaConsumer]:
    with closing(KafkaConsumer(bootstrap_servers=bootstrap, group_id=None, consumer_timeout_ms=60_000)) as running:
        yield running


@pytest.mark.parametrize("codec", [None, "gzip", "lz4"])
def test_kafka_python_reads_what_it_wrote(bootstrap: str, consumer: KafkaConsumer, codec: str | None) -> None:
    topic = make_topic(bootstrap, "kp")
    with closing(KafkaProducer(bootstrap_servers=bootstrap, compression_type=codec, acks="all")) as producer:
        sent = [producer.send(topic, b"%d" % n, key=b"k", headers=[("h", b"1")], partition=0) for n in range(100)]
        assert [each.get(timeout=60).offset for each in sent] == list(range(100))
    at = TopicPartition(topic, 0)
    consumer.assign([at])
    consumer.seek_to_beginning(at)
    read = [next(consumer) for _ in range(100)]
    assert [each.value for each in read] == [b"%d" % number for number in range(100)]
    assert {(each.key, tuple(each.headers)) for each in read} == {(b"k", (("h", b"1"),))}


def test_kafka_python_finds_offsets(bootstrap: str, consumer: KafkaConsumer) -> None:
    topic = make_topic(bootstrap, "kp-offsets")
    with closing(KafkaProducer(bootstrap_servers=bootstrap)) as producer:
        for number in range(10):
            producer.send(topic, b"v", partition=0, timestamp_ms=WHEN + number).get(timeout=60)
    at = TopicPartition(topic, 0)
    assert consumer.beginning_offsets([at]) == {at: 0}
    assert consumer.end_offsets([at]) == {at: 10}
    assert consumer.offsets_for_times({at: WHEN + 6})[at].offset == 6


def test_kafka_python_administers_topics(bootstrap: str, consumer: KafkaConsumer) -> None:
    topic = fresh_name("kp-admin")
    with closing(KafkaAdminClient(bootstrap_servers=bootstrap)) as admin:
        admin.create_topics([NewTopic(topic, 2, 1)])
        assert topic in admin.list_topics()
        admin.delete_topics([topic])
