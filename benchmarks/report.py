"""Shows a run as a table and keeps it as one JSON line."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.figures import Better, Line, Picked
from benchmarks.rounds import Collected


def number(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def _picked(picked: Picked) -> str:
    return number(picked.value) + (f" ±{picked.spread / 2:.0%}" if picked.rounds > 1 else "")


def _bar(line: Line) -> str:
    if line.figure.bar is None:
        return ""
    sign = "≤" if line.figure.better is Better.LOWER else "≥"
    colour = "green" if line.meets_bar else "red"
    return f"[{colour}]{sign} {line.figure.bar:g}[/]"


def show(console: Console, lines: Sequence[Line], collected: Collected, title: str) -> None:
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for heading in ("unit", "Apache Kafka", "Penstock", "ratio", "bar"):
        table.add_column(heading, justify="left" if heading == "unit" else "right")
    for line in lines:
        sides = _picked(line.kafka), _picked(line.penstock)
        table.add_row(line.figure.title, line.figure.unit, *sides, f"{line.ratio:.2f}", _bar(line))
    console.print(table)
    console.print("Best round for CPU and throughput, median for latency; ± is half the range over the rounds.")
    for note in collected.notes:
        console.print(f"Note: {note}.")


def record(lines: Sequence[Line], collected: Collected, facts: dict[str, Any]) -> dict[str, Any]:
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        **facts,
        "notes": collected.notes,
        "warm_rounds": collected.warm_rounds,
        "figures": {
            line.figure.key: {
                "title": line.figure.title,
                "unit": line.figure.unit,
                "better": line.figure.better.value,
                "kafka": round(line.kafka.value, 6),
                "kafka_spread": round(line.kafka.spread, 4),
                "penstock": round(line.penstock.value, 6),
                "penstock_spread": round(line.penstock.spread, 4),
                "ratio": round(line.ratio, 4),
                "bar": line.figure.bar,
            }
            for line in lines
        },
        "rounds": {
            broker: {key: [round(value, 6) for value in values] for key, values in figures.items()}
            for broker, figures in collected.values.items()
        },
    }


def keep(history: Path, entry: dict[str, Any]) -> None:
    history.parent.mkdir(parents=True, exist_ok=True)
    with history.open("a") as lines:
        lines.write(json.dumps(entry, separators=(",", ":")) + "\n")
