"""A data folder goes from Apache Kafka to us and back: killed or stopped, every record, producer and epoch is there."""

import os
import signal
import time
from pathlib import Path

import pytest
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition
from tests.support.kafka import ApacheKafka
from tests.support.logs import StillClock, headers_in, read_all

from penstock.log import FilePool, LogFolder, read_identity
from penstock.log.recovery import ExpectedLog
from penstock.model import PartitionIndex
from penstock.model import TopicPartition as Partition
from penstock.settings.config import Config

RECORDS = 30_000
ORDERS_0 = Partition("orders", PartitionIndex(0))


def write(bootstrap: str, count: int) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "compression.type": "lz4"})
    for number in range(count):
        producer.produce("orders", b"%060d" % number, partition=0)
        producer.poll(0)
    assert producer.flush(180) == 0


def read(bootstrap: str, count: int) -> list[bytes]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "judge"})
    consumer.assign([TopicPartition("orders", 0, OFFSET_BEGINNING)])
    values: list[bytes] = []
    gives_up_at = time.monotonic() + 180
    while len(values) < count and time.monotonic() < gives_up_at:
        values += [message.value() or b"" for message in consumer.consume(10_000, 1.0) if message.error() is None]
    consumer.close()
    return values


def open_folder(path: Path) -> LogFolder:
    identity = read_identity(path)
    assert identity is not None
    folder = LogFolder(
        path,
        cluster_id=identity.cluster_id,
        node_id=identity.node_id,
        pool=FilePool(16),
        clock=StillClock(int(time.time() * 1000)),
    )
    config = Config.for_broker({}).for_topic({})
    folder.open_all(lambda *_: ExpectedLog(config))
    return folder


@pytest.mark.parametrize("ending", ["stopped", "killed"])
def test_a_kafka_folder_is_read_to_the_last_record_and_goes_back_to_kafka(tmp_path: Path, ending: str) -> None:
    settings = {"log.segment.bytes": str(1 << 20), "auto.create.topics.enable": "true", "num.partitions": "1"}
    settings["broker.session.timeout.ms"] = "9000"  # so long the broker that was killed keeps the next one out
    with ApacheKafka(tmp_path, settings=settings) as kafka:
        write(kafka.bootstrap, RECORDS)
        if ending == "killed":
            os.kill(kafka.pid, signal.SIGKILL)

    folder = open_folder(kafka.data)
    log = folder.logs[ORDERS_0]
    assert folder.identity.is_adopted
    assert (log.start_offset, log.end_offset, log.health.offline_reason) == (0, RECORDS, None)
    assert sum(header.record_count for header in headers_in(read_all(log))) == RECORDS
    assert [last for _, last in log.producers.last_batches().values()] == [RECORDS - 1]
    assert log.epochs.snapshot() == [(0, 0)]
    assert folder.close()
    assert not open_folder_and_close(kafka.data)

    with kafka:
        assert read(kafka.bootstrap, RECORDS) == [b"%060d" % number for number in range(RECORDS)]


def open_folder_and_close(path: Path) -> bool:
    """Whether it still counts as Kafka's."""
    folder = open_folder(path)
    assert folder.logs[ORDERS_0].health.offline_reason is None
    assert folder.close()
    return folder.identity.is_adopted
