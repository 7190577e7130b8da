"""Records deleted in the simulated cluster (simulation/deleting.py), and each planted bug found."""

from collections import Counter

import pytest
from simulation.deleting import BUGS, EFFECTS, DeletingWorld
from simulation.oracle import Violation

SEEDS = 25
BUG_SEEDS = 60


def violation_of(seed: int, bug: str) -> Violation | None:
    try:
        DeletingWorld(seed, BUGS[bug]).run()
    except Violation as violation:
        return violation
    return None


def test_nothing_is_lost_but_what_was_to_be_deleted_whatever_fails() -> None:
    marks: Counter[str] = Counter()
    for seed in range(SEEDS):
        world = DeletingWorld(seed)
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
