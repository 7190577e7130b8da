"""The figures of a run as a table and a plot: on the terminal, and in docs/pipelines/performance.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.plots import Axis, Series, line_plot

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pipelines" / "performance.md"
HEADING = "## Results\n"
SIDES = {"penstock": "", "spark": " (Spark)"}
"""Short, since six have to stand side by side above a plot."""


@dataclass(frozen=True, slots=True)
class Run:
    records: int
    record_bytes: int
    cores: int

    def scaled(self, factor: float) -> Run:
        return replace(self, records=int(self.records * factor))

    @property
    def title(self) -> str:
        size = "1 KB" if self.record_bytes == 1_000 else f"{self.record_bytes} B"
        return f"{_count(self.records)} × {size}, {self.cores} core{'s' if self.cores > 1 else ''}"


@dataclass(frozen=True, slots=True)
class Measured:
    run: Run
    case: str
    by: str
    title: str
    seconds: float

    @property
    def rows_per_s(self) -> float:
        return self.run.records / self.seconds

    @property
    def mb_per_s(self) -> float:
        return self.rows_per_s * self.run.record_bytes / 1e6

    @staticmethod
    def from_json(row: Mapping[str, Any]) -> Measured:
        return Measured(Run(**row["run"]), row["case"], row["by"], row["title"], row["seconds"])

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "rows_per_s": round(self.rows_per_s), "mb_per_s": round(self.mb_per_s, 1)}


def table(measured: Sequence[Measured]) -> list[str]:
    """A row a case, a column a run: thousand rows a second, and megabytes."""
    runs = list(dict.fromkeys(each.run for each in measured))
    cases = list(dict.fromkeys((each.case, each.by, each.title) for each in measured))
    lines = [
        f"| thousand rows/s (MB/s) | {' | '.join(run.title for run in runs)} |",
        f"| --- | {' | '.join('---:' for _ in runs)} |",
    ]
    found = {(each.run, each.case, each.by): each for each in measured}
    for case, by, title in cases:
        cells = (_cell(found.get((run, case, by))) for run in runs)
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return lines


def _cell(measured: Measured | None) -> str:
    return "" if measured is None else f"{measured.rows_per_s / 1_000:.0f} ({measured.mb_per_s:.0f})"


def growth(measured: Sequence[Measured]) -> list[str]:
    """How each case grows with cores, and with records: what is divided differs in nothing else."""
    lines = ["| rows/s, as a ratio | two cores to one | ten million records to one |", "| --- | ---: | ---: |"]
    for case, by, title in dict.fromkeys((each.case, each.by, each.title) for each in measured):
        mine = {each.run: each.rows_per_s for each in measured if (each.case, each.by) == (case, by)}
        cores = [mine[run] / mine[less] for run in mine if (less := replace(run, cores=run.cores // 2)) in mine]
        records = [mine[run] / mine[less] for run in mine if (less := replace(run, records=run.records // 10)) in mine]
        lines.append(f"| {title} | {_ratio(cores)} | {_ratio(records)} |")
    return lines


def _ratio(found: Sequence[float]) -> str:
    return ", ".join(f"{each:.2f}" for each in found) or "–"


def plots(measured: Sequence[Measured]) -> dict[str, str]:
    """By file name: how each case grows with cores, and with records. Spark's own is dashed, to be compared with."""
    return {
        "performance-cores.svg": _growth("cores", measured, differs=lambda run: run.cores),
        "performance-records.svg": _growth("records", measured, differs=lambda run: run.records),
    }


def _growth(what: str, measured: Sequence[Measured], *, differs: Callable[[Run], int]) -> str:
    """Over the runs that are alike but for one thing."""
    alike = [
        each
        for each in measured
        if any(
            (other.case, other.by) == (each.case, each.by)
            and replace(each.run, **{what: differs(other.run)}) == other.run != each.run
            for other in measured
        )
    ]
    steps = sorted({differs(each.run) for each in alike})
    series = [
        Series(
            f"{case}{SIDES[by]}",
            [
                (steps.index(differs(each.run)), each.rows_per_s / 1_000)
                for each in alike
                if (each.case, each.by) == (case, by)
            ],
            is_dashed=by == "spark",
        )
        for case, by in dict.fromkeys((each.case, each.by) for each in alike)
    ]
    size = alike[0].run.record_bytes
    names = [f"{_count(step)} {what}" if what == "records" else f"local[{step}]" for step in steps]
    title = f"Rows a second by {what}, records of {size:,} bytes"
    return line_plot(title, series, x=Axis(what, names=names), y=Axis("thousand rows a second", begins_at=0.0))


def section(measured: Sequence[Measured], facts: Mapping[str, Any]) -> str:
    machine = facts["machine"]
    return "\n".join(
        [
            HEADING,
            f"Commit {facts['commit']}, {facts['at'][:10]}; {machine['cores']} cores ({machine['cpu']}),"
            f" {machine['memory_gb']:.0f} GB, Linux {machine['kernel']}, Python {machine['python']}; load average"
            f" {facts['load']:.1f} before the run; best of {facts['rounds']} after a warm-up.",
            "",
            "Dashed, and with (Spark) behind the name, is what Spark's own connector does.",
            "",
            "![rows a second by cores](performance-cores.svg)",
            "![rows a second by records](performance-records.svg)",
            "",
            *table(measured),
            "",
            *growth(measured),
            "",
        ]
    )


def publish(measured: Sequence[Measured], facts: Mapping[str, Any], page: Path = PAGE) -> None:
    before, _, _ = page.read_text().partition(HEADING)
    page.write_text(before + section(measured, facts))
    for name, picture in plots(measured).items():
        (page.parent / name).write_text(picture)


def _count(records: int) -> str:
    return f"{records // 1_000_000} M" if records >= 1_000_000 else f"{records:,}"
