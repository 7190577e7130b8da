"""Driver, executors and Python workers of a real little cluster killed in mid-transaction: every row once, in order.

A handful by default; `make pipelines-kills` asks for more.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.pipelines.jobs.topics import create
from tests.pipelines.sink.kills import Killer, Run, judge

if TYPE_CHECKING:
    from tests.pipelines.conftest import Queue

KILLS = int(os.environ.get("PENSTOCK_KILLS", "3"))
SEED = int(os.environ.get("PENSTOCK_KILLS_SEED", "0")) or random.randrange(1 << 30)


@pytest.mark.timeout(2400)
def test_rows_survive_kills_once_and_in_order(queue: Queue, tmp_path: Path) -> None:
    topic = create(queue.bootstrap, queue.fresh("killed"), 3)
    run = Run(queue.bootstrap, topic, 3, tmp_path, batches=4 + 2 * KILLS, rows=3_000)
    print(f"PENSTOCK_KILLS_SEED={SEED}")
    killer = Killer(run, random.Random(SEED))
    # Executors and workers mostly: a driver takes the longest to come back.
    batches = killer.drive(KILLS, ("worker", "executor", "worker", "executor", "driver"))
    judge(run, batches)
    print(f"{queue.kind}: killed {dict(killer.kills)}, {killer.starts} starts, {batches} batches")
