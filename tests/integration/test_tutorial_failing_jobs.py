"""The page on jobs that fail: its programs, as they stand."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.faults import eventually
from tests.support.pages import DOCS
from tests.support.share_consumers import PATIENCE_S, at, share_consumer, taken

from penstock.client import Client, NewTopic
from penstock.testing import RunningBroker
from penstock.testing.plugin import BrokerFactory

PAGE = "tutorial/failing-jobs.md"


def programs_below(heading: str, bootstrap: str) -> list[str]:
    (section,) = [each for each in (DOCS / PAGE).read_text().split("\n## ") if each.startswith(f"{heading}\n")]
    found = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    return [program.replace("127.0.0.1:9092", bootstrap) for program in found]


def run(program: str) -> None:
    subprocess.run([sys.executable, "-c", program], check=True, timeout=PATIENCE_S)


@contextmanager
def running(program: str, said: Path) -> Iterator[None]:
    with said.open("wb") as out:
        process = subprocess.Popen([sys.executable, "-c", program], stdout=out, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def broker(penstock_broker_factory: BrokerFactory) -> RunningBroker:
    return penstock_broker_factory({})


@pytest.fixture
def client(broker: RunningBroker) -> Iterator[Client]:
    with Client(broker.bootstrap, timeout_s=PATIENCE_S) as client:
        yield client


def topic(client: Client, name: str, *records: tuple[bytes | None, bytes]) -> None:
    client.create_topics([NewTopic(name, 1)]).all()
    eventually(lambda: name in client.list_topics(), f"{name} is known")
    with client.producer() as producer:
        for key, value in records:
            producer.send(name, value, key=key, partition=0)


def test_a_mail_waits_longer_each_time(client: Client, broker: RunningBroker, tmp_path: Path) -> None:
    settings, worker = programs_below("Wait before the next try", broker.bootstrap)
    topic(client, "mails", (None, b"to a full mailbox"), (None, b"to anna"), (None, b"to ben"))
    run(settings)
    said = tmp_path / "said"
    with running(worker, said):
        eventually(lambda: len(said.read_text().splitlines()) == 5, "three mails, one of them in three tries")
    rows = [re.fullmatch(r"(\d+\.\d) s: b'(.*)', try (\d)", line) for line in said.read_text().splitlines()]
    tries = [(row[2], int(row[3])) for row in rows if row]
    mailbox = "to a full mailbox"
    assert tries == [(mailbox, 1), ("to anna", 1), ("to ben", 1), (mailbox, 2), (mailbox, 3)]
    first, second, third = (float(row[1]) for row in rows if row and row[2] == mailbox)
    assert second - first >= 0.7 and third - second >= 1.5, "by the jitter a fifth sooner at most, and rounded"


def test_records_of_a_key_come_one_after_the_other(client: Client, broker: RunningBroker) -> None:
    (settings,) = programs_below("One after the other, key by key", broker.bootstrap)
    topic(client, "bookings", (b"anna", b"1"), (b"anna", b"2"), (b"ben", b"1"), (None, b"1"))
    run(settings)
    with share_consumer(broker.bootstrap, "accounts", "bookings") as consumer:
        assert [at(each)[1] for each in taken(consumer)] == [0, 2, 3]
        assert [at(each)[1] for each in taken(consumer)] == [1]


def test_alarms_come_before_newsletters(client: Client, broker: RunningBroker) -> None:
    (settings,) = programs_below("Some topics before others", broker.bootstrap)
    run(settings)
    for name in ("newsletters", "alarms"):
        topic(client, name, *[(None, b"%d" % number) for number in range(50)])
    seen: list[str] = []
    with share_consumer(broker.bootstrap, "senders", "alarms", "newsletters", max_poll_records="10") as consumer:
        while len(seen) < 100:
            seen += [message.topic() or "" for message in taken(consumer)]
    first = seen.index("alarms")
    assert "newsletters" not in seen[first : first + 50]
