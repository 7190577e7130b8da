"""`penstock share inflight`: which records are with whom, as the leaders of their partitions say."""

from typing import Any

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import Failure
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.share.facts import existing_share_groups
from penstock.errors import NotCoordinator


@click.command(no_args_is_help=True)
@click.argument("name", metavar="GROUP")
@click.option("--topic", "topics", multiple=True, metavar="TOPIC", help="Only this topic; repeatable.")
@click.option("--member", "members", multiple=True, metavar="MEMBER", help="Only this member; repeatable.")
@client_options
@json_option
def inflight(name: str, topics: tuple[str, ...], members: tuple[str, ...], cluster: Cluster, as_json: bool) -> None:
    """Show which records members of GROUP have now, how often they were delivered, and how long they may keep them.

    A member that holds records up for long shows here: `penstock share release` takes them back.
    """
    (group,) = existing_share_groups(cluster, [name])
    clients = {each.member_id: each.client_id for each in group.members}
    rows = [
        each
        for each in _in_flight(cluster, name)
        if (not topics or each["topic"] in topics) and (not members or each["member"] in members)
    ]
    if as_json:
        print_json([each | {"client": clients.get(each["member"])} for each in rows])
    elif rows:
        print_table(
            ["topic", "partition", "offsets", "deliveries", "left", "client", "member"],
            [
                [
                    each["topic"],
                    each["partition"],
                    _span(each["first"], each["last"]),
                    each["deliveries"],
                    f"{each['lock_left_ms'] / 1000:.1f} s",
                    clients.get(each["member"]),
                    each["member"],
                ]
                for each in rows
            ],
        )
    else:
        note(f"nobody of {name} has a record")


def _span(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def _in_flight(cluster: Cluster, group: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for broker, outcome in cluster.client().share_group_in_flight(group).items():
        if isinstance(outcome, NotCoordinator):
            raise _unknown()
        for where, told in cluster.value(outcome, doing=f"ask broker {broker} what it has given out").items():
            if told.in_flight is None:
                raise _unknown()
            found += [
                {
                    "topic": where.topic,
                    "partition": where.partition,
                    "first": each.first_offset,
                    "last": each.last_offset,
                    "deliveries": each.delivery_count,
                    "member": each.member_id,
                    "lock_left_ms": each.lock_left_ms,
                }
                for each in told.in_flight
            ]
    return sorted(found, key=lambda each: (each["topic"], each["partition"], each["first"]))


def _unknown() -> Failure:
    return Failure(
        "this cluster does not tell which records are with whom",
        hint="Brokers of Penstock do; `penstock share describe` works with all.",
    )
