"""How a job is told of: its plan before, its summary after, for people and for programs."""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, cast

import pytest

from penstock.cli.client import Cluster
from penstock.cli.exits import ExitCode
from penstock.cli.pipeline.launching import Launch, _end_at_once, summary_lines
from penstock.cli.pipeline.watching import Watching
from penstock.cli.program import run
from penstock.pipelines.jobs import audit as audit_job
from penstock.pipelines.jobs import catalogs
from penstock.pipelines.jobs import rollup as rollup_job
from penstock.pipelines.running import Plan, Summary


@dataclass
class Options:
    job: str = "copy"


class Job:
    """Steps as every job has them, without Spark."""

    def __init__(self) -> None:
        self.steps: list[Any] = []

    def check(self, options: Any) -> None:
        self.steps.append("asked the cluster")

    @contextmanager
    def opened(self, options: Any, spark: Any) -> Iterator[Any]:
        self.steps.append("opened")
        yield "session"
        self.steps.append("closed")

    def plan(self, options: Any) -> Plan:
        return Plan("copy a to b", ("read a", "write b"))

    def run(self, options: Any, *, spark: Any, watcher: Any, stopping: Any) -> Summary:
        self.steps.append(f"ran in {spark}")
        return Summary(options.job, rows_in=1_200, rows_out=1_200, batches=2, seconds=0.5)


def launch(*, dry_run: bool = False, as_json: bool = False) -> Launch:
    cluster = Cluster("h:1", {"client.id": "me"})
    return Launch(cluster, Watching(), "local[1]", {"spark.x": "1"}, dry_run, as_json)


def test_a_dry_run_tells_the_steps_and_opens_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    job = Job()
    assert launch(dry_run=True).run(job, Options()) is ExitCode.OK
    assert capsys.readouterr().out == "copy a to b\n  1. read a\n  2. write b\n"
    launch(dry_run=True, as_json=True).run(job, Options())
    assert json.loads(capsys.readouterr().out) == {"title": "copy a to b", "steps": ["read a", "write b"]}
    assert job.steps == []


def test_a_run_is_within_its_session_and_ends_with_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    job = Job()
    assert launch().run(job, Options()) is ExitCode.OK
    assert job.steps == ["asked the cluster", "opened", "ran in session", "closed"], "Spark takes its time to start"
    assert capsys.readouterr().out == "copy: done. 1,200 rows in, 1,200 out, 2 batches in 0.5 s\n"
    launch(as_json=True).run(job, Options())
    assert json.loads(capsys.readouterr().out)["rows_in"] == 1_200


def test_ctrl_c_is_not_left_to_pyspark() -> None:
    """Which asks Java something from within whatever is being asked: py4j fails on that, and complains."""

    class Taking(Job):
        @contextmanager
        def opened(self, options: Any, spark: Any) -> Iterator[Any]:
            signal.signal(signal.SIGINT, lambda *_: pytest.fail("PySpark's"))
            yield "session"
            self.steps.append(_end_at_once is signal.getsignal(signal.SIGINT))

    job, before = Taking(), signal.getsignal(signal.SIGINT)
    launch().run(job, Options())
    assert job.steps == ["asked the cluster", "ran in session", True] and signal.getsignal(signal.SIGINT) is before


def test_what_was_not_said_is_left_to_the_job() -> None:
    given = launch().given({"topic": "a", "key": None, "measures": (), "group": "", "follow": False})
    assert given == {
        "topic": "a", "group": "", "follow": False,
        "bootstrap": "h:1", "client": {"client.id": "me"}, "master": "local[1]", "settings": {"spark.x": "1"},
        "answer_s": 10.0,
    }  # fmt: skip


def test_a_rollup_on_this_machine_keeps_its_windows_in_few_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    def parts(**more: Any) -> str | None:
        monkeypatch.setattr(catalogs, "opened", lambda options, _: options.settings.get("spark.sql.shuffle.partitions"))
        options = rollup_job.RollupOptions(
            bootstrap="h:1", topic="sales", table="shop.minutes", schema="n INT", window="1 hour", **more
        )
        return cast("str | None", rollup_job.opened(options, None))

    assert (parts(), parts(master="spark://h:7077")) == ("8", None)
    assert parts(settings={"spark.sql.shuffle.partitions": "3"}) == "3"


def test_an_audit_tells_what_it_found_though_there_is_no_room_for_its_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = audit_job.Report("topic:a", "topic:b", "content", "none", 60, ())
    monkeypatch.setattr(audit_job, "check", lambda _: None)
    monkeypatch.setattr(audit_job, "opened", lambda *_: nullcontext())
    monkeypatch.setattr(audit_job, "run", lambda *_, **__: report)
    assert run(["pipeline", "run", "audit", "topic:a", "topic:b", "--report", "/dev/full"]) == ExitCode.FAILED
    told = capsys.readouterr()
    assert told.out == "topic:a: 0 records; topic:b: 0 records\nthe same\n"
    assert told.err == "error: No space left on device\n"


def test_details_are_told_in_plain_words() -> None:
    details = {
        "sent_to": {},
        "lake.shop.orders": {"commit": 3, "maintenance": []},
        "switch_over": {"source": {"0": 12_345}, "complete": True},
        "lost": [1, 2],
    }
    summary = Summary("lake", bad_rows=7, stopped=True, details=details)
    assert summary_lines(summary) == [
        "lake: stopped; the next run continues. 0 rows in, 0 out, 7 bad, 0 batches in 0.0 s",
        "  lake.shop.orders: commit 3",
        "  switch over: source (0 12,345), complete yes",
        "  lost: 1; 2",
    ]
