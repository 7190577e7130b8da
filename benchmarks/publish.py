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
    lines += _alone(run.get("alone", {}))
    if run["notes"]:
        lines += ["", *(f"- {note}." for note in run["notes"])]
    return "\n".join(lines) + "\n"


def _alone(figures: dict[str, dict[str, Any]]) -> list[str]:
    """What was measured of Penstock by itself."""
    if not figures:
        return []
    rows = [
        f"| {figure['title']} | {figure['unit']} | {_side(figure, 'penstock')} | "
        f"{_bound(figure, figure['penstock'], figure['limit'])} |"
        for figure in figures.values()
    ]
    return ["", "| Penstock by itself | unit | | limit |", "| --- | --- | ---: | ---: |", *rows]


def _row(figure: dict[str, Any]) -> str:
    bars = [_bound(figure, figure["ratio"], figure["bar"])]
    if figure.get("limit") is not None:
        bars.append(f"itself {_bound(figure, figure['penstock'], figure['limit'])}")
    sides = f"{_side(figure, 'kafka')} | {_side(figure, 'penstock')}"
    return f"| {figure['title']} | {figure['unit']} | {sides} | {figure['ratio']:.2f} | {'; '.join(bars)} |"


def _side(figure: dict[str, Any], side: str) -> str:
    return f"{number(figure[side])} ±{figure[f'{side}_spread'] / 2:.0%}"


def _bound(figure: dict[str, Any], value: float, bound: float | None) -> str:
    if bound is None:
        return ""
    lower = figure["better"] == "lower"
    met = value <= bound if lower else value >= bound
    return f"{'≤' if lower else '≥'} {bound:g}{'' if met else ' (missed)'}"


def main() -> None:
    runs = [json.loads(line) for line in HISTORY.read_text().splitlines()] if HISTORY.exists() else []
    if not runs:
        sys.exit("no run in the history yet: make bench")
    before, _, _ = PAGE.read_text().partition(HEADING)
    PAGE.write_text(before + results(runs[-1]))


if __name__ == "__main__":
    main()
