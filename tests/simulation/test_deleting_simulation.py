"""Records deleted in the simulated cluster (simulation/deleting.py), and each planted bug found."""

import pytest
from simulation.deleting import BUGS, EFFECTS, DeletingWorld
from tests.support.stories import bug_is_found, none_is_broken


def test_nothing_is_lost_but_what_was_to_be_deleted_whatever_fails() -> None:
    none_is_broken(DeletingWorld, seeds=25, effects=EFFECTS)


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug: str) -> None:
    bug_is_found(lambda seed: DeletingWorld(seed, BUGS[bug]), likely=BUGS[bug].seed)
