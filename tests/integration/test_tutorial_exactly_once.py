"""The page on exactly once: its commands and programs, as they stand, and run again as if they had died."""

from __future__ import annotations

import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.clients import read_to_end
from tests.support.command import Penstock
from tests.support.pages import DOCS, programs

from penstock.testing.plugin import BrokerFactory

PAGE = "tutorial/exactly-once.md"


def run(heading: str, bootstrap: str, folder: Path) -> None:
    path = folder / "program.py"
    path.write_text(programs(PAGE)[heading].replace("127.0.0.1:9092", bootstrap))
    subprocess.run([sys.executable, str(path)], check=True, timeout=120, cwd=folder)


def commands() -> list[list[str]]:
    return [
        shlex.split(line)[1:]
        for block in re.findall(r"```sh\n(.*?)```", (DOCS / PAGE).read_text(), re.DOTALL)
        for line in block.splitlines()
    ]


def test_the_programs_of_the_page_leave_each_record_once(
    penstock_broker_factory: BrokerFactory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    bootstrap = penstock_broker_factory({}).bootstrap
    penstock = Penstock(bootstrap, monkeypatch, capfd)
    for command in commands():
        assert penstock(*command).code == 0

    def values(topic: str, partitions: int = 1) -> list[bytes | str | None]:
        return [record.value() for each in range(partitions) for record in read_to_end(bootstrap, topic, each)]

    run("An idempotent producer", bootstrap, tmp_path)
    assert values("readings") == [b"%d" % number for number in range(100)]
    run("Dedup by id", bootstrap, tmp_path)
    run("Dedup by id", bootstrap, tmp_path)
    assert set(values("payments", 4)) == {b"10 EUR", b"25 EUR", b"5 EUR"} and len(values("payments", 4)) == 3

    run("An outbox", bootstrap, tmp_path)
    with sqlite3.connect(tmp_path / "shop.db") as database:  # as if it had died before it deleted the row
        database.execute("insert into outbox (id, content) values (1, 'an order of 10')")
    run("An outbox", bootstrap, tmp_path)
    assert values("told") == [b"an order of 10"] * 2
    assert database.execute("select count(*) from outbox").fetchone() == (0,)
    database.close()
