"""A setting that is offered does something: some code reads it, or its row says that it waits for something."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from penstock.settings import Scope, settings_of
from penstock.settings.setting import Setting

SOURCE = Path(__file__).parents[2] / "src" / "penstock"
TABLES = [
    path for path in (SOURCE / "settings").glob("*.py") if re.search(r"^[A-Z_]+ = setting\(", path.read_text(), re.M)
]

WAITING = {
    "interval.ms": "for telemetry of clients",
    "metrics": "for telemetry of clients",
    "preallocate": "accepted for compatibility; no gain on Linux",
    "remote.log.copy.disable": "for the cold tier",
    "remote.log.delete.on.disable": "for the cold tier",
}


def rows_of(table: Path) -> dict[str, Setting[Any]]:
    """A table's rows, by the names that code reads them by."""
    module = import_module(f"penstock.settings.{table.stem}")
    named = re.findall(r"^([A-Z][A-Z0-9_]*) = setting\(", table.read_text(), re.M)
    return {name: getattr(module, name) for name in named}


def read_somewhere() -> set[str]:
    """Every name in capitals that the code outside the tables mentions."""
    texts = (path.read_text() for path in SOURCE.rglob("*.py") if path not in TABLES and "messages" not in path.parts)
    return {name for text in texts for name in re.findall(r"\b[A-Z][A-Z0-9_]{3,}\b", text)}


def test_every_setting_is_read_or_says_what_it_waits_for() -> None:
    mentioned = read_somewhere()
    inherited = {synonym.setting for row in settings_of(Scope.TOPIC).values() for synonym in row.synonyms}
    rows = [each for table in TABLES for each in rows_of(table).items()]
    assert len(rows) > 250, "the tables are found"
    idle = sorted(
        f"{row.scope.value} setting {row.name}"
        for name, row in rows
        if name not in mentioned and row not in inherited and row.name not in WAITING
    )
    assert not idle, (
        "nothing reads these: use them, move Kafka's to settings/unused.py, or say in WAITING what for\n  "
        + "\n  ".join(idle)
    )


def test_nothing_waits_that_does_not_exist() -> None:
    assert set(WAITING) <= {row.name for table in TABLES for row in rows_of(table).values()}


def test_the_guides_name_only_settings_that_exist() -> None:
    known = {*settings_of(Scope.BROKER), *settings_of(Scope.TOPIC), *settings_of(Scope.GROUP)}
    root = SOURCE.parents[1]
    guides = [root / "README.md", *(root / "docs" / "operate").glob("*.md"), *(root / "docs" / "tutorial").glob("*.md")]
    named = {
        (guide.name, name)
        for guide in guides
        for name in re.findall(r"`(penstock(?:\.[a-z]+){2,})(?:=[^`]*)?`", guide.read_text())
        if not (SOURCE.parent / name.replace(".", "/")).exists()
    }
    unknown = sorted(f"{guide}: {name}" for guide, name in named if name not in known)
    assert not unknown, f"no such setting: {unknown}"
