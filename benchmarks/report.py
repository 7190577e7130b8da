"""Shows a run as a table and keeps it as one JSON line."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.figures import Alone, Better, Figure, Line, Picked
from benchmarks.rounds import Collected


def number(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def _picked(picked: Picked) -> str:
    return number(picked.value) + (f" ±{picked.spread / 2:.0%}" if picked.rounds > 1 else "")


def _bound(figure: Figure, bound: float | None, *, is_met: bool | None) -> str:
    if bound is None:
        return ""
    sign = "≤" if figure.better is Better.LOWER else "≥"
    return f"[{'green' if is_met else 'red'}]{sign} {bound:g}[/]"


def _bar(line: Line) -> str:
    bar = _bound(line.figure, line.figure.bar, is_met=line.meets_bar)
    limit = _bound(line.figure, line.figure.limit, is_met=line.meets_limit)
    return f"{bar}; itself {limit}" if limit else bar


def by_section(keys: Sequence[str]) -> dict[str, list[str]]:
    """The keys of figures by what they are of."""
    three = [key for key in keys if key.startswith("three.")]
    full = [key for key in keys if key.startswith("full.")]
    tls = [key for key in keys if key.startswith("tls.")]
    rights = [key for key in keys if key.startswith("rights.")]
    one = [key for key in keys if key not in {*three, *full, *tls, *rights}]
    sections = {
        "one broker": one,
        "all batches opened: one broker, penstock.validate.records=full": full,
        "three brokers, RF 3, acks=all": three,
        "one broker, TLS 1.3": tls,
        "one broker, TLS, logins and access rules": rights,
    }
    return {title: found for title, found in sections.items() if found}


def show(console: Console, lines: Sequence[Line], collected: Collected, title: str) -> None:
    by_key = {line.figure.key: line for line in lines}
    for section, keys in by_section(list(by_key)).items():
        table = Table(title=f"{title}: {section}", title_justify="left")
        table.add_column("")
        for heading in ("unit", "Apache Kafka", "Penstock", "ratio", "bar"):
            table.add_column(heading, justify="left" if heading == "unit" else "right")
        for line in (by_key[key] for key in keys):
            sides = _picked(line.kafka), _picked(line.penstock)
            table.add_row(line.figure.title, line.figure.unit, *sides, f"{line.ratio:.2f}", _bar(line))
        console.print(table)
    console.print("Best round for CPU and throughput, median for latency; ± is half the range over the rounds.")
    for note in collected.notes:
        console.print(f"Note: {note}.")


def show_alone(console: Console, lines: Sequence[Alone]) -> None:
    if not lines:
        return
    table = Table("", "unit", title="Penstock by itself", title_justify="left")
    for heading in ("Penstock", "limit"):
        table.add_column(heading, justify="right")
    for line in lines:
        limit = _bound(line.figure, line.figure.limit, is_met=line.meets_limit)
        table.add_row(line.figure.title, line.figure.unit, _picked(line.penstock), limit)
    console.print(table)


def record(
    lines: Sequence[Line], collected: Collected, facts: dict[str, Any], by_itself: Sequence[Alone] = ()
) -> dict[str, Any]:
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
                "limit": line.figure.limit,
            }
            for line in lines
        },
        "alone": {
            line.figure.key: {
                "title": line.figure.title,
                "unit": line.figure.unit,
                "better": line.figure.better.value,
                "penstock": round(line.penstock.value, 6),
                "penstock_spread": round(line.penstock.spread, 4),
                "limit": line.figure.limit,
            }
            for line in by_itself
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
