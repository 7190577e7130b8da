"""The page on schedules: its programs, as they stand."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.clients import read_to_end
from tests.support.command import Penstock
from tests.support.faults import eventually
from tests.support.pages import DOCS, programs

from penstock.testing.plugin import BrokerFactory

PAGE = "tutorial/schedules.md"


def run(heading: str, bootstrap: str, folder: Path) -> None:
    path = folder / "program.py"
    path.write_text(programs(PAGE)[heading].replace("127.0.0.1:9092", bootstrap))
    subprocess.run([sys.executable, str(path)], check=True, timeout=120)


def test_the_programs_of_the_page_do_what_it_says(
    penstock_broker_factory: BrokerFactory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    bootstrap = penstock_broker_factory({}).bootstrap
    penstock = Penstock(bootstrap, monkeypatch, capfd)
    made = [line for line in (DOCS / PAGE).read_text().splitlines() if line.startswith("penstock topic create")]
    assert len(made) == 3
    for line in made:
        assert penstock(*shlex.split(line)[1:]).code == 0, line

    def values() -> list[bytes | str | None]:
        return [record.value() for record in read_to_end(bootstrap, "orders", 0, isolation_level="read_committed")]

    for heading in ("Change your mind", "In a minute, or at a time", "Every morning", "In a transaction"):
        run(heading, bootstrap, tmp_path)
    last = {b"greet", b"remind", b"an order", b"has it been sent?"}
    eventually(lambda: set(values()) >= last, "what the programs wrote")
    eventually(lambda: waiting(penstock) == ["report"], "nothing but the report waits")
    assert set(values()) == last and len(values()) == len(last)


def waiting(penstock: Penstock) -> list[str]:
    return [row["id"] for row in json.loads(penstock("schedule", "list", "orders.later", "--json").out)]
