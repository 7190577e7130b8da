"""`penstock txn describe`."""

import time
from datetime import UTC, datetime
from typing import Any

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, print_json, print_table
from penstock.cli.txn.facts import OPEN_STATES, described


@click.command(no_args_is_help=True)
@click.argument("transactional_ids", nargs=-1, required=True, metavar="TRANSACTIONAL_ID...")
@client_options
@json_option
def describe(transactional_ids: tuple[str, ...], cluster: Cluster, as_json: bool) -> None:
    """Show who writes under a transactional id, since when its transaction is open, and on which partitions."""
    facts = [_facts(cluster, transactional_id) for transactional_id in transactional_ids]
    if as_json:
        print_json(facts)
        return
    for each in facts:
        partitions = each.pop("partitions")
        print_table(["", ""], [[name.replace("_", " "), value] for name, value in each.items()])
        for place in partitions:
            click.echo(f"  {place['topic']}-{place['partition']}")


def _facts(cluster: Cluster, transactional_id: str) -> dict[str, Any]:
    coordinator, state = described(cluster, transactional_id)
    began_ms = state.transaction_start_time_ms
    # Of one that has ended Kafka tells the beginning too.
    is_open = began_ms >= 0 and state.transaction_state in OPEN_STATES
    return {
        "transactional_id": state.transactional_id,
        "state": state.transaction_state,
        "producer_id": state.producer_id,
        "producer_epoch": state.producer_epoch,
        "coordinator": coordinator.id,
        "timeout_ms": state.transaction_timeout_ms,
        "open_since": datetime.fromtimestamp(began_ms / 1000, UTC).isoformat() if is_open else None,
        "open_for_ms": int(time.time() * 1000) - began_ms if is_open else None,
        "partitions": [
            {"topic": topic.topic, "partition": index} for topic in state.topics for index in sorted(topic.partitions)
        ],
    }
