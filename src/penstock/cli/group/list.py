"""`penstock group list`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.group.facts import list_groups as ask_groups
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.printable import printable


@click.command("list")
@click.option("--state", "states", type=click.Choice(["stable", "rebalancing", "empty"]), multiple=True,
              help="Only groups in this state; repeatable.")  # fmt: skip
@click.option("--names", is_flag=True, help="Names only, one a line.")
@client_options
@json_option
def list_groups(states: tuple[str, ...], names: bool, cluster: Cluster, as_json: bool) -> None:
    """List consumer groups with their state: stable, rebalancing, or empty (nobody reads)."""
    groups = [each for each in ask_groups(cluster) if not states or each.state in states]
    if as_json:
        print_json([{"group": each.name, "state": each.state, "type": each.type} for each in groups])
    elif names:
        for each in groups:
            click.echo(printable(each.name))
    elif groups:
        print_table(["group", "state", "type"], [[each.name, each.state, each.type] for each in groups])
    else:
        note("no such groups" if states else "no groups yet; a consumer that subscribes with a group.id makes one")
