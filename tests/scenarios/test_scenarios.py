"""Every scenario of this folder still goes as it is written; `make scenarios` writes what changed (see the diff)."""

from pathlib import Path

import pytest
from tests.support.group_play import GroupPlay
from tests.support.partition_play import PartitionPlay
from tests.support.scenarios import Misunderstood, play, scenarios

STAGES = {"partition": PartitionPlay, "group": GroupPlay}
HERE = Path(__file__).parent


@pytest.mark.parametrize("path", scenarios(HERE), ids=lambda path: path.stem)
def test_a_scenario_goes_as_it_is_written(path: Path) -> None:
    written = path.read_text()
    assert play(written, STAGES) == written


def test_what_a_machine_does_not_say_is_not_kept_and_what_it_says_is_added() -> None:
    opening = "> partition of 1, 2, min.insync.replicas 1\n"
    told = play(opening + "    leader: 2 in epoch 7\nProse stays.\n", STAGES)
    assert told == opening + "    leader: 1 in epoch 0\n    in sync: 1, 2\n    high watermark at 1: 0\nProse stays.\n"


def test_a_line_that_nobody_understands_is_named() -> None:
    with pytest.raises(Misunderstood, match="1 dances"):
        play("> partition of 1, 2, min.insync.replicas 1\n> 1 dances\n", STAGES)
