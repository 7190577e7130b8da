"""The controller's decisions against a store on which several act at once, on images that lag: seeds find the bad luck.

Each actor (brokers, two of which believe at times to be the controller) has an image of its own, which hears of the
store's events late. Elections, in-sync writes, brokers lost and back, machines restarted and controllers deposed are
dealt out at random. After each write whoever is elected is in sync, and epochs only rise; when a leader first acts it
holds, by a model of the logs, all that was ever committed, unless it is the last resort; and one process acts in an
epoch.
"""

import random

import pytest
from tests.support.partition_world import PartitionWorld

from penstock.cluster import ClusterBugs

SEEDS = 300
STEPS = 600


@pytest.mark.parametrize("block", range(5))
def test_no_interleaving_of_decisions_loses_what_was_committed(block: int) -> None:
    elections = lost = 0
    for seed in range(block * SEEDS // 5, (block + 1) * SEEDS // 5):
        world = PartitionWorld(random.Random(seed))
        world.run(STEPS)
        elections += world.elections
        lost += world.conflicts
    assert elections > SEEDS and lost > SEEDS / 5, "a simulation in which nothing happens proves nothing"


@pytest.mark.parametrize(
    "bugs",
    [
        ClusterBugs(joins_without_registration=True),
        ClusterBugs(keeps_epoch_of_former_self=True),
        ClusterBugs(elects_outside_in_sync=True),
        ClusterBugs(elects_without_new_epoch=True),
    ],
    ids=lambda bugs: next(name for name in bugs.__struct_fields__ if getattr(bugs, name)),
)
def test_each_planted_bug_is_found(bugs: ClusterBugs) -> None:
    for seed in range(SEEDS * 4):
        try:
            PartitionWorld(random.Random(seed), bugs).run(STEPS)
        except AssertionError:
            return
    pytest.fail(f"not found in {SEEDS * 4} seeds")


@pytest.mark.parametrize("seed", range(40))
def test_once_faults_stop_every_partition_is_led_again(seed: int) -> None:
    world = PartitionWorld(random.Random(seed))
    world.run(STEPS)
    world.calm_down()
    assert all(part.leader >= 0 for _, part in world.truth.partitions())
