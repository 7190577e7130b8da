"""`penstock schedule stats`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, print_json, print_table
from penstock.cli.schedule.waiting import read_topic, topic_argument, when


@click.command()
@topic_argument
@client_options
@json_option
def stats(topic: str, cluster: Cluster, as_json: bool) -> None:
    """Count what waits in the schedule topic TOPIC, by partition, and say when it is due."""
    states = read_topic(cluster, topic)
    found = [
        {
            "partition": state.partition,
            "waiting": len(state.waiting),
            "recurring": sum(each.is_recurring for each in state.waiting),
            "on_the_way": state.on_the_way,
            "first_due_ms": state.waiting[0].due_ms if state.waiting else None,
            "last_due_ms": state.waiting[-1].due_ms if state.waiting else None,
            "log_offsets": state.end_offset - state.start_offset,
        }
        for state in states
    ]
    if as_json:
        print_json(found)
        return
    rows = [
        [
            each["partition"],
            each["waiting"],
            each["recurring"],
            each["on_the_way"],
            _when(each["first_due_ms"]),
            _when(each["last_due_ms"]),
            each["log_offsets"],
        ]
        for each in found
    ]
    print_table(
        ["partition", "waiting", "recurring", "on the way", "first due", "last due", "offsets in the log"], rows
    )


def _when(at_ms: int | None) -> str | None:
    return None if at_ms is None else when(at_ms)
