"""Three brokers that are killed while a share group works: by turns the leader of the partition of the group (its
membership), that of the group's state of a partition, and that of a partition that it reads.

What was accepted, and answered, comes to nobody again; no record comes after a later one of its key, as the group keeps
them in order; nothing is lost; all is done in the end. The nightly run kills more often: PENSTOCK_SHARE_KILLS.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Event, Lock, Thread

from confluent_kafka import KafkaException, Producer, ShareConsumer
from tests.support.faults import eventually
from tests.support.share_consumers import ACCEPT, PATIENCE_S, RELEASE, polled, share_consumer
from tests.support.shares import earliest

import penstock.testing as penstock_testing
from penstock.client import Change, Client, NewTopic, Resource, ResourceType
from penstock.coordinators.runtime import java_hash
from penstock.coordinators.shares.service import partition_of
from penstock.coordinators.shares.states import SharePartitionKey
from penstock.model import TopicId
from penstock.testing import RunningCluster

KILLS = int(os.environ.get("PENSTOCK_SHARE_KILLS", "3"))
QUEUE = "jobs"
PARTITIONS = 3
RECORDS = 600
"""For each kill."""
MEMBERS = 3
KEYS = 30
"""Each in one partition."""
SETTINGS = {
    "penstock.broker.lease.ms": "1500",
    "penstock.broker.heartbeat.ms": "300",
    "min.insync.replicas": "2",
    "share.coordinator.state.topic.num.partitions": "3",
    "offsets.topic.num.partitions": "3",
    "group.share.min.heartbeat.interval.ms": "200",
    "group.share.heartbeat.interval.ms": "200",
    # No lock ends in this test: a record that comes again was given up by its member, or lost by its leader.
    "group.share.max.record.lock.duration.ms": "3600000",
    "group.share.record.lock.duration.ms": "600000",
    "group.share.max.delivery.count.limit": "10",
    "group.share.delivery.count.limit": "10",
}


class Book:
    """What became of each record, as its members were told."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.seen: set[bytes] = set()
        self.answered: set[bytes] = set()
        self.wrong: list[str] = []
        self._newest: dict[int, int] = {}

    def see(self, value: bytes) -> None:
        number = int(value)
        with self._lock:
            if value in self.answered:
                self.wrong.append(f"{value!r} came again after its acceptance was answered")
            newest = self._newest[number % KEYS] = max(self._newest.get(number % KEYS, 0), number)
            if newest > number:
                self.wrong.append(f"{value!r} came after {newest}, which has its key")
            self.seen.add(value)

    def answer(self, values: list[bytes]) -> None:
        with self._lock:
            self.wrong += [f"{value!r} was accepted twice" for value in values if value in self.answered]
            self.answered.update(values)


def work(bootstrap: str, book: Book, stopped: Event) -> None:
    """A member for as long as it can be one, and then another."""
    while not stopped.is_set():
        with share_consumer(bootstrap, QUEUE, QUEUE, max_poll_records="20") as consumer:
            while not stopped.is_set() and settle_some(consumer, book):
                pass


def settle_some(consumer: ShareConsumer, book: Book) -> bool:
    accepted: dict[int, list[bytes]] = {}
    for message in polled(consumer, 0.2):
        value, partition = message.value(), message.partition()
        assert isinstance(value, bytes) and partition is not None
        book.see(value)
        is_flaky = int(value) % 5 == 0 and message.delivery_count() == 1
        try:
            consumer.acknowledge(message, RELEASE if is_flaky else ACCEPT)
        except KafkaException:
            continue  # its leader is another by now
        if not is_flaky:
            accepted.setdefault(partition, []).append(value)
    if not accepted:
        return True
    try:
        outcomes = consumer.commit_sync(PATIENCE_S)
    except KafkaException:
        return False
    for where, problem in outcomes.items():
        if problem is None:
            book.answer(accepted.get(where.partition, []))
    return True


def produce(bootstrap: str, first: int) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 5, "enable.idempotence": True})
    for number in range(first, first + RECORDS):
        producer.produce(QUEUE, b"%d" % number, key=b"%d" % (number % KEYS), partition=number % PARTITIONS)
    assert producer.flush(60) == 0


def parts(cluster: RunningCluster, topic_id: TopicId) -> list[Callable[[int], tuple[str, int]]]:
    """The partition whose leader has each part, of the partition of the queue with this number."""

    def state(index: int) -> tuple[str, int]:
        count = len(cluster.metadata("__share_group_state").topics[0].partitions)
        return "__share_group_state", partition_of(str(SharePartitionKey(QUEUE, topic_id, index)), count)

    def membership(_: int) -> tuple[str, int]:
        count = len(cluster.metadata("__consumer_offsets").topics[0].partitions)
        return "__consumer_offsets", (java_hash(QUEUE) & 0x7FFFFFFF) % count

    return [lambda index: (QUEUE, index), state, membership]


def test_what_was_accepted_stays_so_and_all_is_done_while_leaders_of_each_part_are_killed() -> None:
    with penstock_testing.cluster(SETTINGS, brokers=3) as cluster:
        with Client(cluster.bootstrap, timeout_s=PATIENCE_S) as client:
            client.create_topics([NewTopic(QUEUE, PARTITIONS, 3, settings={"min.insync.replicas": "2"})]).all()
            earliest(client, QUEUE)
            client.alter_configs(
                {Resource(ResourceType.GROUP, QUEUE): [("penstock.share.order", Change.SET, "key")]}
            ).all()
        cluster.wait_until_in_sync(QUEUE)
        book, stopped = Book(), Event()
        members = [Thread(target=work, args=(cluster.bootstrap, book, stopped)) for _ in range(MEMBERS)]
        for member in members:
            member.start()
        try:
            produce(cluster.bootstrap, 0)
            eventually(lambda: bool(book.answered), "the first records are done")
            topic_id = TopicId(cluster.metadata(QUEUE).topics[0].topic_id)
            for kill in range(KILLS):
                before = len(book.answered)
                produce(cluster.bootstrap, (kill + 1) * RECORDS)
                eventually(lambda before=before: len(book.answered) > before, "some more is done")  # type: ignore[misc]
                topic, partition = parts(cluster, topic_id)[kill % 3](kill % PARTITIONS)
                victim = cluster.leader(topic, partition)
                cluster.kill(victim)
                eventually(lambda: cluster.leader(topic, partition) not in (victim, -1), "another leader")  # noqa: B023
                cluster.start(victim)
                cluster.wait_until_in_sync(QUEUE, "__share_group_state", "__consumer_offsets")
            everything = {b"%d" % number for number in range((KILLS + 1) * RECORDS)}
            eventually(lambda: book.seen == everything, "every record was given to somebody")
            with Client(cluster.bootstrap, timeout_s=PATIENCE_S) as client:
                eventually(lambda: lag(client) == 0, "all is done")
        finally:
            stopped.set()
            for member in members:
                member.join()
        assert book.wrong == []


def lag(client: Client) -> int:
    return sum(each.lag for each in client.share_group_offsets(QUEUE).all().values())
