"""`penstock user list`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.printable import printable
from penstock.cli.user.credentials import groups_of, known


@click.command("list")
@click.option("--names", is_flag=True, help="Names only, one a line.")
@client_options
@json_option
def list_users(names: bool, cluster: Cluster, as_json: bool) -> None:
    """List users with their mechanisms, iterations and groups.

    Who logs in by a certificate or a token is none of them.
    """
    users = known(cluster)
    groups = {} if names else groups_of(cluster)
    if as_json:
        print_json([{"user": name, "mechanisms": each, "groups": groups.get(name, [])} for name, each in users.items()])
    elif names:
        for name in users:
            click.echo(printable(name))
    elif users:
        rows = [
            [name, *told, ", ".join(groups.get(name, []))]
            for name, mechanisms in users.items()
            for told in sorted(mechanisms.items())
        ]
        print_table(["user", "mechanism", "iterations", "groups"], rows)
    else:
        note("no users yet; `penstock user add` adds one")
