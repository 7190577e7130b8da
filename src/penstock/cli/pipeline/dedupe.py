"""`penstock pipeline run dedupe`."""

from typing import Any

import click

from penstock.cli.exits import ExitCode
from penstock.cli.pipeline.launching import Launch, job_options
from penstock.cli.pipeline.options import filling_options, upkeep_options


@click.command(no_args_is_help=True)
@click.argument("topics", nargs=-1, required=True, metavar="TOPIC...")
@click.option("--table", required=True, metavar="NAME", help="namespace.name of the table to fill.")
@click.option("--to-topic", metavar="TOPIC", help="Write what is kept to this topic too, each record once.")
@click.option("--id", metavar="HOW", help="What makes two records the same one: key, content, header:NAME or "
              "field:NAME.  [default: key]")  # fmt: skip
@click.option("--within", "window_s", type=float, metavar="SECONDS",
              help="How far apart in time two records may be and still be duplicates.  [default: 86400]")  # fmt: skip
@filling_options
@upkeep_options
@job_options
def dedupe(*, launch: Launch, **options: Any) -> ExitCode:
    """A topic without its duplicates, as a table: of records with one id within --within seconds, the first.

    \b
    penstock pipeline run dedupe payments --table shop.payments --id field:payment_id --within 3600
    penstock pipeline run dedupe payments --table shop.payments --to-topic payments.once --id header:request-id
    """
    from penstock.pipelines.jobs import dedupe as job  # noqa: PLC0415 - loads PySpark

    return launch.run(job, job.DedupeOptions(**launch.given(options)))
