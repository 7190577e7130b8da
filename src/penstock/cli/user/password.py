"""`penstock user password`."""

from pathlib import Path

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, print_json
from penstock.cli.user.credentials import hand_out, new_password, new_password_options, put, require


@click.command(no_args_is_help=True)
@click.argument("name")
@new_password_options
@client_options
@json_option
def password(
    *,
    name: str,
    password_file: Path | None,
    generate: bool,
    client_file: Path | None,
    cluster: Cluster,
    as_json: bool,
) -> None:
    """Give a user another password, for each of their mechanisms. Connections that are open stay so."""
    mechanisms = require(cluster, name)
    text = new_password(name, file=password_file, generate=generate)
    put(cluster, name, text, sorted(mechanisms.items()), doing=f"give {name} another password")
    if as_json:
        shown = {"password": text} if generate and client_file is None else {}
        print_json({"user": name, "mechanisms": sorted(mechanisms), "outcome": "changed", **shown})
    else:
        click.echo(f"{name} has another password ({', '.join(sorted(mechanisms))})")
    hand_out(cluster, name, text, max(mechanisms), file=client_file, show=generate and not as_json)
