"""What the commands of jobs share: connection, master, dry run, progress on the terminal, the summary at the end."""

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from penstock.cli.client import Cluster, client_options, key_values
from penstock.cli.exits import ExitCode
from penstock.cli.output import json_option, print_json
from penstock.cli.pipeline.failing import problems_as_failures
from penstock.cli.pipeline.watching import Watching, watching_options
from penstock.pipelines.running import Plan, Stopping, Summary, Watcher, stop_on_signals

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def job_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--bootstrap and the rest of the client's, --master, --conf, the metrics', --dry-run, --json."""

    @click.option("--master", default="local[*]", show_default=True, metavar="MASTER",
                  help="Where Spark runs: local[*], spark://HOST:PORT, yarn, k8s://...")  # fmt: skip
    @click.option("--conf", "conf", multiple=True, metavar="NAME=VALUE", help="A setting of Spark's; repeatable.")
    @click.option("--dry-run", is_flag=True, help="Explain what would be done, and do nothing.")
    @watching_options
    @client_options
    @json_option
    @problems_as_failures
    @functools.wraps(command)
    def with_options(*, conf: tuple[str, ...], **given: Any) -> Any:
        return command(settings=key_values(conf, option="--conf"), **given)

    return with_options


def connection(cluster: Cluster) -> dict[str, Any]:
    return {"bootstrap": cluster.bootstrap, "client": dict(cluster.properties)}


Run = Callable[["SparkSession", Watcher, Stopping], Summary]


def launch(
    job: str,
    *,
    session: Callable[[], "SparkSession"],
    plan: Callable[["SparkSession"], Plan],
    run: Run,
    watching: Watching,
    dry_run: bool,
    as_json: bool,
) -> ExitCode:
    spark = session()  # before the signals: PySpark takes SIGINT for itself when it starts
    try:
        if dry_run:
            return tell_plan(plan(spark), as_json=as_json)
        with stop_on_signals() as stopping, watching.watcher(job) as watcher:
            summary = run(spark, watcher, stopping)
    finally:
        spark.stop()
    tell(summary, as_json=as_json)
    return ExitCode.OK


def tell_plan(plan: Plan, *, as_json: bool) -> ExitCode:
    if as_json:
        print_json(plan.to_json())
    else:
        click.echo("\n".join([plan.title, *(f"  {step}" for step in plan.steps)]))
    return ExitCode.OK


def tell(summary: Summary, *, as_json: bool) -> None:
    if as_json:
        print_json(summary.to_json())
        return
    ended = "stopped; the next run continues" if summary.stopped else "done"
    click.echo(
        f"{summary.job}: {ended}. {summary.rows_in:,} rows in, {summary.rows_out:,} out, {summary.bad_rows:,} bad, "
        f"{summary.batches:,} batches in {summary.seconds:,.1f} s"
    )


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Without what was not said, so that the job's own defaults count."""
    return {name: value for name, value in options.items() if value is not None}
