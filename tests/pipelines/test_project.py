"""`penstock pipeline init` writes a project that Spark's own command runs, twice, and whose tests pass."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.topics import create, write

from penstock.cli.program import run
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.project import ProjectOptions, write_project

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from tests.pipelines.conftest import Queue

BIN = Path(sys.executable).parent


def spark_pipelines(project: Path) -> None:
    environment = os.environ | {
        "SPARK_CONF_DIR": str(project / "conf"),
        "PYSPARK_PYTHON": sys.executable,
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(
        [str(BIN / "spark-pipelines"), "run"], cwd=project, env=environment, capture_output=True, text=True,
        check=False, timeout=400,
    )  # fmt: skip
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]


def rows(spark: SparkSession, project: Path, table: str) -> int:
    return spark.read.format("iceberg").load(str(project / "warehouse" / "shop" / table)).count()


@pytest.mark.timeout(900)  # three Sparks one after another, which a busy machine makes slow
def test_the_project_runs_and_the_next_run_continues(
    spark: SparkSession, penstock_queue: Queue, tmp_path: Path
) -> None:
    topic = create(penstock_queue.bootstrap, penstock_queue.fresh("orders"), 2)
    project = tmp_path / "shop"
    assert run(["pipeline", "init", str(project), "-b", penstock_queue.bootstrap, "--topic", topic]) == 0
    good = [b'{"id": %d, "item": "tea", "price": 2.5}' % number for number in range(20)]
    write(penstock_queue.bootstrap, topic, [*good, b"no order"], partition=1)
    spark_pipelines(project)
    assert (rows(spark, project, "orders"), rows(spark, project, "dead_letters")) == (20, 1)
    write(penstock_queue.bootstrap, topic, good[:5], partition=0)
    spark_pipelines(project)
    assert (rows(spark, project, "orders"), rows(spark, project, "dead_letters")) == (25, 1)
    sales = spark.read.format("iceberg").load(str(project / "warehouse" / "shop" / "sales")).collect()
    assert [(row.item, row.orders, row.total) for row in sales] == [("tea", 25, 62.5)]


def test_the_projects_own_tests_pass(tmp_path: Path) -> None:
    write_project(ProjectOptions(tmp_path / "shop"))
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"],
        cwd=tmp_path / "shop", env=environment, capture_output=True, text=True, check=False, timeout=800,
    )  # fmt: skip
    assert done.returncode == 0 and "2 passed" in done.stdout, (done.stdout + done.stderr)[-4000:]


def test_the_driver_is_on_this_machine_alone_and_what_exists_is_not_written_over(tmp_path: Path) -> None:
    write_project(ProjectOptions(tmp_path))
    lines = (tmp_path / "conf" / "spark-defaults.conf").read_text().splitlines()
    settings = dict(line.split(None, 1) for line in lines if not line.startswith("#"))
    assert settings["spark.driver.host"] == settings["spark.driver.bindAddress"] == "127.0.0.1"
    with pytest.raises(PipelineProblem, match="already"):
        write_project(ProjectOptions(tmp_path))
