"""`penstock pipeline run dedupe`."""

from typing import Any

import click

from penstock.cli.client import Cluster
from penstock.cli.exits import ExitCode
from penstock.cli.pipeline.launching import connection, given, job_options, launch
from penstock.cli.pipeline.watching import Watching


@click.command(no_args_is_help=True)
@click.argument("topics", nargs=-1, required=True, metavar="TOPIC...")
@click.option("--table", required=True, metavar="NAME", help="namespace.name of the table to fill.")
@click.option("--id", "id_", default="key", show_default=True, metavar="HOW",
              help="What makes two records the same one: key, content, header:NAME or field:NAME.")  # fmt: skip
@click.option("--within", "window_s", type=float, default=86_400.0, show_default=True, metavar="SECONDS",
              help="How far apart in time two records may be and still be duplicates.")  # fmt: skip
@click.option("--job", metavar="NAME", default="dedupe", show_default=True, help="Name of the progress in the table.")
@click.option("--source", type=click.Choice(["kafka", "penstock"]), help="Spark's connector or ours.  [default: kafka]")
@click.option(
    "--start", type=click.Choice(["earliest", "latest"]), help="Where a first run begins.  [default: earliest]"
)
@click.option("--available-now", is_flag=True, default=None, help="Read what is there now, then end: for a scheduler.")
@click.option("--batch-records", "batch_records_max", type=click.IntRange(min=1), help="Records a batch.")
@click.option("--interval", "interval_s", type=float, metavar="SECONDS", help="Between batches.  [default: 10]")
@click.option("--compact-every", type=click.IntRange(min=0), help="Compact small files after so many batches; 0 never.")
@click.option("--catalog", metavar="NAME", help="The catalog's name in Spark.  [default: lake]")
@click.option("--catalog-uri", metavar="URL", help="A REST catalog instead of the embedded one.")
@click.option("--warehouse", metavar="FOLDER", help="Where the embedded catalog is.  [default: penstock-lake]")
@job_options
def dedupe(
    *,
    id_: str,
    window_s: float,
    cluster: Cluster,
    watching: Watching,
    dry_run: bool,
    as_json: bool,
    **options: Any,
) -> ExitCode:
    """A topic without its duplicates, as a table: of records with one id within --within seconds, the first.

    \b
    penstock pipeline run dedupe payments --table shop.payments --id field:payment_id --within 3600
    """
    from penstock.pipelines.jobs import dedupe as job  # noqa: PLC0415 - loads PySpark
    from penstock.pipelines.jobs.lake import LakeOptions  # noqa: PLC0415

    to = LakeOptions(**given({**options, **connection(cluster), "mode": "raw"}))
    ready = job.DedupeOptions(lake=to, id=id_, window_s=window_s)
    return launch(
        to.job,
        session=lambda: job.session(to, None),
        plan=lambda spark: job.plan(ready, spark),
        run=lambda spark, watcher, stopping: job.run(ready, spark=spark, watcher=watcher, stopping=stopping),
        watching=watching,
        dry_run=dry_run,
        as_json=as_json,
    )
