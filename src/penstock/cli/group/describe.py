"""`penstock group describe`: who is in a group, what each reads, and what the group has committed."""

from itertools import groupby
from typing import Any

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.group.behind import PartitionLag, partition_lags, total_records, unknown_lags
from penstock.cli.group.facts import existing_groups
from penstock.cli.output import json_option, print_json, print_table
from penstock.cli.places import Place
from penstock.cli.printable import printable
from penstock.client.described import GroupFacts


@click.command(no_args_is_help=True)
@click.argument("names", nargs=-1, required=True, metavar="GROUP...")
@client_options
@json_option
def describe(names: tuple[str, ...], cluster: Cluster, as_json: bool) -> None:
    """Show a group's state and members, which partitions each reads, and committed offsets with lag."""
    groups = existing_groups(cluster, names)
    lags = partition_lags(cluster, groups, in_seconds=False)
    if as_json:
        print_json([_document(group, lags[group.name]) for group in groups])
    else:
        for index, group in enumerate(groups):
            if index:
                click.echo()
            _print(group, lags[group.name])
    if problem := unknown_lags(lags, cluster):
        raise problem


def _document(group: GroupFacts, lags: list[PartitionLag]) -> dict[str, Any]:
    partitions = [lag.document() for lag in lags]
    for partition in partitions:
        del partition["lag_seconds"]  # not asked for here; `group lag` does
    return {
        "group": group.name,
        "state": group.state,
        "type": group.type,
        "assignor": group.assignor,
        "coordinator": group.coordinator,
        "members": [
            {
                "member": member.member_id,
                "client": member.client_id,
                "host": member.host,
                "instance": member.instance_id,
                "partitions": [{"topic": topic, "partition": index} for topic, index in member.partitions],
            }
            for member in group.members
        ],
        "lag_records": total_records(lags),
        "partitions": partitions,
    }


def _print(group: GroupFacts, lags: list[PartitionLag]) -> None:
    facts = [group.state, f"{group.type} protocol"]
    facts += [f"assignor {group.assignor}"] if group.assignor else []
    facts += [f"coordinator {group.coordinator}"] if group.coordinator else []
    click.echo(printable(f"{group.name}  ({', '.join(facts)})") + "\n")
    if group.members:
        has_static = any(member.instance_id for member in group.members)
        print_table(
            ["client", "host", *(["instance"] if has_static else []), "member", "partitions"],
            [
                [m.client_id, m.host, *([m.instance_id] if has_static else []), m.member_id, ranges(m.partitions)]
                for m in group.members
            ],
        )
    else:
        click.echo("no members")
    click.echo()
    if lags:
        print_table(
            ["topic", "partition", "committed", "end", "lag", "client"],
            [
                [lag.topic, lag.partition, lag.committed, lag.end, lag.records,
                 lag.member.client_id if lag.member else None]
                for lag in lags
            ],
        )  # fmt: skip
    else:
        click.echo("nothing committed")


def ranges(places: tuple[Place, ...]) -> str:
    """orders:0-3,7 payments:0"""
    return " ".join(
        f"{topic}:{_runs([index for _, index in of_topic])}"
        for topic, of_topic in groupby(sorted(places), key=lambda place: place[0])
    ) or "-"  # fmt: skip


def _runs(numbers: list[int]) -> str:
    runs = []
    # Numbers in a row keep their distance to their place in the list.
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        members = [number for _, number in run]
        runs.append(str(members[0]) if len(members) == 1 else f"{members[0]}-{members[-1]}")
    return ",".join(runs)
