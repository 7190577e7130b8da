"""Real parts for the pipelines' tests: one local Spark, and topics of Penstock, or of Apache Kafka for the same tests.

PENSTOCK_TESTS_MASTER names another master than local[2], PENSTOCK_TESTS_AWAY_S how long brokers that go away stay away.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.command import PATIENCE_S, make_patient
from tests.support.kafka import ApacheKafka

import penstock.testing
from penstock.pipelines import session as sessions
from penstock.pipelines.jars import FOLDER_VARIABLE
from penstock.pipelines.session import spark_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]
os.environ.setdefault(FOLDER_VARIABLE, str(ROOT / ".cache" / "spark-jars"))

# Every JVM of the tests, those of programs that they start included, lives for seconds: an optimising compiler and many
# threads would not pay for themselves, nor would two hundred tasks for a handful of rows. Spark takes its settings from
# Java's properties, too, so that programs can be run as a page prints them. The code cache has room for all that Spark
# generates: in the 48 MB that this compiler has by itself, Java spent 7 % of its CPU time on finding code to drop.
JAVA_OPTIONS = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -XX:-UsePerfData -XX:ReservedCodeCacheSize=240m "
    "-Dspark.sql.shuffle.partitions=2 -Dspark.default.parallelism=2 -Dspark.ui.enabled=false"
)
# Made by tools/spark_classes.py. A Java that they do not fit would say so where a program's answer is expected.
CLASSES = ROOT / ".cache" / "spark-classes.jsa"
if CLASSES.exists():
    JAVA_OPTIONS += f" -Xlog:disable -XX:SharedArchiveFile={CLASSES}"
SMALL_SPARK = {
    "spark.driver.memory": "1g",
    "spark.sql.streaming.pollingDelay": "50ms",
}
AWAY_S = float(os.environ.get("PENSTOCK_TESTS_AWAY_S", "3"))
QUEUE_SETTINGS = {
    "log.retention.ms": "-1",  # records carry fixed times of years ago
    "log.cleaner.backoff.ms": "50",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.num.partitions": "4",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """PySpark leaves the sockets of its threads to the collector, which elsewhere in the suite is an error. A test that
    starts a Spark may take minutes on a busy machine.
    """
    # The longest first, which have a limit of their own: else one may be all that is left at the end, on one core.
    items.sort(key=lambda item: item.get_closest_marker("timeout") is None)
    for item in items:
        if Path(__file__).parent in item.path.parents:
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(900))
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"))


@dataclass(frozen=True)
class Queue:
    """A running cluster: use topics of your own, `fresh` makes names for them."""

    kind: str
    bootstrap: str

    def fresh(self, what: str) -> str:
        return f"{what}-{uuid.uuid4().hex[:8]}"


@pytest.fixture(scope="session", autouse=True)
def java_options(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What a Java that is killed leaves behind, it leaves in the run's own folder."""
    os.environ["JDK_JAVA_OPTIONS"] = f"{JAVA_OPTIONS} -Djava.io.tmpdir={tmp_path_factory.mktemp('java')}"


@pytest.fixture(autouse=True)
def patience() -> Iterator[None]:
    """Dry runs and audits wait for answers longer than people would: a busy machine may stand still for ten seconds.
    Not by the test's own monkeypatch, which it may undo in its middle.
    """
    with pytest.MonkeyPatch.context() as monkeypatch:
        make_patient(monkeypatch)
        monkeypatch.setattr(sessions, "HASTE_S", PATIENCE_S[1])
        yield


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("warehouse")


@pytest.fixture(scope="session")
def spark(warehouse: Path) -> Iterator[SparkSession]:
    """One session for the whole run: starting one takes longer than most tests. Its catalogs are in `warehouse`."""
    master = os.environ.get("PENSTOCK_TESTS_MASTER", "local[2]")
    settings = {**SMALL_SPARK, "spark.sql.warehouse.dir": str(warehouse / "spark")}
    session = spark_session("tests", master=master, settings=settings)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def penstock_queue() -> Iterator[Queue]:
    with penstock.testing.broker(QUEUE_SETTINGS, mode="process") as running:
        yield Queue("penstock", running.bootstrap)


@pytest.fixture(scope="session")
def kafka_queue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queue]:
    with ApacheKafka(tmp_path_factory.mktemp("kafka"), settings=QUEUE_SETTINGS) as running:
        yield Queue("kafka", running.bootstrap)


@pytest.fixture(params=os.environ.get("PENSTOCK_TESTS_QUEUES", "penstock").split(","))
def queue(request: pytest.FixtureRequest) -> Queue:
    """Each test that asks for it runs on those that PENSTOCK_TESTS_QUEUES names: penstock, kafka."""
    found: Queue = request.getfixturevalue(f"{request.param}_queue")
    return found
