"""`penstock cluster forget`: a broker that is gone for good leaves its id to another machine."""

import click

from penstock.cli.client import Cluster, client_options
from penstock.cli.cluster.reading import described, partitions
from penstock.cli.exits import ExitCode, Failure, NotFound
from penstock.cli.output import json_option, note, print_json
from penstock.model.words import counted


@click.command(no_args_is_help=True)
@click.argument("broker", type=click.IntRange(min=0))
@click.option("-y", "--yes", is_flag=True, help="Do it. Without, it is only looked whether it can be done.")
@client_options
@json_option
def forget(broker: int, yes: bool, cluster: Cluster, as_json: bool) -> ExitCode:
    """Unregister BROKER, which is stopped and drained: only then may another data folder use its id.

    \b
    penstock cluster drain 3 --yes
    systemctl stop penstock            on its machine
    penstock cluster forget 3 --yes
    """
    there = described(cluster, with_fenced=True)
    if broker in there.brokers.keys() - there.fenced:
        raise Failure(f"broker {broker} is alive", hint="Stop it first.")
    if kept := [each.name for each in partitions(cluster) if broker in each.replicas]:
        raise Failure(
            f"broker {broker} keeps replicas of {counted(len(kept), 'partition')}, such as {kept[0]}",
            hint=f"`penstock cluster drain {broker}` moves them to others.",
        )
    known = sorted(there.brokers)
    if there.tells_fenced and broker not in known:
        raise NotFound(f"there is no broker {broker}; there are {', '.join(map(str, known))}")
    if yes:
        with cluster.doing(f"forget broker {broker}") as client:
            client.unregister_broker(broker)
    if as_json:
        print_json({"broker": broker, "done": yes})
    elif yes:
        click.echo(f"broker {broker} is forgotten")
    else:
        note(f"broker {broker} can be forgotten; nothing was changed: --yes does it")
    return ExitCode.OK
