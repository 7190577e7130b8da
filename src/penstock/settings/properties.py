"""Kafka's file format for settings: Java properties. Only what such files really use, and strict about the rest."""

import re
from typing import NamedTuple

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_SEPARATOR = re.compile(r"(?<!\\)(?:\s*[=:]\s*|\s+)")


class Line(NamedTuple):
    number: int
    name: str
    value: str


def parse_properties(text: str) -> list[Line]:
    """Names and values in the order they stand in; a name may come twice, and then the last one counts (as in Java)."""
    lines: list[Line] = []
    pending, begun_at = "", 0
    for number, raw in enumerate(text.splitlines(), start=1):
        stripped = raw.lstrip()
        if not pending and (not stripped or stripped[0] in "#!"):
            continue
        if not pending:
            begun_at = number
        logical = pending + stripped
        # An odd number of backslashes at the end joins the next line to this one.
        if (len(logical) - len(logical.rstrip("\\"))) % 2:
            pending = logical[:-1]
            continue
        pending = ""
        lines.append(_split(begun_at, logical))
    if pending:
        lines.append(_split(begun_at, pending))
    return lines


def _split(number: int, logical: str) -> Line:
    separator = _SEPARATOR.search(logical)
    if separator is None:
        return Line(number, _unescape(logical), "")
    return Line(number, _unescape(logical[: separator.start()]), _unescape(logical[separator.end() :]))


def _unescape(text: str) -> str:
    def replace(match: re.Match[str]) -> str:
        what = match[1]
        return chr(int(what[1:], 16)) if len(what) == 5 else _ESCAPES.get(what, what)

    return _ESCAPED.sub(replace, text) if "\\" in text else text
