"""The page on delivery semantics: its three programs, each killed again and again while orders come in."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.clients import read_to_end
from tests.support.faults import eventually
from tests.support.pages import programs, running

from penstock.testing import RunningBroker
from penstock.testing.plugin import BrokerFactory

PAGE = "tutorial/delivery.md"
PARTITIONS, ORDERS_A_LIFE, LIVES = 4, 400, 4


def invoices(bootstrap: str) -> Counter[bytes]:
    counted: Counter[bytes] = Counter()
    for partition in range(PARTITIONS):
        for record in read_to_end(bootstrap, "invoices", partition, isolation_level="read_committed"):
            value = record.value()
            assert value is not None
            counted[value.removeprefix(b"invoice for ")] += 1
    return counted


def order(bootstrap: str, numbers: range) -> None:
    producer = Producer({"bootstrap.servers": bootstrap, "linger.ms": 5})
    for number in numbers:
        producer.produce("orders", b"%d" % number, key=b"%d" % number)
    assert producer.flush(60) == 0


def lives(program: str, broker: RunningBroker, folder: Path, *, does_all: bool) -> Counter[bytes]:
    """Order, start the program, kill it in the midst of its work; in its last life it may finish."""
    bootstrap = broker.bootstrap
    topics = [NewTopic(name, num_partitions=PARTITIONS, replication_factor=1) for name in ("orders", "invoices")]
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for future in admin.create_topics(topics).values():
        future.result(60)
    for life in range(LIVES):
        order(bootstrap, range(life * ORDERS_A_LIFE, (life + 1) * ORDERS_A_LIFE))
        before = len(invoices(bootstrap))  # counted after its start, there might be nothing left for it to do
        with running(program, bootstrap, folder) as process:
            eventually(lambda before=before: len(invoices(bootstrap)) > before, "some work done")  # type: ignore[misc]
            if life == LIVES - 1:
                eventually(
                    lambda: set(invoices(bootstrap)) == ALL if does_all else _is_quiet(bootstrap), "all work done"
                )
            assert process.poll() is None, (folder / "program.log").read_text()
    return invoices(bootstrap)


def _is_quiet(bootstrap: str) -> bool:
    before = invoices(bootstrap).total()
    time.sleep(1.5)
    return before == invoices(bootstrap).total()


ALL = {b"%d" % number for number in range(LIVES * ORDERS_A_LIFE)}


@pytest.mark.parametrize("promise", ["At most once", "At least once", "Exactly once"])
def test_the_program_keeps_its_promise(promise: str, penstock_broker_factory: BrokerFactory, tmp_path: Path) -> None:
    broker = penstock_broker_factory({"group.initial.rebalance.delay.ms": "0"})
    seen = lives(programs(PAGE)[promise], broker, tmp_path, does_all=promise != "At most once")
    assert set(seen) <= ALL
    if promise != "At least once":
        assert max(seen.values()) == 1, "an order was invoiced twice"
