"""The page on dead letters: its programs and commands, as they stand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.clients import read_to_end
from tests.support.command import Penstock
from tests.support.dead_letters import make_dead_letter_topic, make_topic
from tests.support.faults import eventually
from tests.support.pages import programs
from tests.support.shares import share_settings

from penstock.client import Client
from penstock.testing.plugin import BrokerFactory

PAGE = "tutorial/dead-letters.md"


def run(heading: str, bootstrap: str, folder: Path) -> str:
    path = folder / "program.py"
    path.write_text(programs(PAGE)[heading].replace("127.0.0.1:9092", bootstrap))
    return subprocess.run([sys.executable, str(path)], check=True, timeout=120, stdout=subprocess.PIPE).stdout.decode()


def test_the_programs_and_commands_of_the_page_do_what_it_says(
    penstock_broker_factory: BrokerFactory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    bootstrap = penstock_broker_factory(share_settings()).bootstrap
    penstock = Penstock(bootstrap, monkeypatch, capfd)
    with Client(bootstrap) as client:
        make_topic(client, "jobs")
        make_dead_letter_topic(client, "dlq.jobs")
    run("A topic for what fails", bootstrap, tmp_path)
    assert run("Reject a record", bootstrap, tmp_path) == "to anna\n"
    eventually(lambda: len(read_to_end(bootstrap, "dlq.jobs")) == 1, "the dead letter")
    (row,) = json.loads(penstock("dlq", "list", "--json").out)
    assert (row["name"], row["letters"], row["groups"]) == ("dlq.jobs", 1, ["workers"])
    assert "Offset rejected by client." in penstock("dlq", "show", "dlq.jobs").out
    assert penstock("dlq", "redrive", "dlq.jobs", "--dry-run").out == "would move: 1 records to jobs\n"
    assert penstock("dlq", "redrive", "dlq.jobs").out == "moved: 1 records to jobs\n"
    again = read_to_end(bootstrap, "jobs", isolation_level="read_committed")[-1]
    assert (again.value(), again.headers()) == (b"no JSON", [("trace", b"18")])
    assert penstock("dlq", "purge", "dlq.jobs", "--before", "7d", "--dry-run").out.startswith("would delete: 0")
    run("Records that expire", bootstrap, tmp_path)
