"""`penstock share describe`: who is in a share group, what each reads, and how much is left."""

from collections.abc import Iterable
from typing import Any

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.group.describe import ranges
from penstock.cli.output import json_option, print_json, print_table
from penstock.cli.share.facts import (
    ShareGroupFacts,
    ShareOffset,
    existing_share_groups,
    share_offsets,
    unknown_offsets,
)


@click.command(no_args_is_help=True)
@click.argument("names", nargs=-1, required=True, metavar="GROUP...")
@client_options
@json_option
def describe(names: tuple[str, ...], cluster: Cluster, as_json: bool) -> None:
    """Show a share group's state and members, which partitions each reads, and how much is left in them.

    \b
    start  all records before it are done; later ones may be done too
    lag    records that are not done, as far as the brokers know
    -      not begun, or not known
    """
    groups = existing_share_groups(cluster, names)
    offsets = {group.name: share_offsets(cluster, group.name) for group in groups}
    if as_json:
        print_json([_document(group, offsets[group.name]) for group in groups])
    else:
        for index, group in enumerate(groups):
            if index:
                click.echo()
            _print(group, offsets[group.name])
    if problem := unknown_offsets(each for of_group in offsets.values() for each in of_group):
        raise problem


def total_lag(offsets: Iterable[ShareOffset]) -> int | None:
    """None where a part of it is not known. Where a group has not begun, nothing is its to do yet."""
    offsets = list(offsets)
    if any(each.problem is not None or (each.start is not None and each.lag is None) for each in offsets):
        return None
    return sum(each.lag or 0 for each in offsets)


def _document(group: ShareGroupFacts, offsets: list[ShareOffset]) -> dict[str, Any]:
    return {
        "group": group.name,
        "state": group.state,
        "assignor": group.assignor,
        "coordinator": group.coordinator,
        "members": [
            {
                "member": member.member_id,
                "client": member.client_id,
                "host": member.host,
                "partitions": [{"topic": topic, "partition": index} for topic, index in member.partitions],
            }
            for member in group.members
        ],
        "lag_records": total_lag(offsets),
        "partitions": [
            {
                "topic": each.topic,
                "partition": each.partition,
                "start": each.start,
                "lag_records": each.lag,
                "members": len(group.readers((each.topic, each.partition))),
                "problem": each.problem,
            }
            for each in offsets
        ],
    }


def _print(group: ShareGroupFacts, offsets: list[ShareOffset]) -> None:
    facts = [group.state]
    facts += [f"assignor {group.assignor}"] if group.assignor else []
    click.echo(f"{group.name}  ({', '.join([*facts, f'coordinator {group.coordinator}'])})\n")
    if group.members:
        print_table(
            ["client", "host", "member", "partitions"],
            [[each.client_id, each.host, each.member_id, ranges(each.partitions)] for each in group.members],
        )
    else:
        click.echo("no members")
    click.echo()
    if offsets:
        print_table(
            ["topic", "partition", "start", "lag", "members"],
            [
                [each.topic, each.partition, each.start, each.lag, len(group.readers((each.topic, each.partition)))]
                for each in offsets
            ],
        )
    else:
        click.echo("nothing read yet")
