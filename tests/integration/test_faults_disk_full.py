"""A data folder on a disk that fills up: writers are told, nothing acknowledged is lost, readers read on, and with new
space the broker goes on by itself.
"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from tests.support.clients import read_decided, read_to_end
from tests.support.faults import (
    STORAGE_ERROR,
    WITHIN_S,
    Client,
    ProgramBroker,
    SmallDisk,
    eventually,
    health,
    one,
    program,
    small_disk,
)

MIB = 1 << 20
ROOMY = 400 * MIB
"""More than the free space that a broker calls a full disk (64 MiB) by far; a tmpfs takes only what is written."""
RECORD = b"r" * 60_000
SETTINGS = {"replica.high.watermark.checkpoint.interval.ms": "300", "log.retention.check.interval.ms": "300"}


class OnSmallDisk(NamedTuple):
    broker: ProgramBroker
    disk: SmallDisk

    def fill_up(self) -> None:
        """Leave less room than a record needs."""
        self.disk.fill_up(left_bytes=2 * 4096)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[OnSmallDisk]:
    with small_disk(tmp_path / "data", ROOMY) as disk, program(tmp_path, SETTINGS) as broker:
        yield OnSmallDisk(broker, disk)


def write_until_full(client: Client, topic: str) -> list[bytes]:
    """The values that were acknowledged before the first refusal."""
    taken: list[bytes] = []
    while True:
        value = b"%d " % len(taken) + RECORD
        outcome = client.produce(topic, one(value))
        if outcome["error_code"]:
            assert outcome["error_code"] == STORAGE_ERROR
            return taken
        assert outcome["base_offset"] == len(taken)
        taken.append(value)


def test_a_full_disk_refuses_writers_keeps_what_was_taken_and_recovers_by_itself(small: OnSmallDisk) -> None:
    broker, disk = small
    with Client(broker) as client:
        assert client.create_topic("orders", internal_segment_bytes="200000") == 0
        assert client.create_topic("others") == 0
        assert client.produce("others", one(b"before"))["error_code"] == 0
        assert health(broker).status == 200
        disk.resize(disk.used_bytes() + MIB)
        taken = write_until_full(client, "orders")
        assert len(taken) > 5
        for _ in range(3):
            assert client.produce("orders", one(RECORD))["error_code"] == STORAGE_ERROR
        assert client.values("orders") == taken, "reads go on"
        assert client.values("others") == [b"before"]
        status, page = health(broker)
        assert status == 503 and page["full_folders"] and "orders-0" in str(page["offline_logs"])

        disk.resize(ROOMY)
        eventually(
            lambda: client.produce("orders", one(b"after"))["error_code"] == 0, "appends work again without a restart"
        )
        assert client.values("orders") == [*taken, b"after"]
        assert client.produce("others", one(b"after"))["base_offset"] == 1
        eventually(lambda: health(broker).status == 200, "health says so")
    broker.restart()
    with Client(broker) as client:
        assert client.values("orders") == [*taken, b"after"]


def test_a_producer_that_retries_loses_and_doubles_nothing(small: OnSmallDisk) -> None:
    broker, disk = small
    acknowledged: dict[int, bytes] = {}
    errors: list[KafkaError] = []

    def delivered(error: KafkaError | None, message: Message) -> None:
        offset, value = message.offset(), message.value()
        if error is not None:
            errors.append(error)
        else:
            assert offset is not None and value is not None
            acknowledged[offset] = value

    with Client(broker) as client:
        assert client.create_topic("orders", internal_segment_bytes="500000") == 0
    disk.resize(disk.used_bytes() + 2 * MIB)
    producer = Producer(
        {
            "bootstrap.servers": broker.bootstrap,
            "enable.idempotence": True,
            "linger.ms": 2,
            "batch.num.messages": 3,
            "retry.backoff.max.ms": 200,
            "message.timeout.ms": 120_000,
            "log_level": 0,
        }
    )
    sent = [b"%d " % number + RECORD for number in range(60)]
    for value in sent:
        producer.produce("orders", value, partition=0, on_delivery=delivered)

    def is_stuck() -> bool:
        producer.poll(0.05)
        return health(broker).status == 503 and bool(health(broker).page["offline_logs"])

    eventually(is_stuck, "the disk is full")
    assert len(acknowledged) < len(sent)
    disk.resize(ROOMY)
    assert producer.flush(60) == 0 and not errors, errors[:1]
    assert [acknowledged[offset] for offset in sorted(acknowledged)] == sent
    assert [each.value() for each in read_to_end(broker.bootstrap, "orders")] == sent


def test_retention_clears_a_full_disk(small: OnSmallDisk) -> None:
    broker, disk = small
    with Client(broker) as client:
        assert client.create_topic("orders", internal_segment_bytes="1000000", file_delete_delay_ms="100") == 0
        disk.resize(disk.used_bytes() + 90 * MIB)
        taken = write_until_full(client, "orders")
        assert len(taken) > 1_000
        client.alter_topic("orders", retention_bytes="2000000")
        eventually(
            lambda: client.produce("orders", one(b"after"))["error_code"] == 0, "old segments make room for new ones"
        )
        start = client.earliest("orders")
        assert start > 0
        assert client.values("orders", start) == [*taken[start:], b"after"]


def test_a_kill_on_a_full_disk_loses_nothing_and_the_broker_starts_and_serves(small: OnSmallDisk) -> None:
    broker, disk = small
    with Client(broker) as client:
        assert client.create_topic("orders") == 0
        disk.resize(disk.used_bytes() + MIB)
        taken = write_until_full(client, "orders")
    broker.kill()
    broker.start()
    with Client(broker) as client:
        assert client.values("orders") == taken
        assert health(broker).status == 503
        disk.resize(ROOMY)
        eventually(lambda: client.produce("orders", one(b"after"))["error_code"] == 0, "it takes records again")
        assert client.values("orders") == [*taken, b"after"]


def test_admin_requests_on_a_full_disk_are_refused_and_work_later(small: OnSmallDisk) -> None:
    broker, disk = small
    with Client(broker) as client:
        assert client.create_topic("orders") == 0
        disk.resize(disk.used_bytes() + MIB)
        taken = write_until_full(client, "orders")
        codes: list[int] = []
        while len(codes) < 400 and not (codes and codes[-1]):
            small.fill_up()
            codes.append(client.create_topic(f"more-{len(codes)}", timeout_ms=60_000))
        assert codes[0] == 0, "the reserve is for such changes"
        assert codes[-1] != 0, "at some point there is no room for another topic"
        assert client.values("orders") == taken, "the broker is still there for readers"
        made = [f"more-{number}" for number, code in enumerate(codes) if code == 0]
        disk.resize(ROOMY)
        eventually(lambda: client.create_topic("later") in (0, 36), "topics can be made again")
        for topic in ("later", *made):
            eventually(lambda topic=topic: client.produce(topic, one(b"v"))["error_code"] == 0, topic)  # type: ignore[misc]


def test_a_stop_on_a_full_disk_ends_and_the_next_start_has_everything(small: OnSmallDisk) -> None:
    broker, disk = small
    with Client(broker) as client:
        assert client.create_topic("orders", internal_segment_bytes="200000") == 0
        disk.resize(disk.used_bytes() + MIB)
        taken = write_until_full(client, "orders")
    small.fill_up()
    broker.stop()
    disk.resize(ROOMY)
    broker.start()
    with Client(broker) as client:
        assert client.values("orders") == taken
        assert client.produce("orders", one(b"after"))["base_offset"] == len(taken)


def test_groups_and_transactions_go_on_when_there_is_room_again(small: OnSmallDisk) -> None:
    """Their coordinators give up on a log that takes no records, and nobody else is there to lead it."""
    broker, disk = small
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "readers", "log_level": 0})
    producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": "writer", "log_level": 0})

    def commits(offset: int) -> bool:
        try:
            consumer.commit(offsets=[TopicPartition("orders", 0, offset)], asynchronous=False)
        except KafkaException:
            return False
        return True

    with Client(broker) as client, closing(consumer):
        assert client.create_topic("orders") == 0
        eventually(lambda: commits(1), "there is a coordinator")
        producer.init_transactions(WITHIN_S)
        small.fill_up()
        offset = 1
        while commits(offset + 1):
            offset += 1
            assert offset < 10_000, "the disk is full"
        disk.resize(ROOMY)
        eventually(lambda: commits(offset + 2), "offsets are committed without a restart")
        (committed,) = consumer.committed([TopicPartition("orders", 0)], timeout=WITHIN_S)
        assert committed.offset == offset + 2
    producer.begin_transaction()
    producer.produce("orders", b"within", partition=0)
    producer.commit_transaction(60)
    assert [each.value() for each in read_decided(broker.bootstrap, "orders")] == [b"within"]


def test_any_other_failed_write_stops_that_log_until_a_restart(tmp_path: Path) -> None:
    """Files may not grow beyond 1.2 MB here: a write fails, and not for want of space."""
    with program(tmp_path, {"penstock.log.level": "warning"}, under=("prlimit", "--fsize=1200000")) as broker:
        with Client(broker) as client:
            assert client.create_topic("orders") == 0
            assert client.create_topic("others") == 0
            taken = write_until_full(client, "orders")
            assert len(taken) == 19
            assert client.values("orders") == taken
            assert client.produce("others", one(b"unharmed"))["error_code"] == 0
            assert client.produce("orders", one(b"small"))["error_code"] == STORAGE_ERROR, "also what would fit"
        status, page = health(broker)
        assert status == 503 and "File too large" in str(page["offline_logs"])
        broker.restart()
        with Client(broker) as client:
            assert client.values("orders") == taken
            assert client.produce("orders", one(b"small"))["base_offset"] == len(taken)
