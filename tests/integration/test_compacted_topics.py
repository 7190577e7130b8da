"""A compacted topic of a running broker, and an idempotent producer across restarts, through a stock client."""

import time
from collections.abc import Callable

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from penstock.testing import RunningBroker

QUICK_CLEANER = {
    "log.cleaner.backoff.ms": 50,
    "log.retention.check.interval.ms": 100,
    "log.flush.offset.checkpoint.interval.ms": 100,
    "log.flush.scheduler.interval.ms": 100,
}
PATIENCE_S = 180


def _create(bootstrap: str, topic: str, **config: str) -> None:
    settings = {name.replace("_", "."): value for name, value in config.items()}
    admin = AdminClient({"bootstrap.servers": bootstrap})
    (made,) = admin.create_topics([NewTopic(topic, 1, 1, config=settings)]).values()
    made.result(60)


def _read_all(bootstrap: str, topic: str) -> list[tuple[int, bytes | None, bytes | None]]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "g", "enable.auto.commit": False})
    try:
        _, end = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=60)
        consumer.assign([TopicPartition(topic, 0, 0)])
        rows: list[tuple[int, bytes | None, bytes | None]] = []
        while not rows or rows[-1][0] < end - 1:
            record = consumer.poll(60)
            assert record is not None and record.error() is None, record
            rows.append((record.offset() or 0, record.key(), record.value()))
        return rows
    finally:
        consumer.close()


def _eventually(look: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not look():
        assert time.monotonic() < until, "it did not come about"
        time.sleep(0.1)


@pytest.mark.penstock(settings=QUICK_CLEANER)
@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_a_compacted_topic_keeps_the_latest_value_of_each_key(penstock_broker: RunningBroker, codec: str) -> None:
    bootstrap = penstock_broker.bootstrap
    _create(bootstrap, "table", cleanup_policy="compact", segment_ms="1000", min_cleanable_dirty_ratio="0.01")
    producer = Producer({"bootstrap.servers": bootstrap, "compression.type": codec, "enable.idempotence": True})
    for n in range(200):
        # Record time rolls the segments: one a second, ten records each.
        producer.produce("table", key=f"key{n % 5}", value=f"value{n}", timestamp=1_700_000_000_000 + 150 * n)
        if n % 10 == 9:
            producer.flush(60)
    producer.produce("table", key="last", value="active", timestamp=1_700_000_100_000)
    assert producer.flush(60) == 0

    _eventually(lambda: len(_read_all(bootstrap, "table")) <= 6)

    table = _read_all(bootstrap, "table")
    assert table == [(195 + n, f"key{n}".encode(), f"value{195 + n}".encode()) for n in range(5)] + [
        (200, b"last", b"active")
    ]
    penstock_broker.restart()
    assert _read_all(penstock_broker.bootstrap, "table") == table


def test_an_idempotent_producer_goes_on_after_a_kill(penstock_broker: RunningBroker) -> None:
    bootstrap = penstock_broker.bootstrap
    _create(bootstrap, "once")
    producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "linger.ms": 0})
    for n in range(300):
        producer.produce("once", value=str(n))
        producer.poll(0)
        if n == 150:
            penstock_broker.kill()
            penstock_broker.start()
    assert producer.flush(60) == 0
    assert [value for _, _, value in _read_all(bootstrap, "once")] == [str(n).encode() for n in range(300)]
