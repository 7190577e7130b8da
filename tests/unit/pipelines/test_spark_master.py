"""Where Spark is to run: a master that is misspelt, or is not there, is told at once and in words."""

from __future__ import annotations

import socket

import pytest

from penstock.pipelines.problems import Kind, PipelineProblem
from penstock.pipelines.spark_master import check_master


@pytest.mark.parametrize(
    "master",
    ["local", "local[*]", "local[2]", "local[2,3]", "local-cluster[2,1,1024]", "yarn", "k8s://https://h:6443"],
)
def test_what_spark_knows_passes(master: str) -> None:
    check_master(master)


@pytest.mark.parametrize("master", ["lokal", "local[2", "spark:/h:1", "mesos://h:5050", "", "Yarn"])
def test_what_it_does_not_know_is_named(master: str) -> None:
    with pytest.raises(PipelineProblem, match="there is no master"):
        check_master(master)


@pytest.mark.parametrize("master", ["spark://host", "spark://:7077", "spark://host:port"])
def test_a_master_without_a_port_is_named(master: str) -> None:
    with pytest.raises(PipelineProblem, match="spark://HOST:PORT"):
        check_master(master)


def test_one_master_that_answers_is_enough_and_none_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        check_master(f"spark://127.0.0.1:1,127.0.0.1:{port}")
    with pytest.raises(PipelineProblem, match=r"no Spark master answers at .*127\.0\.0\.1:1: .*refused") as told:
        check_master("spark://127.0.0.1:1")
    assert told.value.kind is Kind.AWAY
