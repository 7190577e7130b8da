"""A topic full of records for the pipelines' benchmark, written once and read by every case."""

from __future__ import annotations

import random
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

PARTITIONS = 4
_TEXTS = 64
_OVERHEAD_BYTES = 45
"""Of a value, around its text."""


def create_topic(bootstrap: str, topic: str) -> str:
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    admin.create_topics([NewTopic(topic, PARTITIONS, 1)])[topic].result(30)
    return topic


def delete_topic(bootstrap: str, topic: str) -> None:
    admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 0})
    admin.delete_topics([topic])[topic].result(30)


def fill(bootstrap: str, topic: str, records: int, record_bytes: int) -> str:
    """JSON of about so many bytes, most of it text. By two processes: one would take longer than what is measured."""
    create_topic(bootstrap, topic)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        halves = [pool.submit(_fill, bootstrap, topic, records, record_bytes, half) for half in range(2)]
        for half in halves:
            half.result()
    return topic


def _fill(bootstrap: str, topic: str, records: int, record_bytes: int, half: int) -> None:
    chance = random.Random(7)
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    texts = ["".join(chance.choices(letters, k=max(record_bytes - _OVERHEAD_BYTES, 8))).encode() for _ in range(_TEXTS)]
    producer = Producer(
        {
            "bootstrap.servers": bootstrap,
            "linger.ms": 20,
            "batch.size": 512 * 1024,
            "queue.buffering.max.messages": 500_000,
        }
    )
    for number in range(half, records, 2):  # so each half has its own partitions
        value = b'{"id":%d,"item":"i%d","price":%d.5,"text":"%s"}' % (
            number, number % 100, number % 50, texts[number % _TEXTS],
        )  # fmt: skip
        while True:
            try:
                producer.produce(topic, value=value, key=b"k%d" % (number % 1_000), partition=number % PARTITIONS)
                break
            except BufferError:
                producer.poll(0.1)
        if number % 1_000 == half:
            producer.poll(0)
    assert producer.flush(120) == 0
