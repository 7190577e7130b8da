"""A topic full of records for the pipelines' benchmark, written once and read by every case."""

from __future__ import annotations

import random

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

RECORD_BYTES = 1_000
PARTITIONS = 4


def create_topic(bootstrap: str, topic: str) -> str:
    admin = AdminClient({"bootstrap.servers": bootstrap})
    admin.create_topics([NewTopic(topic, PARTITIONS, 1)])[topic].result(30)
    return topic


def fill(bootstrap: str, topic: str, records: int) -> None:
    """JSON of about a kilobyte, half of it text that does not compress away."""
    create_topic(bootstrap, topic)
    chance = random.Random(7)
    texts = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=900)) for _ in range(64)]
    producer = Producer(
        {
            "bootstrap.servers": bootstrap,
            "linger.ms": 20,
            "batch.size": 512 * 1024,
            "queue.buffering.max.messages": 500_000,
        }
    )
    for number in range(records):
        value = b'{"id": %d, "item": "i%d", "price": %d.5, "text": "%s"}' % (
            number, number % 100, number % 50, texts[number % 64].encode(),
        )  # fmt: skip
        while True:
            try:
                producer.produce(topic, value=value, key=b"k%d" % (number % 1_000), partition=number % PARTITIONS)
                break
            except BufferError:
                producer.poll(0.1)
        if number % 1_000 == 0:
            producer.poll(0)
    assert producer.flush(120) == 0
