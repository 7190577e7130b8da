"""Retention, DeleteRecords, compaction and live changes of settings, on a running broker with small segments."""

from typing import Any

import pytest
from confluent_kafka import KafkaError, TopicPartition
from tests.support.clients import assigned_consumer, read_to_end
from tests.support.faults import (
    OFFSET_OUT_OF_RANGE,
    Client,
    checkpoint,
    eventually,
    folder_of,
    metric,
    now_ms,
    one,
    segments_of,
)

from penstock.testing import RunningBroker

EAGER = {
    "log.retention.check.interval.ms": 200,
    "log.segment.delete.delay.ms": 200,
    "log.cleaner.backoff.ms": 100,
    "replica.high.watermark.checkpoint.interval.ms": 200,
}
HOUR_MS = 3_600_000
SMALL: Any = {"internal_segment_bytes": "10000"}
"""Ten of these records a segment."""
RECORD = b"x" * 900

pytestmark = pytest.mark.penstock(settings=EAGER)


def fill(client: Client, topic: str, count: int, *, age_ms: int = 0, start: int = 0) -> None:
    for number in range(start, start + count):
        outcome = client.produce(topic, one(b"%d " % number + RECORD, base_timestamp=now_ms() - age_ms))
        assert (outcome["error_code"], outcome["base_offset"]) == (0, number)


