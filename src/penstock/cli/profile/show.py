"""`penstock profile show`."""

import click

from penstock.cli import profiles
from penstock.cli.exits import NotFound
from penstock.cli.output import json_option, print_json, print_table


@click.command()
@click.argument("name", required=False)
@json_option
def show(name: str | None, as_json: bool) -> None:
    """Show what a profile says, without its secrets: of a name or a path, or the one that is used."""
    wanted = name or profiles.current()
    if wanted is None:
        raise NotFound("no profile is used", hint="`penstock profile use NAME` chooses one.")
    path = profiles.find(wanted)
    properties = profiles.hidden(profiles.read(path))
    if as_json:
        print_json({"profile": wanted, "path": str(path), "properties": properties})
    else:
        print_table(["property", "value"], list(properties.items()), title=str(path))
