"""`penstock log list`: what a start has set aside, and what is damaged."""

from pathlib import Path
from typing import NamedTuple

import click

from penstock.cli.exits import ExitCode
from penstock.cli.log.folders import data_option, mib, stopped
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.log import lost_logs


class Row(NamedTuple):
    partition: str | None
    state: str
    bytes: int
    folder: str
    reason: str


@click.command("list")
@data_option
@json_option
def list_logs(data: tuple[Path, ...], as_json: bool) -> ExitCode:
    """List logs that were set aside because the metadata does not know their topic, and logs that are damaged.

    \b
    penstock log list --data /var/lib/penstock
    """
    with stopped(data) as folders:
        strays = [stray for folder in folders for stray in folder.strays()]
        damaged = [each for folder in folders for each in folder.damaged()] + lost_logs(folders)
    rows = [
        Row(
            partition=None if stray.partition is None else str(stray.partition),
            state="set aside",
            bytes=stray.size,
            folder=str(stray.folder / stray.name),
            reason=f"topic id {stray.topic_id or 'unknown'}",
        )
        for stray in strays
    ]
    for each in damaged:
        where = str(each.folder / str(each.partition))
        rows.append(Row(str(each.partition), "damaged", each.size, where, each.reason))
    if as_json:
        print_json([row._asdict() for row in rows])
    elif not rows:
        note("nothing was set aside, nothing is known to be damaged")
    else:
        table = [(row.partition, row.state, mib(row.bytes), row.folder, row.reason) for row in rows]
        print_table(("partition", "state", "size", "folder", "reason"), table)
    return ExitCode.OK
