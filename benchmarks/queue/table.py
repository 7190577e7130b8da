"""A run as tables on the console and as Markdown for docs/performance/queue.md."""

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.queue.rows import SIDES, Line
from benchmarks.report import number


def _cells(line: Line, sides: Sequence[str]) -> list[str]:
    return [_value(line, side) for side in sides]


def _value(line: Line, side: str) -> str:
    picked = line.values.get(side)
    if picked is None:
        return ""
    return number(picked.value) + (f" ±{picked.spread / 2:.0%}" if picked.rounds > 1 else "")


def _sides(lines: Sequence[Line]) -> list[str]:
    return [side for side in SIDES if any(side in line.values for line in lines)]


def show(console: Console, lines: Sequence[Line], *, title: str) -> None:
    sides = _sides(lines)
    table = Table(title=title, title_justify="left")
    for heading in ("", "unit", *sides, "bars"):
        table.add_column(heading, justify="right" if heading in sides else "left")
    for line in lines:
        bars = [f"[{'green' if each.is_met else 'red'}]{each.text}[/]" for each in line.verdicts]
        table.add_row(line.row.figure.title, line.row.figure.unit, *_cells(line, sides), "\n".join(bars))
    console.print(table)


def markdown(
    lines: Sequence[Line], titles: Mapping[str, str], syncs: Mapping[str, str], notes: Sequence[str]
) -> Iterator[str]:
    sides = _sides(lines)
    yield "| | unit | " + " | ".join(titles.get(side, side) for side in sides) + " | bars |"
    yield "| --- | --- | " + "---: | " * len(sides) + "--- |"
    yield "| kept when it is answered | | " + " | ".join(syncs.get(side, "") for side in sides) + " | |"
    for line in lines:
        bars = "; ".join(each.text + ("" if each.is_met else " (missed)") for each in line.verdicts)
        yield f"| {line.row.figure.title} | {line.row.figure.unit} | {' | '.join(_cells(line, sides))} | {bars} |"
    yield ""
    for note in notes:
        yield f"- {note}."
