"""`penstock schedule list`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option, note, print_json, print_table
from penstock.cli.schedule.waiting import Waiting, read_topic, topic_argument


@click.command("list")
@topic_argument
@click.option("--partition", type=click.IntRange(min=0), help="Only this partition.")
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, metavar="N",
              help="No more than the N that are due first.")  # fmt: skip
@client_options
@json_option
def list_waiting(topic: str, partition: int | None, limit: int, cluster: Cluster, as_json: bool) -> None:
    """List what waits in the schedule topic TOPIC, what is due first at the top."""
    found = [each for state in read_topic(cluster, topic, partition) for each in state.waiting]
    found.sort(key=lambda each: (each.due_ms, each.partition, each.record.offset))
    shown = found[:limit]
    if as_json:
        print_json([as_dict(each) for each in shown])
        return
    if shown:
        rows = [[each.due, _place(each), _text(each.record.key), each.id, _kind(each)] for each in shown]
        print_table(["due", "partition:offset", "key", "id", "fires"], rows)
    if len(found) > limit:
        note(f"{len(found) - limit} more wait; --limit shows them")
    elif not found:
        note(f"nothing waits in {topic}")


def as_dict(each: Waiting) -> dict[str, object]:
    return {
        "partition": each.partition,
        "offset": each.record.offset,
        "due_ms": each.due_ms,
        "due": each.due,
        "key": _text(each.record.key),
        "id": each.id,
        "recurring": each.is_recurring,
    }


def _place(each: Waiting) -> str:
    return f"{each.partition}:{each.record.offset}"


def _kind(each: Waiting) -> str:
    return "again and again" if each.is_recurring else "once"


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode(errors="backslashreplace")
