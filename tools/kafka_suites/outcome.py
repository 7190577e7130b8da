"""What became of the tests of a class, as Run.java tells it, and the table of all classes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


class Outcome(NamedTuple):
    test: str
    outcome: str
    reason: str
    seconds: float
    trace: str


@dataclass(frozen=True)
class ClassOutcome:
    name: str
    tests: Sequence[Outcome]
    cut_off: bool
    """Whether the class did not come to its end."""

    def count(self, outcome: str) -> int:
        return sum(test.outcome == outcome for test in self.tests)

    @property
    def failed(self) -> list[Outcome]:
        return [test for test in self.tests if test.outcome == "failed"]

    @property
    def is_good(self) -> bool:
        return bool(self.tests) and not self.failed and not self.cut_off


def read(file: Path) -> list[Outcome]:
    if not file.exists():
        return []
    return [Outcome(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def table(outcomes: Iterable[ClassOutcome]) -> str:
    """In Markdown: a row a class, and a last one of them all."""
    rows = ["| class | passed | failed | skipped | why skipped |", "| --- | --- | --- | --- | --- |"]
    total: Counter[str] = Counter()
    for each in outcomes:
        counts = {outcome: each.count(outcome) for outcome in ("passed", "failed", "skipped")}
        total.update(counts)
        name = f"{each.name} (cut off)" if each.cut_off else each.name
        rows.append(f"| {name} | {counts['passed']} | {counts['failed']} | {counts['skipped']} | {_reasons(each)} |")
    rows.append(f"| all | {total['passed']} | {total['failed']} | {total['skipped']} | |")
    return "\n".join(rows)


def _reasons(outcome: ClassOutcome) -> str:
    reasons = Counter(
        test.reason.replace("|", "/").replace("\n", " ") for test in outcome.tests if test.outcome == "skipped"
    )
    return "; ".join(reason if count == 1 else f"{count} × {reason}" for reason, count in reasons.most_common())
