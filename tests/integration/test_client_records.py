"""Records written and read by Penstock's own client, with Penstock and with Apache Kafka, and with another client."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from confluent_kafka import Consumer as OtherConsumer
from confluent_kafka import Message
from confluent_kafka import Producer as OtherProducer
from tests.support.faults import eventually

from penstock.client import AsyncClient, Client, ConsumedRecord, Consumer, NewTopic, place
from penstock.testing import RunningCluster

PATIENCE_S = 60.0


@pytest.fixture
def client(either_cluster: str) -> Iterator[Client]:
    with Client(either_cluster, timeout_s=PATIENCE_S) as client:
        yield client


def make(client: Client, name: str, partitions: int = 1) -> None:
    client.create_topics([NewTopic(name, partitions)]).all()
    eventually(lambda: name in client.list_topics(), f"{name} is known")


def read(consumer: Consumer, count: int) -> list[ConsumedRecord]:
    found: list[ConsumedRecord] = []
    while len(found) < count:
        some = consumer.poll(PATIENCE_S)
        assert some, f"{len(found)} of {count} came"
        found += some
    return found


@pytest.mark.parametrize("compression", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_records_go_round_and_another_client_reads_them(client: Client, either_cluster: str, compression: str) -> None:
    topic = f"round-{compression}"
    make(client, topic)
    with client.producer(compression=compression) as producer:
        for number in range(500):
            producer.send(topic, b"%d" % number, key=b"k", headers=(("n", b"%d" % number), ("null", None)))
        producer.send(topic, None, key=b"gone", timestamp_ms=1234)
    with client.consumer() as consumer:
        consumer.assign([place(topic, 0)])
        records = read(consumer, 501)
    assert [each.offset for each in records] == list(range(501))
    assert [each.value for each in records[:500]] == [b"%d" % number for number in range(500)]
    assert records[7].headers == (("n", b"7"), ("null", None)) and records[7].key == b"k"
    assert (records[500].value, records[500].timestamp_ms) == (None, 1234)
    other = OtherConsumer({"bootstrap.servers": either_cluster, "group.id": topic, "auto.offset.reset": "earliest"})
    try:
        other.subscribe([topic])
        theirs = other.consume(501, PATIENCE_S)
        assert [message.value() for message in theirs] == [each.value for each in records]
        assert theirs[7].headers() == [("n", b"7"), ("null", None)]
    finally:
        other.close()


def test_keys_go_where_librdkafka_puts_them(client: Client, either_cluster: str) -> None:
    make(client, "keys", 7)
    keys = [b"key-%d" % number for number in range(100)]
    with client.producer() as producer:
        ours = {key: producer.send("keys", b"", key=key) for key in keys}
        producer.flush()
    theirs: dict[bytes | None, int | None] = {}
    other = OtherProducer({"bootstrap.servers": either_cluster, "partitioner": "murmur2"})

    def delivered(_: object, message: Message) -> None:
        theirs[message.key()] = message.partition()

    for key in keys:
        other.produce("keys", key=key, on_delivery=delivered)
    assert other.flush(PATIENCE_S) == 0
    assert {key: sent.value().partition for key, sent in ours.items()} == theirs


def test_aborted_records_are_left_out(client: Client, either_cluster: str) -> None:
    make(client, "aborted")
    other = OtherProducer({"bootstrap.servers": either_cluster, "transactional.id": "abort-and-commit"})
    other.init_transactions(PATIENCE_S)
    for value, commits in ((b"no", False), (b"yes", True), (b"never", False), (b"indeed", True)):
        other.begin_transaction()
        other.produce("aborted", value)
        other.flush(PATIENCE_S)
        (other.commit_transaction if commits else other.abort_transaction)(PATIENCE_S)
    for read_committed, expected in ((True, [b"yes", b"indeed"]), (False, [b"no", b"yes", b"never", b"indeed"])):
        with client.consumer(read_committed=read_committed) as consumer:
            consumer.assign([place("aborted", 0)])
            assert [each.value for each in read(consumer, len(expected))] == expected
            assert consumer.poll(0.1) == [] and consumer.position(place("aborted", 0)) == 8


def test_two_members_share_a_topic_and_one_takes_over(client: Client, either_cluster: str) -> None:
    make(client, "shared", 4)
    settings = {"group": "sharers", "topics": ("shared",)}

    async def play() -> list[int]:
        async with (
            AsyncClient(either_cluster, timeout_s=PATIENCE_S) as one,
            AsyncClient(either_cluster, timeout_s=PATIENCE_S) as two,
        ):
            first, second = one.consumer(**settings), two.consumer(**settings)
            async with asyncio.timeout(PATIENCE_S):
                while not (len(first.assignment()) == len(second.assignment()) == 2):
                    await asyncio.gather(first.poll(0.1), second.poll(0.1))
            assert not first.assignment() & second.assignment()
            async with one.producer() as producer:
                for number in range(100):
                    await producer.send("shared", b"%d" % number, partition=number % 4)
            seen: list[int] = []
            while len(seen) < 50:
                seen += [int(each.value or b"") for each in await first.poll(1.0)]
            await first.close()
            while len(seen) < 100:
                seen += [int(each.value or b"") for each in await second.poll(1.0)]
            await second.close()
            return seen

    assert sorted(asyncio.run(play())) == list(range(100)), "none twice, as the first had committed what it read"
    committed = client.committed_offsets("sharers").all()
    assert {where.partition: each.offset for where, each in committed.items()} == dict.fromkeys(range(4), 25)


def test_each_record_is_written_once_and_in_order_while_its_leaders_are_replaced(
    penstock_cluster: RunningCluster,
) -> None:
    with Client(penstock_cluster.bootstrap, timeout_s=PATIENCE_S) as client:
        client.create_topics([NewTopic("hard", 3, 3)]).all()
        with client.producer(batch_bytes=2_000, delivery_timeout_s=PATIENCE_S) as producer:
            for number in range(6_000):
                if number == 2_000:
                    penstock_cluster.kill(1)
                producer.send("hard", b"%d" % number, partition=number % 3)
        with client.consumer() as consumer:
            consumer.assign([place("hard", index) for index in range(3)])
            records = read(consumer, 6_000)
            assert consumer.poll(0.5) == []
    for index in range(3):
        of_partition = [int(each.value or b"") for each in records if each.partition == index]
        assert of_partition == list(range(index, 6_000, 3))
