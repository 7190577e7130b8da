"""What a session is asked for: the master and the settings as they were given, and ours only where none was."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyspark.sql
import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkRuntimeError

from penstock.cli.exits import ExitCode
from penstock.cli.program import run
from penstock.pipelines import session
from penstock.pipelines.jobs import lake
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.running import Summary

THEIRS = {
    "spark.submit.deployMode": "client",
    "spark.kubernetes.container.image": "registry.example/penstock-spark:1",
    "spark.kubernetes.namespace": "data",
    "spark.executor.instances": "12",
    "spark.yarn.dist.archives": "hdfs:///env.tar.gz#environment",
    "spark.executorEnv.GREETING": "a=b, c",
    "spark.driver.host": "driver.example",
}


@pytest.fixture
def asked_for(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The settings of the session that is built; none is."""
    settings: dict[str, str] = {}

    class Builder:
        def config(self, name: str, value: str) -> Builder:
            settings[name] = value
            return self

        def getOrCreate(self) -> Any:  # noqa: N802 - Spark's
            return SimpleNamespace(dataSource=SimpleNamespace(register=lambda _: None), stop=lambda: None)

    monkeypatch.setattr(pyspark.sql, "SparkSession", SimpleNamespace(builder=Builder()))
    monkeypatch.setattr(session, "find_java", lambda: None)
    monkeypatch.setattr(session, "jar_paths", lambda: [Path("/jars/iceberg.jar")])
    for name in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "SPARK_LOCAL_IP", "SPARK_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    return settings


@pytest.mark.parametrize("master", ["yarn", "k8s://https://cluster.example:6443", "spark://127.0.0.1:1,127.0.0.1:PORT"])
def test_the_options_of_a_cluster_reach_spark_unchanged(
    asked_for: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, master: str
) -> None:
    monkeypatch.chdir(tmp_path)
    listening = socket.create_server(("127.0.0.1", 0))
    master = master.replace("PORT", str(listening.getsockname()[1]))
    monkeypatch.setattr(lake, "check", lambda _: None)
    monkeypatch.setattr(lake, "run", lambda *_, **__: Summary("lake"))
    words = ["pipeline", "run", "lake", "orders", "--table", "shop.orders", "--master", master]
    for name, value in THEIRS.items():
        words += ["--conf", f"{name}={value}"]
    with listening:
        assert run(words) == ExitCode.OK
    assert {name: asked_for[name] for name in THEIRS} == THEIRS
    assert (asked_for["spark.master"], asked_for["spark.app.name"]) == (master, "penstock lake")
    # Which Python the executors have is for the cluster to say, and where the driver listens for the network to.
    assert not {"PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "SPARK_LOCAL_IP"} & set(os.environ)
    assert "spark.driver.bindAddress" not in asked_for


def test_a_driver_elsewhere_is_refused_in_words(asked_for: dict[str, str]) -> None:
    """Spark's own are a traceback of Java's about shells."""
    with pytest.raises(PipelineProblem, match="spark-submit"):
        session.spark_session("look", master="yarn", settings={"spark.submit.deployMode": "cluster"})
    assert asked_for == {}


def test_on_one_machine_the_workers_are_this_python(asked_for: dict[str, str]) -> None:
    session.spark_session("look", settings={"spark.jars": "mine.jar"})
    assert (asked_for["spark.master"], asked_for["spark.driver.host"]) == ("local[*]", "127.0.0.1")
    assert asked_for["spark.driver.memory"] == "2g", "Spark's own 1 GB is little for all the work of a job"
    assert asked_for["spark.jars"] == "/jars/iceberg.jar,mine.jar", "one's own come beside ours"
    assert os.environ["PYSPARK_PYTHON"] == os.environ["PYSPARK_DRIVER_PYTHON"] == sys.executable


@pytest.mark.parametrize(
    "said",
    [
        PySparkRuntimeError("[JAVA_GATEWAY_EXITED] Java gateway process exited before sending its port number."),
        Py4JError(
            "An error occurred while calling None.None.\n: java.lang.IllegalStateException: it is stopped\n\tat x"
        ),
        ConnectionRefusedError(111, "Connection refused"),
    ],
    ids=lambda said: type(said).__name__,
)
def test_a_spark_that_does_not_start_is_told_with_where_it_was_to_run(
    asked_for: dict[str, str], monkeypatch: pytest.MonkeyPatch, said: Exception
) -> None:
    def fails(_: Any) -> None:
        raise said

    monkeypatch.setattr(type(pyspark.sql.SparkSession.builder), "getOrCreate", fails)
    with pytest.raises(PipelineProblem, match=r"does not start with --master yarn: .*(EXITED|is stopped|refused)"):
        session.spark_session("look", master="yarn")
    assert asked_for["spark.master"] == "yarn"
