"""A share group in the simulated cluster (simulation/sharing.py), and each planted bug found."""

import pytest
from simulation.sharing import BUGS, EFFECTS, SharedWorld
from tests.support.stories import bug_is_found, none_is_broken


def test_what_was_answered_is_done_and_each_dead_letter_comes_once_whatever_fails() -> None:
    none_is_broken(SharedWorld, seeds=16, effects=EFFECTS)


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug: str) -> None:
    bug_is_found(lambda seed: SharedWorld(seed, BUGS[bug]), likely=BUGS[bug].seed)
