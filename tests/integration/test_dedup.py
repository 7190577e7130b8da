"""Topics without duplicates, with stock clients: resends over kills, transactions, deleted records, live settings."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import AlterConfigOpType, ConfigEntry, ConfigResource
from confluent_kafka.admin._resource import ResourceType
from tests.support.clients import make_topic, read_to_end
from tests.support.faults import eventually, metric
from tests.support.kafka_python import KafkaConsumer as PythonConsumer
from tests.support.kafka_python import TopicPartition as PythonPlace

import penstock.testing as penstock_testing
from penstock.testing import RunningBroker, RunningCluster

DUPLICATE_EVERY = 5
KILLS = int(os.environ.get("PENSTOCK_DEDUP_KILLS", "3"))
RECORDS = 2_000 * KILLS
LONG_MS = "86400000"
QUICK = {"penstock.broker.lease.ms": "1500", "penstock.broker.heartbeat.ms": "300", "min.insync.replicas": "2"}


@pytest.fixture(scope="module")
def broker() -> Iterator[RunningBroker]:
    with penstock_testing.broker({"node.id": "1"}) as running:
        yield running


def make(bootstrap: str, stem: str, *, partitions: int = 1, by: str = "header:id", **more: Any) -> str:
    return make_topic(bootstrap, stem, partitions=partitions, penstock_dedup_by=by, **more)


def produce(
    bootstrap: str, topic: str, *ids: str, key: bytes | None = b"k", **settings: Any
) -> list[KafkaError | None]:
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 5} | settings)
    came: list[KafkaError | None] = []
    for each in ids:
        producer.produce(
            topic,
            each.encode(),
            key=key,
            headers={"id": each.encode()},
            on_delivery=lambda error, _: came.append(error),
        )
    assert producer.flush(60) == 0
    return came


def values(bootstrap: str, topic: str, **more: Any) -> list[str]:
    return [_value(record) for record in read_to_end(bootstrap, topic, **more)]


def _value(record: Message) -> str:
    value = record.value()
    assert isinstance(value, bytes)
    return value.decode()


def alter(bootstrap: str, topic: str, name: str, value: str) -> None:
    entry = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
    wanted = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for future in admin.incremental_alter_configs([wanted]).values():
        future.result(30)


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_duplicates_are_left_out_whatever_the_codec(broker: RunningBroker, codec: str) -> None:
    topic = make(broker.bootstrap, "codec")
    settings: dict[str, Any] = {"enable.idempotence": True, "compression.type": codec}
    assert produce(broker.bootstrap, topic, "a", "b", "a", **settings) == [None] * 3
    assert produce(broker.bootstrap, topic, "b", "c", "a", **settings) == [None] * 3
    assert values(broker.bootstrap, topic) == ["a", "b", "c"]
    assert metric(broker, "penstock_dedup_duplicates_total", topic=topic) == 3
    assert metric(broker, "penstock_dedup_ids", topic=topic) == 3
    assert metric(broker, "penstock_dedup_window_effective_ms", topic=topic) == 600_000


def test_keys_are_ids_where_the_topic_says_so(broker: RunningBroker) -> None:
    topic = make(broker.bootstrap, "keys", by="key")
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    for key in (b"a", b"b", b"a", None, None):
        producer.produce(topic, b"v", key=key)
    assert producer.flush(30) == 0
    assert [record.key() for record in read_to_end(broker.bootstrap, topic)] == [b"a", b"b", None, None]


def test_consumers_pass_over_many_batches_of_nothing_but_duplicates(broker: RunningBroker) -> None:
    """librdkafka would double its fetch size with each, up to 1 GiB."""
    topic = make(broker.bootstrap, "nothing")
    producer = Producer({"bootstrap.servers": broker.bootstrap, "linger.ms": 0})
    for each in ["a", *["a"] * 40, "b"]:
        producer.produce(topic, each.encode(), key=b"k", headers={"id": each.encode()})
        assert producer.flush(30) == 0
    assert values(broker.bootstrap, topic, fetch_max_bytes=1024, message_max_bytes=1024) == ["a", "b"]
    consumer = PythonConsumer(bootstrap_servers=broker.bootstrap, enable_auto_commit=False, consumer_timeout_ms=60_000)
    consumer.assign([PythonPlace(topic, 0)])
    consumer.seek_to_beginning()
    assert [next(consumer).value for _ in range(2)] == [b"a", b"b"]
    consumer.close()


def test_an_id_without_a_key_is_refused_on_several_partitions(broker: RunningBroker) -> None:
    topic = make(broker.bootstrap, "keyless", partitions=2)
    (error,) = produce(broker.bootstrap, topic, "a", key=None)
    assert error is not None and error.code() == KafkaError.INVALID_RECORD


def test_bad_settings_are_refused_by_name(broker: RunningBroker) -> None:
    for by, policy in (("value", "delete"), ("key", "compact")):
        with pytest.raises(KafkaException) as refused:
            make(broker.bootstrap, "bad", by=by, cleanup_policy=policy)
        assert refused.value.args[0].code() == KafkaError.INVALID_CONFIG


def test_a_transaction_that_is_aborted_takes_its_ids_with_it(broker: RunningBroker) -> None:
    topic = make(broker.bootstrap, "transactions")
    producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": topic})
    producer.init_transactions(30)

    def transaction(*ids: str, is_committed: bool) -> None:
        producer.begin_transaction()
        for each in ids:
            producer.produce(topic, each.encode(), key=b"k", headers={"id": each.encode()})
        (producer.commit_transaction if is_committed else producer.abort_transaction)(30)

    transaction("a", "b", is_committed=False)
    transaction("a", "c", "a", is_committed=True)
    transaction("a", "b", is_committed=True)
    transaction("a", "b", "c", is_committed=True)
    assert produce(broker.bootstrap, topic, "a", "b", "c", "d") == [None] * 4
    assert values(broker.bootstrap, topic, isolation_level="read_committed") == ["a", "c", "b", "d"]


def test_an_id_counts_no_more_once_its_record_is_deleted(broker: RunningBroker) -> None:
    topic = make(broker.bootstrap, "deleted")
    produce(broker.bootstrap, topic, "a")
    produce(broker.bootstrap, topic, "b")
    before = read_to_end(broker.bootstrap, topic)[1].offset()
    assert before is not None
    admin = AdminClient({"bootstrap.servers": broker.bootstrap})
    for future in admin.delete_records([Place(topic, 0, before)]).values():
        future.result(30)
    produce(broker.bootstrap, topic, "a", "b")
    assert values(broker.bootstrap, topic, start=before) == ["b", "a"]


def test_the_settings_can_be_changed_while_producers_write(broker: RunningBroker) -> None:
    topic = make_topic(broker.bootstrap, "live")
    produce(broker.bootstrap, topic, "a", "a")
    alter(broker.bootstrap, topic, "penstock.dedup.by", "header:id")
    assert produce(broker.bootstrap, topic, "a", "b") == [None] * 2  # what was there before counts as well
    alter(broker.bootstrap, topic, "penstock.dedup.ids.max", "1")
    produce(broker.bootstrap, topic, "c")
    produce(broker.bootstrap, topic, "b")
    alter(broker.bootstrap, topic, "penstock.dedup.by", "")
    produce(broker.bootstrap, topic, "c")
    assert values(broker.bootstrap, topic) == ["a", "a", "b", "c", "b", "c"]


class Stream(threading.Thread):
    """An idempotent producer that sends one record in five again, at once or much later."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        super().__init__()
        self.sent: set[str] = set()
        self.errors: list[str] = []
        self._address = bootstrap
        self._topic = topic

    def run(self) -> None:
        producer = Producer(
            {
                "bootstrap.servers": self._address,
                "enable.idempotence": True,
                "linger.ms": 5,
                "error_cb": self._on_error,
                "message.timeout.ms": 120_000,
            }
        )
        for number in range(RECORDS):
            self._send(producer, f"{number}")
            if not number % DUPLICATE_EVERY:
                self._send(producer, f"{number if number % 2 else number // 2}")
            producer.poll(0.001)
        left = producer.flush(120)
        if left:
            self.errors.append(f"{left} records are not acknowledged")

    def _send(self, producer: Producer, record_id: str) -> None:
        producer.produce(
            self._topic, record_id.encode(), headers={"id": record_id.encode()}, key=b"k", on_delivery=self._delivered
        )

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.errors.append(str(error))
        else:
            self.sent.add(_value(message))

    def _on_error(self, error: KafkaError) -> None:
        if error.fatal():
            self.errors.append(str(error))


