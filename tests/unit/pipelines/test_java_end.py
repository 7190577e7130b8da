"""A Java that ends in the middle of a job is told as what it is, and never as a bug of ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JNetworkError
from pyspark import SparkContext

from penstock.cli.exits import ExitCode
from penstock.cli.program import run
from penstock.pipelines.jobs import lake
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.running import java_end
from penstock.pipelines.running.spark_errors import known_problem_in
from penstock.pipelines.session import lent

SESSION: Any = SimpleNamespace(stop=lambda: pytest.fail("nobody is there to be stopped"))


@contextmanager
def java(program: str) -> Iterator[None]:
    """A process in the place of the one that PySpark starts."""
    with pytest.MonkeyPatch.context() as patched, subprocess.Popen([sys.executable, "-c", program]) as process:
        patched.setattr(SparkContext, "_gateway", SimpleNamespace(proc=process))
        patched.setattr(SparkContext, "_active_spark_context", None)
        try:
            yield
        finally:
            process.kill()


ENDS = [
    ("import os; os._exit(52)", "Spark ran out of memory: its Java has 2g\n.*spark.driver.memory=4g"),
    ("import os; os.kill(os.getpid(), 9)", "Spark's Java was killed\n.*no memory left"),
    ("import os; os._exit(7)", "Spark's Java ended with exit code 7"),
]


@pytest.mark.parametrize(("program", "words"), ENDS)
@pytest.mark.parametrize("error", [ConnectionRefusedError(111, "Connection refused"), Py4JNetworkError("empty")])
def test_the_end_of_java_is_told(program: str, words: str, error: Exception) -> None:
    def job() -> None:
        with lent(None, lambda: SESSION):
            raise error

    with java(program):
        with pytest.raises(PipelineProblem, match=f"(?s){words}"):
            job()
        assert SparkContext._gateway is None, "the next session starts another"


def test_memory_that_runs_out_without_an_end_is_told_with_what_there_was() -> None:
    def job() -> None:
        with lent(SESSION, lambda: SESSION, {"spark.driver.memory": "600m"}):
            raise RuntimeError("Job aborted: java.lang.OutOfMemoryError: Java heap space")

    with pytest.raises(PipelineProblem, match="its Java has 600m"):
        job()


def test_other_errors_of_a_java_that_lives_stay_what_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java_end, "ENDING_S", 0.0)

    def job() -> None:
        with lent(SESSION, lambda: SESSION):
            raise ConnectionResetError("of a broker")

    with java("import time; time.sleep(600)"), pytest.raises(ConnectionResetError):
        job()


def test_the_command_calls_it_no_bug(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def dies(*_: Any, **__: Any) -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(lake, "check", lambda _: None)
    monkeypatch.setattr(lake, "opened", lambda *_: lent(None, lambda: SESSION))
    monkeypatch.setattr(lake, "run", dies)
    with java("import os; os._exit(52)"):
        assert run(["pipeline", "run", "lake", "orders", "--table", "shop.orders"]) == ExitCode.FAILED
    said = capsys.readouterr().err
    assert "error: Spark ran out of memory" in said and "bug" not in said


def test_a_jdbc_catalog_of_the_older_form_is_told() -> None:
    said = "UnsupportedOperationException: JDBC catalog is initialized without view support. To auto-migrate"
    problem = known_problem_in(said)
    assert problem is not None and "jdbc.schema-version=V1" in str(problem)
    assert known_problem_in("anything else") is None
