"""`penstock audit search`."""

import time
from pathlib import Path

import click

from penstock.access.audit.reading import Wanted
from penstock.access.audit.reading import search as found_by
from penstock.cli.audit.folder import folder_of, folder_options, settings_of
from penstock.cli.audit.shown import choosing_options, print_event
from penstock.cli.exits import ExitCode
from penstock.cli.output import json_option, note
from penstock.cli.records.times import parse_time


@click.command("search")
@choosing_options
@click.option("--since", metavar="TIME", help="From then on: 2026-01-31T12:00, or a length back: 2h, 7d.")
@click.option("--until", metavar="TIME", help="Before then.")
@folder_options
@json_option
def search(
    user: str | None,
    operation: str | None,
    resource: str | None,
    host: str | None,
    failed: bool,
    since: str | None,
    until: str | None,
    folder: Path | None,
    file: Path | None,
    pairs: tuple[str, ...],
    as_json: bool,
) -> ExitCode:
    """Find events in all audit logs of a folder, in the order of time. What is not said does not matter.

    \b
    penstock audit search --dir /var/lib/penstock/audit --resource orders --since 7d
    penstock audit search --config penstock.properties --user mallory --failed --json
    """
    wanted = Wanted(
        since_ms=_time(since, "--since"),
        until_ms=_time(until, "--until"),
        user=user,
        operation=operation,
        resource=resource,
        host=host,
        failed=failed,
    )
    count = 0
    for event in found_by(folder_of(folder, settings_of(file, pairs)), wanted):
        count += 1
        print_event(event, as_json=as_json)
    if not count:
        note("no such events")
    return ExitCode.OK


def _time(text: str | None, option: str) -> int | None:
    try:
        return None if text is None else parse_time(text, now_ms=int(time.time() * 1000))
    except ValueError as problem:
        raise click.BadParameter(str(problem), param_hint=option) from None
