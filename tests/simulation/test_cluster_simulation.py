"""Two hundred seeds of the simulated cluster (simulation), and each planted bug found by one of them.

More of them: make sim SEEDS=5000. What a failing seed tells: make sim SEED=137 (docs/simulation.md).
"""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from simulation.bugs import BUGS
from simulation.faults import FAULTS
from simulation.running import run_seed, seeds_for
from simulation.world import EFFECTS, World

from penstock.cluster import ClusterBugs
from penstock.replication.bugs import ReplicationBugs

ROOT = Path(__file__).parents[2]
SEEDS = 200
BUG_SEEDS = 400


def test_no_seed_breaks_an_invariant_and_every_kind_of_fault_is_dealt_out() -> None:
    # All of them in one: what happens least often does so in one seed of twelve.
    marks: Counter[str] = Counter()
    for seed in range(SEEDS):
        outcome = run_seed(seed)
        assert outcome.violation is None, outcome.report
        marks += outcome.marks
    never = [kind for kind in (*FAULTS, *EFFECTS) if not marks[kind]]
    assert not never, f"a simulation in which this never happens proves nothing of it: {never}"


@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found(bug: str) -> None:
    found = (run_seed(seed, bug=bug).violation is not None for seed in seeds_for(bug, BUG_SEEDS))
    assert any(found), f"not in {BUG_SEEDS} seeds"


def test_each_rule_that_is_marked_has_a_planted_bug_and_each_switch_is_one() -> None:
    rules = Path("docs/rules.md").read_text()
    marked = {int(number) for number in re.findall(r"^(\d+)\. \\\*", rules, flags=re.MULTILINE)}
    assert marked and {bug.rule for bug in BUGS.values() if bug.rule is not None} >= marked
    for switches, used in (
        (ClusterBugs, [bug.cluster for bug in BUGS.values()]),
        (ReplicationBugs, [bug.replication for bug in BUGS.values()]),
    ):
        never = [name for name in switches.__struct_fields__ if not any(getattr(each, name) for each in used)]
        assert not never, f"nobody looks for {never}"


TELL = """
import sys
from simulation.world import World
world = World(7, is_told=True, has_files=sys.argv[1] == "files")
world.run()
sys.stdout.write("\\n".join(world.story))
"""


@pytest.mark.parametrize("kept_in", ["files", "memory"])
def test_a_seed_tells_the_same_story_whatever_order_sets_have(kept_in: str) -> None:
    def told(hash_seed: str) -> str:
        environment = os.environ | {"PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", TELL, kept_in], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    one, other = told("1"), told("2")
    assert len(one.splitlines()) > 20
    assert one == other


def test_a_killed_process_leaves_its_files_to_the_next_one_and_nothing_is_left_open() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    worlds = [World(seed, has_files=True) for seed in range(5)]
    for world in worlds:
        world.run()
    assert sum(world.marks["broker killed"] + world.marks["leader killed"] for world in worlds) > 0
    assert sum(broker.lives for world in worlds for broker in world.brokers.values()) > 20
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_the_story_of_a_seed_names_faults_and_elections() -> None:
    world = World(3, is_told=True)
    world.run()
    assert world.story is not None
    assert any("FAULT" in line for line in world.story) and any("in sync" in line for line in world.story)
