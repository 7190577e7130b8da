"""`penstock pipeline run redrive`."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from penstock.cli.client import Cluster
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.output import print_json, print_table
from penstock.cli.pipeline.copying import copying_options, needs_jars, run_job, show_plan
from penstock.cli.pipeline.watching import Watching

if TYPE_CHECKING:
    from penstock.pipelines.jobs.redrive import RedriveOptions


@click.command(no_args_is_help=True)
@click.argument("topic")
@click.option("--inspect", is_flag=True, help="Only look: counts by reason, and samples.")
@click.option("--to", "target", metavar="TOPIC", help="Where to.  [default: the topic that each record's headers name]")
@click.option("--reason", metavar="TEXT", help="Only records whose reason contains this.")
@click.option("--where", metavar="SQL", help="Only records for which this holds: over reason, origin_topic, key, "
              "value, headers, timestamp.")  # fmt: skip
@click.option(
    "--transform", metavar="MODULE:FUNCTION", help="A function DataFrame -> DataFrame that mends the records."
)
@click.option("--reason-header", metavar="NAME", help="The header that says why, if it is none of the usual ones.")
@click.option("--origin-header", metavar="NAME", help="The header that says from which topic, likewise.")
@click.option("--samples", type=click.IntRange(min=0), default=3, show_default=True, help="Of each reason, to look at.")
@copying_options
def redrive(
    *,
    topic: str,
    inspect: bool,
    target: str | None,
    reason: str | None,
    where: str | None,
    transform: str | None,
    reason_header: str | None,
    origin_header: str | None,
    samples: int,
    master: str,
    spark_settings: dict[str, str],
    source_format: str,
    dry_run: bool,
    watching: Watching,
    cluster: Cluster,
    as_json: bool,
) -> ExitCode:
    """Look at the dead-letter TOPIC, and send records back where they came from, each once.

    What was sent is remembered for the topic: later runs, whatever their filter, leave it out.

    \b
    penstock pipeline run redrive orders.dead --inspect
    penstock pipeline run redrive orders.dead --reason Timeout
    penstock pipeline run redrive orders.dead --to orders --transform mending:fix_currency
    """
    from penstock.pipelines.jobs import redrive as job  # noqa: PLC0415 - loads PySpark

    options = job.RedriveOptions(
        bootstrap=cluster.bootstrap,
        topic=topic,
        target=target,
        reading=job.Reading(reason_header, origin_header, reason, where),
        transform=_loaded(transform) if transform else None,
        samples=samples,
        format=source_format,
        client=cluster.properties,
    )
    if inspect:
        return _look(options, master=master, spark_settings=spark_settings, as_json=as_json)
    if dry_run:
        return show_plan(job.plan(options), as_json=as_json)
    return run_job(
        lambda spark, watcher, stopping: job.run(options, spark=spark, watcher=watcher, stopping=stopping),
        app=options.query, master=master, spark_settings=spark_settings, source_format=source_format,
        watching=watching, as_json=as_json,
    )  # fmt: skip


def _look(options: "RedriveOptions", *, master: str, spark_settings: dict[str, str], as_json: bool) -> ExitCode:
    from penstock.pipelines.jobs.redrive import inspect  # noqa: PLC0415 - loads PySpark
    from penstock.pipelines.session import spark_session  # noqa: PLC0415

    jars = needs_jars(options.format, spark_settings)
    spark = spark_session(options.query, master=master, settings=spark_settings, jars=jars)
    try:
        found = inspect(options, spark)
    finally:
        spark.stop()
    if as_json:
        print_json(found)
        return ExitCode.OK
    columns = ("reason", "origin_topic", "records", "first", "last")
    print_table(columns, [[each[name] for name in columns] for each in found["reasons"]])
    columns = ("reason", "partition", "offset", "key", "value")
    print_table(columns, [[each[name] for name in columns] for each in found["samples"]], title="samples")
    return ExitCode.OK


def _loaded(name: str) -> Callable[[Any], Any]:
    module, colon, function = name.partition(":")
    if not colon:
        raise click.UsageError(f"--transform wants MODULE:FUNCTION, not {name!r}")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found: Callable[[Any], Any] = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise Failure(
            f"could not load {name}: {error}", hint="The module is looked for in this folder, too."
        ) from error
    return found
