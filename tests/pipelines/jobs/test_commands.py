"""`penstock pipeline run …` as people use it: what it would do, Ctrl-C in the middle, what it says at the end."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from tests.pipelines.decode.orders import AT, DESCRIPTORS, FRAME, an_order
from tests.pipelines.jobs.topics import Sent, create, fill, read
from tests.pipelines.lake.conftest import Lake, Topic
from tests.support.command import PATIENT

from penstock.cli.exits import ExitCode
from penstock.cli.program import run
from penstock.pipelines.jars import FOLDER_VARIABLE
from penstock.pipelines.jobs import catalogs
from penstock.pipelines.jobs.copying import sessions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from tests.pipelines.conftest import Queue


def command(queue: Queue, *words: str) -> list[str]:
    return [sys.executable, "-m", "penstock.cli", "pipeline", "run", *words, "--bootstrap", queue.bootstrap, *PATIENT]


def interrupted(*jobs: list[str]) -> list[dict[str, Any]]:
    """What jobs say at their ends that are begun, one after the other by one program, and stopped by Ctrl-C in the
    middle: after their first batches."""
    program = "import json, sys; from penstock.cli.program import run\n"
    program += "for words in json.loads(sys.argv[1]): print('ended', int(run(words)), file=sys.stderr)"
    words = json.dumps([["pipeline", "run", *job, "--master", "local[1]", "--json"] for job in jobs])
    with subprocess.Popen(
        [sys.executable, "-c", program, words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        start_new_session=True,
    ) as running:
        assert running.stderr is not None
        said, is_asked = [], False
        for line in running.stderr:
            said.append(line.rstrip())
            if line.startswith("batch ") and not is_asked:
                is_asked = True
                os.killpg(running.pid, signal.SIGINT)  # as a terminal does: Java and Spark's workers get it too
            elif line.startswith("ended "):
                is_asked = False
        out, _ = running.communicate(timeout=400)
    # Nothing of Spark's and Java's; the notes are of the options that the tests give Java, and a broker that a busy
    # machine does not let answer for ten seconds is rightly told of.
    expected = ("batch ", "NOTE: ", "warning: waiting for the cluster")
    others = [line for line in said if not line.startswith(expected)]
    assert others == ["stopping after what it is at; Ctrl-C again stops at once", "ended 0"] * len(jobs), said
    decoder, summaries = json.JSONDecoder(), []
    while out:
        summary, end = decoder.raw_decode(out)
        summaries.append(summary)
        out = out[end:].lstrip()
    return summaries


def test_a_dry_run_says_what_would_be_done_and_does_nothing(penstock_queue: Queue) -> None:
    queue = penstock_queue
    source = create(queue.bootstrap, queue.fresh("a"), 2)
    target = queue.fresh("b")
    words = command(queue, "repartition", source, target, "--partitions", "5", "--dry-run")
    said = json.loads(subprocess.run([*words, "--json"], capture_output=True, check=True).stdout)
    assert f"create {target} with 5 partitions and the settings of {source}" in said["steps"]
    again = subprocess.run(words, capture_output=True, check=True, text=True).stdout
    assert again.startswith(f"repartition {source} into {target}\n  1. ")


def test_a_dry_run_tells_of_a_schema_that_spark_does_not_understand(penstock_queue: Queue, tmp_path: Path) -> None:
    topic = create(penstock_queue.bootstrap, penstock_queue.fresh("orders"), 1)
    words = command(penstock_queue, "lake", topic, "--table", "shop.orders", "--schema", "id WRONG", "--dry-run")
    done = subprocess.run(words, capture_output=True, check=False, text=True, cwd=tmp_path)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    assert "error: Spark does not understand the schema: " in done.stderr
    assert list(tmp_path.iterdir()) == [], "a dry run makes no warehouse"


@pytest.mark.parametrize(
    "job",
    [
        ["lake", "no-such", "--table", "shop.orders"],
        ["dedupe", "no-such", "--table", "shop.orders"],
        ["rollup", "no-such", "--table", "shop.minutes", "--schema", "n INT", "--window", "1 minute"],
        ["replay", "nor-this", "--from", "no-such"],
        ["redrive", "no-such"],
        ["redrive", "no-such", "--inspect"],
        ["repartition", "no-such", "fewer", "--partitions", "1"],
        ["audit", "topic:no-such", "topic:nor-this"],
    ],
    ids=lambda job: " ".join(word for word in job if word in (job[0], "--inspect")),
)  # fmt: skip
def test_a_missing_topic_is_told_before_spark_is_started(
    job: list[str], penstock_queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    for module in (catalogs, sessions):
        monkeypatch.setattr(module, "spark_session", lambda *_, **__: pytest.fail("which takes its time"))
    assert run(["pipeline", "run", *job, "--bootstrap", penstock_queue.bootstrap]) == ExitCode.NOT_FOUND
    assert re.search(r"no topic no-such|topic (no-such|nor-this) does not exist", capsys.readouterr().err)
    assert list(tmp_path.iterdir()) == []


def test_what_is_missing_is_named_without_a_traceback(penstock_queue: Queue) -> None:
    words = command(penstock_queue, "replay", "no-such-topic", "--from", "nor-this", "--dry-run")
    done = subprocess.run(words, capture_output=True, check=False, text=True)
    assert done.returncode == 4 and "Traceback" not in done.stderr
    assert "error: topic no-such-topic does not exist" in done.stderr


RECORDS = 400
SLOWLY = ("--batch-records", "2")
"""So that what there is would take minutes: the Ctrl-C comes in the middle of it, on a slow machine too."""


@pytest.mark.timeout(900)  # all jobs, which a busy machine makes slow
def test_ctrl_c_ends_any_job_after_its_batch_and_the_next_start_continues(
    spark: SparkSession, penstock_queue: Queue, tmp_path: Path
) -> None:
    queue, lake = penstock_queue, Lake(spark, tmp_path / "warehouse")
    topic, target = create(queue.bootstrap, queue.fresh("records"), 1), queue.fresh("target")
    deduped, replayed, redriven = (create(queue.bootstrap, queue.fresh("out"), 1) for _ in range(3))
    begin_ms = 1_750_000_020_000  # a full minute
    fill(queue.bootstrap, topic, [Sent(str(n), f'{{"n": {n}}}', begin_ms + n * 6_000) for n in range(RECORDS)])
    catalog = ["--catalog", lake.catalog, "--warehouse", str(lake.folder)]
    past = ["lake", topic, "--table", "shop.past", "--mode", "raw", "--available-now", *catalog]
    assert run(["pipeline", "run", *past, "-b", queue.bootstrap]) == 0
    copying = [
        ["replay", replayed, "--table", "shop.past", *catalog],
        ["redrive", topic, "--to", redriven],
        ["repartition", topic, target, "-p", "1"],
    ]
    filling = [
        ["lake", topic, "--table", "shop.records", "--mode", "raw", *catalog],
        ["dedupe", topic, "--table", "shop.once", "--to-topic", deduped, *catalog],
        [
            "rollup", topic, "--table", "shop.minutes", "--schema", "n INT", "--window", "1 minute",
            "--watermark", "1 minute", "--conf", "spark.sql.shuffle.partitions=2", *catalog,
        ],
    ]  # fmt: skip
    begun = [[*job, *SLOWLY] for job in copying] + [[*job, *SLOWLY, "--interval", "0"] for job in filling]
    for summary in interrupted(*([*job, "-b", queue.bootstrap] for job in begun)):
        assert summary["stopped"] and 0 < summary["rows_in"] < RECORDS, summary
    for job in [*copying, *([*job, "--available-now"] for job in filling)]:
        assert run(["pipeline", "run", *job, "-b", queue.bootstrap]) == 0
    for out in (deduped, replayed, redriven, target):
        assert sorted(json.loads(each.value)["n"] for each in read(queue.bootstrap, out)) == list(range(RECORDS))
    for table in ("records", "once"):
        assert lake.places(table) == [(0, offset) for offset in range(RECORDS)]
    windows = lake.table("minutes").selectExpr("unix_millis(window_start)", "count").collect()
    final = RECORDS // 10 - 2  # the last two are still open: the watermark is a minute behind the last record
    assert sorted(map(tuple, windows)) == [(begin_ms + minute * 60_000, 10) for minute in range(final)]


def test_protobuf_lands_by_a_descriptor_file(
    spark: SparkSession, penstock_queue: Queue, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    queue, lake = penstock_queue, Lake(spark, tmp_path / "warehouse")
    topic = Topic(queue.bootstrap, queue.fresh("orders"))
    value = an_order().SerializeToString()
    topic.write([value, value, FRAME + value, None])
    file = tmp_path / "shop.desc"
    words = [
        "lake", topic.name, "--table", "shop.orders", "--mode", "protobuf", "--descriptors", str(file),
        "--available-now", "--catalog", lake.catalog, "--warehouse", str(lake.folder),
    ]  # fmt: skip
    shop = FileDescriptorSet.FromString(DESCRIPTORS).file[-1]
    for descriptors, message, problem in (
        (DESCRIPTORS, "shop.Nothing", "the descriptor set has no message shop.Nothing"),
        (b"no descriptors", "shop.Order", "not a descriptor set: make one with protoc"),
        (FileDescriptorSet(file=[shop]).SerializeToString(), "shop.Order", "shop.proto cannot be understood"),
    ):
        file.write_bytes(descriptors)
        wrong = ["pipeline", "run", *words, "--message", message, "--dry-run", "-b", queue.bootstrap]
        assert run(wrong) == 1
        assert capsys.readouterr().err.startswith(f"error: the schema cannot be used: {problem}")
    file.write_bytes(DESCRIPTORS)
    begun = command(queue, *words, "--message", "shop.Order", "--master", "local[1]", "--json")
    done = subprocess.run(begun, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert (summary["rows_in"], summary["rows_out"], summary["bad_rows"]) == (4, 3, 1)
    rows = lake.table().where("id IS NOT NULL").selectExpr("id", "kind", "lines[0].sku", "unix_millis(at)").collect()
    assert [tuple(row) for row in rows] == [(7, "OLD", "x", int(AT.timestamp() * 1000))] * 2
    assert lake.dead().first().record_error.startswith("not Protobuf of shop.Order")  # type: ignore[union-attr]


def test_a_dry_run_tells_of_jars_that_the_run_would_miss(
    penstock_queue: Queue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    topic, out = (create(penstock_queue.bootstrap, penstock_queue.fresh(name), 1) for name in ("orders", "out"))
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path)
    for job in (
        ["lake", topic, "--table", "shop.orders"],
        ["dedupe", topic, "--table", "shop.orders"],
        ["rollup", topic, "--table", "shop.orders", "--schema", "n INT", "--window", "1 minute"],
        ["replay", out, "--from", topic, "--reader", "kafka"],
        ["redrive", topic, "--to", out, "--reader", "kafka"],
        ["repartition", topic, out, "--reader", "kafka"],
        ["audit", f"topic:{topic}", f"topic:{out}"],
    ):
        assert run(["pipeline", "run", *job, "-b", penstock_queue.bootstrap, "--dry-run"]) == 1, job
        out_, err = capsys.readouterr()
        assert out_ == "" and f"error: the jars for Spark are not in {tmp_path}/none: spark-sql-kafka" in err, job
        assert "Run once: penstock pipeline setup." in err
    ours = ["repartition", topic, out, "-b", penstock_queue.bootstrap, "--dry-run"]
    assert run(["pipeline", "run", *ours]) == 0, "Penstock's own source takes no jars"
    assert list(tmp_path.iterdir()) == []
