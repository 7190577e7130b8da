"""Groups as aiokafka, kafka-python and kcat use them."""

from __future__ import annotations

import asyncio
import subprocess
import time
from contextlib import closing
from typing import Any

import pytest
from aiokafka import AIOKafkaConsumer
from tests.support.group_clients import fresh_name, topic_with_records
from tests.support.kafka_python import KafkaAdminClient, KafkaConsumer, TopicPartition

WITHIN_S = 120.0


async def test_aiokafka_shares_a_topic_and_goes_on_where_it_committed(bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "aio-group", 80), fresh_name("group")
    facts: dict[str, Any] = {"bootstrap_servers": bootstrap, "group_id": group, "auto_offset_reset": "earliest"}
    facts |= {"session_timeout_ms": 45_000}  # a machine that stalls is no member that died
    consumers = [
        AIOKafkaConsumer(topic, enable_auto_commit=False, heartbeat_interval_ms=200, **facts) for _ in range(2)
    ]
    for consumer in consumers:
        await consumer.start()
    try:
        deadline = time.monotonic() + WITHIN_S
        numbers: list[int] = []
        while [len(consumer.assignment()) for consumer in consumers] != [2, 2] or len(set(numbers)) < 80:
            assert time.monotonic() < deadline, (len(numbers), [each.assignment() for each in consumers])
            for consumer in consumers:
                for records in (await consumer.getmany(timeout_ms=50)).values():
                    numbers += [int(record.value) for record in records]
        for consumer in consumers:
            await consumer.commit()
    finally:
        for consumer in consumers:
            await consumer.stop()
    again = AIOKafkaConsumer(topic, **facts)
    await again.start()
    try:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(again.getone(), 1)
        assert sum([await again.committed(place) or 0 for place in again.assignment()]) == 80
    finally:
        await again.stop()


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_kafka_python_subscribes_commits_and_describes(bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "kp-group", 40), fresh_name("group")
    facts = {"bootstrap_servers": bootstrap, "group_id": group, "auto_offset_reset": "earliest"}
    with closing(KafkaConsumer(topic, enable_auto_commit=False, consumer_timeout_ms=60_000, **facts)) as consumer:
        numbers = [int(next(consumer).value) for _ in range(40)]
        consumer.commit()
        assert sorted(numbers) == list(range(40))
        assert consumer.committed(TopicPartition(topic, 0)) == 10
        with closing(KafkaAdminClient(bootstrap_servers=bootstrap)) as admin:
            listed = {each["group_id"]: each["group_state"] for each in admin.list_groups()}
            assert listed[group] == "Stable"


def test_kcat_reads_as_a_member_of_a_group(bootstrap: str) -> None:
    topic, group = topic_with_records(bootstrap, "kcat-group", 40), fresh_name("group")
    command = ["kcat", "-b", bootstrap, "-G", group, "-X", "auto.offset.reset=earliest", "-c", "40", "-q", topic]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=True)
    assert sorted(map(int, done.stdout.split())) == list(range(40))
