"""Kafka's own tools read our transactions: the dump tool every file, the console consumer what was committed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.support import java
from tests.support.clients import fresh_name, make_topic
from tests.support.faults import Client, eventually
from tests.support.transactional import HandProducer, stable_end

from penstock.testing import RunningBroker
from penstock.testing.plugin import BrokerFactory

DUMP = "org.apache.kafka.tools.DumpLogSegments"
CONSUME = "org.apache.kafka.tools.consumer.ConsoleConsumer"
COMPLAINTS = ("mismatch", "invalid message", "isvalid: false", "exception")


@pytest.fixture
def broker(penstock_broker_factory: BrokerFactory) -> RunningBroker:
    return penstock_broker_factory({}, mode="process")


def transactions(broker: RunningBroker, topic: str, count: int) -> None:
    """Every third is aborted; one more is left open."""
    with Client(broker) as client:
        producer = HandProducer(client, fresh_name("tx"))
        for number in range(count):
            assert producer.produce(topic, b"%d a" % number, b"%d b" % number)["error_code"] == 0
            producer.end(commits=number % 3 != 0)
        producer.produce(topic, b"open")
        eventually(lambda: stable_end(client, topic) == 3 * count, "all but one are decided")


def dump(broker: RunningBroker, topic: str, suffix: str, *options: str) -> str:
    files = sorted(map(str, (broker.data_dir / f"{topic}-0").glob(f"*{suffix}")))
    assert files
    said = java.run(DUMP, *options, "--files", ",".join(files), timeout_s=120)
    text = said.stdout + said.stderr
    assert not [line for line in text.splitlines() if any(each in line.lower() for each in COMPLAINTS)], text
    return said.stdout


def test_logs_with_transactions_are_read_file_by_file(broker: RunningBroker) -> None:
    topic = make_topic(broker.bootstrap, "dump-transactions")
    transactions(broker, topic, 6)
    broker.stop()  # writes the snapshot
    said = dump(broker, topic, ".log", "--deep-iteration", "--print-data-log")
    assert re.findall(r"isTransactional: true isControl: (\w+)", said).count("true") == 6
    assert re.findall(r"endTxnMarker: (\w+) coordinatorEpoch: \d+", said) == ["ABORT", "COMMIT", "COMMIT"] * 2
    index = dump(broker, topic, ".txnindex")
    assert re.findall(r"firstOffset: (\d+) lastOffset: (\d+) lastStableOffset: (\d+)", index) == [
        ("0", "2", "3"),
        ("9", "11", "12"),
    ]
    snapshot = dump(broker, topic, ".snapshot")
    rows = re.findall(r"producerEpoch: (\d+) .*?currentTxnFirstOffset: (\S+)", snapshot)
    assert rows[-1] == ("6", "OptionalLong[18]")


def test_the_console_consumer_prints_what_was_committed(broker: RunningBroker, tmp_path: Path) -> None:
    topic = make_topic(broker.bootstrap, "console")
    transactions(broker, topic, 6)
    said = java.run(
        CONSUME,
        *("--bootstrap-server", broker.bootstrap, "--topic", topic, "--from-beginning"),
        *("--isolation-level", "read_committed", "--timeout-ms", "60000", "--max-messages", "8"),
        timeout_s=120,
    )
    assert said.stdout.split("\n")[:8] == [f"{number} {letter}" for number in (1, 2, 4, 5) for letter in "ab"]
