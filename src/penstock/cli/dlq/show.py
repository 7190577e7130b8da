"""`penstock dlq show`."""

import time
from datetime import UTC, datetime

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.dlq.letters import (
    Letter,
    ends,
    filter_of,
    filter_options,
    letters_between,
    partitions_of,
    topic_argument,
)
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.records.printing import json_bytes
from penstock.client import OffsetSpec


@click.command()
@topic_argument
@filter_options
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, metavar="N",
              help="No more than the first N.")  # fmt: skip
@client_options
@json_option
def show(
    topic: str,
    group: str | None,
    source: str | None,
    reason: str | None,
    since: str | None,
    until: str | None,
    limit: int,
    cluster: Cluster,
    as_json: bool,
) -> None:
    """Show the dead letters in TOPIC: where each is from, why it is there, and with --json the record itself."""
    wanted = filter_of(group, source, reason, since, until, now_ms=int(time.time() * 1000))
    places = partitions_of(cluster, topic)
    found: list[Letter] = []
    with cluster.doing(f"read {topic}") as client:
        begins, last = ends(client, places, OffsetSpec.EARLIEST), ends(client, places, OffsetSpec.LATEST)
        for piece in letters_between(client, begins, last):
            found += [each for each in piece if wanted.wants(each)]
            if len(found) > limit:
                break
    found.sort(key=lambda each: (each.record.timestamp_ms, each.record.partition, each.record.offset))
    if as_json:
        print_json([as_dict(each) for each in found[:limit]])
        return
    if found:
        print_table(["written", "place", "from", "group", "deliveries", "reason"], map(_row, found[:limit]))
    else:
        note(f"no such dead letter is in {topic}")
    if len(found) > limit:
        note("there are more; --limit shows them")


def _row(letter: Letter) -> list[object]:
    record = letter.record
    at = datetime.fromtimestamp(record.timestamp_ms / 1000, UTC).isoformat(timespec="milliseconds")
    origin = f"{letter.topic}:{letter.partition}:{letter.offset}"
    return [at, f"{record.partition}:{record.offset}", origin, letter.group, letter.deliveries, letter.message]


def as_dict(letter: Letter) -> dict[str, object]:
    record = letter.record
    return {
        "partition": record.partition,
        "offset": record.offset,
        "timestamp": record.timestamp_ms,
        "source_topic": letter.topic,
        "source_partition": letter.partition,
        "source_offset": letter.offset,
        "group": letter.group,
        "reason": letter.message,
        "deliveries": letter.deliveries,
        **json_bytes("key", record.key),
        **json_bytes("value", record.value),
        "headers": [{"name": name, **json_bytes("value", value)} for name, value in letter.headers],
    }
