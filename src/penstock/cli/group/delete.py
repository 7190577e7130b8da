"""`penstock group delete`: what the group has committed goes with it, so it asks."""

import sys

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.group.facts import existing_groups, refuse_if_active
from penstock.cli.output import json_option
from penstock.cli.topic.outcomes import settle


@click.command(no_args_is_help=True)
@click.argument("names", nargs=-1, required=True, metavar="GROUP...")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@client_options
@json_option
def delete(names: tuple[str, ...], yes: bool, cluster: Cluster, as_json: bool) -> ExitCode:
    """Delete groups and what they have committed. Refused while members are active."""
    groups = existing_groups(cluster, names)
    for group in groups:
        refuse_if_active(group, doing="delete")
    if not yes:
        _ask(names, cluster)
    outcomes = cluster.client().delete_groups(group.name for group in groups)
    return settle(outcomes, cluster, what="group", verb="delete", done="deleted", as_json=as_json)


def _ask(names: tuple[str, ...], cluster: Cluster) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("deleting needs --yes where nobody can be asked (standard input is not a terminal)")
    if not click.confirm(f"Delete {', '.join(names)} and all committed offsets on {cluster.bootstrap}?", err=True):
        raise Failure("nothing was deleted")
