"""The table of ids among failing leaders, cuts, deletions and clocks that are set; each planted bug is found."""

import pytest
from tests.properties.dedup_world import story

from penstock.delivery.dedup.bugs import DedupBugs

SEEDS = 300
FAULTS = {
    "abort",
    "clock set",
    "commit",
    "cut",
    "failed over",
    "records deleted",
    "restarted",
    "snapshot",
    "snapshot of another log",
    "time unknown",
}


def test_the_same_ids_count_for_every_leader_as_the_log_says() -> None:
    marks: set[str] = set()
    for seed in range(SEEDS):
        violation, dealt_out = story(seed)
        assert violation is None, f"seed {seed}: {violation}"
        marks |= dealt_out
    assert marks == FAULTS


@pytest.mark.parametrize("bug", DedupBugs.__struct_fields__)
def test_a_planted_bug_is_found(bug: str) -> None:
    bugs = DedupBugs(**{bug: True})
    assert any(story(seed, bugs)[0] is not None for seed in range(SEEDS)), f"not in {SEEDS} seeds"
