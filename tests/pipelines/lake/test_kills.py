"""kill -9 of the driver and of executors at random moments, again and again: rows in equal rows out, none twice.

Three kills unless PENSTOCK_KILLS says otherwise, as `make pipelines-kills` does. With each driver goes the folder that
it ran in, and everything Spark keeps beside the tables. Of some drivers only the Python half is killed, so that its JVM
may still be writing while the next run starts: two writers, of which one must win.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.pipelines.conftest import ROOT
from tests.pipelines.lake.conftest import Lake, Topic
from tests.support.spark_processes import family, kind_of

KILLS = int(os.environ.get("PENSTOCK_KILLS", "3"))
RECORDS_A_ROUND = 120
BAD_EVERY = 7
LONGEST_LIFE_S = 6.0
KINDS = ("executor", "driver", "executor", "python half")


class Driver:
    """Started when it is needed, with a folder of its own."""

    def __init__(self, options: dict[str, Any], folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self.program = subprocess.Popen(
            [sys.executable, "-m", "tests.pipelines.lake.driver", json.dumps(options)],
            cwd=folder,
            env={
                **os.environ,
                "PYTHONPATH": str(ROOT),
                "SPARK_LOCAL_DIRS": str(folder / "spark"),
                "SPARK_WORKER_DIR": str(folder / "work"),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        assert self.program.stdout is not None
        assert self.program.stdout.readline() == "ready\n"

    def kill(self, *, python_alone: bool) -> None:
        if self.program.poll() is None:
            (os.kill if python_alone else os.killpg)(self.program.pid, signal.SIGKILL)
            self.program.wait()
        assert self.program.stdout is not None
        self.program.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def kill_executor(self, dice: random.Random) -> bool:
        there = [pid for pid in family(self.program.pid) if kind_of(pid) == "executor"]
        if there:
            os.kill(dice.choice(there), signal.SIGKILL)
        return bool(there)


@pytest.mark.timeout(600 + 120 * KILLS)
def test_no_row_is_lost_or_doubled_however_often_driver_and_executors_are_killed(
    lake: Lake, queue: Any, topic: Topic, tmp_path: Path
) -> None:
    seed = int(os.environ.get("PENSTOCK_KILLS_SEED", "0")) or random.randrange(1 << 30)
    print(f"PENSTOCK_KILLS_SEED={seed}")
    dice = random.Random(seed)
    options = {
        "max_dead_letters": 100,
        "bootstrap": topic.bootstrap, "topics": [topic.name], "table": "shop.orders", "schema": "n BIGINT, round INT",
        "warehouse": str(lake.folder), "catalog": lake.catalog, "batch_records_max": 40, "interval_s": 0.1,
        "compact_every": 5, "group": "",
    }  # fmt: skip
    kills: Counter[str] = Counter()
    rounds = 0
    driver: Driver | None = None
    while kills.total() < KILLS:
        driver = driver or Driver(options, tmp_path / f"driver-{rounds}")
        topic.write([
            b"bad" if n % BAD_EVERY == 0 else {"n": n, "round": rounds} for n in range(RECORDS_A_ROUND)
        ])  # fmt: skip
        rounds += 1
        time.sleep(dice.uniform(0, LONGEST_LIFE_S))
        assert driver.program.poll() is None, "the driver ended by itself"
        kind = KINDS[kills.total() % len(KINDS)]
        if kind == "executor":
            kills[kind] += driver.kill_executor(dice)
            continue
        driver.kill(python_alone=kind == "python half")
        driver = None
        kills[kind] += 1
    if driver is not None:
        driver.kill(python_alone=False)
    last = Driver({**options, "available_now": True}, tmp_path / "driver-last")
    try:
        said, _ = last.program.communicate()
    finally:
        last.kill(python_alone=False)
    assert last.program.returncode == 0, said
    written = rounds * RECORDS_A_ROUND
    bad = rounds * len(range(0, RECORDS_A_ROUND, BAD_EVERY))
    good_places, bad_places = lake.places(), lake.places("orders_dead_letters")
    assert len(bad_places) == bad and len(good_places) == written - bad
    everything = sorted([*good_places, *bad_places])
    assert everything == [(partition, at) for partition in (0, 1) for at in range(written // 2)]
    values = lake.table().select("round", "n").distinct().count()
    assert values == written - bad
    print(f"{queue.kind}: killed {dict(kills)}, {written} records")
