"""`penstock log remove-stray`: delete logs that nobody needs any more."""

from pathlib import Path

import click

from penstock.cli.exits import ExitCode
from penstock.cli.log.folders import data_option, mib, stopped, stray_facts, strays_named, yes_option
from penstock.cli.output import json_option, note, print_json


@click.command("remove-stray", no_args_is_help=True)
@click.argument("names", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All that were set aside.")
@data_option
@yes_option
@json_option
def remove_stray(
    names: tuple[str, ...], everything: bool, data: tuple[Path, ...], yes: bool, as_json: bool
) -> ExitCode:
    """Delete logs that were set aside, for good: NAMES are partitions (orders-0), or folders of `penstock log list`.

    \b
    penstock log remove-stray orders-0                  show what would be deleted
    penstock log remove-stray orders-0 --yes
    """
    if bool(names) == everything:
        raise click.UsageError("name what to remove, or say --all")
    with stopped(data) as folders:
        chosen = [(f, s) for f in folders for s in f.strays()] if everything else strays_named(folders, names)
        for folder, stray in chosen:
            if yes:
                folder.remove(stray)
            if not as_json:
                click.echo(f"{'removed' if yes else 'would remove'} {folder.path / stray.name} ({mib(stray.size)})")
    if as_json:
        print_json([stray_facts(folder, stray, done=yes) for folder, stray in chosen])
    elif not yes and chosen:
        note("nothing was changed: --yes does it")
    return ExitCode.OK
