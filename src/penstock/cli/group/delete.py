"""`penstock group delete`: what the group has committed goes with it, so it asks."""

import click

from penstock.cli.asking import confirm_deletion, yes_option
from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode
from penstock.cli.group.facts import existing_groups, refuse_if_active
from penstock.cli.output import json_option
from penstock.cli.topic.outcomes import settle


@click.command(no_args_is_help=True)
@click.argument("names", nargs=-1, required=True, metavar="GROUP...")
@yes_option
@client_options
@json_option
def delete(names: tuple[str, ...], yes: bool, cluster: Cluster, as_json: bool) -> ExitCode:
    """Delete groups and what they have committed. Refused while members are active."""
    groups = existing_groups(cluster, names)
    for group in groups:
        refuse_if_active(group, doing="delete")
    confirm_deletion(f"Delete {', '.join(names)} and all committed offsets on {cluster.bootstrap}?", yes=yes)
    outcomes = cluster.client().delete_groups(group.name for group in groups)
    return settle(outcomes, cluster, what="group", verb="delete", done="deleted", as_json=as_json)
