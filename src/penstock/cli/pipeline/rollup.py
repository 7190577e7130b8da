"""`penstock pipeline run rollup`."""

from typing import Any

import click

from penstock.cli.exits import ExitCode
from penstock.cli.pipeline.launching import Launch, job_options
from penstock.cli.pipeline.options import filling_options


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
@filling_options
@job_options
def rollup(*, launch: Launch, **options: Any) -> ExitCode:
    """Windowed counts, sums, quantiles and distincts by key, each final window once.

    \b
    penstock pipeline run rollup sales --table shop.minutes --schema 'shop STRING, amount DOUBLE' \\
        --window '1 minute' --by shop -m count -m sum:amount -m p99:amount
    """
    from penstock.pipelines.jobs import rollup as job  # noqa: PLC0415 - loads PySpark

    return launch.run(job, job.RollupOptions(**launch.given(options)))
