"""`penstock topic list`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.places import Place


@click.command("list")
@click.option("--internal", is_flag=True, help="Show internal topics too (names that begin with two underscores).")
@click.option("--counts", is_flag=True, help="Count records (end minus begin offsets), which asks every partition.")
@click.option("--names", is_flag=True, help="Names only, one a line.")
@client_options
@json_option
def list_topics(internal: bool, counts: bool, names: bool, cluster: Cluster, as_json: bool) -> None:
    """List topics with their partitions and replication factor."""
    with cluster.doing("list topics") as client:
        found = client.list_topics()
    topics = {name: topic.partitions for name, topic in sorted(found.items()) if internal or not name.startswith("__")}
    rows: list[dict[str, str | int | None]] = [
        {
            "topic": name,
            "partitions": len(partitions),
            "replication_factor": max((len(p.replicas) for p in partitions.values()), default=0),
        }
        for name, partitions in topics.items()
    ]
    unknown: dict[Place, str | None] = {}
    if counts:
        from penstock.cli.topic.offsets import partition_ranges  # noqa: PLC0415 - only when asked for

        ranges = partition_ranges(
            cluster, [(name, index) for name, partitions in topics.items() for index in partitions]
        )
        for row, (name, partitions) in zip(rows, topics.items(), strict=True):
            of_topic = [ranges[name, index].count for index in partitions]
            row["records"] = None if None in of_topic else sum(count or 0 for count in of_topic)
        unknown = {place: offsets.problem for place, offsets in ranges.items() if offsets.count is None}
    if as_json:
        print_json(rows)
    elif names:
        for row in rows:
            click.echo(row["topic"])
    elif rows:
        print_table([column.replace("_", " ") for column in rows[0]], [list(row.values()) for row in rows])
    else:
        note("no topics yet; make one with `penstock topic create NAME`")
    if unknown:
        from penstock.cli.topic.offsets import offsets_unknown  # noqa: PLC0415

        raise offsets_unknown(unknown, cluster)
