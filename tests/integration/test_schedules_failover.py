"""Three brokers, of which the leaders of a schedule topic and of its target are killed while records come due."""

from __future__ import annotations

import os
import time
from collections import Counter

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.clients import read_to_end
from tests.support.faults import eventually

import penstock.testing as penstock_testing
from penstock.testing import RunningCluster

QUICK = {"penstock.broker.lease.ms": "1500", "penstock.broker.heartbeat.ms": "300", "min.insync.replicas": "2"}
PARTITIONS = 3
KILLS = int(os.environ.get("PENSTOCK_SCHEDULE_KILLS", "4"))
RECORDS = 225 * KILLS
SPAN_MS = (3_000 if KILLS <= 4 else 8_000) * KILLS
"""Over which they come due."""


def make_topics(bootstrap: str) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    config = {"penstock.schedule.target": "orders", "min.insync.replicas": "2"}
    for topic in (
        NewTopic("orders", PARTITIONS, 3, config={"min.insync.replicas": "2"}),
        NewTopic("orders.later", PARTITIONS, 3, config=config),
    ):
        for future in admin.create_topics([topic]).values():
            future.result(60)


def schedule(bootstrap: str) -> dict[bytes, int]:
    """When each is due."""
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 5, "enable.idempotence": True})
    due: dict[bytes, int] = {}
    begin = int(time.time() * 1000) + 1_000
    for number in range(RECORDS):
        value = b"%d" % number
        due[value] = begin + (number * 7919) % SPAN_MS
        at: list[tuple[str, str | bytes | None]] = [("penstock-deliver-at", str(due[value]))]
        producer.produce("orders.later", value, partition=number % PARTITIONS, headers=at)
    assert producer.flush(60) == 0
    return due


def fired(cluster: RunningCluster) -> list[tuple[bytes, int]]:
    """Values and timestamps at the target."""
    found = []
    for partition in range(PARTITIONS):
        for record in read_to_end(cluster.bootstrap, "orders", partition):
            value = record.value()
            assert isinstance(value, bytes)
            found.append((value, record.timestamp()[1]))
    return found


def test_s1_s2_each_record_fires_once_and_never_early_while_leaders_of_home_and_target_are_killed() -> None:
    with penstock_testing.cluster(QUICK, brokers=3) as cluster:
        make_topics(cluster.bootstrap)
        cluster.wait_until_in_sync("orders", "orders.later")
        due = schedule(cluster.bootstrap)
        for kill in range(KILLS):
            topic, partition = ("orders.later", "orders")[kill % 2], kill % PARTITIONS
            wanted = len(fired(cluster)) + 45
            eventually(lambda wanted=wanted: len(fired(cluster)) >= min(wanted, RECORDS), "records that fire")  # type: ignore[misc]
            victim = cluster.leader(topic, partition)
            cluster.kill(victim)
            eventually(lambda: cluster.leader(topic, partition) not in (victim, -1), "another leader")  # noqa: B023
            cluster.start(victim)
            cluster.wait_until_in_sync("orders", "orders.later")
        eventually(lambda: len(fired(cluster)) >= RECORDS, "all records")
        came = fired(cluster)
        assert Counter(value for value, _ in came) == Counter(dict.fromkeys(due, 1))
        assert [value for value, at in came if at < due[value]] == []
