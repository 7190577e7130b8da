"""`penstock topic add-partitions`."""

import click

from penstock.cli.client import Cluster, client_options, topic_missing
from penstock.cli.exits import ExitCode
from penstock.cli.output import json_option
from penstock.cli.topic.outcomes import settle


@click.command(no_args_is_help=True)
@click.argument("name")
@click.option("--to", "total", type=click.IntRange(min=1), help="How many partitions the topic shall have in all.")
@click.option("--by", "more", type=click.IntRange(min=1), help="How many to add.")
@click.option("--validate-only", is_flag=True, help="Ask whether it would be done, without doing it.")
@client_options
@json_option
def add_partitions(
    *, name: str, total: int | None, more: int | None, validate_only: bool, cluster: Cluster, as_json: bool
) -> ExitCode:
    """Raise a topic's number of partitions; it can never be lowered.

    Keyed records may go to other partitions from then on: order by key holds before and after, not across.
    """
    if (total is None) == (more is None):
        raise click.UsageError("give either --to TOTAL or --by MORE")
    with cluster.doing("list topics") as client:
        topics = client.list_topics()
    if name not in topics:
        raise topic_missing(name, topics)
    total = total or len(topics[name].partitions) + (more or 0)
    return settle(
        client.create_partitions({name: total}, validate_only=validate_only),
        cluster,
        verb=f"give {total} partitions to",
        done="would grow" if validate_only else "grew",
        as_json=as_json,
        facts={"partitions": total},
    )
