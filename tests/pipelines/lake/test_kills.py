"""kill -9 of the driver at random moments, again and again: rows in equal rows out, none twice, bad rows included.

Three kills unless PENSTOCK_KILLS says otherwise, as `make pipelines-kills` does. Each round wipes the folder the driver
ran in, with everything Spark keeps beside the tables. In every third round only the Python half is killed, so that its
JVM may still be writing while the next run starts: two writers, of which one must win.
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
from pathlib import Path
from typing import Any

import pytest
from tests.pipelines.conftest import ROOT
from tests.pipelines.lake.conftest import Lake, Topic

KILLS = int(os.environ.get("PENSTOCK_KILLS", "3"))
RECORDS_A_ROUND = 120
BAD_EVERY = 7
LONGEST_LIFE_S = 6.0


def start(options: dict[str, Any], folder: Path) -> subprocess.Popen[str]:
    folder.mkdir()
    return subprocess.Popen(
        [sys.executable, "-m", "tests.pipelines.lake.driver", json.dumps(options)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_DIRS": str(folder / "spark")},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


@pytest.mark.timeout(300 + 60 * KILLS)
def test_no_row_is_lost_or_doubled_however_often_the_driver_is_killed(lake: Lake, topic: Topic, tmp_path: Path) -> None:
    seed = int(os.environ.get("PENSTOCK_KILLS_SEED", "0")) or random.randrange(1 << 30)
    print(f"PENSTOCK_KILLS_SEED={seed}")
    dice = random.Random(seed)
    options = {
        "bootstrap": topic.bootstrap, "topics": [topic.name], "table": "shop.orders", "schema": "n BIGINT, round INT",
        "warehouse": str(lake.folder), "catalog": lake.catalog, "batch_records_max": 40, "interval_s": 0.1,
        "compact_every": 5, "group": "",
    }  # fmt: skip
    killed_at_work = 0
    for kill in range(KILLS):
        topic.write([
            b"bad" if n % BAD_EVERY == 0 else {"n": n, "round": kill} for n in range(RECORDS_A_ROUND)
        ])  # fmt: skip
        folder = tmp_path / f"driver-{kill}"
        driver = start(options, folder)
        assert driver.stdout is not None
        assert driver.stdout.readline() == "ready\n"
        time.sleep(dice.uniform(0, LONGEST_LIFE_S))
        assert driver.poll() is None, "the driver ended by itself"
        if kill % 3 == 2:
            os.kill(driver.pid, signal.SIGKILL)
        else:
            os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
        driver.stdout.close()
        shutil.rmtree(folder, ignore_errors=True)
        killed_at_work += 1
    assert killed_at_work == KILLS
    last = start({**options, "available_now": True}, tmp_path / "driver-last")
    said, _ = last.communicate(timeout=240)
    assert last.returncode == 0, said
    written = KILLS * RECORDS_A_ROUND
    bad = KILLS * len(range(0, RECORDS_A_ROUND, BAD_EVERY))
    good_places, bad_places = lake.places(), lake.places("orders_dead_letters")
    assert len(bad_places) == bad and len(good_places) == written - bad
    everything = sorted([*good_places, *bad_places])
    assert everything == [(partition, at) for partition in (0, 1) for at in range(written // 2)]
    values = lake.table().select("round", "n").distinct().count()
    assert values == written - bad
