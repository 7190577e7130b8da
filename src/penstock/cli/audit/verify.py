"""`penstock audit verify`."""

from pathlib import Path

import click
import msgspec

from penstock.access.audit import Head, Report
from penstock.access.audit.reading import verify_folder
from penstock.cli.audit.folder import folder_of, folder_options, settings_of
from penstock.cli.audit.heads import heads_known_to, heads_told_by
from penstock.cli.exits import ExitCode, NotFound
from penstock.cli.logging import configure_logging
from penstock.cli.output import json_option, note, print_json
from penstock.cli.printable import printable
from penstock.model.words import counted


@click.command("verify")
@folder_options
@click.option("--health", "urls", multiple=True, metavar="URL", help="A broker to ask how far logs reach; repeatable.")
@click.option("--ca", "authority", type=click.Path(path_type=Path), help="PEM file of whom to trust, for https.")
@click.option("--timeout", "timeout_s", default=10.0, show_default=True, help="Seconds to wait for its answer.")
@json_option
def verify(
    folder: Path | None,
    file: Path | None,
    pairs: tuple[str, ...],
    urls: tuple[str, ...],
    authority: Path | None,
    timeout_s: float,
    as_json: bool,
) -> ExitCode:
    """Find changed, cut and missing lines and files of all audit logs in a folder. Exits with 1 if there are any.

    A log whose end was cut off is whole in itself. So the logs are compared with what the metadata store knows: it is
    asked where --config names a broker's settings; --health asks a running broker instead.

    \b
    penstock audit verify --config /etc/penstock/penstock.properties
    penstock audit verify --dir /backup/audit --health http://127.0.0.1:9644
    """
    configure_logging(form="text", level="warning")
    config = settings_of(file, pairs)
    where = folder_of(folder, config)
    heads: dict[int, Head] | None = None
    if urls:
        heads = heads_told_by(urls, authority=authority, timeout_s=timeout_s)
    elif config is not None:
        heads = heads_known_to(config, authority=authority, timeout_s=timeout_s)
    reports = verify_folder(where, heads or {})
    if not reports:
        raise NotFound(f"there is no audit log in {where}")
    if as_json:
        print_json([{**msgspec.to_builtins(report), "is_whole": report.is_whole} for report in reports])
    else:
        for report in reports:
            _show(report)
    if heads is None:
        note("not compared with the metadata store: lines cut off an end are not found. Give --config or --health")
    return ExitCode.OK if all(report.is_whole for report in reports) else ExitCode.FAILED


def _show(report: Report) -> None:
    there = f"{counted(report.lines, 'line')} in {counted(report.files, 'file')}, {report.first} to {report.last}"
    state = "whole" if report.is_whole else counted(report.problem_count, "problem")
    click.echo(f"{report.name}: {state}; {there}")
    for problem in report.problems:
        click.echo(printable(f"  {problem}"))
    for remark in report.notes:
        click.echo(printable(f"  {remark}"))
