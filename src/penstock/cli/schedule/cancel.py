"""`penstock schedule cancel`, and what it shares with `fire-now`: a record that names others by key and id."""

from collections.abc import Callable
from typing import Any

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.exits import NotFound
from penstock.cli.output import json_option, print_json
from penstock.cli.schedule.list import as_dict
from penstock.cli.schedule.waiting import Waiting, read_topic, topic_argument
from penstock.delivery.schedules.plan import SCHEDULE_ID


def id_options(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option("--id", "schedule_id", required=True, help="Its penstock-schedule-id.")(command)
    return click.option("--key", required=True, help="The record's key.")(command)


@click.command()
@topic_argument
@id_options
@client_options
@json_option
def cancel(topic: str, key: str, schedule_id: str, cluster: Cluster, as_json: bool) -> None:
    """Cancel what waits in TOPIC under a key and an id. What is being fired already is fired."""
    found = write_for(cluster, topic, key, schedule_id, headers=(), doing="cancel")
    tell("cancelled", found, as_json=as_json)


def write_for(
    cluster: Cluster, topic: str, key: str, schedule_id: str, *, headers: tuple[tuple[str, bytes], ...], doing: str
) -> list[Waiting]:
    """Write a record without value beside each that waits under the id; NotFound where none does."""
    waiting = [each for state in read_topic(cluster, topic) for each in state.waiting]
    found = [each for each in waiting if each.record.key == key.encode() and each.id == schedule_id]
    if not found:
        raise NotFound(f"nothing waits in {topic} under the key {key} and the id {schedule_id}")
    names = ((SCHEDULE_ID, schedule_id.encode()), *headers)
    with cluster.doing(f"{doing} {schedule_id}") as client, client.producer() as producer:
        for partition in sorted({each.partition for each in found}):
            producer.wait(producer.send(topic, None, key=key.encode(), headers=names, partition=partition))
    return found


def tell(what: str, found: list[Waiting], *, as_json: bool) -> None:
    if as_json:
        print_json([as_dict(each) for each in found])
        return
    for each in found:
        click.echo(f"{what}: {each.partition}:{each.record.offset}, due {each.due}")
