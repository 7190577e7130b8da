"""`python -m benchmarks.publish`: put the newest run of the history into docs/performance.md."""

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.compare import HISTORY
from benchmarks.report import number

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
HEADING = "## Results\n"


def results(run: dict[str, Any]) -> str:
    """The section of a run: what it was made of, a row a figure, what the run had to say about itself."""
    machine = run["machine"]
    rounds = max(len(values) for figures in run["rounds"].values() for values in figures.values())
    lines = [
        HEADING,
        f"Commit {run['commit']}, {run['at'][:10]}; {machine['cores']} cores ({machine['cpu']}), "
        f"{machine['memory_gb']:.0f} GB, Linux {machine['kernel']}, Python {machine['python']}; "
        f"{rounds} rounds{', QUICK' if run['quick'] else ''}. The bar is the ratio that the project holds itself to.",
        "",
        "| | unit | Apache Kafka | Penstock | ratio | bar |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
        *(_row(figure) for figure in run["figures"].values()),
    ]
    if run["notes"]:
        lines += ["", *(f"- {note}." for note in run["notes"])]
    return "\n".join(lines) + "\n"


def _row(figure: dict[str, Any]) -> str:
    sides = [f"{number(figure[s])} ±{figure[f'{s}_spread'] / 2:.0%}" for s in ("kafka", "penstock")]
    lower = figure["better"] == "lower"
    bar = ""
    if figure["bar"] is not None:
        met = figure["ratio"] <= figure["bar"] if lower else figure["ratio"] >= figure["bar"]
        bar = f"{'≤' if lower else '≥'} {figure['bar']:g}{'' if met else ' (missed)'}"
    return f"| {figure['title']} | {figure['unit']} | {sides[0]} | {sides[1]} | {figure['ratio']:.2f} | {bar} |"


def main() -> None:
    runs = [json.loads(line) for line in HISTORY.read_text().splitlines()] if HISTORY.exists() else []
    if not runs:
        sys.exit("no run in the history yet: make bench")
    before, _, _ = PAGE.read_text().partition(HEADING)
    PAGE.write_text(before + results(runs[-1]))


if __name__ == "__main__":
    main()
