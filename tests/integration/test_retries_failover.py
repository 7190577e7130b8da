"""Retries on three brokers, of which the leaders of a retry topic and of its target are killed while records wait."""

from __future__ import annotations

import os
from collections import Counter

from confluent_kafka import Message, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import AlterConfigOpType, ConfigEntry, ConfigResource
from confluent_kafka.admin._resource import ResourceType
from confluent_kafka.cimpl import NewTopic
from tests.support.clients import read_to_end
from tests.support.faults import eventually

import penstock.testing as penstock_testing
from penstock.testing import RunningCluster

QUICK = {"penstock.broker.lease.ms": "1500", "penstock.broker.heartbeat.ms": "300", "min.insync.replicas": "2"}
RULES = {
    "penstock.retry.backoff.ms": "1500",
    "penstock.retry.backoff.multiplier": "2",
    "penstock.retry.max.attempts": "3",
}
RETRY, TARGET = "_retry.billing.orders", "orders.retry.billing"
KILLS = int(os.environ.get("PENSTOCK_SCHEDULE_KILLS", "4"))
RECORDS = 30 * KILLS


def make_topics(bootstrap: str) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    config = {"penstock.schedule.target": TARGET, "penstock.retry.group": "billing"}
    for topic in (NewTopic(TARGET, 1, 3), NewTopic(RETRY, 1, 3, config=config)):
        for future in admin.create_topics([topic]).values():
            future.result(60)
    alter_group(bootstrap, RULES)


def alter_group(bootstrap: str, settings: dict[str, str]) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    entries = [
        ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET) for name, value in settings.items()
    ]
    group = ConfigResource(ResourceType.GROUP, "billing", incremental_configs=entries)
    for future in admin.incremental_alter_configs([group]).values():
        future.result(60)


def fail(producer: Producer, value: bytes, headers: list[tuple[str, str | bytes | None]]) -> None:
    producer.produce(RETRY, value, key=b"k", headers=headers)


def came(cluster: RunningCluster) -> list[Message]:
    return read_to_end(cluster.bootstrap, TARGET, 0)


def header(record: Message, name: str) -> int:
    value = dict(record.headers() or [])[name]
    assert isinstance(value, bytes)
    return int(value)


def test_a_dead_letter_topic_that_is_away_holds_up_nothing_and_gets_each_letter_once() -> None:
    with penstock_testing.cluster(QUICK, brokers=3) as cluster:
        make_topics(cluster.bootstrap)
        cluster.wait_until_in_sync(RETRY, TARGET)
        away = next(broker for broker in (1, 2, 3) if broker not in (cluster.leader(RETRY), cluster.leader(TARGET)))
        admin = AdminClient({"bootstrap.servers": cluster.bootstrap})
        letters = {"errors.deadletterqueue.group.enable": "true", "min.insync.replicas": "1"}
        admin.create_topics([NewTopic("dlq.away", 1, replica_assignment=[[away]], config=letters)])["dlq.away"].result(
            60
        )
        alter_group(cluster.bootstrap, {"errors.deadletterqueue.topic.name": "dlq.away"})
        cluster.kill(away)
        producer = Producer({"bootstrap.servers": cluster.bootstrap, "enable.idempotence": True})
        for number in range(2_000):
            fail(producer, b"given up %d" % number, [("penstock-attempt", b"3")])
        assert producer.flush(60) == 0
        for number in range(3):  # the first may be sent before that one is known to be away
            fail(producer, b"fresh %d" % number, [("penstock-delay-ms", b"0")])
            assert producer.flush(60) == 0
            eventually(lambda: len(came(cluster)) > number, "the fresh one")  # noqa: B023
        cluster.start(away)
        eventually(lambda: len(read_to_end(cluster.bootstrap, "dlq.away", 0)) >= 2_000, "all dead letters")
        found = Counter(record.value() for record in read_to_end(cluster.bootstrap, "dlq.away", 0))
        assert found == Counter({b"given up %d" % number: 1 for number in range(2_000)})


def test_each_retry_comes_once_and_never_early_while_leaders_are_killed() -> None:
    with penstock_testing.cluster(QUICK, brokers=3) as cluster:
        make_topics(cluster.bootstrap)
        cluster.wait_until_in_sync(RETRY, TARGET)
        producer = Producer({"bootstrap.servers": cluster.bootstrap, "enable.idempotence": True})
        for number in range(RECORDS):
            fail(producer, b"%d" % number, [])
        assert producer.flush(60) == 0
        seen = 0
        for kill in range(KILLS):
            topic = (RETRY, TARGET)[kill % 2]
            victim = cluster.leader(topic, 0)
            cluster.kill(victim)
            eventually(lambda: cluster.leader(topic, 0) not in (victim, -1), "another leader")  # noqa: B023
            # What came back fails again, as long as the group tries.
            for record in came(cluster)[seen:]:
                seen += 1
                if header(record, "penstock-attempt") < 3:
                    fail(producer, record.value() or b"", record.headers() or [])  # type: ignore[arg-type]
            assert producer.flush(60) == 0
            cluster.start(victim)
            cluster.wait_until_in_sync(RETRY, TARGET)

        def is_over() -> bool:
            nonlocal seen
            for record in came(cluster)[seen:]:
                seen += 1
                if header(record, "penstock-attempt") < 3:
                    fail(producer, record.value() or b"", record.headers() or [])  # type: ignore[arg-type]
            assert producer.flush(60) == 0
            return seen >= 3 * RECORDS

        eventually(is_over, "all retries")
        found = came(cluster)
        assert Counter((record.value(), header(record, "penstock-attempt")) for record in found) == Counter(
            {(b"%d" % number, attempt): 1 for number in range(RECORDS) for attempt in (1, 2, 3)}
        )
        early = [record.value() for record in found if record.timestamp()[1] < header(record, "penstock-due")]
        assert early == []
