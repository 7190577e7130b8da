"""The page on retries of consumer groups: its programs, as they stand."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from confluent_kafka import Producer
from tests.support.clients import read_to_end
from tests.support.command import Penstock
from tests.support.faults import eventually
from tests.support.pages import DOCS, programs

from penstock.testing.plugin import BrokerFactory

PAGE = "tutorial/retries.md"


def run(heading: str, bootstrap: str, folder: Path) -> str:
    path = folder / "program.py"
    path.write_text(programs(PAGE)[heading].replace("127.0.0.1:9092", bootstrap))
    return subprocess.run([sys.executable, str(path)], check=True, timeout=120, capture_output=True, text=True).stdout


def test_the_programs_of_the_page_do_what_it_says(
    penstock_broker_factory: BrokerFactory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    bootstrap = penstock_broker_factory({}).bootstrap
    penstock = Penstock(bootstrap, monkeypatch, capfd)
    made = [line for line in (DOCS / PAGE).read_text().splitlines() if line.startswith("penstock topic create")]
    assert len(made) == 4
    for line in made:
        assert penstock(*shlex.split(line)[1:]).code == 0, line
    run("Say how often, and how long to wait", bootstrap, tmp_path)
    producer = Producer({"bootstrap.servers": bootstrap})
    for value in (b"for nobody", b"for anna"):
        producer.produce("orders", value, key=b"k")
    assert producer.flush(30) == 0
    handled = run("Write what you failed on to the retry topic", bootstrap, tmp_path)
    assert handled == "handled b'for anna'\n"  # the other one was tried four times
    eventually(lambda: len(read_to_end(bootstrap, "dlq.billing", 0)) == 1, "the dead letter")
    (letter,) = read_to_end(bootstrap, "dlq.billing", 0)
    assert letter.value() == b"for nobody"
    assert dict(letter.headers() or [])["__dlq.errors.delivery.count"] == b"4"
    (row,) = json.loads(penstock("retry", "stats", "billing", "--json").out)
    assert (row["waiting"], row["given_up"], row["target"]) == (0, 0, "orders.retry.billing")
