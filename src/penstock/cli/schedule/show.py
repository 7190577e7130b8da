"""`penstock schedule show`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import NotFound
from penstock.cli.output import json_option, print_json, print_table
from penstock.cli.schedule.list import as_dict
from penstock.cli.schedule.waiting import read_topic, topic_argument, when


@click.command()
@topic_argument
@click.argument("place", metavar="PARTITION:OFFSET")
@client_options
@json_option
def show(topic: str, place: str, cluster: Cluster, as_json: bool) -> None:
    """Show the record that waits in TOPIC at PARTITION:OFFSET, as `penstock schedule list` names it."""
    partition, _, offset = place.partition(":")
    if not (partition.isascii() and partition.isdigit() and offset.isascii() and offset.isdigit()):
        raise click.UsageError(f"{place!r} is not as 0:17, a partition and an offset in it")
    (state,) = read_topic(cluster, topic, int(partition))
    found = next((each for each in state.waiting if each.record.offset == int(offset)), None)
    if found is None:
        raise NotFound(f"nothing waits in {topic} at {place}", hint="It was fired or cancelled, or never waited there.")
    headers = {name: _text(value) for name, value in found.record.headers}
    value = _text(found.record.value)
    if as_json:
        written = {"timestamp_ms": found.record.timestamp, "headers": headers, "value": value}
        print_json({**as_dict(found), **written})
        return
    rows: list[list[object]] = [
        ["due", found.due],
        ["written", when(max(found.record.timestamp, 0))],
        ["key", _text(found.record.key)],
    ]
    rows += [[name, text] for name, text in headers.items()]
    rows.append(["value", value])
    print_table(["", f"{topic} {place}"], rows)


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode(errors="backslashreplace")
