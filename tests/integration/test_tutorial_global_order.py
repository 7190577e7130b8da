"""The page on global order: its sequencer, killed again and again while records come in."""

from __future__ import annotations

from pathlib import Path

from confluent_kafka import Producer
from tests.support.clients import read_to_end
from tests.support.faults import eventually
from tests.support.pages import programs, running

from penstock.client import Client, NewTopic
from penstock.testing.plugin import BrokerFactory

PARTITIONS, RECORDS_A_LIFE, LIVES = 4, 400, 4


def in_order(bootstrap: str) -> list[str]:
    """The places that the sequencer's records came from, partition:offset, as every reader sees them."""
    found = read_to_end(bootstrap, "events-in-order", isolation_level="read_committed")
    return [value.decode() for record in found if isinstance(value := dict(record.headers() or [])["from"], bytes)]


def test_the_sequencer_gives_every_record_one_place_and_keeps_the_order_of_partitions(
    penstock_broker_factory: BrokerFactory, tmp_path: Path
) -> None:
    bootstrap = penstock_broker_factory({"group.initial.rebalance.delay.ms": "0"}).bootstrap
    with Client(bootstrap, timeout_s=60) as client:
        client.create_topics([NewTopic("events", PARTITIONS), NewTopic("events-in-order", 1)]).all()
    (program,) = programs("tutorial/global-order.md").values()
    producer = Producer({"bootstrap.servers": bootstrap})
    for life in range(1, LIVES + 1):
        for number in range(RECORDS_A_LIFE):
            producer.produce("events", b"event", partition=number % PARTITIONS)
        assert producer.flush(60) == 0
        before, all_of_them = len(in_order(bootstrap)), life * RECORDS_A_LIFE
        with running(program, bootstrap, tmp_path):
            wanted = all_of_them if life == LIVES else before + 1  # killed in the midst of its work
            eventually(lambda wanted=wanted: len(in_order(bootstrap)) >= wanted, "records put in order")  # type: ignore[misc]
    places = in_order(bootstrap)
    for partition in range(PARTITIONS):
        offsets = [int(offset) for at, offset in (place.split(":") for place in places) if int(at) == partition]
        assert offsets == list(range(LIVES * RECORDS_A_LIFE // PARTITIONS))
