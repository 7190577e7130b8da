"""`penstock log restore-stray`: a log whose topic the metadata knows again, or which was set aside by mistake."""

from pathlib import Path

import click

from penstock.cli.exits import ExitCode, Failure
from penstock.cli.log.folders import data_option, mib, stopped, stray_facts, strays_named, yes_option
from penstock.cli.output import json_option, note, print_json


@click.command("restore-stray", no_args_is_help=True)
@click.argument("name")
@data_option
@yes_option
@json_option
def restore_stray(name: str, data: tuple[Path, ...], yes: bool, as_json: bool) -> ExitCode:
    """Give a log that was set aside its name back. The next start reads all of it, and takes it if the metadata has a
    topic of its name and id; else it is set aside again.

    \b
    penstock log restore-stray orders-0 --yes
    """
    with stopped(data) as folders:
        ((folder, stray),) = strays_named(folders, [name])
        partition = stray.partition
        if partition is None:
            raise Failure(f"{stray.name} does not tell the whole name of its topic", hint="Rename it by hand.")
        for other in folders:
            if partition in other.logs():
                raise Failure(
                    f"{other.path} has {partition} already",
                    hint="Move that one elsewhere first, if this one is the better: it would be lost otherwise.",
                )
        if yes:
            folder.restore(stray)
    if as_json:
        print_json(stray_facts(folder, stray, done=yes))
        return ExitCode.OK
    what = f"{folder.path / stray.name} ({mib(stray.size)}) as {partition}"
    click.echo(f"{'restored' if yes else 'would restore'} {what}")
    if not yes:
        note("nothing was changed: --yes does it")
    return ExitCode.OK
