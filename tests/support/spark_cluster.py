"""A standalone Spark cluster out of the pip package: a master and workers, real processes on the loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any

import pyspark
from tests.support.kafka import free_ports

_READY_WITHIN_S = 120.0
_SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"


class SparkCluster:
    def __init__(self, folder: Path, *, workers: int = 2) -> None:
        self._folder, self._workers = folder, workers
        self._processes: list[subprocess.Popen[bytes]] = []
        self._port, self._ui_port = free_ports(2)

    @property
    def master(self) -> str:
        return f"spark://127.0.0.1:{self._port}"

    def __enter__(self) -> SparkCluster:
        try:
            self._start("master.Master", "--port", str(self._port), "--webui-port", str(self._ui_port))
            for index in range(self._workers):
                place = str(self._folder / f"worker-{index}")
                self._start("worker.Worker", "--port", "0", "--webui-port", "0", "--cores", "1", "--memory", "768m",
                            "--work-dir", place, self.master)  # fmt: skip
            self._wait_for_workers()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._processes.clear()

    def state(self) -> dict[str, Any]:
        """What the master's page says: workers, and the applications that run and have run."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._ui_port}/json/", timeout=60) as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    def _start(self, kind: str, *arguments: str) -> None:
        environment = os.environ | {
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "PYSPARK_PYTHON": sys.executable,
        }
        name = kind.partition(".")[0]
        with (self._folder / f"{name}-{len(self._processes)}.out").open("wb") as output:
            self._processes.append(
                subprocess.Popen(
                    [str(_SPARK_CLASS), f"org.apache.spark.deploy.{kind}", "--host", "127.0.0.1", *arguments],
                    stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=environment,
                )
            )  # fmt: skip

    def _wait_for_workers(self) -> None:
        deadline = time.monotonic() + _READY_WITHIN_S
        while time.monotonic() < deadline and all(process.poll() is None for process in self._processes):
            try:
                if self.state()["aliveworkers"] == self._workers:
                    return
            except OSError:
                pass
            time.sleep(0.2)
        said = "\n".join(path.read_text(errors="replace")[-2000:] for path in sorted(self._folder.glob("*.out")))
        raise AssertionError(f"the Spark cluster did not come up:\n{said}")
