"""`penstock pipeline run repartition`."""

import click

from penstock.cli.client import Cluster
from penstock.cli.exits import ExitCode
from penstock.cli.pipeline.copying import copying_options, run_job, show_plan
from penstock.cli.pipeline.watching import Watching


@click.command(no_args_is_help=True)
@click.argument("source")
@click.argument("target")
@click.option("-p", "--partitions", type=click.IntRange(min=1), help="Create TARGET with so many partitions: more or "
              "fewer than SOURCE has.")  # fmt: skip
@click.option(
    "--key", metavar="SQL", help="Another key: an expression of Spark SQL over key, value, headers, timestamp."
)
@click.option("--follow", is_flag=True, help="Go on with what is written to SOURCE, until stopped.")
@click.option("--until-quiet", "quiet_s", type=click.FloatRange(min=0), metavar="SECONDS",
              help="With --follow: end when all is copied and nothing has come for so long.")  # fmt: skip
@click.option("--records-max", type=click.IntRange(min=1), default=500_000, show_default=True, help="Of a batch.")
@click.option("--accept-loss", is_flag=True, help="Go on when retention took records before they were copied.")
@click.option("--id", "name", help="The name under which the job keeps its place.  [default: from the topics]")
@copying_options
def repartition(
    *,
    source: str,
    target: str,
    partitions: int | None,
    key: str | None,
    follow: bool,
    quiet_s: float | None,
    records_max: int,
    accept_loss: bool,
    name: str | None,
    master: str,
    spark_settings: dict[str, str],
    source_format: str,
    dry_run: bool,
    watching: Watching,
    cluster: Cluster,
    as_json: bool,
) -> ExitCode:
    """Copy SOURCE's whole history into TARGET with another number of partitions, or by another key.

    Order per key is kept and each record comes once. Started again, it goes on where it was. The summary says up to
    which offsets of SOURCE the TARGET is complete: where producers and consumers can change over.

    \b
    penstock pipeline run repartition orders orders-by-12 --partitions 12
    penstock pipeline run repartition clicks by-user -p 3 --key "get_json_object(cast(value AS string), '$.user')"
    penstock pipeline run repartition orders orders-v2 -p 24 --follow --until-quiet 30
    """
    from penstock.pipelines.jobs import repartition as job  # noqa: PLC0415 - loads PySpark

    options = job.RepartitionOptions(
        bootstrap=cluster.bootstrap, source=source, target=target, partitions=partitions, key=key, follow=follow,
        quiet_s=quiet_s, records_max=records_max, id=name, accept_loss=accept_loss, format=source_format,
        client=cluster.properties,
    )  # fmt: skip
    if dry_run:
        return show_plan(job.plan(options), as_json=as_json)
    return run_job(
        lambda spark, watcher, stopping: job.run(options, spark=spark, watcher=watcher, stopping=stopping),
        app=options.query, master=master, spark_settings=spark_settings, source_format=source_format,
        watching=watching, as_json=as_json,
    )  # fmt: skip
