"""`penstock pipeline run repartition`."""

from typing import Any

import click

from penstock.cli.exits import ExitCode
from penstock.cli.pipeline.launching import Launch, job_options
from penstock.cli.pipeline.options import reader_option


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
@click.option("--batch-records", "records_max", type=click.IntRange(min=1), help="Records a batch.  [default: 500000]")
@click.option("--accept-loss", is_flag=True, help="Go on when retention took records before they were copied.")
@click.option("--id", metavar="NAME", help="The name under which the job keeps its place.  [default: from the topics]")
@reader_option("penstock")
@job_options
def repartition(*, launch: Launch, **options: Any) -> ExitCode:
    """Copy SOURCE's whole history into TARGET with another number of partitions, or by another key.

    Order per key is kept and each record comes once. Started again, it goes on where it was. The summary says up to
    which offsets of SOURCE the TARGET is complete: where producers and consumers can change over.

    \b
    penstock pipeline run repartition orders orders-by-12 --partitions 12
    penstock pipeline run repartition clicks by-user -p 3 --key "get_json_object(cast(value AS string), '$.user')"
    penstock pipeline run repartition orders orders-v2 -p 24 --follow --until-quiet 30
    """
    from penstock.pipelines.jobs import repartition as job  # noqa: PLC0415 - loads PySpark

    return launch.run(job, job.RepartitionOptions(**launch.given(options)))
