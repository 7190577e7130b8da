"""A schedule topic in the simulated cluster (simulation/scheduling.py), and each planted bug found."""

import pytest
from simulation.scheduling import BUGS, EFFECTS, ScheduledWorld
from tests.support.stories import bug_is_found, none_is_broken


def test_none_is_fired_early_or_twice_or_never_whatever_fails_and_whoever_sets_clocks() -> None:
    none_is_broken(ScheduledWorld, seeds=25, effects=EFFECTS)


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug: str) -> None:
    bug_is_found(lambda seed: ScheduledWorld(seed, BUGS[bug]), likely=BUGS[bug].seed)
