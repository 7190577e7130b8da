"""Three brokers that are killed while records are rejected: each comes to the dead-letter topic exactly once.

By turns the leader of the queue, that of its state and that of the dead-letter topic is killed with -9, 30 times by
`make share-kills`.
"""

from __future__ import annotations

import os
from collections import Counter
from threading import Event, Thread

from confluent_kafka import KafkaException, Message, Producer, ShareConsumer
from tests.support.dead_letters import dead_letters, headers_of, make_dead_letter_topic, make_queue
from tests.support.faults import eventually
from tests.support.share_consumers import ACCEPT, PATIENCE_S, REJECT, RELEASE, polled, share_consumer
from tests.support.shares import share_settings

import penstock.testing as penstock_testing
from penstock.client import Client
from penstock.testing import RunningCluster

QUICK = {
    "penstock.broker.lease.ms": "1500",
    "penstock.broker.heartbeat.ms": "300",
    "min.insync.replicas": "2",
    "share.coordinator.state.topic.num.partitions": "3",
    "offsets.topic.num.partitions": "3",
}
KILLS = int(os.environ.get("PENSTOCK_DEAD_LETTER_KILLS", "3"))
PARTITIONS = 3
RECORDS = 300
"""For each kill; one in three is poison: it is rejected, or given back until the limit."""
TOPICS = ("jobs", "__share_group_state", "dlq.jobs")


def is_poison(value: bytes) -> bool:
    return int(value) % 3 == 0


def how(message: Message) -> object:
    value = message.value()
    assert isinstance(value, bytes)
    if not is_poison(value):
        return ACCEPT
    return REJECT if int(value) % 2 else RELEASE


def work(bootstrap: str, stopped: Event) -> None:
    """A member for as long as it can be one, and then another."""
    while not stopped.is_set():
        with share_consumer(bootstrap, "jobs", "jobs") as consumer:
            while not stopped.is_set() and settle_some(consumer):
                pass


def settle_some(consumer: ShareConsumer) -> bool:
    for message in polled(consumer):
        try:
            consumer.acknowledge(message, how(message))  # type: ignore[arg-type]
        except KafkaException:
            pass  # somebody else has it by now
    try:
        consumer.commit_sync(PATIENCE_S)
    except KafkaException:
        return False
    return True


def letters_by_value(cluster: RunningCluster) -> Counter[bytes]:
    letters = dead_letters(cluster.bootstrap, "dlq.jobs", PARTITIONS)
    assert {headers_of(each)["__dlq.errors.topic"] for each in letters} <= {"jobs"}
    return Counter(each.value() for each in letters)  # type: ignore[misc]


def produce(bootstrap: str, first: int) -> set[bytes]:
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 5, "enable.idempotence": True})
    values = [b"%d" % number for number in range(first, first + RECORDS)]
    for number, value in enumerate(values):
        producer.produce("jobs", value, partition=number % PARTITIONS)
    assert producer.flush(60) == 0
    return {value for value in values if is_poison(value)}


def test_every_poison_record_comes_there_once_while_leaders_are_killed() -> None:
    with penstock_testing.cluster(QUICK | share_settings(), brokers=3) as cluster:
        with Client(cluster.bootstrap, timeout_s=PATIENCE_S) as client:
            make_dead_letter_topic(client, "dlq.jobs", PARTITIONS, 3)
            make_queue(client, "jobs", PARTITIONS, 3, share__delivery__count__limit="2")
        cluster.wait_until_in_sync("jobs", "dlq.jobs")
        poison = produce(cluster.bootstrap, 0)
        stopped = Event()
        workers = [Thread(target=work, args=(cluster.bootstrap, stopped)) for _ in range(2)]
        for worker in workers:
            worker.start()
        try:
            eventually(lambda: bool(letters_by_value(cluster)), "the first dead letter")
            for kill in range(KILLS):
                before = sum(letters_by_value(cluster).values())
                poison |= produce(cluster.bootstrap, (kill + 1) * RECORDS)
                eventually(lambda before=before: sum(letters_by_value(cluster).values()) > before, "a dead letter")  # type: ignore[misc]
                topic, partition = TOPICS[kill % 3], kill % PARTITIONS
                victim = cluster.leader(topic, partition)
                cluster.kill(victim)
                eventually(lambda: cluster.leader(topic, partition) not in (victim, -1), "another leader")  # noqa: B023
                cluster.start(victim)
                cluster.wait_until_in_sync(*TOPICS)
            eventually(lambda: set(letters_by_value(cluster)) >= poison, "all dead letters")
        finally:
            stopped.set()
            for worker in workers:
                worker.join()
        assert letters_by_value(cluster) == Counter(dict.fromkeys(poison, 1))
