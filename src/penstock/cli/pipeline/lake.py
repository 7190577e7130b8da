"""`penstock pipeline run lake`."""

from pathlib import Path
from typing import Any

import click

from penstock.cli.exits import ExitCode
from penstock.cli.pipeline.launching import Launch, job_options
from penstock.cli.pipeline.options import filling_options, upkeep_options

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
@click.option("--max-dead-letters", type=click.FloatRange(0, 100), metavar="PERCENT",
              help="End, and commit nothing of the batch, if more of its rows than this would be dead letters; judged "
              "over 1,000 rows or more.  [default: 1]")  # fmt: skip
@filling_options
@upkeep_options
@job_options
def lake(
    *, launch: Launch, schema_text: str | None, schema_file: Path | None, descriptor_file: Path | None, **options: Any
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

    values = {
        "schema": schema_file.read_text() if schema_file else schema_text,
        "descriptors": descriptor_file.read_bytes() if descriptor_file else None,
    }
    return launch.run(job, job.LakeOptions(**launch.given({**options, **values})))
