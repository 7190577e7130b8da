"""What the commands that copy records share: the options of Spark, the dry run, progress, and the summary."""

import functools
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from penstock.cli.client import client_options, key_values
from penstock.cli.exits import ExitCode
from penstock.cli.output import json_option, print_json
from penstock.cli.pipeline.failing import problems_as_failures
from penstock.cli.pipeline.watching import Watching, watching_options
from penstock.pipelines.running import Plan, Stopping, Summary, Watcher, stop_on_signals

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def copying_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--master, --spark, --format, --dry-run, --json, those of metrics and those of the cluster."""

    @click.option(
        "--master", default="local[*]", show_default=True, help="Where Spark runs: local[N], spark://…, yarn, k8s://…"
    )
    @click.option("--spark", "spark_pairs", multiple=True, metavar="KEY=VALUE", help="A setting of Spark; repeatable.")
    @click.option("--format", "source_format", type=click.Choice(["penstock", "kafka"]), default="penstock",
                  show_default=True, help="What reads the topic: our source, or Spark's own connector.")  # fmt: skip
    @click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
    @watching_options
    @client_options
    @json_option
    @problems_as_failures
    @functools.wraps(command)
    def with_settings(spark_pairs: tuple[str, ...], **rest: Any) -> Any:
        return command(spark_settings=key_values(spark_pairs, option="--spark"), **rest)

    return with_settings


def show_plan(plan: Plan, *, as_json: bool) -> ExitCode:
    if as_json:
        print_json(plan.to_json())
        return ExitCode.OK
    click.echo(plan.title)
    for number, step in enumerate(plan.steps, start=1):
        click.echo(f"  {number}. {step}")
    return ExitCode.OK


def run_job(
    start: Callable[["SparkSession", Watcher, Stopping], Summary],
    *,
    app: str,
    master: str,
    spark_settings: dict[str, str],
    source_format: str,
    watching: Watching,
    as_json: bool,
) -> ExitCode:
    from penstock.pipelines.session import spark_session  # noqa: PLC0415 - loads PySpark

    spark = spark_session(app, master=master, settings=spark_settings, jars=needs_jars(source_format, spark_settings))
    try:
        with stop_on_signals() as stopping, watching.watcher(app) as watcher:
            summary = start(spark, watcher, stopping)
    finally:
        spark.stop()
    if as_json:
        print_json(summary.to_json())
    else:
        tell(summary)
    return ExitCode.OK


def needs_jars(source_format: str, spark_settings: dict[str, str]) -> bool:
    return source_format == "kafka" or any(name.startswith("spark.sql.catalog.") for name in spark_settings)


def tell(summary: Summary) -> None:
    state = "stopped; the next start continues" if summary.stopped else "done"
    click.echo(
        f"{summary.job} {state}: {summary.rows_in:,} records read, {summary.rows_out:,} written, "
        f"{summary.batches} batches, {summary.seconds:.1f} s"
    )
    for name, value in summary.details.items():
        click.echo(f"  {name.replace('_', ' ')}: {value}")


class Time(click.ParamType):  # type: ignore[type-arg]
    """2026-11-16T04:30:00Z, or milliseconds since 1970; without a zone it is UTC."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        text = str(value).strip()
        if text.isdecimal():
            return int(text)
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            self.fail(f"{value!r} is no time, such as 2026-11-16T04:30:00Z or milliseconds since 1970", param, ctx)
        return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)


TIME = Time()
