"""`penstock topic create`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import ExitCode
from penstock.cli.output import json_option, note
from penstock.cli.properties import key_values
from penstock.cli.topic.outcomes import settle
from penstock.client import NewTopic


@click.command(no_args_is_help=True)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("-p", "--partitions", type=click.IntRange(min=1), help="How many; the broker's num.partitions if absent.")
@click.option("-r", "--replication-factor", type=click.IntRange(min=1), help="Copies of each partition; the broker's "
              "default.replication.factor if absent.")  # fmt: skip
@click.option("-s", "--setting", "pairs", multiple=True, metavar="NAME=VALUE",
              help="A topic setting, such as retention.ms=86400000; repeatable.")  # fmt: skip
@click.option("--if-not-exists", is_flag=True, help="Be content when the topic is there already.")
@click.option("--validate-only", is_flag=True, help="Ask whether it would be created, without creating it.")
@client_options
@json_option
def create(
    *,
    names: tuple[str, ...],
    partitions: int | None,
    replication_factor: int | None,
    pairs: tuple[str, ...],
    if_not_exists: bool,
    validate_only: bool,
    cluster: Cluster,
    as_json: bool,
) -> ExitCode:
    """Create topics.

    \b
    penstock topic create orders --partitions 6
    penstock topic create users -s cleanup.policy=compact -s min.cleanable.dirty.ratio=0.1
    """
    settings = key_values(pairs, option="--setting")
    client = cluster.client()
    if if_not_exists:
        with cluster.doing("list topics"):
            existing = client.list_topics()
        for name in [name for name in names if name in existing]:
            note(f"{name} already exists")
        names = tuple(name for name in names if name not in existing)
    if not names:
        return ExitCode.OK
    # -1 leaves the number to the broker (KIP-464).
    wanted = [NewTopic(name, partitions or -1, replication_factor or -1, settings) for name in names]
    outcomes = client.create_topics(wanted, validate_only=validate_only)
    return settle(
        outcomes, cluster, verb="create", done="would create" if validate_only else "created", as_json=as_json
    )
