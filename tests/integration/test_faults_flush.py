"""penstock.flush.before.ack: an acknowledgement means that the records are on disk, and producers share the flushes."""

import threading

import pytest
from confluent_kafka import KafkaError, Message, Producer
from tests.support.clients import make_topic, read_to_end
from tests.support.faults import Client, eventually, metric, one, recovery_point

from penstock.testing import RunningBroker


def test_with_the_setting_every_acknowledgement_waits_for_a_flush(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("safe", penstock_flush_before_ack="true") == 0
        assert client.create_topic("quick") == 0
        before = metric(penstock_broker, "penstock_log_flushes_total")
        for number in range(5):
            assert client.produce("quick", one(b"%d" % number))["base_offset"] == number
        assert metric(penstock_broker, "penstock_log_flushes_total") == before
        for number in range(5):
            assert client.produce("safe", one(b"%d" % number))["base_offset"] == number
            # One producer that waits for each answer shares with nobody.
            assert metric(penstock_broker, "penstock_log_flushes_total") == before + number + 1
        assert client.produce("safe", one(b"5"), acks=1)["base_offset"] == 5
        assert metric(penstock_broker, "penstock_log_flushes_total") == before + 6, "acks=1 waits as well"
        assert client.values("safe") == [b"%d" % number for number in range(6)]


@pytest.mark.penstock(settings={"replica.high.watermark.checkpoint.interval.ms": 200})
def test_flushed_records_are_below_the_recovery_point_that_is_checkpointed(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("safe", penstock_flush_before_ack="true") == 0
        for number in range(7):
            client.produce("safe", one(b"%d" % number))
    eventually(lambda: recovery_point(penstock_broker, "safe") == 7, "the checkpoint says so")


def test_the_setting_can_be_turned_on_and_off_live(penstock_broker: RunningBroker) -> None:
    with Client(penstock_broker) as client:
        assert client.create_topic("orders") == 0
        client.produce("orders", one(b"0"))
        client.alter_topic("orders", penstock_flush_before_ack="true")
        before = metric(penstock_broker, "penstock_log_flushes_total")
        client.produce("orders", one(b"1"))
        assert metric(penstock_broker, "penstock_log_flushes_total") == before + 1
        client.alter_topic("orders", penstock_flush_before_ack="false")
        client.produce("orders", one(b"2"))
        assert metric(penstock_broker, "penstock_log_flushes_total") == before + 1
        assert client.values("orders") == [b"0", b"1", b"2"]


def test_many_producers_share_the_flushes(penstock_broker: RunningBroker) -> None:
    producers, records = 16, 40
    topic = make_topic(penstock_broker.bootstrap, "shared", penstock_flush_before_ack="true")
    before = metric(penstock_broker, "penstock_log_flushes_total")
    errors: list[KafkaError] = []

    def delivered(error: KafkaError | None, _message: Message) -> None:
        if error is not None:
            errors.append(error)

    def write(name: int) -> None:
        producer = Producer(
            {
                "bootstrap.servers": penstock_broker.bootstrap,
                "linger.ms": 0,
                "batch.num.messages": 1,
                "enable.idempotence": True,
            }
        )
        for number in range(records):
            producer.produce(topic, b"%d-%d" % (name, number), partition=0, on_delivery=delivered)
        if producer.flush(60):
            errors.append(KafkaError(KafkaError._TIMED_OUT))

    threads = [threading.Thread(target=write, args=(name,)) for name in range(producers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]
    flushes = metric(penstock_broker, "penstock_log_flushes_total") - before
    batches = metric(penstock_broker, "kafka_server_brokertopicmetrics_totalproducerequests_total", topic=topic)
    assert batches >= producers * records
    # By how much is a matter of how fast the disk is, and how slow the producers.
    assert 1 <= flushes < batches, f"{flushes} flushes for {batches} batches"
    values = [each.value() for each in read_to_end(penstock_broker.bootstrap, topic)]
    assert len(values) == producers * records
    for name in range(producers):
        mine = [value for value in values if value is not None and value.startswith(b"%d-" % name)]
        assert mine == [b"%d-%d" % (name, number) for number in range(records)], "each producer's order is kept"
