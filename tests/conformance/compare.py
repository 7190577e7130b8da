"""Compare two transcripts path by path, and judge what differs by the list of deliberate differences.

A listed difference pins what Penstock answers: a value, a kind of value, or what the file of pinned answers has for it.
It never covers a fault of Penstock's: a hang, a closed connection, an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

ABSENT = "(absent)"
ANYTHING = "*"
"""Of Kafka's answers alone."""


@dataclass(frozen=True)
class Fault:
    """No answer: the connection was closed, nothing came, or the situation could not be played."""

    what: str


@dataclass(frozen=True)
class Kind:
    """Values that differ with each run, and what they have in common."""

    name: str
    holds: Callable[[Any], bool]


PINNED = Kind("as pinned", lambda _: False)
"""What the file of pinned answers has at the finding's path and version."""
Answers = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""The pinned ones: by situation, path and versions such as 3-12."""


@dataclass(frozen=True)
class Finding:
    """One place where the brokers answered differently."""

    api: str
    situation: str
    version: int
    path: str
    kafka: Any
    penstock: Any

    def __str__(self) -> str:
        return f"v{self.version} {self.path}: Kafka {self.kafka!r}, Penstock {self.penstock!r}"


@dataclass(frozen=True)
class Difference:
    """A difference we mean, and why. Situation and path may use * and ?; a path counts the answers from 0."""

    api: str
    situation: str
    path: str
    reason: str
    kafka: Any = ANYTHING
    penstock: Any = PINNED
    versions: tuple[int, int] = (0, 99)

    def __post_init__(self) -> None:
        assert self.penstock is not ANYTHING, f"say what Penstock answers: {self}"

    def covers(self, finding: Finding, answers: Answers) -> bool:
        return (
            not isinstance(finding.penstock, Fault)
            and self.is_about(finding)
            and (self.kafka is ANYTHING or self.kafka == finding.kafka)
            and self._is_meant(finding, answers)
        )

    def is_about(self, finding: Finding) -> bool:
        return (
            fnmatchcase(finding.api, self.api)
            and fnmatchcase(finding.situation, self.situation)
            and self.versions[0] <= finding.version <= self.versions[1]
            and fnmatchcase(finding.path, self.path)
        )

    def _is_meant(self, finding: Finding, answers: Answers) -> bool:
        if self.penstock is PINNED:
            by_versions = answers.get(title_of(finding.api, finding.situation), {}).get(finding.path, {})
            return any(
                value == finding.penstock
                for versions, value in by_versions.items()
                if _within(finding.version, versions)
            )
        if isinstance(self.penstock, Kind):
            return self.penstock.holds(finding.penstock)
        return bool(self.penstock == finding.penstock)


def title_of(api: str, situation: str) -> str:
    return f"{api}: {situation}"


def _within(version: int, versions: str) -> bool:
    first, _, last = versions.partition("-")
    return int(first) <= version <= int(last or first)


def pinned(findings: Iterable[Finding], meant: Iterable[Difference]) -> dict[str, dict[str, dict[str, Any]]]:
    """The file of pinned answers anew: what Penstock answers wherever a listed difference leaves it to the file."""
    left = [each for each in meant if each.penstock is PINNED]
    found: dict[str, dict[str, list[tuple[int, Any]]]] = {}
    for each in findings:
        if not isinstance(each.penstock, Fault) and any(difference.is_about(each) for difference in left):
            paths = found.setdefault(title_of(each.api, each.situation), {})
            paths.setdefault(each.path, []).append((each.version, each.penstock))
    return {
        title: {path: _ranges(values) for path, values in sorted(paths.items())}
        for title, paths in sorted(found.items())
    }


def _ranges(values: list[tuple[int, Any]]) -> dict[str, Any]:
    ranges: list[tuple[int, int, Any]] = []
    for version, value in sorted(values, key=lambda each: each[0]):
        if ranges and ranges[-1][1] == version - 1 and ranges[-1][2] == value:
            ranges[-1] = (ranges[-1][0], version, value)
        else:
            ranges.append((version, version, value))
    return {str(a) if a == b else f"{a}-{b}": value for a, b, value in ranges}


def flatten(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from flatten(each, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for index, each in enumerate(value):
            yield from flatten(each, f"{path}.{index}" if path else str(index))
    else:
        yield path, value


def differing(kafka: Any, penstock: Any) -> Iterator[tuple[str, Any, Any]]:
    ours, theirs = dict(flatten(penstock)), dict(flatten(kafka))
    for path in dict.fromkeys([*theirs, *ours]):
        there, here = theirs.get(path, ABSENT), ours.get(path, ABSENT)
        if there != here:
            yield path, there, here


def unexplained(findings: Iterable[Finding], meant: Iterable[Difference], answers: Answers) -> list[Finding]:
    meant = list(meant)
    return [each for each in findings if not any(difference.covers(each, answers) for difference in meant)]
