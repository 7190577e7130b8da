"""A share group in the simulated cluster (simulation/sharing.py), and each planted bug found."""

from collections import Counter

import pytest
from simulation.oracle import Violation
from simulation.sharing import BUGS, EFFECTS, SharedWorld

SEEDS = 16
BUG_SEEDS = 60


def violation_of(seed: int, bug: str) -> Violation | None:
    try:
        SharedWorld(seed, BUGS[bug]).run()
    except Violation as violation:
        return violation
    return None


def test_what_was_answered_is_done_and_each_dead_letter_comes_once_whatever_fails() -> None:
    marks: Counter[str] = Counter()
    for seed in range(SEEDS):
        world = SharedWorld(seed)
        try:
            world.run()
        except Violation as violation:
            raise AssertionError(f"seed {seed}: {violation}") from violation
        marks += world.marks
    never = [kind for kind in EFFECTS if not marks[kind]]
    assert not never, f"stories in which this never happens prove nothing of it: {never}"
    assert marks["leader killed"] and marks["power lost"] and marks["elections"]


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug: str) -> None:
    likely = BUGS[bug].seed
    seeds = [likely, *(seed for seed in range(BUG_SEEDS) if seed != likely)]
    assert any(violation_of(seed, bug) is not None for seed in seeds), f"not in {BUG_SEEDS} seeds"
