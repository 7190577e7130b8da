"""`python -m benchmarks.pipelines`: source, sink and lake on this machine, beside Spark's own connector, in one run.

Each number of cores is a Spark of its own, in a program of its own; within it the cases take turns, so many rounds, and
the best of each is shown: what else the machine does can only slow a case down. Nothing here asserts.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import penstock.testing
from benchmarks.pipelines_data import PARTITIONS, RECORD_BYTES, create_topic, fill
from penstock.pipelines import spark_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

REPOSITORY = Path(__file__).resolve().parent.parent
RESULTS = REPOSITORY / "benchmarks" / "results" / "pipelines.jsonl"
TOPIC = "bench"


@click.group(invoke_without_command=True)
@click.option("--records", default=1_000_000, show_default=True)
@click.option("--rounds", default=3, show_default=True)
@click.option("--cores", multiple=True, type=int, default=(1, 2), show_default=True)
@click.pass_context
def main(context: click.Context, records: int, rounds: int, cores: tuple[int, ...]) -> None:
    if context.invoked_subcommand is not None:
        return
    settings = {
        "log.retention.ms": "-1",
        "offsets.topic.num.partitions": "4",
        "transaction.state.log.num.partitions": "4",
    }
    with penstock.testing.broker(settings, mode="process") as broker, tempfile.TemporaryDirectory() as folder:
        click.echo(f"writing {records:,} records of {RECORD_BYTES} bytes into {PARTITIONS} partitions", err=True)
        fill(broker.bootstrap, TOPIC, records)
        rows = []
        for count in cores:
            arguments = [broker.bootstrap, str(records), str(rounds), str(count), folder]
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.pipelines", "measure", *arguments],
                stdout=subprocess.PIPE, text=True, check=True, cwd=REPOSITORY,
            )  # fmt: skip
            rows += [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    with RESULTS.open("a") as out:
        out.writelines(json.dumps(row) + "\n" for row in rows)
    click.echo(table(rows))


def table(rows: list[dict[str, Any]]) -> str:
    """Markdown, as docs/pipelines/performance.md shows it."""
    lines = ["| case | records | cores | rows/s | MB/s |", "| --- | ---: | ---: | ---: | ---: |"]
    lines += [
        f"| {row['case']} | {row['records']:,} | {row['cores']} | {row['rows_per_s']:,.0f} | {row['mb_per_s']:.0f} |"
        for row in sorted(rows, key=lambda row: (row["case"], row["cores"]))
    ]
    return "\n".join(lines)


@main.command()
@click.argument("bootstrap")
@click.argument("records", type=int)
@click.argument("rounds", type=int)
@click.argument("cores", type=int)
@click.argument("folder", type=click.Path(path_type=Path))
def measure(bootstrap: str, records: int, rounds: int, cores: int, folder: Path) -> None:
    """One number of cores, all cases: a JSON line each."""
    spark = spark_session("bench", master=f"local[{cores}]", settings={"spark.driver.memory": "2g"})
    cases = cases_of(spark, bootstrap, folder)
    best: dict[str, float] = {}
    for round_index in range(rounds + 1):  # the first warms up, and does not count
        for name, case in cases.items():
            started = time.perf_counter()
            case()
            took = time.perf_counter() - started
            click.echo(f"{cores} cores, round {round_index}: {name} {took:.2f} s", err=True)
            if round_index:
                best[name] = min(took, best.get(name, took))
    spark.stop()
    for name, took in best.items():
        row = {"case": name, "cores": cores, "records": records, "seconds": round(took, 3),
               "rows_per_s": records / took, "mb_per_s": records * RECORD_BYTES / took / 1e6}  # fmt: skip
        click.echo(json.dumps(row))


def cases_of(spark: SparkSession, bootstrap: str, folder: Path) -> dict[str, Callable[[], None]]:
    def topic(kind: str) -> DataFrame:
        reader = spark.read.format(kind).option("kafka.bootstrap.servers", bootstrap)
        return reader.option("subscribe", TOPIC).load()

    def source(kind: str) -> Callable[[], None]:
        return lambda: topic(kind).select("key", "value", "timestamp").write.format("noop").mode("overwrite").save()

    def parquet(kind: str) -> Callable[[], None]:
        place = str(folder / f"{kind}-{spark.sparkContext.defaultParallelism}")
        return lambda: topic(kind).select("key", "value", "timestamp").write.mode("overwrite").parquet(place)

    def sink_once() -> None:
        from penstock.pipelines.sink import write_batch  # noqa: PLC0415 - PySpark is loaded by now

        target = _fresh_topic(bootstrap)
        write_batch(topic("kafka").select("key", "value"), write_id=target, bootstrap=bootstrap, topic=target)

    def sink_kafka() -> None:
        rows = topic("kafka").select("key", "value").write.format("kafka")
        rows.option("kafka.bootstrap.servers", bootstrap).option("topic", _fresh_topic(bootstrap)).save()

    return {
        "source: penstock": source("penstock"),
        "source: kafka": source("kafka"),
        "to Parquet: penstock": parquet("penstock"),
        "to Parquet: kafka": parquet("kafka"),
        "sink, exactly once: penstock": sink_once,
        "sink, at least once: kafka": sink_kafka,
    }


def _fresh_topic(bootstrap: str) -> str:
    """A target of its own for each round: what was written before must not be in the way."""
    return create_topic(bootstrap, f"target-{uuid.uuid4().hex[:8]}")


if __name__ == "__main__":
    main()
