"""What is told while a job runs: the line, the metrics, and our own words out of Spark's errors."""

import os
import urllib.request
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, cast

import click
import pytest
import structlog

from penstock.cli.exits import Failure
from penstock.cli.files import FileToWrite
from penstock.cli.pipeline.failures import problems_as_failures
from penstock.cli.pipeline.watching import TerminalWatcher, duration, line, warnings_on_stderr
from penstock.model import PartitionIndex, TopicPartition
from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.running import BatchProgress
from penstock.pipelines.running.follow import finished_batch
from penstock.pipelines.running.metrics import JobMetrics
from penstock.pipelines.running.spark_errors import problem_in
from penstock.pipelines.running.topic_stream import TopicStream

SECOND = BatchProgress("q", batch=7, rows=5_000, seconds=2.0, rows_total=40_000, lag=120_000, remaining_s=75.2)


def test_a_line_says_batch_pace_lag_and_the_end() -> None:
    assert line(SECOND) == "batch 7: 5,000 rows, 2,500 rows/s, 40,000 in all, lag 120,000, about 1 min 15 s to go"
    assert line(BatchProgress("q", 0, 0, 0.5, 0)) == "batch 0: 0 rows, 0 rows/s, 0 in all"
    assert line(BatchProgress("q", 1, 1, 4.0, 1, lag=0)) == "batch 1: 1 row, 0.2 rows/s, 1 in all, lag 0"
    bad = BatchProgress("q", 1, 10, 5.0, 10, lag=0, bad=3)
    assert line(bad) == "batch 1: 10 rows, 2.0 rows/s, 10 in all, 3 bad, lag 0"
    with_state = BatchProgress("q", 1, 1, 4.0, 1, lag=0, state_rows=2_500)
    assert line(with_state) == "batch 1: 1 row, 0.2 rows/s, 1 in all, lag 0, state 2,500"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s"), (59.4, "59 s"), (60, "1 min 0 s"), (3_600, "1 h 0 min"), (7_500, "2 h 5 min")]
)
def test_durations_are_as_exact_as_an_estimate(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_what_a_job_warns_of_does_not_mix_with_its_summary(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings_on_stderr():
        structlog.get_logger().warning("progress not committed", group="spark.lake", reason="refused")
    assert capsys.readouterr() == ("", "warning: progress not committed: group spark.lake, reason refused\n")


def test_metrics_are_served_and_add_up() -> None:
    with JobMetrics("lake", port=0) as metrics:
        metrics.batch(SECOND)
        assert "state_rows{" not in metrics_page(metrics), "a job without state says nothing of it"
        metrics.batch(replace(SECOND, state_rows=31, bad=3, respelled=2))
        page = metrics_page(metrics)
    assert 'penstock_pipeline_rows_total{job="lake",query="q"} 10000.0' in page
    assert 'penstock_pipeline_batches_total{job="lake",query="q"} 2.0' in page
    assert 'penstock_pipeline_lag_records{job="lake",query="q"} 120000.0' in page
    assert 'penstock_pipeline_dead_letters_total{job="lake",query="q"} 3.0' in page
    assert 'penstock_pipeline_respelled_rows_total{job="lake",query="q"} 2.0' in page
    assert 'penstock_pipeline_state_rows{job="lake",query="q"} 31.0' in page


def metrics_page(metrics: JobMetrics) -> str:
    page: bytes = urllib.request.urlopen(f"http://127.0.0.1:{metrics.port}/metrics", timeout=30).read()
    return page.decode()


def test_a_metrics_file_keeps_the_last_figures(tmp_path: Path) -> None:
    file = tmp_path / "lake.prom"
    with JobMetrics("lake", file=file) as metrics:
        metrics.batch(SECOND)
    assert 'penstock_pipeline_batch_seconds_total{job="lake",query="q"} 2.0' in file.read_text()


def test_a_metrics_file_that_cannot_be_written_is_said_once_and_does_not_end_the_job(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "metrics" / "lake.prom"
    with warnings_on_stderr(), JobMetrics("lake", file=file) as metrics:
        metrics.batch(SECOND)
        metrics.batch(SECOND)
        said = f"warning: metrics not written: file {file}, reason No such file or directory\n"
        assert capsys.readouterr().err == said
        file.parent.mkdir()
        metrics.batch(SECOND)
        assert 'penstock_pipeline_batches_total{job="lake",query="q"} 3.0' in file.read_text()
        file.unlink()
        file.parent.rmdir()
        metrics.batch(SECOND)
        assert capsys.readouterr().err == said, "again, since it had been well"


def test_a_log_on_a_full_disk_does_not_end_the_job(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w", buffering=1) as full, warnings_on_stderr():
        with pytest.raises(OSError, match="No space left"):
            print("whatever", file=full)
        monkeypatch.setattr("sys.stderr", full)
        TerminalWatcher().batch(SECOND)
        structlog.get_logger().warning("waiting for the cluster", bootstrap="here:9092")
        monkeypatch.undo()
        with suppress(OSError):  # what was not written is tried again
            full.close()


def test_a_folder_that_takes_no_file_is_told_before_the_job_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "lake.prom"
    assert FileToWrite().convert(str(file), None, None) == file
    # Root may write anywhere, and is who runs tests in containers.
    monkeypatch.setattr("os.access", lambda path, mode: not mode & os.W_OK)
    with pytest.raises(click.BadParameter, match=f"nothing can be written into the folder {tmp_path}"):
        FileToWrite().convert(str(file), None, None)
    assert FileToWrite().convert("/dev/null", None, None) == Path("/dev/null"), "there, and not made in its folder"


def test_a_port_in_use_is_a_problem_in_words() -> None:
    with JobMetrics("a", port=0) as first, pytest.raises(PipelineProblem, match=f"port {first.port}"):
        JobMetrics("b", port=first.port).__enter__()


def test_our_words_are_found_in_sparks_error() -> None:
    text = (
        "[STREAM_FAILED] Query terminated with exception: [PYTHON_STREAMING] failed\n"
        '  File "stream.py", line 80, in latestOffset\n'
        "penstock.pipelines.problems.PipelineProblem: t-0: it was deleted\nfailOnDataLoss=false goes on.\n"
        "\tat org.apache.spark.api.python.PythonRunner\n"
    )
    assert problem_in(text) == "t-0: it was deleted\nfailOnDataLoss=false goes on."
    assert problem_in("java.lang.OutOfMemoryError") is None


def test_a_full_disk_is_told_wherever_java_finds_it_and_our_own_files_by_name() -> None:
    @problems_as_failures
    def job(error: Exception) -> None:
        raise error

    for said in (
        "An error occurred while calling o1.start\n: java.io.IOException: No space left on device\n\tat x",
        "[SQLITE_FULL] Insertion failed because database is full (database or disk is full)",
        "[SQLITE_IOERR_SHMSIZE] I/O error within xShmMap while trying to resize an existing shared memory segment",
    ):
        with pytest.raises(Failure, match="the disk is full") as told:
            job(Exception(said))
        assert told.value.hint is not None and "make room" in told.value.hint
    with pytest.raises(OSError, match=r"report\.json"):
        job(OSError(28, "No space left on device", "report.json"))
    with pytest.raises(LookupError):
        job(LookupError("a bug"))


@pytest.mark.parametrize("as_text", [False, True])
def test_a_report_of_spark_says_where_the_batch_ended(as_text: bool) -> None:
    end: object = {"t": {"0": 40, "1": 0}, "@ids": {"t": "UGG6sVyzRNqaCP08Nl0Ohg"}}
    if as_text:
        end = '{"t": {"0": 40, "1": 0}}'
    report = {
        "batchId": 2,
        "numInputRows": 10,
        "durationMs": {"triggerExecution": 866},
        "sources": [{"endOffset": end}],
    }
    done = finished_batch(report)
    assert (done.batch, done.rows, done.seconds, done.state_rows) == (2, 10, 0.866, None)
    states = {"stateOperators": [{"numRowsTotal": 7}, {"numRowsTotal": 5}]}
    assert finished_batch({**report, **states}).state_rows == 12
    assert done.end == {TopicPartition("t", PartitionIndex(0)): 40, TopicPartition("t", PartitionIndex(1)): 0}


def test_an_available_now_run_of_our_source_is_given_an_end() -> None:
    ours = TopicStream("daily", "here:9092", ("a", "b"), available_now=True, client={"security.protocol": "SSL"})
    assert ours.options() == {
        "kafka.bootstrap.servers": "here:9092", "subscribe": "a,b", "startingOffsets": "earliest",
        "kafka.security.protocol": "SSL", "endingOffsets": "latest",
    }  # fmt: skip
    assert ours.source_options().group == "spark.daily" and not ours.ends_by_itself
    theirs = TopicStream("daily", "here:9092", ("a",), format="kafka", available_now=True, batch_records_max=5)
    assert "endingOffsets" not in theirs.options() and theirs.options()["maxOffsetsPerTrigger"] == "5"
    assert theirs.ends_by_itself


def test_an_available_now_run_does_not_pause_between_batches() -> None:
    class Writer:
        def queryName(self, _: str) -> Self:  # noqa: N802 - Spark's
            return self

        def trigger(self, **chosen: object) -> dict[str, object]:
            return chosen

    def trigger(**more: Any) -> object:
        return TopicStream("q", "here:9092", ("a",), interval_s=10, **more).trigger(cast("Any", Writer()))

    assert trigger() == {"processingTime": "10000 milliseconds"}
    assert trigger(available_now=True) == {"processingTime": "0 milliseconds"}
    assert trigger(available_now=True, format="kafka") == {"availableNow": True}
