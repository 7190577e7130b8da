"""`penstock share list`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.share.facts import list_share_groups


@click.command("list")
@click.option("--state", "states", type=click.Choice(["stable", "empty"]), multiple=True,
              help="Only groups in this state; repeatable.")  # fmt: skip
@click.option("--names", is_flag=True, help="Names only, one a line.")
@client_options
@json_option
def list_groups(states: tuple[str, ...], names: bool, cluster: Cluster, as_json: bool) -> None:
    """List share groups with their state: stable, or empty (nobody reads)."""
    groups = [each for each in list_share_groups(cluster) if not states or each.state in states]
    if as_json:
        print_json([{"group": each.name, "state": each.state} for each in groups])
    elif names:
        for each in groups:
            click.echo(each.name)
    elif groups:
        print_table(["group", "state"], [[each.name, each.state] for each in groups])
    else:
        note("no such groups" if states else "no share groups yet; a share consumer that subscribes makes one")
