"""`penstock profile remove`."""

import click

from penstock.cli import profiles
from penstock.cli.output import json_option, print_json


@click.command(no_args_is_help=True)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@json_option
def remove(names: tuple[str, ...], as_json: bool) -> None:
    """Remove profiles. Files that are named by their path are left alone."""
    known = profiles.names()
    for name in names:
        if name not in known:
            raise profiles.missing(name)
    for name in names:
        profiles.path_of(name).unlink()
        if profiles.current() == name:
            profiles.choose(None)
    if as_json:
        print_json([{"profile": name, "outcome": "removed"} for name in names])
    else:
        for name in names:
            click.echo(f"removed {name}")
