"""The programs that work through a queue: each does every job that can be done, killed or not."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support import java
from tests.support.faults import eventually
from tests.support.kafka import ApacheKafka
from tests.support.pages import programs
from tests.support.shares import SHARE_CLUSTERS, earliest, group_settings, share_settings

import penstock.testing
from penstock.client import Client, NewTopic

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGE = "tutorial/work-queue.md"
PATIENCE_S = 60.0
JOBS = 60


@pytest.fixture(params=SHARE_CLUSTERS)
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """One for each test: the examples name their topic and their group."""
    if request.param == "penstock":
        with penstock.testing.broker({"node.id": "1"} | share_settings()) as running:
            yield running.bootstrap
    else:
        with ApacheKafka(tmp_path / "kafka", settings=share_settings()) as kafka:
            yield kafka.bootstrap


@pytest.fixture
def client(cluster: str) -> Iterator[Client]:
    with Client(cluster, timeout_s=PATIENCE_S) as client:
        client.create_topics([NewTopic("jobs", 3)]).all()
        earliest(client, "workers")
        yield client


def command(program: str, bootstrap: str, folder: Path) -> list[str]:
    if not program.endswith(".java"):
        return [sys.executable, str(EXAMPLES / program), bootstrap]
    classes = folder / "classes"
    classes.mkdir(exist_ok=True)
    return java.command(program.removesuffix(".java"), bootstrap, also=java.compiled(EXAMPLES / program, classes))


@contextmanager
def running(program: str, bootstrap: str, folder: Path, name: str = "") -> Iterator[subprocess.Popen[bytes]]:
    with (folder / f"said{name}").open("ab") as said, (folder / f"complaints{name}").open("ab") as complaints:
        process = subprocess.Popen(
            command(program, bootstrap, folder), stdout=said, stderr=complaints, env=os.environ | {"LC_ALL": "C.UTF-8"}
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def done(folder: Path) -> Counter[str]:
    lines = [line for path in folder.glob("said*") for line in path.read_text().splitlines()]
    return Counter(line.removeprefix("done ") for line in lines if line.startswith("done "))


def give(client: Client, *jobs: str) -> None:
    with client.producer(batch_bytes=100) as producer:
        for number, job in enumerate(jobs):
            producer.send("jobs", job.encode(), partition=number % 3)


@pytest.mark.parametrize("program", ["work_queue.py", "work_queue_confluent.py", "WorkQueue.java"])
def test_each_job_is_done_given_up_or_tried_again(program: str, client: Client, cluster: str, tmp_path: Path) -> None:
    give(client, *(f"{kind} {number}" for number in range(10) for kind in ("good", "bad", "flaky")))
    wanted = {f"{kind} {number}": 1 for number in range(10) for kind in ("good", "flaky")}
    with running(program, cluster, tmp_path) as process:
        eventually(lambda: done(tmp_path).keys() >= wanted.keys(), "all jobs are done")
        eventually(lambda: lag(client) == 0, "all is acknowledged")
        process.send_signal(signal.SIGTERM)
        code = process.wait(PATIENCE_S)
    complaints = (tmp_path / "complaints").read_text()
    assert code in (0, 143), complaints  # Java says 128 + SIGTERM, after it has left
    assert done(tmp_path) == wanted
    assert client.describe_share_groups(["workers"]).all()["workers"].members == []


def lag(client: Client) -> int:
    return sum(each.lag for each in client.share_group_offsets("workers").all().values())


def test_the_programs_of_the_page_do_what_it_says(client: Client, cluster: str, tmp_path: Path) -> None:
    pages = {heading: text.replace("127.0.0.1:9092", cluster) for heading, text in programs(PAGE).items()}
    for heading in ("Put jobs in", "Where a group begins"):
        subprocess.run([sys.executable, "-c", pages[heading]], check=True, timeout=PATIENCE_S)
    give(client, "no mail")
    with (tmp_path / "said").open("wb") as said:
        worker = subprocess.Popen([sys.executable, "-c", pages["Work"]], stdout=said)
    try:
        eventually(lambda: lag(client) == 0 and len((tmp_path / "said").read_text().splitlines()) == 20, "all is done")
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(PATIENCE_S) == 0
    finally:
        worker.kill()
        worker.wait()
    assert sorted((tmp_path / "said").read_text().splitlines()) == sorted(f"sent mail {each}" for each in range(20))


@pytest.mark.parametrize("program", ["work_queue.py", "work_queue_confluent.py"])
def test_killed_workers_lose_no_job(program: str, client: Client, cluster: str, tmp_path: Path) -> None:
    """What a killed worker had in hand goes to the other; what it had accepted is not done again."""
    group_settings(client, "workers", delivery_count_limit="10")
    total = 4 * JOBS
    with running(program, cluster, tmp_path, "-stays"):
        for life in range(4):
            give(client, *(f"job {number}" for number in range(life * JOBS, (life + 1) * JOBS)))
            before = len(done(tmp_path))
            with running(program, cluster, tmp_path, "-dies"):
                eventually(lambda before=before: len(done(tmp_path)) > before, "some work done")  # type: ignore[misc]
        eventually(lambda: len(done(tmp_path)) == total, "all jobs are done")
        eventually(lambda: lag(client) == 0, "all is acknowledged")
    counted = done(tmp_path)
    assert counted.keys() == {f"job {number}" for number in range(total)}
