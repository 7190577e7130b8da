"""`penstock pipeline run rollup`."""

from typing import Any

import click

from penstock.cli.client import Cluster
from penstock.cli.exits import ExitCode
from penstock.cli.pipeline.launching import connection, given, job_options, launch
from penstock.cli.pipeline.watching import Watching


@click.command(no_args_is_help=True)
@click.argument("topic")
@click.option("--table", required=True, metavar="NAME", help="namespace.name of the table to fill.")
@click.option("--to-topic", metavar="TOPIC", help="Write final windows to this topic too, as JSON, each once.")
@click.option("--schema", required=True, metavar="DDL", help="The JSON values' columns: 'shop STRING, amount DOUBLE'.")
@click.option("--window", required=True, metavar="LENGTH", help="A window's length, such as '5 minutes'.")
@click.option("--slide", metavar="LENGTH", help="Begin one this often, so that they overlap.  [default: the length]")
@click.option("--by", multiple=True, metavar="FIELD", help="Group by a field, or by record_key; repeatable.")
@click.option("-m", "--measure", "measures", multiple=True, metavar="WHAT",
              help="count, sum:F, avg:F, min:F, max:F, distinct:F, p99:F; repeatable.  [default: count]")  # fmt: skip
@click.option("--event-time", metavar="FIELD", help="The field that says when; without it the record's timestamp does.")
@click.option("--watermark", metavar="LENGTH", help="How late a record may be.  [default: 10 minutes]")
@click.option("--checkpoint", metavar="FOLDER", help="Where open windows are kept.  [default: in the warehouse folder]")
@click.option("--job", metavar="NAME", help="Name of the progress kept in the table.  [default: rollup]")
@click.option("--source", type=click.Choice(["kafka", "penstock"]), help="Spark's connector or ours.  [default: kafka]")
@click.option(
    "--start", type=click.Choice(["earliest", "latest"]), help="Where a first run begins.  [default: earliest]"
)
@click.option("--available-now", is_flag=True, default=None, help="Read what is there now, then end: for a scheduler.")
@click.option("--batch-records", "batch_records_max", type=click.IntRange(min=1), help="Records a batch.")
@click.option("--interval", "interval_s", type=float, metavar="SECONDS", help="Between batches.  [default: 10]")
@click.option("--catalog", metavar="NAME", help="The catalog's name in Spark.  [default: lake]")
@click.option("--catalog-uri", metavar="URL", help="A REST catalog instead of the embedded one.")
@click.option("--warehouse", metavar="FOLDER", help="Where the embedded catalog is.  [default: penstock-lake]")
@job_options
def rollup(*, cluster: Cluster, watching: Watching, dry_run: bool, as_json: bool, **options: Any) -> ExitCode:
    """Windowed counts, sums, quantiles and distincts by key, each final window once.

    \b
    penstock pipeline run rollup sales --table shop.minutes --schema 'shop STRING, amount DOUBLE' \\
        --window '1 minute' --by shop -m count -m sum:amount -m p99:amount
    """
    from penstock.pipelines.jobs import rollup as job  # noqa: PLC0415 - loads PySpark

    chosen = given({**options, **connection(cluster)})
    if not chosen["measures"]:
        del chosen["measures"]
    ready = job.RollupOptions(**chosen)
    return launch(
        ready.job,
        session=lambda: job.session(ready, None),
        plan=lambda spark: job.plan(ready, spark),
        run=lambda spark, watcher, stopping: job.run(ready, spark=spark, watcher=watcher, stopping=stopping),
        watching=watching,
        dry_run=dry_run,
        as_json=as_json,
    )
