"""`penstock pipeline run audit`."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from penstock.cli.exits import ExitCode
from penstock.cli.files import FileToWrite
from penstock.cli.output import print_json
from penstock.cli.pipeline.launching import Launch, job_options
from penstock.cli.pipeline.options import TIME, catalog_options, reader_option
from penstock.model.words import counted

if TYPE_CHECKING:
    from penstock.pipelines.jobs.audit.report import Report

_FILE = FileToWrite()


@click.command(no_args_is_help=True)
@click.argument("left")
@click.argument("right")
@click.option("--match", metavar="HOW", help="offset, content, key, header:NAME or field:NAME.  "
              "[default: offset with a table, else content]")  # fmt: skip
@click.option(
    "--order", type=click.Choice(["auto", "partition", "key", "none"]), help="Within what order must be kept."
)
@click.option("--from", "from_ms", type=TIME, help="Only records from this time on: ISO, or ms since 1970.")
@click.option("--to", "to_ms", type=TIME, help="Only records before this time.")
@click.option("--topic-in-table", metavar="TOPIC", help="Of a table that several topics fill: the one to compare.")
@click.option("--samples", type=click.IntRange(min=0), help="Examples of each kind of difference.  [default: 20]")
@reader_option("kafka")
@catalog_options
@click.option("--report", "report_file", type=_FILE, help="Write the report as JSON to this file.")
@click.option("--page", "page_file", type=_FILE, help="Write the report as an HTML page with plots to this file.")
@job_options
def audit(
    *, left: str, right: str, report_file: Path | None, page_file: Path | None, launch: Launch, **options: Any
) -> ExitCode:
    """Compare two ends: exit code 0 if they are the same, 1 if records are missing, doubled, differing or reordered.

    An end is topic:NAME, topic:NAME@HOST:PORT or table:NAME.

    \b
    penstock pipeline run audit topic:orders table:shop.orders --page audit.html
    penstock pipeline run audit topic:orders@old:9092 topic:orders@new:9092 --match offset
    """
    from penstock.pipelines.jobs import audit as job  # noqa: PLC0415 - loads PySpark
    from penstock.pipelines.jobs.audit.page import page  # noqa: PLC0415

    chosen = launch.given(options)
    bootstrap = chosen.pop("bootstrap")
    one, other = (job.End.parse(end, bootstrap=bootstrap) for end in (left, right))
    ready = job.AuditOptions(left=one, right=other, **chosen)
    if launch.dry_run:
        return launch.tell_plan(job.plan(ready))
    with launch.opened(job, ready) as spark, launch.watching.watcher("audit") as watcher:
        found = job.run(ready, spark=spark, watcher=watcher)
    try:
        if report_file is not None:
            report_file.write_text(json.dumps(found.to_json(), indent=2) + "\n")
        if page_file is not None:
            page_file.write_text(page(found))
    finally:  # what was found is told also where there is no room for a file
        _tell(found, as_json=launch.as_json)
    return ExitCode.OK if found.same else ExitCode.FAILED


def _tell(found: "Report", *, as_json: bool) -> None:
    if as_json:
        print_json(found.to_json())
        return
    ends = ((found.left, found.left_records), (found.right, found.right_records))
    click.echo("; ".join(f"{end}: {counted(records, 'record')}" for end, records in ends))
    click.echo(
        "the same" if found.same else ", ".join(f"{count:,} {kind}" for kind, count in found.totals.items() if count)
    )