def test_old_segments_go_and_readers_below_the_new_start_are_told(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("orders", retention_ms="-1", **SMALL) == 0
        fill(client, "orders", 40, age_ms=2 * HOUR_MS)
        fill(client, "orders", 5, start=40)
        client.alter_topic("orders", retention_ms=str(HOUR_MS))
        eventually(lambda: client.earliest("orders") == 40, "whole segments older than an hour are gone")
        assert client.fetch("orders", 12)["error_code"] == OFFSET_OUT_OF_RANGE
        assert len(client.values("orders", 40)) == 5
        assert metric(penstock_broker, "kafka_log_log_logstartoffset", topic="orders") == 40
        eventually(lambda: len(segments_of(penstock_broker, "orders")) == 1, "the files too")
        eventually(lambda: not list(folder_of(penstock_broker, "orders").glob("*.deleted")), "after their delay")
        with assigned_consumer(penstock_broker.bootstrap, TopicPartition("orders", 0, 3)) as consumer:
            message = consumer.poll(60)
            assert message is not None and (error := message.error()) is not None
            assert error.code() == KafkaError._AUTO_OFFSET_RESET
    penstock_broker.kill()
    penstock_broker.start()
    with Client(penstock_broker) as client:
        assert client.earliest("orders") == 40, "what was deleted is not missed"
        assert client.produce("orders", one(b"next"))["base_offset"] == 45


def test_a_partition_is_kept_below_its_size(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("orders", retention_bytes="30000", retention_ms="-1", **SMALL) == 0
        fill(client, "orders", 100)
        eventually(lambda: client.earliest("orders") >= 60, "the oldest segments go")
        assert metric(penstock_broker, "kafka_log_log_size", topic="orders") >= 30_000 - 10_000
        start = client.earliest("orders")
        assert [value and value.split()[0] for value in client.values("orders", start)] == [
            b"%d" % number for number in range(start, 100)
        ]


def test_settings_changed_on_a_running_broker_act(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("orders", **SMALL) == 0
        fill(client, "orders", 35, age_ms=2 * HOUR_MS)
        assert client.earliest("orders") == 0
        client.alter_topic("orders", retention_ms=str(HOUR_MS))
        eventually(lambda: client.earliest("orders") == 35, "retention.ms acts, on the active segment too")
        client.alter_topic("orders", retention_ms="-1", internal_segment_bytes="2000")
        eventually(lambda: len(segments_of(penstock_broker, "orders")) == 1, "the old files are out of the way")
        fill(client, "orders", 10, start=35)
        assert len(segments_of(penstock_broker, "orders")) == 5, "internal.segment.bytes acts: two records a segment"
        client.alter_topic("orders", max_message_bytes="500")
        assert client.produce("orders", one(RECORD))["error_code"] == 10, "max.message.bytes acts"
        client.alter_topic("orders", max_message_bytes="5000", message_timestamp_type="LogAppendTime")
        assert client.produce("orders", one(RECORD, base_timestamp=5_000))["log_append_time_ms"] > HOUR_MS


def test_deleted_records_stay_deleted(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("orders", **SMALL) == 0
        fill(client, "orders", 35)
        outcome = client.delete_records("orders", 23)
        assert (outcome["error_code"], outcome["low_watermark"]) == (0, 23)
        assert client.earliest("orders") == 23
        assert client.fetch("orders", 22)["error_code"] == OFFSET_OUT_OF_RANGE
        assert client.values("orders", 23)[0] == b"23 " + RECORD
        assert client.delete_records("orders", 36)["error_code"] == OFFSET_OUT_OF_RANGE
        eventually(lambda: len(segments_of(penstock_broker, "orders")) == 2, "whole segments below it go")
        name = "log-start-offset-checkpoint"
        eventually(lambda: checkpoint(penstock_broker, name).get(("orders", 0)) == 23, "written down")
    penstock_broker.kill()
    penstock_broker.start()
    with Client(penstock_broker) as client:
        assert client.earliest("orders") == 23
        assert client.delete_records("orders", -1)["low_watermark"] == 35, "everything"
        assert client.values("orders", 35) == []
        assert client.produce("orders", one(b"next"))["base_offset"] == 35


def test_a_reader_parked_at_records_that_are_deleted_is_told(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client, Client(penstock_broker) as other:
        assert client.create_topic("orders") == 0
        fill(client, "orders", 5)
        sent = client.send("Fetch", 11, {"max_wait_ms": 600_000, "min_bytes": 1 << 20, **reading("orders", 2)})
        other.delete_records("orders", 4)
        answer = client.receive("Fetch", 11, sent)["responses"][0]["partitions"][0]
        assert answer["error_code"] == OFFSET_OUT_OF_RANGE


def reading(topic: str, offset: int) -> dict[str, Any]:
    wanted = {"partition": 0, "fetch_offset": offset, "partition_max_bytes": 1 << 20}
    return {"max_bytes": 1 << 20, "topics": [{"topic": topic, "partitions": [wanted]}]}


def test_a_compacted_topic_forgets_deleted_keys_and_keeps_its_offsets(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        settings: Any = {"cleanup_policy": "compact", "min_cleanable_dirty_ratio": "0.01", "delete_retention_ms": "0"}
        assert client.create_topic("table", **settings, **SMALL) == 0
        for number in range(60):
            client.produce("table", one(b"%d " % number + RECORD, key=b"key %d" % (number % 6)))
        client.produce("table", one(None, key=b"key 3"))

        def keys() -> dict[bytes | None, bytes | None]:
            records = read_to_end(penstock_broker.bootstrap, "table", check_crcs=True)
            return {record.key(): record.value() for record in records}

        def is_forgotten() -> bool:
            # One round marks the tombstone, a later one drops it: there must be something to clean for both.
            for _ in range(10):
                assert client.produce("table", one(RECORD, key=b"filler"))["error_code"] == 0
            return b"key 3" not in keys()

        eventually(is_forgotten, "the tombstone took its key along, and then went itself")
        end = client.latest("table")
        left = keys()
        assert {key: left[key] for key in left if key != b"filler"} == {
            b"key %d" % number: b"%d " % (54 + number) + RECORD for number in (0, 1, 2, 4, 5)
        }
        assert client.produce("table", one(RECORD, key=b"filler"))["base_offset"] == end >= 71, "offsets are kept"
        assert client.delete_records("table", 10)["error_code"] == 44, "POLICY_VIOLATION: compacted only"
        refused = client.produce("table", one(b"without a key"))
        assert refused["error_code"] == 87, "INVALID_RECORD"
