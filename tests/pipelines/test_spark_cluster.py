"""A real cluster: a standalone master with two workers, each a process, and a job that both work on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.pipelines.cluster_job import SETTINGS
from tests.support.faults import eventually
from tests.support.spark_cluster import SparkCluster
from tests.support.topics import create, write

if TYPE_CHECKING:
    from tests.pipelines.conftest import Queue

JOB = Path(__file__).with_name("cluster_job.py")


def run(command: list[str]) -> Any:
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=500,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)


def finished(cluster: SparkCluster) -> list[str]:
    return sorted(app["name"] for app in cluster.state()["completedapps"])


@pytest.mark.timeout(900)  # eight Java programs, which a busy machine makes slow
def test_jobs_run_on_the_workers_of_a_cluster(penstock_queue: Queue, tmp_path: Path) -> None:
    bootstrap = penstock_queue.bootstrap
    topic = create(bootstrap, penstock_queue.fresh("clustered"), 4)
    for index in range(4):
        write(bootstrap, topic, [b"%d" % number for number in range(500)], partition=index)
    with SparkCluster(tmp_path) as cluster:
        # The session waits for both workers; a task a partition, two at a time, so that both have their share.
        assert run([sys.executable, str(JOB), bootstrap, topic, cluster.master]) == {
            "penstock": {"rows": 2_000, "places": 2},
            "kafka": {"rows": 2_000, "places": 2},
        }
        lake = ["lake", topic, "--table", "shop.numbers", "--mode", "raw", "--available-now", "--json"]
        lake += ["--warehouse", str(tmp_path / "warehouse"), "--bootstrap", bootstrap, "--master", cluster.master]
        for name, value in SETTINGS.items():
            lake += ["--conf", f"{name}={value}"]
        done = run([sys.executable, "-m", "penstock.cli", "pipeline", "run", *lake])
        assert (done["rows_in"], done["rows_out"]) == (2_000, 2_000)
        eventually(lambda: finished(cluster) == ["cluster job", "penstock lake"], "the master has heard of their ends")
