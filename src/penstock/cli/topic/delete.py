"""`penstock topic delete`: the one command here that destroys records, so it asks."""

import sys

import click

from penstock.cli.client import Cluster, client_options, topic_missing
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.output import json_option
from penstock.cli.topic.outcomes import settle


@click.command(no_args_is_help=True)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@client_options
@json_option
def delete(names: tuple[str, ...], yes: bool, cluster: Cluster, as_json: bool) -> ExitCode:
    """Delete topics and all their records."""
    with cluster.doing("list topics") as client:
        topics = client.list_topics()
    for name in names:
        if name not in topics:
            raise topic_missing(name, topics)
    if not yes:
        _ask(names, cluster)
    return settle(client.delete_topics(names), cluster, verb="delete", done="deleted", as_json=as_json)


def _ask(names: tuple[str, ...], cluster: Cluster) -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("deleting needs --yes where nobody can be asked (standard input is not a terminal)")
    if not click.confirm(f"Delete {', '.join(names)} and all records on {cluster.bootstrap}?", err=True):
        raise Failure("nothing was deleted")
