"""`penstock txn hanging`: transactions open on a partition of which their coordinator knows nothing.

Consumers that read committed records only wait for them, and compaction stops there, for ever: no marker will come.
"""

import time

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.records import parse_length_ms
from penstock.cli.txn.facts import OPEN_STATES, OpenTransaction, described, listed, open_transactions


@click.command()
@click.option("-t", "--topic", "topics", multiple=True, metavar="TOPIC", help="Only on this topic; repeatable.")
@click.option("--open-for", default="15m", show_default=True, metavar="LENGTH",
              help="Only transactions without a record for longer than transaction.max.timeout.ms.")  # fmt: skip
@client_options
@json_option
def hanging(topics: tuple[str, ...], open_for: str, cluster: Cluster, as_json: bool) -> None:
    """Find transactions that are open on a partition but not at their coordinator: nobody will end them."""
    try:
        before_ms = int(time.time() * 1000) - parse_length_ms(open_for)
    except ValueError as error:
        raise click.UsageError(f"--open-for: {error}") from None
    old = [each for each in open_transactions(cluster, list(topics) or None) if each.last_timestamp <= before_ms]
    found = [each for each in old if not _is_known(cluster, each)]
    if found:  # one whose marker came after the first look has ended, as it should
        still_open = list(open_transactions(cluster, list(topics) or None))
        found = [each for each in found if each in still_open]
    if as_json:
        print_json(
            [
                {
                    "topic": each.topic,
                    "partition": each.partition,
                    "first_offset": each.first_offset,
                    "producer_id": each.producer_id,
                    "producer_epoch": each.producer_epoch,
                    "last_timestamp_ms": each.last_timestamp,
                }
                for each in found
            ]
        )
    elif found:
        columns = ["topic", "partition", "first offset", "producer id", "producer epoch"]
        rows = [
            [each.topic, each.partition, each.first_offset, each.producer_id, each.producer_epoch] for each in found
        ]
        print_table(columns, rows)
        note("`penstock txn abort --topic TOPIC --partition N --offset FIRST_OFFSET` ends one of them")
    else:
        note("no transaction hangs")


def _is_known(cluster: Cluster, transaction: OpenTransaction) -> bool:
    for each in listed(cluster, states=OPEN_STATES, producer_ids=[transaction.producer_id]):
        _, state = described(cluster, each.transactional_id)
        if any(
            topic.topic == transaction.topic and transaction.partition in topic.partitions for topic in state.topics
        ):
            return True
    return False
