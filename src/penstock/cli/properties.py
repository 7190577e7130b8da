"""KEY=VALUE, as options and files give it."""

from pathlib import Path

import click


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
    """A properties file: KEY=VALUE lines, # or ! begins a comment."""
    found = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        line = line.strip()
        if not line or line[0] in "#!":
            continue
        key, equals, value = line.partition("=")
        if not equals:
            raise click.UsageError(f"{path}:{number}: expected KEY=VALUE, found {line!r}")
        found[key.strip()] = value.strip()
    return found
