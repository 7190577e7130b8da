"""`penstock schedule fire-now`."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.output import json_option
from penstock.cli.schedule.cancel import id_options, tell, write_for
from penstock.cli.schedule.waiting import topic_argument
from penstock.delivery.schedules.plan import FIRE_NOW


@click.command("fire-now")
@topic_argument
@id_options
@client_options
@json_option
def fire_now(topic: str, key: str, schedule_id: str, cluster: Cluster, as_json: bool) -> None:
    """Have what waits in TOPIC under a key and an id fired at once, as if it were due."""
    found = write_for(cluster, topic, key, schedule_id, headers=((FIRE_NOW, b"true"),), doing="fire")
    tell("fired", found, as_json=as_json)
