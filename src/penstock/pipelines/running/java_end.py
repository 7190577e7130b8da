"""A Java that ended while it was needed, told as what it is: Python only sees that nobody answers."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from typing import Any

from penstock.pipelines.problems import PipelineProblem

OUT_OF_MEMORY = (52, 3)
"""Exit codes: Spark's own, and that of -XX:+ExitOnOutOfMemoryError."""
KILLED = (-9, 137)
ENDING_S = 10.0
_MARK = "java.lang.OutOfMemoryError"
_KEPT = "Nothing of what it was at was committed: the next run continues where this one was."


def java_problem(error: BaseException, settings: Mapping[str, str]) -> PipelineProblem | None:
    """The reason behind an error, if it is that Spark's Java has no memory left, or is no more."""
    if _MARK in str(error):
        return _out_of_memory(settings)
    java = _process()
    if java is None:
        return None
    try:
        # It may be just ending: the connection goes first.
        code = java.wait(ENDING_S if _is_cut_off(error) else 0)
    except subprocess.TimeoutExpired:
        return None
    forget_java()
    if code in OUT_OF_MEMORY:
        return _out_of_memory(settings)
    if code in KILLED:
        hint = f"The system does that when it has no memory left. {_KEPT}"
        return PipelineProblem("Spark's Java was killed", hint=hint)
    return PipelineProblem(f"Spark's Java ended with exit code {code}", hint=f"What it said is above. {_KEPT}")


def _out_of_memory(settings: Mapping[str, str]) -> PipelineProblem:
    return PipelineProblem(
        f"Spark ran out of memory: its Java has {settings.get('spark.driver.memory', 'what Spark gives it')}",
        hint=f"{_KEPT}\n--conf spark.driver.memory=4g gives it more (on a cluster spark.executor.memory). Smaller\n"
        "batches need less: --batch-bytes or --batch-records.",
    )


def _is_cut_off(error: BaseException) -> bool:
    from py4j.protocol import Py4JNetworkError  # noqa: PLC0415 - an extra

    return isinstance(error, ConnectionError | EOFError | Py4JNetworkError)


def _process() -> subprocess.Popen[Any] | None:
    """The Java that PySpark has started, if it did."""
    from pyspark import SparkContext  # noqa: PLC0415 - an extra

    return getattr(SparkContext._gateway, "proc", None)


def forget_java() -> None:
    """So that the next session of this process starts a new one, rather than ask one that is no more."""
    from pyspark import SparkContext  # noqa: PLC0415
    from pyspark.sql import SparkSession  # noqa: PLC0415

    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = SparkSession._activeSession = None
