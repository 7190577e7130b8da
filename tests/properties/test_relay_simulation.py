"""The relay's machine among failing leaders, late requests and targets that forget; each planted bug is found."""

import pytest
from tests.properties.relay_world import HomeLeader, StateKeeper, story

from penstock.delivery.relay.bugs import RelayBugs

SEEDS = 400
FAULTS = {
    "lost",
    "late",
    "home failed over",
    "target failed over",
    "target forgot",
    "target lost records",
}


HOMES = (HomeLeader, StateKeeper)


@pytest.mark.parametrize("home", HOMES)
def test_each_record_comes_to_its_target_once_and_in_order(home: type[HomeLeader]) -> None:
    marks: set[str] = set()
    for seed in range(SEEDS):
        violation, dealt_out = story(seed, home=home)
        assert violation is None, f"seed {seed}: {violation}"
        marks |= dealt_out
    assert marks == FAULTS


@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("bug", RelayBugs.__struct_fields__)
def test_a_planted_bug_is_found(bug: str, home: type[HomeLeader]) -> None:
    bugs = RelayBugs(**{bug: True})
    assert any(story(seed, bugs, home)[0] is not None for seed in range(SEEDS)), f"not in {SEEDS} seeds"
