"""Options that several jobs have, each said once."""

from collections.abc import Callable
from typing import Any

import click

from penstock.pipelines.problems import PipelineProblem
from penstock.pipelines.source.options import timestamp_ms

Command = Callable[..., Any]


def _with(command: Command, *options: Callable[[Command], Command]) -> Command:
    for option in reversed(options):
        command = option(command)
    return command


def reader_option(default: str) -> Callable[[Command], Command]:
    return click.option("--reader", type=click.Choice(["penstock", "kafka"]),
                        help=f"What reads topics: Penstock's source, or Spark's own connector.  "
                        f"[default: {default}]")  # fmt: skip


def catalog_options(command: Command) -> Command:
    """Where tables are."""
    return _with(
        command,
        click.option("--catalog", metavar="NAME", help="The catalog's name in Spark.  [default: lake]"),
        click.option("--catalog-uri", metavar="URL", help="A REST catalog instead of the embedded one."),
        click.option("--warehouse", metavar="FOLDER",
                     help="Where the embedded catalog and its tables are; of a REST catalog, its warehouse.  "
                     "[default: penstock-lake]"),
    )  # fmt: skip


def filling_options(command: Command) -> Command:
    """Of a job that fills a table from topics, once or for good."""
    return _with(
        command,
        click.option("--job", metavar="NAME", help="Name of the progress kept in the table.  [default: the job's]"),
        reader_option("kafka"),
        click.option("--start", type=click.Choice(["earliest", "latest"]),
                     help="Where a first run begins.  [default: earliest]"),
        click.option("--isolation", type=click.Choice(["read_committed", "read_uncommitted"]),
                     help="[default: read_committed]"),
        click.option("--available-now", is_flag=True, default=None,
                     help="Read what is there now, then end: for a scheduler."),
        click.option("--batch-records", "batch_records_max", type=click.IntRange(min=1),
                     help="Records a batch.  [default: 500000]"),
        click.option("--interval", "interval_s", type=float, metavar="SECONDS",
                     help="Between batches.  [default: 10]"),
        click.option("--patience", "patience_s", type=float, metavar="SECONDS",
                     help="How long the cluster may be away.  [default: 300]"),
        click.option("--group", metavar="NAME", help="Consumer group that progress is committed to; '' for none."),
        catalog_options,
    )  # fmt: skip


def upkeep_options(command: Command) -> Command:
    """Of a table that is written to in many small batches."""
    return _with(
        command,
        click.option("--batch-bytes", "batch_bytes_max", type=click.IntRange(min=1), metavar="BYTES",
                     help="About so much a batch; memory grows with it.  [default: 268435456]"),
        click.option("--accept-new-topic", is_flag=True, default=None,
                     help="Go on if a topic was deleted and created anew."),
        click.option("--accept-gaps", is_flag=True, default=None,
                     help="Go on if retention deleted records before they were read."),
        click.option("--compact-every", type=click.IntRange(min=0),
                     help="Compact small files after so many batches; 0 never."),
        click.option("--expire-after", "expire_after_s", type=float, metavar="DAYS",
                     callback=lambda _context, _option, days: None if days is None else days * 24 * 3600,
                     help="Expire older snapshots, at compactions."),
    )  # fmt: skip


class Time(click.ParamType):  # type: ignore[type-arg]
    """2026-11-16T04:30:00Z, or milliseconds since 1970; without a zone it is UTC."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            return timestamp_ms(str(value))
        except PipelineProblem as problem:
            self.fail(problem.message, param, ctx)


TIME = Time()
