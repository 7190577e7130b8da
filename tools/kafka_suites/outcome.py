"""What became of the tests of a class, as Run.java tells it, and the table of all classes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

KINDS = ("passed", "failed", "flaky", "skipped")


class Outcome(NamedTuple):
    test: str
    outcome: str
    """One of KINDS; Run.java knows nothing of flaky."""
    reason: str
    seconds: float
    trace: str


@dataclass(frozen=True)
class ClassOutcome:
    name: str
    tests: Sequence[Outcome]
    cut_off: bool
    """Whether the class did not come to its end."""

    def after(self, once_more: Iterable[ClassOutcome]) -> ClassOutcome:
        """With tests that failed here and passed when their methods were run once more, alone, as flaky."""
        passed = {test.test for run in once_more if run.is_good for test in run.tests if test.outcome == "passed"}
        tests = [
            test._replace(outcome="flaky") if test.outcome == "failed" and test.test in passed else test
            for test in self.tests
        ]
        return replace(self, tests=tests)

    def count(self, outcome: str) -> int:
        return sum(test.outcome == outcome for test in self.tests)

    @property
    def failed(self) -> list[Outcome]:
        return [test for test in self.tests if test.outcome == "failed"]

    @property
    def failed_methods(self) -> list[str]:
        """Their names begin those of the tests."""
        return list(dict.fromkeys(test.test.split(" ")[0].split("(")[0] for test in self.failed))

    @property
    def is_good(self) -> bool:
        return bool(self.tests) and not self.failed and not self.cut_off


def read(file: Path) -> list[Outcome]:
    if not file.exists():
        return []
    return [Outcome(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def table(outcomes: Iterable[ClassOutcome]) -> str:
    """In Markdown: a row a class, and a last one of them all."""
    rows = [f"| class | {' | '.join(KINDS)} | why skipped |", "| --- | --- | --- | --- | --- | --- |"]
    total: Counter[str] = Counter()
    for each in outcomes:
        counts = {outcome: each.count(outcome) for outcome in KINDS}
        total.update(counts)
        name = f"{each.name} (cut off)" if each.cut_off else each.name
        rows.append(f"| {name} | {_cells(counts)} | {_reasons(each)} |")
    rows.append(f"| all | {_cells(total)} | |")
    return "\n".join(rows)


def _cells(counts: Mapping[str, int]) -> str:
    return " | ".join(str(counts[kind]) for kind in KINDS)


def _reasons(outcome: ClassOutcome) -> str:
    reasons = Counter(
        test.reason.replace("|", "/").replace("\n", " ") for test in outcome.tests if test.outcome == "skipped"
    )
    return "; ".join(reason if count == 1 else f"{count} × {reason}" for reason, count in reasons.most_common())
