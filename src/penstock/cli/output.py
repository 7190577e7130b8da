"""Tables for people and JSON for programs; rich loads only here, when a table is really printed."""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click

from penstock.cli.printable import printable, printable_lines

PIPE_WIDTH = 10_000
"""Columns of a table that goes to a file or a pipe: never wrap what a program or grep reads."""


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs instead of a table.")(command)


def print_json(value: object) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    # A terminal obeys more than JSON has to escape.
    click.echo("\n".join(_escaped(line) for line in text.split("\n")))


def _escaped(line: str) -> str:
    return line if line.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in line)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None) -> None:
    """Numbers to the right, text to the left, as wide as the content needs."""
    from rich.console import Console  # noqa: PLC0415 - heavy, see the module's docstring
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    rows = [list(row) for row in rows]
    title = None if title is None else printable(title)
    table = Table(
        box=None,
        pad_edge=False,
        header_style="bold",
        title=title,
        title_justify="left",
        title_style="bold",
    )
    for index, column in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[index], int | None) for row in rows)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        # Text, not str: a topic's settings may hold square brackets, which rich would read as markup.
        table.add_row(*(Text("-" if cell is None else printable(str(cell))) for cell in row))
    Console(file=sys.stdout, width=None if sys.stdout.isatty() else PIPE_WIDTH, highlight=False).print(table)


def note(text: str) -> None:
    """A remark for the person at the terminal; stderr, so that it never mixes with data."""
    click.echo(printable_lines(text), err=True)
