"""The processes of a Spark program, found by their parents and commands: for tests that kill them."""

from __future__ import annotations

import os
import signal
from pathlib import Path

SMALL_CLUSTER = "local-cluster[2,1,1024]"
"""A master and two workers within the driver, and executors that are processes."""
SURVIVING = {
    "spark.driver.memory": "512m",
    "spark.executor.memory": "512m",
    "spark.task.maxFailures": "20",
    "spark.executor.maxNumFailures": "1000",
    "spark.deploy.maxExecutorRetries": "-1",
}
"""Settings of a program whose executors are killed more often than Spark thinks normal."""


def family(root: int) -> list[int]:
    """All processes below one, nearest first."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue
            children.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    found, todo = [], [root]
    while todo:
        below = children.get(todo.pop(0), [])
        found += below
        todo += below
    return found


def kind_of(pid: int) -> str:
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return "gone"
    if "CoarseGrainedExecutorBackend" in command:
        return "executor"
    if "pyspark.daemon" in command or "pyspark/daemon" in command:
        return "worker"
    if "org.apache.spark.deploy.SparkSubmit" in command:
        return "driver-jvm"
    return "other"


def end_family(pid: int) -> None:
    for each in [*family(pid), pid]:
        try:
            os.kill(each, signal.SIGKILL)
        except ProcessLookupError:
            pass
