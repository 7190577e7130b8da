"""`penstock dlq purge`."""

import time

import click

from penstock.cli.asking import confirm_deletion, yes_option
from penstock.cli.client import Cluster, client_options
from penstock.cli.dlq.letters import ends, moment, partitions_of, topic_argument
from penstock.cli.output import json_option, print_json
from penstock.client import Client, OffsetSpec
from penstock.model import TopicPartition


@click.command()
@topic_argument
@click.option("--before", metavar="TIME", help="Only what was written there before this time: 7d, 2026-01-31T12:00.")
@click.option("--dry-run", is_flag=True, help="Only tell how many it would be.")
@yes_option
@client_options
@json_option
def purge(topic: str, before: str | None, dry_run: bool, yes: bool, cluster: Cluster, as_json: bool) -> None:
    """Delete dead letters in TOPIC for good: all of them, or the older ones.

    A log loses its beginning only: letters cannot be chosen otherwise.
    """
    before_ms = moment(before, "--before", int(time.time() * 1000))
    places = partitions_of(cluster, topic)
    with cluster.doing(f"find what is in {topic}") as client:
        begins = ends(client, places, OffsetSpec.EARLIEST)
        until = _until(client, places, before_ms)
    count = sum(max(0, until[where] - begins[where]) for where in places)
    if not dry_run and count:
        confirm_deletion(f"Delete {count} dead letters of {topic} on {cluster.bootstrap}?", yes=yes)
        with cluster.doing(f"delete records of {topic}") as client:
            client.delete_records({where: until[where] for where in places if until[where] > begins[where]}).all()
    if as_json:
        print_json({"topic": topic, "deleted": 0 if dry_run else count, "found": count})
    else:
        click.echo(f"{'would delete' if dry_run else 'deleted'}: {count} dead letters of {topic}")


def _until(client: Client, places: list[TopicPartition], before_ms: int | None) -> dict[TopicPartition, int]:
    last = ends(client, places, OffsetSpec.LATEST)
    if before_ms is None:
        return last
    found = client.list_offsets(dict.fromkeys(places, before_ms)).all()
    return {
        where: last[where] if found[where].offset < 0 else min(found[where].offset, last[where]) for where in places
    }
