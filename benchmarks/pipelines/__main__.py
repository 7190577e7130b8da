"""`python -m benchmarks.pipelines`: source, sink and lake on this machine, beside Spark's own connector, in one run.

Each number of cores is a Spark of its own, in a program of its own. A small topic warms the cases up; then they take
turns, so many rounds, and the best of each is shown: what else the machine does can only slow a case down. Nothing here
asserts how long anything takes.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import click

import penstock.testing
from benchmarks import host
from benchmarks.pipelines.data import delete_topic, fill
from benchmarks.pipelines.table import Measured, Run, publish, table

REPOSITORY = Path(__file__).resolve().parents[2]
HISTORY = REPOSITORY / "benchmarks" / "results" / "pipelines.jsonl"
WARM_UP_RECORDS = 50_000
BROKER = {
    "log.retention.ms": "-1",
    "offsets.topic.num.partitions": "4",
    "transaction.state.log.num.partitions": "4",
}

RUNS = (
    Run(records=1_000_000, record_bytes=1_000, cores=1),
    Run(records=1_000_000, record_bytes=1_000, cores=2),
    Run(records=1_000_000, record_bytes=100, cores=2),
    Run(records=10_000_000, record_bytes=100, cores=2),
)


@click.group(invoke_without_command=True, help=__doc__)
@click.option("--rounds", default=1, show_default=True, help="Of each case with a million records; of ten, one.")
@click.option("--scale", default=1.0, show_default=True, help="Multiplies the numbers of records.")
@click.option(
    "--only", multiple=True, type=click.IntRange(1, len(RUNS)), help="Only this run, by its number; repeatable."
)
@click.option("--case", "cases", multiple=True, help="Only source, sink or lake; repeatable.")
@click.option("--publish", "publishes", is_flag=True, help="Write table and plots into docs/pipelines/performance.md.")
@click.pass_context
def main(
    context: click.Context, rounds: int, scale: float, only: tuple[int, ...], cases: tuple[str, ...], publishes: bool
) -> None:
    if context.invoked_subcommand is not None:
        return
    facts = host.facts(REPOSITORY) | {"rounds": rounds}
    signal.signal(signal.SIGTERM, _stop_cleanly)
    measured: list[Measured] = []
    try:
        runs = [run.scaled(scale) for number, run in enumerate(RUNS, start=1) if not only or number in only]
        _measure_all(runs, rounds, cases, measured)
    finally:  # what was measured before somebody stopped it is kept
        if measured:
            _keep(measured, facts)
    click.echo("\n".join(table(measured)))
    if publishes:
        _publish()


def _measure_all(runs: list[Run], rounds: int, cases: tuple[str, ...], measured: list[Measured]) -> None:
    with penstock.testing.broker(BROKER, mode="process") as broker, tempfile.TemporaryDirectory() as folder:
        fill(broker.bootstrap, "warm-up", WARM_UP_RECORDS, 200)
        topic, held = "", (0, 0)
        for run in runs:
            if held != (run.records, run.record_bytes):
                if topic:
                    delete_topic(broker.bootstrap, topic)
                held = (run.records, run.record_bytes)
                click.echo(f"writing {run.records:,} records of about {run.record_bytes} bytes", err=True)
                topic = fill(broker.bootstrap, f"bench-{run.records}-{run.record_bytes}", *held)
            times = rounds if run.records < RUNS[-1].records else 1
            measured.extend(_measured(run, broker.bootstrap, topic, times, folder, cases))


def _measured(
    run: Run, bootstrap: str, topic: str, rounds: int, folder: str, cases: tuple[str, ...]
) -> Iterator[Measured]:
    arguments = [bootstrap, topic, str(run.records), str(run.cores), str(rounds), folder, *cases]
    command = [sys.executable, "-m", "benchmarks.pipelines", "measure", *arguments]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=REPOSITORY)
    assert program.stdout is not None
    try:
        for line in program.stdout:
            if line.startswith("{"):
                yield Measured(run=run, **json.loads(line))
        if program.wait() != 0:
            raise SystemExit(f"no result: {run.title}")
    finally:
        program.terminate()
        program.wait()
        program.stdout.close()


def _keep(measured: list[Measured], facts: dict[str, Any]) -> None:
    HISTORY.parent.mkdir(parents=True, exist_ok=True)
    with HISTORY.open("a") as out:
        out.write(json.dumps({**facts, "measured": [each.to_json() for each in measured]}) + "\n")


@main.command("publish")
@click.option("--last", default=1, show_default=True, help="So many entries of the history as one: a run in parts.")
def publish_history(last: int) -> None:
    """Write the history's newest figures into docs/pipelines/performance.md, without measuring anything."""
    _publish(last)


def _publish(last: int = 1) -> None:
    """Of a run in parts the newest figure of each case counts."""
    entries = [json.loads(line) for line in HISTORY.read_text().splitlines()][-last:]
    found = {}
    for entry in entries:
        for row in entry["measured"]:
            each = Measured.from_json(row)
            found[each.run, each.title] = each
    commits = ", ".join(dict.fromkeys(entry["commit"] for entry in entries))
    publish(list(found.values()), {**entries[0], "commit": commits})


def _stop_cleanly(_signal: int, _frame: FrameType | None) -> None:
    raise SystemExit("stopped")


@main.command(hidden=True)
@click.argument("bootstrap")
@click.argument("topic")
@click.argument("records", type=int)
@click.argument("cores", type=int)
@click.argument("rounds", type=int)
@click.argument("folder", type=click.Path(path_type=Path))
@click.argument("only", nargs=-1)
def measure(
    bootstrap: str, topic: str, records: int, cores: int, rounds: int, folder: Path, only: tuple[str, ...]
) -> None:
    """One number of cores, all cases: a JSON line each."""
    from benchmarks.pipelines.cases import CASES, Place  # noqa: PLC0415 - loads PySpark, which only this part needs
    from penstock.pipelines.session import spark_session  # noqa: PLC0415

    settings = {"spark.driver.memory": "3g", "spark.local.dir": str(folder / "spark")}
    spark = spark_session("bench", master=f"local[{cores}]", settings=settings)
    warm_up = Place(spark, bootstrap, "warm-up", WARM_UP_RECORDS, folder)
    place = Place(spark, bootstrap, topic, records, folder)
    cases = [case for case in CASES if not only or case.key in only]
    for case in cases:
        case.run(warm_up)
    best: dict[str, float] = {}
    for round_index in range(rounds):
        for case in cases:
            started = time.perf_counter()
            case.run(place)
            took = time.perf_counter() - started
            click.echo(f"{cores} cores, {records:,} records: {case.title}: {took:.2f} s", err=True)
            best[case.title] = min(took, best.get(case.title, took))
            if round_index == rounds - 1:
                found = {"case": case.key, "by": case.by, "title": case.title, "seconds": best[case.title]}
                click.echo(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    main()