def check(bootstrap: str, topic: str, stream: Stream) -> None:
    assert stream.errors == []
    assert stream.sent == {str(number) for number in range(RECORDS)}
    twice = {value: count for value, count in Counter(values(bootstrap, topic)).items() if count != 1}
    assert twice == {}
    assert set(values(bootstrap, topic)) == stream.sent


def test_no_duplicate_and_no_error_over_kills_and_restarts_of_the_broker() -> None:
    with penstock_testing.broker({"node.id": "1"}) as broker:
        topic = make(broker.bootstrap, "kills", penstock_dedup_window_ms=LONG_MS)
        stream = Stream(broker.bootstrap, topic)
        stream.start()
        for kill in range(KILLS):
            wanted = RECORDS * (kill + 1) // (KILLS + 1)
            eventually(lambda wanted=wanted: len(stream.sent) >= wanted, "records that are acknowledged")  # type: ignore[misc]
            if kill % 2:
                broker.restart()
            else:
                broker.kill()
                broker.start()
        stream.join()
        check(broker.bootstrap, topic, stream)


def test_no_duplicate_and_no_error_while_leaders_are_killed() -> None:
    with penstock_testing.cluster(QUICK, brokers=3) as cluster:
        topic = make(
            cluster.bootstrap, "leaders", replicas=3, min_insync_replicas="2", penstock_dedup_window_ms=LONG_MS
        )
        cluster.wait_until_in_sync(topic)
        stream = Stream(cluster.bootstrap, topic)
        stream.start()
        for kill in range(KILLS):
            _kill_leader(cluster, topic, stream, after=RECORDS * (kill + 1) // (KILLS + 1))
        stream.join()
        check(cluster.bootstrap, topic, stream)


def _kill_leader(cluster: RunningCluster, topic: str, stream: Stream, *, after: int) -> None:
    eventually(lambda: len(stream.sent) >= after, "records that are acknowledged")
    victim = cluster.leader(topic, 0)
    cluster.kill(victim)
    eventually(lambda: cluster.leader(topic, 0) not in (victim, -1), "another leader")
    cluster.start(victim)
    cluster.wait_until_in_sync(topic)
