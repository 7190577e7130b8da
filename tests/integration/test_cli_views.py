"""penstock view ... against a running broker, and the page on views."""

import json
import subprocess
import sys
from pathlib import Path

from tests.support.clients import WITHIN_S, fresh_name
from tests.support.command import Penstock
from tests.support.pages import programs

from penstock.cli.exits import ExitCode
from penstock.testing.plugin import BrokerFactory

EU = "header.region = 'eu' and size < 10000"


def test_a_created_view_is_listed_and_described(penstock: Penstock) -> None:
    source, view = fresh_name("source"), fresh_name("view")
    assert penstock("topic", "create", source, "-p", "3").code == ExitCode.OK
    created = penstock("view", "create", view, "--of", source, "--where", EU)
    assert (created.code, created.out) == (ExitCode.OK, f"created {view}\n")
    listed = json.loads(penstock("view", "list", "--of", source, "--json").out)
    assert listed == [{"view": view, "of": source, "filter": EU}]
    (described,) = json.loads(penstock("topic", "describe", view, "--json").out)
    assert len(described["partitions"]) == 3
    refused = penstock("topic", "delete", source, "--yes")
    assert refused.code == ExitCode.FAILED and f"delete them first ({view})" in refused.err


def test_a_wrong_filter_is_refused_where_it_is_wrong(penstock: Penstock) -> None:
    source = fresh_name("source")
    penstock("topic", "create", source)
    refused = penstock("view", "create", fresh_name("view"), "--of", source, "--where", "size <")
    assert refused.code == ExitCode.FAILED and "position 7: a number" in refused.err
    explained = penstock("view", "explain", "--where", "size <")
    assert explained.code == ExitCode.FAILED and "  size <\n        ^" in explained.err


def test_a_filter_is_explained(penstock: Penstock) -> None:
    told = penstock("view", "explain", "--where", "header.region = 'eu' and (size < 5 or value is null)").out
    assert told.splitlines() == [
        "all of",
        "  header region = 'eu'",
        "  any of",
        "    the bytes of key and value < 5",
        "    the value is null",
        "cost: small, records are opened only where what every match holds is found in their batch",
    ]
    assert "every record is opened" in penstock("view", "explain", "--where", "size < 5").out
    source, view = fresh_name("source"), fresh_name("view")
    penstock("topic", "create", source)
    penstock("view", "create", view, "--of", source)
    assert penstock("view", "explain", view).out.startswith("every record\ncost: none")
    assert penstock("view", "explain", fresh_name("view")).code == ExitCode.NOT_FOUND


def test_the_tutorial_on_views_can_be_followed(penstock_broker_factory: BrokerFactory, tmp_path: Path) -> None:
    bootstrap = penstock_broker_factory({"group.initial.rebalance.delay.ms": "0"}).bootstrap

    def command(*arguments: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "penstock.cli", *arguments, "-b", bootstrap], check=True, timeout=WITHIN_S
        )

    command("topic", "create", "orders", "--partitions", "3", "--if-not-exists")
    command("view", "create", "orders-eu", "--of", "orders", "--where", EU)
    (program,) = programs("tutorial/views.md").values()
    path = tmp_path / "program.py"
    path.write_text(program.replace("127.0.0.1:9092", bootstrap))
    said = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=WITHIN_S, check=True)
    assert sorted(int(line.split()[2]) for line in said.stdout.splitlines()) == list(range(0, 100, 10))
