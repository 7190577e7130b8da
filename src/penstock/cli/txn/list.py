"""`penstock txn list`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.records import parse_length_ms
from penstock.cli.txn.facts import listed

STATES = ("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort")


@click.command("list")
@click.option("--state", "states", type=click.Choice(STATES, case_sensitive=False), multiple=True,
              help="Only ids in this state; repeatable.")  # fmt: skip
@click.option("--open-for", metavar="LENGTH", help="Only transactions open for longer: 90s, 10m, 2h30m.")
@click.option("--pattern", metavar="REGEX", help="Only ids that this regular expression (RE2) matches.")
@client_options
@json_option
def list_transactions(
    states: tuple[str, ...], open_for: str | None, pattern: str | None, cluster: Cluster, as_json: bool
) -> None:
    """List transactional ids with their state: Ongoing is an open transaction, Complete* is between two.

    \b
    penstock txn list --state Ongoing
    penstock txn list --open-for 10m
    """
    try:
        open_for_ms = -1 if open_for is None else parse_length_ms(open_for)
    except ValueError as error:
        raise click.UsageError(f"--open-for: {error}") from None
    found = listed(cluster, states=states, open_for_ms=open_for_ms, pattern=pattern)
    if as_json:
        print_json(
            [
                {
                    "transactional_id": each.transactional_id,
                    "state": each.state,
                    "producer_id": each.producer_id,
                    "coordinator": each.coordinator,
                }
                for each in found
            ]
        )
    elif found:
        columns = ["transactional id", "state", "producer id", "coordinator"]
        rows = [[each.transactional_id, each.state, each.producer_id, each.coordinator] for each in found]
        print_table(columns, rows)
    else:
        note("no such transactions")
