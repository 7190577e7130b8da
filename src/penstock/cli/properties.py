"""KEY=VALUE, as options and files give it."""

from collections.abc import Mapping
from pathlib import Path

import click

from penstock.processes.private_files import write_private


def key_values(pairs: tuple[str, ...], *, option: str) -> dict[str, str]:
    """The pairs of a repeatable KEY=VALUE option."""
    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise click.UsageError(f"{option} wants KEY=VALUE, not {pair!r}")
        found[key.strip()] = value.strip()
    return found


def read_properties(path: Path) -> dict[str, str]:
    return parse_properties(path.read_text(encoding="utf-8"), path)


def parse_properties(text: str, path: Path) -> dict[str, str]:
    """Of a properties file: KEY=VALUE lines, # or ! begins a comment."""
    found = {}
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line[0] in "#!":
            continue
        key, equals, value = line.partition("=")
        if not equals:
            raise click.UsageError(f"{path}:{number}: expected KEY=VALUE")  # not the line: it may be a password
        found[key.strip()] = value.strip()
    return found


def write_properties(path: Path, properties: Mapping[str, str], *, comment: str, replace: bool = False) -> None:
    """For its owner alone, whole or not at all. FileExistsError unless it may be replaced; UsageError for what a line
    cannot hold.
    """
    for name, value in properties.items():
        if value.strip() != value or len(f"{value}.".splitlines()) > 1:
            raise click.UsageError(f"{name}: a properties file can hold neither line ends nor spaces around a value")
    text = "".join([f"# {comment}\n", *(f"{name}={value}\n" for name, value in properties.items())])
    write_private(path, text, replace=replace)
