"""A Spark session as the jobs need it: this Python, the locked jars, and the penstock format registered."""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from penstock.pipelines.jars import jar_paths
from penstock.pipelines.java import find_java
from penstock.pipelines.java_start import without_the_incubators_warning
from penstock.pipelines.problems import PipelineProblem, not_installed
from penstock.pipelines.running.java_end import java_problem
from penstock.pipelines.running.spark_errors import known_problem_in
from penstock.pipelines.spark_master import check_master

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOGGING = f"-Dlog4j2.configurationFile={Path(__file__).with_name('log4j2.properties')}"
_STACK = "-Xss16m"
"""Spark holds what Python said against a pattern that takes some frames a character. Where a query is stopped in the
middle of a batch that is a whole traceback, and overflowed the stack of 1 MB that threads have by default."""
HASTE_S = 10.0
NOTHING: Mapping[str, str] = MappingProxyType({})
DEFAULTS: Mapping[str, str] = MappingProxyType(
    {
        # Of one machine, where the driver does all the work. A batch of lake takes a part of it that --batch-bytes
        # bounds.
        "spark.driver.memory": "2g",
        "spark.sql.session.timeZone": "UTC",  # days and hours of event time must not depend on the machine
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",  # jobs report their progress themselves
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkOptions:
    """What the options of every job have."""

    job: str
    """Its name, for people and for what it keeps of its progress."""
    master: str = "local[*]"
    settings: Mapping[str, str] = field(default_factory=dict)
    """Spark's own."""
    answer_s: float = field(default_factory=lambda: HASTE_S)
    """How long the cluster may take to answer where somebody waits for it: a dry run's questions, and an audit's."""


def spark_session(
    app: str, *, master: str = "local[*]", settings: Mapping[str, str] = NOTHING, jars: bool = True
) -> SparkSession:
    """A session named `app`; `settings` are Spark's own and win over ours. Without `jars`, format("penstock") works,
    format("kafka") and Iceberg do not."""
    check_startable(settings, master=master, jars=jars)
    chosen = {**DEFAULTS, "spark.master": master, "spark.app.name": app, **settings}
    if jars:
        own = ",".join(str(path.resolve()) for path in jar_paths())
        others = chosen.get("spark.jars")
        chosen["spark.jars"] = f"{own},{others}" if others else own
    # Whoever has a folder of settings has Spark's logging in it.
    java = _STACK if os.environ.get("SPARK_CONF_DIR") else f"{_STACK} {_LOGGING}"
    chosen["spark.driver.extraJavaOptions"] = f"{java} {chosen.get('spark.driver.extraJavaOptions', '')}".strip()
    if chosen["spark.master"].startswith("local"):
        # Else a host name that resolves to nothing, as on many laptops, keeps the driver from starting.
        chosen.setdefault("spark.driver.host", "127.0.0.1")
        chosen.setdefault("spark.driver.bindAddress", "127.0.0.1")
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        # Workers on this machine must be this Python, which has Penstock; a cluster's are named by its own settings.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    try:
        from pyspark import SparkContext  # noqa: PLC0415 - takes a second, and is an extra
        from pyspark.logger import PySparkLogger  # noqa: PLC0415
        from pyspark.sql import SparkSession  # noqa: PLC0415
    except ImportError as error:
        if (missing := not_installed(error)) is None:
            raise
        raise missing from error
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):  # what the exception says, once more
        PySparkLogger.getLogger(name).setLevel(logging.CRITICAL)
    builder = SparkSession.builder
    for name, value in chosen.items():
        builder = builder.config(name, value)
    with nullcontext() if SparkContext._gateway else without_the_incubators_warning():
        session: SparkSession = _started(builder, chosen)
    from penstock.pipelines.datasource import register  # noqa: PLC0415 - it needs PySpark

    register(session)
    return session


def _started(builder: SparkSession.Builder, chosen: Mapping[str, str]) -> SparkSession:
    from py4j.protocol import Py4JError  # noqa: PLC0415 - as above
    from pyspark.errors import PySparkException  # noqa: PLC0415

    try:
        return builder.getOrCreate()
    except (Py4JError, PySparkException, OSError) as error:
        said = [line.strip() for line in str(error).splitlines() if line.strip()]
        # Py4J's own first lines say where it was called; the exception's name begins the one that says why.
        why = next((line for line in said if re.match(r":? ?[\w.]+(Exception|Error)\b", line)), said[0] if said else "")
        raise PipelineProblem(
            f"Spark does not start with --master {chosen['spark.master']}: {why.lstrip(': ')[:300]}",
            hint="What Java said is above, if it came to that. --master and --conf say where and how Spark runs.",
        ) from error


def check_startable(settings: Mapping[str, str], *, master: str, jars: bool) -> None:
    """What a session takes is there: for a dry run, which would else call a run fine that does not even start."""
    find_java()
    check_master(settings.get("spark.master", master))
    if settings.get("spark.submit.deployMode") == "cluster":
        raise PipelineProblem(
            "the driver of a job runs where the job is started: spark.submit.deployMode=cluster is not for it",
            hint="Leave that out, or hand a file to spark-submit that runs the job: docs/pipelines/cluster.md has one.",
        )
    if jars:
        jar_paths()


@contextmanager
def lent(
    spark: SparkSession | None, make: Callable[[], SparkSession], settings: Mapping[str, str] = NOTHING
) -> Iterator[SparkSession]:
    """The session that `make` gives for as long as it is needed; stopped at the end unless the caller has one. What
    ends it and is no bug is told as what it is; `settings` are those it was asked for with."""
    from pyspark import SparkContext  # noqa: PLC0415 - as above

    ours = spark is None and SparkContext._active_spark_context is None
    session = make()
    try:
        yield session
    except PipelineProblem:
        raise
    except Exception as error:
        problem = java_problem(error, {**DEFAULTS, **settings}) or known_problem_in(str(error))
        if problem is None:
            raise
        raise problem from error
    finally:
        if ours and SparkContext._gateway is not None:  # else its Java is no more
            session.stop()
