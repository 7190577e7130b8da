"""5,000 partitions with records in all of them, in a broker that may open 1,024 files."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from confluent_kafka import Consumer, TopicPartition
from tests.support.batches import describe
from tests.support.faults import Client, ProgramBroker, health, metric, one, open_files, program, small_disk
from tests.support.raw import port_of

TOPICS, PARTITIONS = 5, 1_000
FILES_MAX = 1_024
UNDER_LIMIT = ("prlimit", f"--nofile={FILES_MAX}:{FILES_MAX}")


@contextmanager
def most_open_files(broker: ProgramBroker) -> Iterator[list[int]]:
    """Counts while the block runs; the list's one number is the largest count."""
    most, stopping = [0], threading.Event()

    def watch() -> None:
        while not stopping.wait(0.05):
            most[0] = max(most[0], open_files(broker.pid))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield most
    finally:
        stopping.set()
        thread.join()


@contextmanager
def other_connections(broker: ProgramBroker, count: int) -> Iterator[None]:
    """Other clients, which take descriptors too."""
    others = [socket.create_connection(("127.0.0.1", port_of(broker.bootstrap)), timeout=30) for _ in range(count)]
    try:
        yield
    finally:
        for each in others:
            each.close()


def produce_everywhere(client: Client, value: bytes, *, offset: int) -> None:
    """One record to each partition, a request a topic."""
    records = one(value)
    for topic in range(TOPICS):
        data = [{"index": index, "records": records} for index in range(PARTITIONS)]
        body = {"acks": -1, "timeout_ms": 60_000, "topic_data": [{"name": f"t{topic}", "partition_data": data}]}
        (answer,) = client.request("Produce", 9, body)["responses"]
        outcomes = {(each["error_code"], each["base_offset"]) for each in answer["partition_responses"]}
        assert outcomes == {(0, offset)}


def fetch_everything(client: Client, offset: int) -> int:
    """One record of each partition, by fetches that ask for a thousand partitions; how many fetches it took."""
    fetches = 0
    for topic in range(TOPICS):
        missing = set(range(PARTITIONS))
        while missing:
            wanted = [{"partition": each, "fetch_offset": offset, "partition_max_bytes": 1 << 20} for each in missing]
            body = {"max_bytes": 50 << 20, "topics": [{"topic": f"t{topic}", "partitions": wanted}]}
            (answer,) = client.request("Fetch", 11, body)["responses"]
            fetches += 1
            assert {each["error_code"] for each in answer["partitions"]} == {0}
            found = {each["partition_index"] for each in answer["partitions"] if describe(each["records"])}
            assert found, "every fetch brings some"
            missing -= found
    return fetches


def consume_all(bootstrap: str, *, records: int) -> None:
    """By librdkafka, all partitions at once."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "unused", "enable.auto.commit": False})
    consumer.assign([TopicPartition(f"t{topic}", index, 0) for topic in range(TOPICS) for index in range(PARTITIONS)])
    seen: set[tuple[str | None, int | None, int | None]] = set()
    deadline = time.monotonic() + 120
    while len(seen) < records:
        assert time.monotonic() < deadline, f"{len(seen)} of {records} records came"
        for message in consumer.consume(1_000, timeout=1.0):
            assert message.error() is None, message.error()
            seen.add((message.topic(), message.partition(), message.offset()))
    consumer.close()


def test_5000_partitions_are_served_with_1024_files(tmp_path: Path) -> None:
    # In memory: this is about files, and tens of thousands of fsyncs would only tell how fast the disk is.
    quiet = {"penstock.log.level": "warning"}
    with small_disk(tmp_path / "data", 1 << 30), program(tmp_path, quiet, under=UNDER_LIMIT) as broker:
        with most_open_files(broker) as most, Client(broker) as client:
            for topic in range(TOPICS):
                assert client.create_topic(f"t{topic}", partitions=PARTITIONS) == 0
            produce_everywhere(client, b"first", offset=0)
            fetch_everything(client, 0)
            with other_connections(broker, 300):
                produce_everywhere(client, b"second", offset=1)
                fetch_everything(client, 1)
            consume_all(broker.bootstrap, records=2 * TOPICS * PARTITIONS)
        assert FILES_MAX // 4 < most[0] <= FILES_MAX, "a pool that is used, and bounded"
        assert health(broker).status == 200

        broker.stop()
        started = time.monotonic()
        broker.start()
        print(f"start with {TOPICS * PARTITIONS} partitions after a clean stop: {time.monotonic() - started:.2f} s")
        with most_open_files(broker) as most, Client(broker) as client:
            fetch_everything(client, 0)
            produce_everywhere(client, b"third", offset=2)
            # Those of the internal topics come on top.
            assert metric(broker, "kafka_server_replicamanager_partitioncount") >= TOPICS * PARTITIONS
        assert most[0] <= FILES_MAX

        broker.kill()
        started = time.monotonic()
        broker.start()
        print(f"start with {TOPICS * PARTITIONS} partitions after a kill: {time.monotonic() - started:.2f} s")
        with Client(broker) as client:
            fetch_everything(client, 2)
            produce_everywhere(client, b"fourth", offset=3)
