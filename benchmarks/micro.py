"""`python -m benchmarks.micro`: CPU time of the steps a request is made of: codec, append, fetch assembly, dispatch.

Without sockets, clients and other processes, so it is the place to see what a change of the code brings. Prints a
table, with what the last run on this machine had, and appends a line to the history. Asserts nothing.
"""

import asyncio
import json
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import structlog
from rich.console import Console
from rich.table import Table

from benchmarks import host, micro_codec, micro_dispatch, micro_idempotence, micro_log
from benchmarks.cpu_cost import Cost

REPOSITORY = Path(__file__).resolve().parent.parent
HISTORY = REPOSITORY / "benchmarks" / "results" / "micro.jsonl"


def measure() -> dict[str, list[Cost]]:
    with tempfile.TemporaryDirectory(prefix="penstock-bench-") as name:
        folder = Path(name)
        return {
            "codec": micro_codec.costs(),
            "log": micro_log.costs(folder / "log"),
            "dispatch and fetch assembly": asyncio.run(micro_dispatch.measure(folder / "dispatch")),
            "idempotence": asyncio.run(micro_idempotence.costs(folder / "idempotence")),
        }


def last_on(machine: dict[str, Any], lines: Sequence[str]) -> dict[str, float]:
    """The figures of the newest run on the same machine."""
    runs = [json.loads(line) for line in lines]
    return next((run["us"] for run in reversed(runs) if run["machine"] == machine), {})


@click.command(help=__doc__)
@click.option("--history", type=click.Path(path_type=Path), default=HISTORY, show_default=True)
def main(*, history: Path) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    machine = host.machine()
    before = last_on(machine, history.read_text().splitlines()) if history.exists() else {}
    costs = measure()
    table = Table(title=f"CPU time by step, {host.commit(REPOSITORY)}", title_justify="left")
    for heading in ("", "CPU µs", "last run", "change"):
        table.add_column(heading, justify="right" if heading else "left")
    for section, found in costs.items():
        table.add_section()
        table.add_row(f"[bold]{section}[/]")
        for cost in found:
            then = before.get(cost.key)
            change = ("", "") if not then else (f"{then:,.2f}", f"{cost.us / then - 1:+.0%}")
            table.add_row(cost.title, f"{cost.us:,.2f}", *change)
    Console().print(table)
    entry = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": host.commit(REPOSITORY),
        "machine": machine,
        "us": {cost.key: round(cost.us, 3) for found in costs.values() for cost in found},
    }
    history.parent.mkdir(parents=True, exist_ok=True)
    with history.open("a") as lines:
        lines.write(json.dumps(entry) + "\n")


if __name__ == "__main__":
    main()
