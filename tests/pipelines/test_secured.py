"""Spark's own connector at a secured broker: over TLS, with a login, as somebody who may do no more than it needs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from py4j.protocol import Py4JJavaError
from tests.support.command import PATIENT
from tests.support.secured import environment, secured_broker

from penstock.processes.secured import SecureFolder, java_login

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Options = dict[str, str]


def penstock(made: SecureFolder, *arguments: str) -> str:
    command = [sys.executable, "-m", "penstock.cli", *arguments, "--profile", str(made.profile), *PATIENT]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureFolder]:
    folder = tmp_path_factory.mktemp("secured")
    with secured_broker(folder / "made") as made:
        password = folder / "password"
        password.write_text("of the app")
        penstock(made, "user", "add", "app", "--password-file", str(password))
        penstock(made, "acl", "add", "app", "--producer", "--consumer", "--topic", "of-app", "--group", "of-app")
        for topic in ("of-admin", "of-app", "of-a-token"):
            penstock(made, "topic", "create", topic)
        yield made


def login(made: SecureFolder, user: str, password: str, *, is_token: bool = False) -> Options:
    own = json.loads(made.confluent.read_text()) | {"sasl.username": user, "sasl.password": password}
    return {f"kafka.{name}": value for name, value in java_login(own, is_token=is_token).items()}


def by_the_file(made: SecureFolder) -> Options:
    """As docs/operate/security/README.md says."""
    options: Options = json.loads(made.spark.read_text())
    return options


def by_password(made: SecureFolder) -> Options:
    return login(made, "app", "of the app")


def by_token(made: SecureFolder) -> Options:
    token = json.loads(penstock(made, "token", "create", "--lifetime", "1h", "--json"))
    return login(made, token["token"], token["secret"], is_token=True)


@pytest.mark.parametrize(
    ("topic", "options"), [("of-admin", by_the_file), ("of-app", by_password), ("of-a-token", by_token)]
)
def test_spark_reads_what_it_wrote(
    spark: SparkSession, made: SecureFolder, topic: str, options: Callable[[SecureFolder], Options]
) -> None:
    given = options(made)
    wanted = [f"value {number}" for number in range(100)]
    rows = spark.createDataFrame([(each,) for each in wanted], "value string")
    rows.write.format("kafka").options(**given).option("topic", topic).save()
    read = spark.read.format("kafka").options(**given).option("subscribe", topic).load()
    assert sorted(row.value.decode() for row in read.select("value").collect()) == sorted(wanted)


def test_spark_reads_nothing_that_it_may_not(spark: SparkSession, made: SecureFolder) -> None:
    read = spark.read.format("kafka").options(**by_password(made)).option("subscribe", "of-admin")
    with pytest.raises(Py4JJavaError, match="TopicAuthorizationException"):
        read.load().collect()
