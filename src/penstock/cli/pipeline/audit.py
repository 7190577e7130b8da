"""`penstock pipeline run audit`."""

import json
from pathlib import Path
from typing import Any

import click

from penstock.cli.client import Cluster
from penstock.cli.exits import ExitCode
from penstock.cli.output import print_json
from penstock.cli.pipeline.launching import given, job_options, tell_plan
from penstock.cli.pipeline.watching import Watching

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(no_args_is_help=True)
@click.argument("left")
@click.argument("right")
@click.option("--match", metavar="HOW", help="offset, content, key, header:NAME or field:NAME.  "
              "[default: offset with a table, else content]")  # fmt: skip
@click.option(
    "--order", type=click.Choice(["auto", "partition", "key", "none"]), help="Within what order must be kept."
)
@click.option("--from", "from_time", metavar="TIME", help="Only records from this time on: ISO, or ms since 1970.")
@click.option("--to", "to_time", metavar="TIME", help="Only records before this time.")
@click.option("--topic-in-table", metavar="TOPIC", help="Of a table that several topics fill: the one to compare.")
@click.option("--samples", type=click.IntRange(min=0), help="Examples of each kind of difference.  [default: 20]")
@click.option("--source", type=click.Choice(["kafka", "penstock"]), help="Spark's connector or ours.  [default: kafka]")
@click.option("--catalog", metavar="NAME", help="The catalog's name in Spark.  [default: lake]")
@click.option("--catalog-uri", metavar="URL", help="A REST catalog instead of the embedded one.")
@click.option("--warehouse", metavar="FOLDER", help="Where the embedded catalog is.  [default: penstock-lake]")
@click.option("--report", "report_file", type=_FILE, help="Write the report as JSON to this file.")
@click.option("--page", "page_file", type=_FILE, help="Write the report as an HTML page with plots to this file.")
@job_options
def audit(
    *,
    left: str,
    right: str,
    from_time: str | None,
    to_time: str | None,
    report_file: Path | None,
    page_file: Path | None,
    cluster: Cluster,
    watching: Watching,
    dry_run: bool,
    as_json: bool,
    **options: Any,
) -> ExitCode:
    """Compare two ends: exit code 0 if they are the same, 1 if records are missing, doubled, differing or reordered.

    An end is topic:NAME, topic:NAME@HOST:PORT or table:NAME.

    \b
    penstock pipeline run audit topic:orders table:shop.orders --page audit.html
    penstock pipeline run audit topic:orders@old:9092 topic:orders@new:9092 --match offset
    """
    from penstock.pipelines.jobs import audit as job  # noqa: PLC0415 - loads PySpark
    from penstock.pipelines.jobs.audit.page import page  # noqa: PLC0415
    from penstock.pipelines.source.options import timestamp_ms  # noqa: PLC0415

    chosen = given(
        {
            **options,
            "left": job.End.parse(left, bootstrap=cluster.bootstrap),
            "right": job.End.parse(right, bootstrap=cluster.bootstrap),
            "from_ms": None if from_time is None else timestamp_ms(from_time),
            "to_ms": None if to_time is None else timestamp_ms(to_time),
            "client": dict(cluster.properties),
        }
    )
    ready = job.AuditOptions(**chosen)
    if dry_run:
        return tell_plan(job.plan(ready), as_json=as_json)
    with watching.watcher("audit") as watcher:
        found = job.run(ready, watcher=watcher)
    if report_file is not None:
        report_file.write_text(json.dumps(found.to_json(), indent=2) + "\n")
    if page_file is not None:
        page_file.write_text(page(found))
    if as_json:
        print_json(found.to_json())
    else:
        click.echo(f"{found.left}: {found.left_records:,} records; {found.right}: {found.right_records:,} records")
        click.echo(
            "the same"
            if found.same
            else ", ".join(f"{count:,} {kind}" for kind, count in found.totals.items() if count)
        )
    return ExitCode.OK if found.same else ExitCode.FAILED
