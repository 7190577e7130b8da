"""`penstock pipeline run lake`."""

from pathlib import Path
from typing import Any

import click

from penstock.cli.client import Cluster
from penstock.cli.exits import ExitCode
from penstock.cli.pipeline.launching import connection, given, job_options, launch
from penstock.cli.pipeline.watching import Watching

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(no_args_is_help=True)
@click.argument("topics", nargs=-1, required=True, metavar="TOPIC...")
@click.option("--table", required=True, metavar="NAME", help="namespace.name; {topic} in it makes a table a topic.")
@click.option(
    "--mode", type=click.Choice(["raw", "json", "avro", "protobuf"]), help="What values are.  [default: json]"
)
@click.option("--schema", "schema_text", metavar="DDL", help="JSON's columns, such as 'id BIGINT, name STRING'.")
@click.option("--schema-file", type=_FILE, help="The same from a file; for avro an .avsc file.")
@click.option("--descriptors", "descriptor_file", type=_FILE, help="protobuf: what protoc --descriptor_set_out wrote.")
@click.option("--message", metavar="NAME", help="protobuf: the full name of the records' message type.")
@click.option("--framed", is_flag=True, default=None, help="Values have a schema registry's five-byte prefix.")
@click.option("--registry", metavar="URL|FOLDER", help="avro: where schemas are found by id; implies --framed.")
@click.option("--evolve/--no-evolve", default=None, help="Add and widen columns as the data does.  [default: evolve]")
@click.option("--keep-value", is_flag=True, default=None, help="Keep the bytes of each value in record_value.")
@click.option("--event-time", metavar="FIELD", help="The field that says when; without it the record's timestamp does.")
@click.option("--partition-by", type=click.Choice(["none", "hour", "day", "month", "year"]), help="[default: day]")
@click.option(
    "--dead-letters", "dead_letter_table", metavar="NAME", help="Bad rows' table.  [default: TABLE_dead_letters]"
)
@click.option("--job", metavar="NAME", help="Name of the progress kept in the table.  [default: lake]")
@click.option("--source", type=click.Choice(["kafka", "penstock"]), help="Spark's connector or ours.  [default: kafka]")
@click.option(
    "--start", type=click.Choice(["earliest", "latest"]), help="Where a first run begins.  [default: earliest]"
)
@click.option(
    "--isolation", type=click.Choice(["read_committed", "read_uncommitted"]), help="[default: read_committed]"
)
@click.option("--accept-new-topic", is_flag=True, default=None, help="Go on if a topic was deleted and created anew.")
@click.option(
    "--accept-gaps", is_flag=True, default=None, help="Go on if retention deleted records before they were read."
)
@click.option("--available-now", is_flag=True, default=None, help="Read what is there now, then end: for a scheduler.")
@click.option(
    "--batch-records", "batch_records_max", type=click.IntRange(min=1), help="Records a batch.  [default: 500000]"
)
@click.option("--interval", "interval_s", type=float, metavar="SECONDS", help="Between batches.  [default: 10]")
@click.option("--patience", "patience_s", type=float, metavar="SECONDS",
              help="How long the cluster may be away.  [default: 300]")  # fmt: skip
@click.option("--compact-every", type=click.IntRange(min=0), help="Compact small files after so many batches; 0 never.")
@click.option(
    "--expire-after", "expire_days", type=float, metavar="DAYS", help="Expire older snapshots, at compactions."
)
@click.option("--catalog", metavar="NAME", help="The catalog's name in Spark.  [default: lake]")
@click.option("--catalog-uri", metavar="URL", help="A REST catalog instead of the embedded one.")
@click.option(
    "--warehouse", metavar="FOLDER", help="Where the embedded catalog and its tables are.  [default: penstock-lake]"
)
@click.option("--group", metavar="NAME", help="Consumer group that progress is committed to; '' for none.")
@job_options
def lake(
    *,
    topics: tuple[str, ...],
    schema_text: str | None,
    schema_file: Path | None,
    descriptor_file: Path | None,
    expire_days: float | None,
    cluster: Cluster,
    watching: Watching,
    dry_run: bool,
    as_json: bool,
    **options: Any,
) -> ExitCode:
    """Topics to Iceberg tables, each record once; bad ones to a table of dead letters.

    \b
    penstock pipeline run lake orders --table shop.orders --available-now
    penstock pipeline run lake orders users --table 'raw.{topic}' --mode raw --compact-every 50
    penstock pipeline run lake orders --table shop.orders --mode avro --registry http://localhost:8081
    """
    if schema_text is not None and schema_file is not None:
        raise click.UsageError("give --schema or --schema-file, not both")
    from penstock.pipelines.jobs import lake as job  # noqa: PLC0415 - loads PySpark

    chosen = given(
        {
            **options,
            **connection(cluster),
            "topics": topics,
            "schema": schema_file.read_text() if schema_file else schema_text,
            "descriptors": descriptor_file.read_bytes() if descriptor_file else None,
            "expire_after_s": None if expire_days is None else expire_days * 24 * 3600,
        }
    )
    ready = job.LakeOptions(**chosen)
    return launch(
        ready.job,
        session=lambda: job.session(ready, None),
        plan=lambda spark: job.plan(ready, spark),
        run=lambda spark, watcher, stopping: job.run(ready, spark=spark, watcher=watcher, stopping=stopping),
        watching=watching,
        dry_run=dry_run,
        as_json=as_json,
    )
