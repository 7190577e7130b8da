"""`penstock topic delete`: the one command here that destroys records, so it asks."""

import click

from penstock.cli.asking import confirm_deletion, yes_option
from penstock.cli.client import Cluster, client_options, topic_missing
from penstock.cli.exits import ExitCode
from penstock.cli.output import json_option
from penstock.cli.topic.outcomes import settle


@click.command(no_args_is_help=True)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@yes_option
@client_options
@json_option
def delete(names: tuple[str, ...], yes: bool, cluster: Cluster, as_json: bool) -> ExitCode:
    """Delete topics and all their records."""
    with cluster.doing("list topics") as client:
        topics = client.list_topics()
    for name in names:
        if name not in topics:
            raise topic_missing(name, topics)
    confirm_deletion(f"Delete {', '.join(names)} and all records on {cluster.bootstrap}?", yes=yes)
    return settle(client.delete_topics(names), cluster, verb="delete", done="deleted", as_json=as_json)
