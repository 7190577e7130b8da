"""Tests run with what is shipped. A tool that wants another version of something gets a folder of its own."""

import re
from pathlib import Path

REQUIREMENTS = Path(__file__).parents[2] / "requirements"
PINNED = re.compile(r"^([a-z0-9.-]+)==(\S+)", re.MULTILINE)


def pinned(name: str) -> set[tuple[str, str]]:
    return set(PINNED.findall((REQUIREMENTS / name).read_text()))


def test_what_is_shipped_is_what_is_tested() -> None:
    assert len(pinned("penstock.lock")) > 10
    assert pinned("penstock.lock") <= pinned("dev.lock")
