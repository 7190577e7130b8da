"""The page on delivery semantics: its three programs, each killed again and again while orders come in."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from tests.support.clients import read_to_end
from tests.support.faults import eventually
from tests.support.raw import RawClient, port_of

from penstock.testing import RunningBroker
from penstock.testing.plugin import BrokerFactory

PAGE = Path(__file__).parents[2] / "docs" / "tutorial" / "delivery.md"
PARTITIONS, ORDERS_A_LIFE, LIVES = 4, 400, 4


def programs() -> dict[str, str]:
    """The page's program for each promise, by its heading."""
    found = {}
    for section in PAGE.read_text().split("\n## ")[1:]:
        heading, _, text = section.partition("\n")
        for program in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
            found[heading] = program
    return found


@contextmanager
def running(program: str, bootstrap: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    path = folder / "program.py"
    path.write_text(
        program.replace("127.0.0.1:9092", bootstrap).replace(
            '"enable.auto.commit": False,', '"enable.auto.commit": False, "heartbeat.interval.ms": 200,'
        )
    )
    (group,) = re.findall(r'"group.id": "(.*)"', program)
    with open(folder / "program.log", "ab") as log:
        process = subprocess.Popen([sys.executable, str(path)], stdout=log, stderr=log, env=os.environ)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        show_out(bootstrap, group)


def show_out(bootstrap: str, group: str) -> None:
    """A dead member would hold its partitions until its session ends, and a session so short that the test need not
    wait for that would end on a busy machine while the program lives.
    """
    with RawClient(port_of(bootstrap)) as client:
        (described,) = client.request("DescribeGroups", 5, {"groups": [group]})["groups"]
        members = [{"member_id": member["member_id"]} for member in described["members"]]
        left = client.request("LeaveGroup", 4, {"group_id": group, "members": members})
    assert {each["error_code"] for each in (left, *left["members"])} == {0}, left


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
    seen = lives(programs()[promise], broker, tmp_path, does_all=promise != "At most once")
    assert set(seen) <= ALL
    if promise != "At least once":
        assert max(seen.values()) == 1, "an order was invoiced twice"
