"""`python -m benchmarks.publish`: put the newest whole run of the history into docs/performance.md, with its plots.

What was published stays in docs/performance/history.jsonl, a short line a run, from which the history is drawn.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from benchmarks.compare import HISTORY
from benchmarks.growth.curve import draw, read
from benchmarks.plots import Axis, Bar, Series, bar_plot, line_plot
from benchmarks.report import by_section, number

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
PLOTS = PAGE.parent / "performance"
PUBLISHED = PLOTS / "history.jsonl"
HEADING = "## Results\n"

DRAWN = {
    "big.produce_cpu": "CPU a GB produced",
    "small.produce_cpu": "the same, 100 B",
    "single.cpu": "CPU a request",
    "paced.p99": "p99 at a fixed rate",
    "rest.rss": "memory at rest",
    "start.first_ack": "start",
}
"""The figures whose ratio to Kafka is drawn over time: less is better in all of them."""


def results(run: dict[str, Any]) -> str:
    """The section of a run: what it was made of, a row a figure, what the run had to say about itself."""
    machine = run["machine"]
    rounds = max(len(values) for figures in run["rounds"].values() for values in figures.values())
    lines = [
        HEADING,
        f"Commit {run['commit']}, {run['at'][:10]}; {machine['cores']} cores ({machine['cpu']}), "
        f"{machine['memory_gb']:.0f} GB, Linux {machine['kernel']}, Python {machine['python']}; "
        f"{rounds} rounds{', QUICK' if run['quick'] else ''}. The bar is the ratio that the project holds itself to.",
    ]
    if run["notes"]:
        lines += ["", "What the run says of itself, which comes first when reading it:", ""]
        lines += [f"- {note}." for note in run["notes"]]
    for title, keys in by_section(list(run["figures"])).items():
        lines += [
            "",
            f"### {title[0].upper()}{title[1:]}",
            "",
            *(
                [f"![Ratio to Apache Kafka, {title}](performance/{_plot_of(title)})", ""]
                if _has_bars(run, keys)
                else []
            ),
            "| | unit | Apache Kafka | Penstock | ratio | bar |",
            "| --- | --- | ---: | ---: | ---: | ---: |",
            *(_row(run["figures"][key]) for key in keys),
        ]
    lines += _alone(run.get("alone", {}))
    return "\n".join(lines) + "\n"


def _has_bars(run: dict[str, Any], keys: Sequence[str]) -> bool:
    """Whether there is something to draw."""
    return any(run["figures"][key]["bar"] is not None for key in keys)


def _plot_of(section: str) -> str:
    return f"ratios-{section.partition(' ')[0]}.svg"


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
    return f"{'≤' if _is_low(figure) else '≥'} {bound:g}{'' if _keeps_to(figure, value, bound) else ' (missed)'}"


def _is_low(figure: dict[str, Any]) -> bool:
    return bool(figure["better"] == "lower")


def _keeps_to(figure: dict[str, Any], value: float, bound: float) -> bool:
    return value <= bound if _is_low(figure) else value >= bound


# Plots ------------------------------------------------------------------------------------------------------------


def ratios(run: dict[str, Any]) -> dict[str, str]:
    """A picture a section, by file name: every figure that has a bar, beside it."""
    pictures = {}
    for title, keys in by_section(list(run["figures"])).items():
        bars = [
            Bar(f"{figure['title']}, {figure['unit']}", figure["ratio"], figure["bar"],
                is_met=_keeps_to(figure, figure["ratio"], figure["bar"]))
            for figure in (run["figures"][key] for key in keys)
            if figure["bar"] is not None and figure["ratio"] > 0
        ]  # fmt: skip
        if bars:
            label = "Penstock / Apache Kafka; the mark is the bar, a value that misses it is red"
            heading = f"Ratio to Apache Kafka, {title}"
            pictures[_plot_of(title)] = bar_plot(heading, bars, label=label, is_log=True, origin=1.0)
    return pictures


def short(run: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a published run."""
    kept = {key: run[key] for key in ("at", "commit", "machine", "quick")}
    return {**kept, "ratios": {key: figure["ratio"] for key, figure in run["figures"].items()}}


def history_plot(published: Sequence[dict[str, Any]]) -> str:
    names = [f"{run['commit'][:7]}{' (quick)' if run['quick'] else ''}" for run in published]
    series = [
        Series(title, [(at, run["ratios"][key]) for at, run in enumerate(published) if key in run["ratios"]])
        for key, title in DRAWN.items()
    ]
    drawn = [each for each in series if each.points]
    return line_plot(
        "Ratio to Apache Kafka, run by run", drawn, x=Axis("commit", names=names), y=Axis("ratio", is_log=True)
    )


def growth_section(grown: dict[str, Any]) -> str:
    lines = [
        "",
        "## How cost grows",
        "",
        f"`make bench-growth`, Penstock by itself; commit {grown['commit']}, {grown['at'][:10]}, load average "
        f"{grown['load']:.0f} on {grown['machine']['cores']} cores (with other work on the machine a point is off by "
        "some ten percent: look at the shape). The figures are in [growth.csv](performance/growth.csv).",
        "",
        *(f"![{curve['title']}](performance/growth-{curve['key']}.svg)" for curve in grown["curves"]),
    ]
    return "\n".join(lines) + "\n"


HISTORY_HEADING = "\n## Over time\n"
HISTORY_SECTION = f"{HISTORY_HEADING}\n![Ratio to Apache Kafka, run by run](performance/history.svg)\n"


def newest_whole(lines: Sequence[str]) -> dict[str, Any] | None:
    """A quick one only where there is no other: it is a first impression."""
    runs: list[dict[str, Any]] = [run for line in reversed(lines) if not (run := json.loads(line)).get("partial")]
    return next((run for run in runs if not run["quick"]), runs[0] if runs else None)


def rewritten(page: str, *, run: dict[str, Any] | None, grown: dict[str, Any] | None) -> str:
    """The page with the results of a run, or with those it has, and what is drawn below them."""
    before, _, after = page.partition(HEADING)
    section = HEADING + after.partition(HISTORY_HEADING)[0] if run is None else results(run)
    return before + section + HISTORY_SECTION + ("" if grown is None else growth_section(grown))


@click.command(help=__doc__)
@click.option("--keep-results", is_flag=True, help="Leave the results on the page; draw history and growth anew.")
def main(*, keep_results: bool) -> None:
    run = newest_whole(HISTORY.read_text().splitlines()) if HISTORY.exists() and not keep_results else None
    if run is None and not keep_results:
        sys.exit("no run in the history yet: make bench")
    PLOTS.mkdir(exist_ok=True)
    published = [json.loads(line) for line in PUBLISHED.read_text().splitlines()] if PUBLISHED.exists() else []
    if run is not None:
        if all(each["at"] != run["at"] for each in published):
            published.append(short(run))
            PUBLISHED.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in published))
        for name, picture in ratios(run).items():
            (PLOTS / name).write_text(picture)
    (PLOTS / "history.svg").write_text(history_plot(published))
    kept = PLOTS / "growth.json"
    grown = json.loads(kept.read_text()) if kept.exists() else None
    for curve in [] if grown is None else grown["curves"]:
        (PLOTS / f"growth-{curve['key']}.svg").write_text(draw(read(curve)))
    PAGE.write_text(rewritten(PAGE.read_text(), run=run, grown=grown))


if __name__ == "__main__":
    main()
