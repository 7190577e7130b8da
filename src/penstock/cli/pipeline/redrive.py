"""`penstock pipeline run redrive`."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from penstock.cli.exits import ExitCode, Failure
from penstock.cli.output import print_json, print_table
from penstock.cli.pipeline.launching import Launch, job_options
from penstock.cli.pipeline.options import reader_option

if TYPE_CHECKING:
    from penstock.pipelines.jobs.redrive import RedriveOptions


@click.command(no_args_is_help=True)
@click.argument("topic")
@click.option("--inspect", is_flag=True, help="Only look: counts by reason, and samples.")
@click.option("--to", "target", metavar="TOPIC", help="Where to.  [default: the topic that each record's headers name]")
@click.option("--reason", metavar="TEXT", help="Only records whose reason contains this.")
@click.option("--where", metavar="SQL", help="Only records for which this holds: over reason, origin_topic, key, "
              "value, headers, timestamp.")  # fmt: skip
@click.option(
    "--transform", metavar="MODULE:FUNCTION", help="A function DataFrame -> DataFrame that mends the records."
)
@click.option("--reason-header", metavar="NAME", help="The header that says why, if it is none of the usual ones.")
@click.option("--origin-header", metavar="NAME", help="The header that says from which topic, likewise.")
@click.option("--samples", type=click.IntRange(min=0), help="Of each reason, to look at.  [default: 3]")
@click.option("--batch-records", "records_max", type=click.IntRange(min=1), help="Records a batch.  [default: 10000]")
@reader_option("penstock")
@job_options
def redrive(
    *,
    launch: Launch,
    inspect: bool,
    reason: str | None,
    where: str | None,
    transform: str | None,
    reason_header: str | None,
    origin_header: str | None,
    **options: Any,
) -> ExitCode:
    """Look at the dead-letter TOPIC, and send records back where they came from, each once.

    What was sent is remembered for the topic: later runs, whatever their filter, leave it out.

    \b
    penstock pipeline run redrive orders.dead --inspect
    penstock pipeline run redrive orders.dead --reason Timeout
    penstock pipeline run redrive orders.dead --to orders --transform mending:fix_currency
    """
    from penstock.pipelines.jobs import redrive as job  # noqa: PLC0415 - loads PySpark

    chosen = {
        "reading": job.Reading(reason_header, origin_header, reason, where),
        "transform": _loaded(transform) if transform else None,
    }
    ready = job.RedriveOptions(**launch.given({**options, **chosen}))
    return _look(launch, ready) if inspect else launch.run(job, ready)


def _look(launch: Launch, options: "RedriveOptions") -> ExitCode:
    from penstock.pipelines.jobs import redrive as job  # noqa: PLC0415 - loads PySpark

    with launch.opened(job, options) as spark:
        found = job.inspect(options, spark)
    if launch.as_json:
        print_json(found)
        return ExitCode.OK
    columns = ("reason", "origin_topic", "records", "first", "last")
    print_table(columns, [[each[name] for name in columns] for each in found["reasons"]])
    columns = ("reason", "partition", "offset", "key", "value")
    print_table(columns, [[each[name] for name in columns] for each in found["samples"]], title="samples")
    return ExitCode.OK


def _loaded(name: str) -> Callable[[Any], Any]:
    module, colon, function = name.partition(":")
    if not colon:
        raise click.UsageError(f"--transform wants MODULE:FUNCTION, not {name!r}")
    sys.path.insert(0, str(Path.cwd()))
    try:
        found: Callable[[Any], Any] = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise Failure(
            f"could not load {name}: {error}", hint="The module is looked for in this folder, too."
        ) from error
    return found
