"""Clients pass over what a broker notes between the records of a schedule topic; Kafka's dump tool reads it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka import TopicPartition as AioPartition
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support import java
from tests.support.clients import read_to_end
from tests.support.faults import eventually
from tests.support.kafka_python import KafkaConsumer, TopicPartition

import penstock.testing as penstock_testing
from penstock.testing import RunningBroker

RUNS = 3
ISOLATIONS = ("read_uncommitted", "read_committed")
SCHEDULE = "orders.later"


@pytest.fixture(scope="module")
def noted() -> Iterator[tuple[RunningBroker, list[bytes]]]:
    """A schedule topic with a record that waits, then records and notes in turns; and the values in it."""
    with penstock_testing.broker({"node.id": "1"}) as broker:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap})
        for topic in (NewTopic("orders", 1), NewTopic(SCHEDULE, config={"penstock.schedule.target": "orders"})):
            for future in admin.create_topics([topic]).values():
                future.result(30)
        values = [b"waits"]
        write(broker, b"waits", "86400000")
        for number in range(RUNS):
            values.append(b"%d" % number)
            write(broker, values[-1], "0")
            eventually(lambda: len(read_to_end(broker.bootstrap, "orders", 0)) == len(values) - 1, "what is due")
        yield broker, values


def write(broker: RunningBroker, value: bytes, delay_ms: str) -> None:
    producer = Producer({"bootstrap.servers": broker.bootstrap})
    producer.produce(SCHEDULE, value, headers=[("penstock-delay-ms", delay_ms)])
    assert producer.flush(30) == 0


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_librdkafka_passes_over_notes(noted: tuple[RunningBroker, list[bytes]], isolation: str) -> None:
    broker, values = noted
    found = read_to_end(broker.bootstrap, SCHEDULE, 0, isolation_level=isolation)
    assert [record.value() for record in found] == values
    assert (found[-1].offset() or 0) > len(values) - 1, "there are notes among them"


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_kafka_python_passes_over_notes(noted: tuple[RunningBroker, list[bytes]], isolation: str) -> None:
    broker, values = noted
    consumer = KafkaConsumer(bootstrap_servers=broker.bootstrap, isolation_level=isolation)
    try:
        at = TopicPartition(SCHEDULE, 0)
        consumer.assign([at])
        consumer.seek(at, 0)
        assert [next(consumer).value for _ in values] == values
    finally:
        consumer.close()


@pytest.mark.parametrize("isolation", ISOLATIONS)
async def test_aiokafka_passes_over_notes(noted: tuple[RunningBroker, list[bytes]], isolation: str) -> None:
    broker, values = noted
    consumer = AIOKafkaConsumer(bootstrap_servers=broker.bootstrap, enable_auto_commit=False, isolation_level=isolation)
    await consumer.start()
    try:
        at = AioPartition(SCHEDULE, 0)
        consumer.assign([at])
        consumer.seek(at, 0)
        assert [(await consumer.getone()).value for _ in values] == values
    finally:
        await consumer.stop()


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_java_passes_over_notes(noted: tuple[RunningBroker, list[bytes]], isolation: str) -> None:
    broker, values = noted
    said = java.run(
        "org.apache.kafka.tools.consumer.ConsoleConsumer",
        *("--bootstrap-server", broker.bootstrap, "--topic", SCHEDULE, "--partition", "0", "--offset", "0"),
        *("--isolation-level", isolation, "--max-messages", str(len(values)), "--timeout-ms", "60000"),
        timeout_s=120,
    )
    assert said.stdout.split() == [value.decode() for value in values], said.stderr


def test_kafkas_dump_tool_takes_notes_for_markers(noted: tuple[RunningBroker, list[bytes]]) -> None:
    broker, _ = noted
    files = sorted((broker.data_dir / f"{SCHEDULE}-0").glob("*.log"))
    said = java.run(
        "org.apache.kafka.tools.DumpLogSegments",
        *("--deep-iteration", "--print-data-log", "--files", ",".join(map(str, files))),
        timeout_s=120,
    )
    assert said.stdout.count("endTxnMarker: COMMIT") >= RUNS, said.stdout + said.stderr
    assert "penstock-note" in said.stdout and "mismatch" not in said.stdout.lower()
