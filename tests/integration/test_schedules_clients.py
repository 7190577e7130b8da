"""Schedule topics with every stock client: one writes records for later and a cancel, and reads what came of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka import TopicPartition as AioPartition
from tests.integration.test_kcat_client import kcat
from tests.integration.test_schedules import headers_of, make_topics
from tests.support import java
from tests.support.clients import read_to_end
from tests.support.faults import eventually, metric
from tests.support.kafka_python import KafkaConsumer, KafkaProducer
from tests.support.kafka_python import TopicPartition as PythonPartition

import penstock.testing as penstock_testing
from penstock.testing import RunningBroker

CANCEL = {"penstock-schedule-id": "payment-17"}
ROWS: tuple[tuple[str | None, dict[str, str]], ...] = (
    ("cancelled", {"penstock-delay-ms": "600000", **CANCEL}),
    ("now", {"penstock-deliver-at": "2026-01-01T00:00:00Z", "own": "stays"}),
    ("later", {"penstock-delay-ms": "700", "own": "stays"}),
    (None, CANCEL),
)
Write = Callable[[str, str], Awaitable[None]]
Read = Callable[[str, str], Awaitable[list[str]]]


@pytest.fixture(scope="module")
def broker() -> Iterator[RunningBroker]:
    with penstock_testing.broker({"node.id": "1"}) as running:
        yield running


async def aiokafka_writes(bootstrap: str, topic: str) -> None:
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, enable_idempotence=True)
    await producer.start()
    try:
        for value, headers in ROWS:
            pairs = [(name, text.encode()) for name, text in headers.items()]
            await producer.send_and_wait(topic, value.encode() if value else None, key=b"k", headers=pairs)
    finally:
        await producer.stop()


async def aiokafka_reads(bootstrap: str, topic: str) -> list[str]:
    consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)
    await consumer.start()
    try:
        at = AioPartition(topic, 0)
        consumer.assign([at])
        consumer.seek(at, 0)
        return [(await consumer.getone()).value.decode() for _ in range(2)]
    finally:
        await consumer.stop()


async def kafka_python_writes(bootstrap: str, topic: str) -> None:
    with closing(KafkaProducer(bootstrap_servers=bootstrap)) as producer:
        for value, headers in ROWS:
            pairs = [(name, text.encode()) for name, text in headers.items()]
            sent = producer.send(topic, value.encode() if value else None, key=b"k", headers=pairs)
            sent.get(timeout=60)


async def kafka_python_reads(bootstrap: str, topic: str) -> list[str]:
    with closing(KafkaConsumer(bootstrap_servers=bootstrap, group_id=None, consumer_timeout_ms=60_000)) as consumer:
        at = PythonPartition(topic, 0)
        consumer.assign([at])
        consumer.seek_to_beginning(at)
        return [next(consumer).value.decode() for _ in range(2)]


async def kcat_writes(bootstrap: str, topic: str) -> None:
    for value, headers in ROWS:
        said = [part for name, text in headers.items() for part in ("-H", f"{name}={text}")]
        kcat(bootstrap, "-P", "-t", topic, "-K:", "-Z", *said, stdin=f"k:{value or ''}\n")


async def kcat_reads(bootstrap: str, topic: str) -> list[str]:
    return kcat(bootstrap, "-C", "-t", topic, "-p", "0", "-o", "beginning", "-c", "2", "-q", "-f", "%s\n").split()


async def java_writes(bootstrap: str, topic: str) -> None:
    rows = [(",".join(f"{name}|{text}" for name, text in headers.items()), value or "NULL") for value, headers in ROWS]
    properties = (
        "parse.key=true", "parse.headers=true", "headers.key.separator=|", "null.marker=NULL",
    )  # fmt: skip
    said = [part for each in properties for part in ("--reader-property", each)]
    lines = "".join(f"{headers}\tk\t{value}\n" for headers, value in rows)
    producer = "org.apache.kafka.tools.ConsoleProducer"
    java.run(producer, "--bootstrap-server", bootstrap, "--topic", topic, *said, stdin=lines)


async def java_reads(bootstrap: str, topic: str) -> list[str]:
    consumer = "org.apache.kafka.tools.consumer.ConsoleConsumer"
    where = ("--topic", topic, "--partition", "0", "--offset", "earliest", "--max-messages", "2")
    return java.run(consumer, "--bootstrap-server", bootstrap, *where, "--timeout-ms", "60000").stdout.split()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize(
    ("writes", "reads"),
    [
        (aiokafka_writes, aiokafka_reads),
        (kafka_python_writes, kafka_python_reads),
        (kcat_writes, kcat_reads),
        (java_writes, java_reads),
    ],
    ids=["aiokafka", "kafka-python", "kcat", "java"],
)
async def test_a_client_writes_records_for_later_and_reads_them_in_their_time(
    broker: RunningBroker, request: pytest.FixtureRequest, writes: Write, reads: Read
) -> None:
    target = f"by-{request.node.callspec.id}"
    schedule = make_topics(broker.bootstrap, target)
    await writes(broker.bootstrap, schedule)
    assert await reads(broker.bootstrap, target) == ["now", "later"]
    eventually(lambda: metric(broker, "penstock_schedule_waiting", topic=schedule) == 0, "nothing that waits")
    assert metric(broker, "penstock_schedule_cancelled_total", topic=schedule) == 1
    for record in read_to_end(broker.bootstrap, target, 0):
        added = {"penstock-due", "penstock-scheduled-from", "penstock-sent-at"}
        assert record.key() == b"k" and set(headers_of(record)) == {"own", *added}
