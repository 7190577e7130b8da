"""What Kafka's own formatters make of the records that a coordinator keeps about one key."""

from __future__ import annotations

import json
from typing import Any

from confluent_kafka import Consumer
from tests.support import java
from tests.support.clients import WITHIN_S, read_to_end

from penstock.coordinators.runtime import java_hash

CONSOLE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
FORMATTERS = "org.apache.kafka.tools.consumer"


def kept_of(bootstrap: str, topic: str, formatter: str, key: str, *, partition: int | None = None) -> list[Any]:
    """Every record of the partition in which the key is kept.

    The tool is told how many there are: left to end when nothing more comes, it would end before it began where a busy
    machine takes long to connect.
    """
    if partition is None:
        partition = (java_hash(key) & 0x7FFFFFFF) % _partitions(bootstrap, topic)
    count = len(read_to_end(bootstrap, topic, partition))
    read = java.run(
        CONSOLE_CONSUMER,
        *("--bootstrap-server", bootstrap, "--topic", topic, "--partition", str(partition), "--offset", "earliest"),
        *("--max-messages", str(count), "--timeout-ms", str(int(WITHIN_S * 1_000))),
        *("--formatter", f"{FORMATTERS}.{formatter}"),
    )
    # One after the other without a break, and the tool's own words at the end.
    lines = read.stdout.replace('}{"key"', '}\n{"key"').splitlines()
    return [json.loads(line[: line.rindex("}") + 1]) for line in lines if line.startswith("{")]


def _partitions(bootstrap: str, topic: str) -> int:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "unused"})
    try:
        return len(consumer.list_topics(topic, timeout=WITHIN_S).topics[topic].partitions)
    finally:
        consumer.close()
