"""`penstock pipeline run replay`."""

import click

from penstock.cli.client import Cluster
from penstock.cli.exits import ExitCode
from penstock.cli.pipeline.copying import TIME, copying_options, run_job, show_plan
from penstock.cli.pipeline.watching import Watching


@click.command(no_args_is_help=True)
@click.argument("target")
@click.option("--from", "topic", metavar="TOPIC", help="Replay this topic; with --table, this one of the table's.")
@click.option("--table", help="Replay from this table of the lake.")
@click.option("--since", "since_ms", type=TIME, help="The first moment, such as 2026-11-16T04:30:00Z.")
@click.option("--until", "until_ms", type=TIME, help="The moment before which it ends.")
@click.option("--where", metavar="SQL", help="Only records for which this holds: over key, value, headers, timestamp, "
              "from_topic, from_partition, from_offset.")  # fmt: skip
@click.option("--rate", type=click.FloatRange(min=0, min_open=True), help="Records a second at most.")
@click.option("--records-max", type=click.IntRange(min=1), default=200_000, show_default=True, help="Of a batch.")
@click.option("--id", "name", help="The name under which the job keeps its place.  [default: from what is replayed]")
@copying_options
def replay(
    *,
    target: str,
    topic: str | None,
    table: str | None,
    since_ms: int | None,
    until_ms: int | None,
    where: str | None,
    rate: float | None,
    records_max: int,
    name: str | None,
    master: str,
    spark_settings: dict[str, str],
    source_format: str,
    dry_run: bool,
    watching: Watching,
    cluster: Cluster,
    as_json: bool,
) -> ExitCode:
    """Write records of a time range again, from a topic or from the lake, into TARGET.

    Timestamps stay as they were; headers say where each record comes from. Each is written once: a replay that was
    stopped goes on, and one that is done does nothing more under the same name (--id).

    \b
    penstock pipeline run replay orders-test --from orders --since 2026-11-01 --until 2026-11-02 --rate 500
    penstock pipeline run replay orders --table lake.orders --where "cast(key AS string) = 'customer-17'"
    """
    from penstock.pipelines.jobs import replay as job  # noqa: PLC0415 - loads PySpark

    options = job.ReplayOptions(
        bootstrap=cluster.bootstrap, target=target, topic=topic, table=table, since_ms=since_ms, until_ms=until_ms,
        where=where, rate=rate, records_max=records_max, id=name, format=source_format, client=cluster.properties,
    )  # fmt: skip
    if dry_run:
        return show_plan(job.plan(options), as_json=as_json)
    return run_job(
        lambda spark, watcher, stopping: job.run(options, spark=spark, watcher=watcher, stopping=stopping),
        app=options.query, master=master, spark_settings=spark_settings, source_format=source_format,
        watching=watching, as_json=as_json,
    )  # fmt: skip
