"""Real logs on a simulated disk: crashed in the middle of a system call, and opened again."""

from collections import Counter

import pytest
from simulation.log_bugs import LOG_BUGS
from simulation.log_story import LogStory
from simulation.oracle import Violation

SEEDS = 40
BUG_SEEDS = 20


def test_a_log_keeps_its_promises_whatever_moment_a_crash_comes_at() -> None:
    marks: Counter[str] = Counter()
    for seed in range(SEEDS):
        story = LogStory(seed)
        try:
            story.run()
        except Violation as violation:
            raise AssertionError(f"seed {seed}: {violation}") from violation
        marks += story.marks
    kinds: tuple[str, ...] = (
        "power lost in the middle",
        "killed in the middle",
        "stopped",
        "cut",
        "begun anew",
        "flushed",
        "compacted",
    )
    kinds += ("no room", "failed", "folder vanished", "missed")
    assert not [kind for kind in kinds if not marks[kind]]


@pytest.mark.parametrize("bug", LOG_BUGS)
def test_a_bug_planted_into_the_log_is_found(bug: str) -> None:
    def is_found(seed: int) -> bool:
        try:
            LogStory(seed, bug).run()
        except Violation:
            return True
        return False

    assert any(is_found(seed) for seed in range(BUG_SEEDS)), f"not in {BUG_SEEDS} seeds"
