"""`penstock cluster add-broker`: adding a broker is starting it; this prints with what."""

import shlex

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.cluster.reading import described
from penstock.cli.cluster.settings import CLUSTER_NAME, ETCD_ENDPOINTS, broker_settings
from penstock.cli.exits import ExitCode, Failure
from penstock.cli.output import json_option, print_json

PORT = 9092


@click.command()
@click.option(
    "--id", "broker_id", type=click.IntRange(min=0), help="The new broker's id.  [default: the next free one]"
)
@click.option("--host", default="0.0.0.0", show_default=True, help="The address it shall listen on.")
@click.option("--data", default="/var/lib/penstock", show_default=True, help="Its data folder, empty.")
@client_options
@json_option
def add_broker(broker_id: int | None, host: str, data: str, cluster: Cluster, as_json: bool) -> ExitCode:
    """Tell how to add a broker to this cluster. Nothing is changed.

    A broker joins when it is started with the cluster's etcd and an id of its own. It gets replicas of new topics at
    once, and of those that exist with `penstock cluster rebalance`.
    """
    there = described(cluster, with_fenced=True)
    taken = sorted(there.brokers)
    alive = min(there.brokers.keys() - there.fenced)
    told = broker_settings(cluster, alive, ETCD_ENDPOINTS, CLUSTER_NAME)
    if not told.get(ETCD_ENDPOINTS):
        raise Failure(
            "this cluster says nothing of an etcd: it is a single broker, or no Penstock",
            hint="A broker that stands alone cannot become one of several; `penstock up --brokers 3` tries a cluster.",
        )
    if broker_id in taken:
        raise Failure(f"broker {broker_id} is there already; taken are {', '.join(map(str, taken))}")
    chosen = broker_id if broker_id is not None else max(taken) + 1
    settings = {
        "node.id": str(chosen),
        **told,
        "listeners": f"PLAINTEXT://{host}:{PORT}",
        "log.dirs": data,
    }
    command = ["penstock", "up", *(part for name, value in settings.items() for part in ("--set", f"{name}={value}"))]
    if as_json:
        print_json({"settings": settings, "command": command})
        return ExitCode.OK
    click.echo("On the new machine, with these in its settings file (or as options, below):\n")
    click.echo("\n".join(f"  {name}={value}" for name, value in settings.items()))
    click.echo(f"\n  {shlex.join(command)}\n")
    click.echo("Then, to give it its share of what exists:\n\n  penstock cluster rebalance")
    return ExitCode.OK
