"""`penstock share delete`: what the group knows of records goes with it, so it asks."""

import click

from penstock.cli.asking import confirm_deletion, yes_option
from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode
from penstock.cli.output import json_option
from penstock.cli.share.facts import existing_share_groups, refuse_if_active
from penstock.cli.topic.outcomes import settle


@click.command(no_args_is_help=True)
@click.argument("names", nargs=-1, required=True, metavar="GROUP...")
@yes_option
@client_options
@json_option
def delete(names: tuple[str, ...], yes: bool, cluster: Cluster, as_json: bool) -> ExitCode:
    """Delete share groups and what they know of records. Refused while members are active."""
    for group in existing_share_groups(cluster, names):
        refuse_if_active(group, doing="delete")
    confirm_deletion(f"Delete {', '.join(names)} and where they read on, on {cluster.bootstrap}?", yes=yes)
    outcomes = cluster.client().delete_groups(names)
    return settle(outcomes, cluster, what="share group", verb="delete", done="deleted", as_json=as_json)
