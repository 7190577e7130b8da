"""`penstock pipeline run replay`."""

from typing import Any

import click

from penstock.cli.exits import ExitCode
from penstock.cli.pipeline.launching import Launch, job_options
from penstock.cli.pipeline.options import TIME, catalog_options, reader_option


@click.command(no_args_is_help=True)
@click.argument("target")
@click.option("--from", "topic", metavar="TOPIC", help="Replay this topic; with --table, this one of the table's.")
@click.option("--table", metavar="NAME", help="Replay from this table of the lake: namespace.name.")
@click.option("--since", "since_ms", type=TIME, help="The first moment, such as 2026-11-16T04:30:00Z.")
@click.option("--until", "until_ms", type=TIME, help="The moment before which it ends.")
@click.option("--where", metavar="SQL", help="Only records for which this holds: over key, value, headers, timestamp, "
              "from_topic, from_partition, from_offset.")  # fmt: skip
@click.option("--rate", type=click.FloatRange(min=0, min_open=True), help="Records a second at most.")
@click.option("--batch-records", "records_max", type=click.IntRange(min=1), help="Records a batch.  [default: 200000]")
@click.option("--accept-loss", is_flag=True, help="Go on when retention took records before they were written again.")
@click.option(
    "--id", metavar="NAME", help="The name under which the job keeps its place.  [default: from what is replayed]"
)
@reader_option("penstock")
@catalog_options
@job_options
def replay(*, launch: Launch, **options: Any) -> ExitCode:
    """Write records of a time range again, from a topic or from the lake, into TARGET.

    Timestamps stay as they were; headers say where each record comes from. Each is written once: a replay that was
    stopped goes on, and one that is done does nothing more under the same name (--id).

    \b
    penstock pipeline run replay orders-test --from orders --since 2026-11-01 --until 2026-11-02 --rate 500
    penstock pipeline run replay orders --table shop.orders --where "cast(key AS string) = 'customer-17'"
    """
    from penstock.pipelines.jobs import replay as job  # noqa: PLC0415 - loads PySpark

    return launch.run(job, job.ReplayOptions(**launch.given(options)))
