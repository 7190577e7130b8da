"""`python -m benchmarks.compare`: the last run of the history beside the one before, of the same length."""

import json
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

HISTORY = Path(__file__).parent / "results" / "history.jsonl"


def last_two(lines: list[str]) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The newest run and the newest earlier one that is comparable with it."""
    runs: list[dict[str, Any]] = [json.loads(line) for line in lines]
    if not runs:
        return None
    newest = runs[-1]
    comparable = [run for run in runs[:-1] if run["quick"] == newest["quick"] and run["machine"] == newest["machine"]]
    return (comparable[-1], newest) if comparable else None


def main() -> None:
    pair = last_two(HISTORY.read_text().splitlines()) if HISTORY.exists() else None
    if pair is None:
        sys.exit(f"{HISTORY} does not hold two runs that can be compared yet")
    before, after = pair
    table = Table(title=f"{before['commit']} ({before['at']}) and {after['commit']} ({after['at']})")
    # The ratio to Kafka in the same run is compared, since the machine's own mood cancels out in it.
    for heading in ("figure", "unit", "ratio before", "ratio after", "Penstock before", "Penstock after"):
        table.add_column(heading, justify="left" if heading in ("figure", "unit") else "right")
    for key, now in after["figures"].items():
        if then := before["figures"].get(key):
            values = (then["ratio"], now["ratio"], then["penstock"], now["penstock"])
            table.add_row(key, now["unit"], *(f"{value:.4g}" for value in values))
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
