"""A real cluster: a standalone master with two workers, each a process, and a job that both work on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.spark_cluster import SparkCluster
from tests.support.topics import create, write

if TYPE_CHECKING:
    from tests.pipelines.conftest import Queue

JOB = Path(__file__).with_name("cluster_job.py")


@pytest.mark.timeout(600)  # six Java programs, which a busy machine makes slow
def test_a_job_runs_on_every_worker_of_a_cluster(penstock_queue: Queue, tmp_path: Path) -> None:
    topic = create(penstock_queue.bootstrap, penstock_queue.fresh("clustered"), 4)
    for index in range(4):
        write(penstock_queue.bootstrap, topic, [b"%d" % number for number in range(500)], partition=index)
    with SparkCluster(tmp_path) as cluster:
        done = subprocess.run(
            [sys.executable, str(JOB), penstock_queue.bootstrap, topic, cluster.master],
            capture_output=True, text=True, check=False, timeout=500,
            env=os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-4000:]
        # The session waits for both workers; a task a partition, two at a time, so that both have their share.
        assert json.loads(done.stdout) == {
            "penstock": {"rows": 2_000, "places": 2},
            "kafka": {"rows": 2_000, "places": 2},
        }
        assert [app["name"] for app in cluster.state()["completedapps"]] == ["cluster job"]
