"""Retries of classic groups with stock clients: counted, later each time, for one group, and given up at last."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import AlterConfigOpType, ConfigEntry, ConfigResource
from confluent_kafka.admin._resource import ResourceType
from confluent_kafka.cimpl import NewTopic
from tests.support.clients import read_to_end
from tests.support.command import Penstock
from tests.support.faults import eventually

import penstock.testing as penstock_testing

QUICK = {
    "penstock.retry.backoff.ms": "200",
    "penstock.retry.backoff.multiplier": "2.0",
    "penstock.retry.backoff.jitter": "0.0",
    "penstock.retry.max.attempts": "3",
}


@pytest.fixture(scope="module")
def bootstrap() -> Iterator[str]:
    with penstock_testing.broker({"node.id": "1", "penstock.schedule.auto.create.enable": "true"}) as running:
        yield running.bootstrap


def create(bootstrap: str, name: str, *, config: dict[str, str] | None = None, partitions: int = 1) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    topic = NewTopic(name, num_partitions=partitions, replication_factor=1, config=config or {})
    admin.create_topics([topic])[name].result(30)


def alter_group(bootstrap: str, group: str, settings: dict[str, str]) -> None:
    _alter(bootstrap, ResourceType.GROUP, group, settings)


def alter_topic(bootstrap: str, topic: str, settings: dict[str, str]) -> None:
    _alter(bootstrap, ResourceType.TOPIC, topic, settings)


def _alter(bootstrap: str, kind: ResourceType, name: str, settings: dict[str, str]) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    entries = [ConfigEntry(key, value, incremental_operation=AlterConfigOpType.SET) for key, value in settings.items()]
    resource = ConfigResource(kind, name, incremental_configs=entries)
    (future,) = admin.incremental_alter_configs([resource]).values()
    future.result(30)


Headers = list[tuple[str, str | bytes | None]]


def produce(bootstrap: str, topic: str, value: bytes, headers: Headers | None = None) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 0})
    problems: list[object] = []
    producer.produce(topic, value, key=b"k", headers=headers or [], on_delivery=lambda error, _: problems.append(error))
    assert producer.flush(30) == 0 and problems == [None]


def values_of(bootstrap: str, topic: str) -> list[bytes | None]:
    return [record.value() for record in read_to_end(bootstrap, topic, 0)]


def header(record: Message, name: str) -> str:
    value = dict(record.headers() or [])[name]
    assert isinstance(value, bytes)
    return value.decode()


def test_a_record_that_always_fails_is_tried_as_often_as_the_group_says_and_is_a_dead_letter_then(
    bootstrap: str,
) -> None:
    create(bootstrap, "orders")
    create(bootstrap, "dlq.billing", config={"errors.deadletterqueue.group.enable": "true"})
    alter_group(bootstrap, "billing", {**QUICK, "errors.deadletterqueue.topic.name": "dlq.billing"})
    produce(bootstrap, "_retry.billing.orders", b"bad", [("own", b"stays")])  # makes both topics
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "billing", "auto.offset.reset": "earliest"})
    consumer.subscribe(["orders", "orders.retry.billing"])
    tried: list[Message] = []
    while len(tried) < 3:
        record = consumer.poll(30)
        assert record is not None and record.error() is None
        tried.append(record)
        # A consumer hands on what it got, headers and all.
        produce(bootstrap, "_retry.billing.orders", record.value() or b"", record.headers() or [])  # type: ignore[arg-type]
    consumer.close()
    assert [header(record, "penstock-attempt") for record in tried] == ["1", "2", "3"]
    assert [header(record, "own") for record in tried] == ["stays"] * 3
    waits = [int(header(record, "penstock-due")) - int(header(record, "penstock-sent-at")) for record in tried]
    assert waits == [200, 400, 800]
    assert all(record.timestamp()[1] >= int(header(record, "penstock-due")) for record in tried)
    eventually(lambda: len(values_of(bootstrap, "dlq.billing")) == 1, "the dead letter")
    (letter,) = read_to_end(bootstrap, "dlq.billing", 0)
    assert (letter.value(), letter.key()) == (b"bad", b"k")
    assert header(letter, "__dlq.errors.group") == "billing"
    assert header(letter, "__dlq.errors.delivery.count") == "4"
    assert values_of(bootstrap, "orders") == []  # other groups see nothing of all this


def test_what_is_given_up_without_a_dead_letter_topic_waits_for_one_and_holds_up_nothing(
    bootstrap: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    create(bootstrap, "parcels")
    alter_group(bootstrap, "depot", QUICK)
    produce(bootstrap, "_retry.depot.parcels", b"given up", [("penstock-attempt", b"3")])
    produce(bootstrap, "_retry.depot.parcels", b"again")
    eventually(lambda: values_of(bootstrap, "parcels.retry.depot") == [b"again"], "the one that is tried again")
    done = Penstock(bootstrap, monkeypatch, capfd)("retry", "stats", "depot", "--json")
    (row,) = json.loads(done.out)
    assert (row["given_up"], row["waiting"], row["topic"]) == (1, 0, "_retry.depot.parcels")
    create(bootstrap, "dlq.depot")
    alter_group(bootstrap, "depot", {"errors.deadletterqueue.topic.name": "dlq.depot"})
    produce(bootstrap, "_retry.depot.parcels", b"once more")
    eventually(lambda: len(values_of(bootstrap, "parcels.retry.depot")) == 2, "one more that is tried again")
    assert values_of(bootstrap, "dlq.depot") == []  # its owner does not allow it
    alter_topic(bootstrap, "dlq.depot", {"errors.deadletterqueue.group.enable": "true"})
    eventually(lambda: values_of(bootstrap, "dlq.depot") == [b"given up"], "what was held")


def test_failed_records_and_the_offset_commit_are_one_transaction(bootstrap: str) -> None:
    create(bootstrap, "bills")
    alter_group(bootstrap, "teller", QUICK)
    for number in range(2):
        produce(bootstrap, "bills", b"%d" % number)
    produce(bootstrap, "_retry.teller.bills", b"first", [("penstock-delay-ms", b"0")])
    for commits in (False, True):
        settings = {"group.id": "teller", "auto.offset.reset": "earliest", "enable.auto.commit": False}
        consumer = Consumer({"bootstrap.servers": bootstrap, **settings})
        consumer.subscribe(["bills"])
        record = consumer.poll(30)
        assert record is not None and record.value() == b"0"
        producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": "teller"})
        producer.init_transactions(30)
        producer.begin_transaction()
        producer.produce("_retry.teller.bills", b"%d" % commits, key=b"k")
        offsets = [TopicPartition("bills", 0, 1)]
        producer.send_offsets_to_transaction(offsets, consumer.consumer_group_metadata(), 30)
        producer.commit_transaction(30) if commits else producer.abort_transaction(30)
        consumer.close()
    eventually(lambda: len(values_of(bootstrap, "bills.retry.teller")) == 2, "what was committed")
    assert values_of(bootstrap, "bills.retry.teller") == [b"first", b"1"]


def test_a_group_with_a_name_that_no_topic_may_have_gives_another(
    bootstrap: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    create(bootstrap, "mails")
    group = "mail/out"
    alter_group(bootstrap, group, {**QUICK, "penstock.retry.topic.name": "mail-out"})
    produce(bootstrap, "_retry.mail-out.mails", b"again")
    eventually(lambda: values_of(bootstrap, "mails.retry.mail-out") == [b"again"], "the one that is tried again")
    done = Penstock(bootstrap, monkeypatch, capfd)("retry", "stats", group, "--json")
    assert json.loads(done.out)[0]["group"] == group
