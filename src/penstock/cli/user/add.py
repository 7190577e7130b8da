"""`penstock user add`."""

from pathlib import Path

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, print_json
from penstock.cli.user.credentials import (
    DEFAULT,
    hand_out,
    iterations_option,
    mechanism_option,
    new_password,
    new_password_options,
    put,
    put_groups,
    refuse_existing,
)


@click.command(no_args_is_help=True)
@click.argument("name")
@mechanism_option
@iterations_option
@click.option("--group", "groups", multiple=True, help="A group that they are in, for rules about Group:NAME.")
@new_password_options
@client_options
@json_option
def add(
    *,
    name: str,
    mechanisms: tuple[str, ...],
    iterations: int,
    groups: tuple[str, ...],
    password_file: Path | None,
    generate: bool,
    client_file: Path | None,
    cluster: Cluster,
    as_json: bool,
) -> None:
    """Add a user who logs in with a password, which is asked for, read from a file, or made up.

    The password does not travel: the cluster keeps what SCRAM needs to check it.

    \b
    penstock user add alice
    penstock user add alice --generate --client-file alice.properties
    pass show kafka/alice | penstock user add alice --password-file -
    """
    refuse_existing(cluster, name)
    password = new_password(name, file=password_file, generate=generate)
    chosen = mechanisms or (DEFAULT,)
    put(cluster, name, password, ((each, iterations) for each in chosen), doing=f"add {name}")
    if groups:
        put_groups(cluster, name, groups)
    if as_json:
        shown = {"password": password} if generate and client_file is None else {}
        print_json({"user": name, "mechanisms": list(chosen), "outcome": "added", **shown})
    else:
        click.echo(f"added {name} ({', '.join(chosen)})")
    hand_out(cluster, name, password, chosen[-1], file=client_file, show=generate and not as_json)
