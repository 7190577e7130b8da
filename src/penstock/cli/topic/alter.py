"""`penstock topic alter`: change or take back settings of a topic."""

import click

from penstock.cli.client import Cluster, client_options, topic_missing
from penstock.cli.exits import ExitCode
from penstock.cli.output import json_option
from penstock.cli.properties import key_values
from penstock.cli.topic.outcomes import settle
from penstock.client import Change, Resource, ResourceType


@click.command(no_args_is_help=True)
@click.argument("name")
@click.option("-s", "--setting", "pairs", multiple=True, metavar="NAME=VALUE", help="Set this; repeatable.")
@click.option("-u", "--unset", "unset", multiple=True, metavar="NAME", help="Back to the default; repeatable.")
@click.option("--validate-only", is_flag=True, help="Ask whether it would be done, without doing it.")
@client_options
@json_option
def alter(
    *,
    name: str,
    pairs: tuple[str, ...],
    unset: tuple[str, ...],
    validate_only: bool,
    cluster: Cluster,
    as_json: bool,
) -> ExitCode:
    """Change a topic's settings; those not named stay as they are.

    \b
    penstock topic alter orders -s retention.ms=86400000 --unset cleanup.policy
    """
    settings = key_values(pairs, option="--setting")
    if not settings and not unset:
        raise click.UsageError("nothing to do: give --setting NAME=VALUE or --unset NAME")
    if both := settings.keys() & set(unset):
        raise click.UsageError(f"{', '.join(sorted(both))}: set or unset, not both")
    with cluster.doing("list topics") as client:
        topics = client.list_topics()
    if name not in topics:
        raise topic_missing(name, topics)
    changes: list[tuple[str, Change, str | None]] = [
        (setting, Change.SET, value) for setting, value in settings.items()
    ]
    changes += [(setting, Change.DELETE, None) for setting in unset]
    resource = Resource(ResourceType.TOPIC, name)
    outcomes = client.alter_configs({resource: changes}, validate_only=validate_only)
    done = "would alter" if validate_only else "altered"
    return settle({name: outcomes[resource]}, cluster, verb="alter", done=done, as_json=as_json)
