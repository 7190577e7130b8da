"""Compare two transcripts path by path, and judge what differs by the list of deliberate differences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

ABSENT = "(absent)"
ANYTHING = "*"


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
    penstock: Any = ANYTHING
    versions: tuple[int, int] = (0, 99)

    def covers(self, finding: Finding) -> bool:
        return (
            fnmatchcase(finding.api, self.api)
            and fnmatchcase(finding.situation, self.situation)
            and self.versions[0] <= finding.version <= self.versions[1]
            and fnmatchcase(finding.path, self.path)
            and _same(self.kafka, finding.kafka)
            and _same(self.penstock, finding.penstock)
        )


def _same(meant: Any, found: Any) -> bool:
    return (isinstance(meant, str) and meant == ANYTHING) or meant == found


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


def unexplained(findings: Iterable[Finding], meant: Iterable[Difference]) -> list[Finding]:
    meant = list(meant)
    return [each for each in findings if not any(difference.covers(each) for difference in meant)]
