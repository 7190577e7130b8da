"""`penstock local partition`: packets between a broker and others vanish, until they are let through again."""

from pathlib import Path

import click

from penstock.cli.exits import ExitCode, Failure
from penstock.cli.local.options import cluster_option
from penstock.cli.local.state import ClusterState
from penstock.cli.output import json_option, print_json
from penstock.processes.networks import CLIENTS


@click.command(no_args_is_help=True)
@click.argument("member", metavar="[ID]", required=False)
@click.option("--from", "others", multiple=True, metavar="ID", help="Cut it off this one only: a broker's id, etcd1 "
              "or clients; repeatable.  [default: all brokers and etcd, but not clients]")  # fmt: skip
@click.option("--one-way", is_flag=True, help="Only what ID sends is lost; what is sent to it arrives.")
@click.option("--heal", is_flag=True, help="Undo it: for ID, or for all.")
@cluster_option
@json_option
def partition(
    *,
    member: str | None,
    others: tuple[str, ...],
    one_way: bool,
    heal: bool,
    folder: Path,
    state: ClusterState,
    as_json: bool,
) -> ExitCode:
    """Cut broker ID (or etcd1, ...) off the others: packets vanish, connections neither refuse nor end.

    The cluster must run with `penstock up --brokers N --networks`, which gives each its own network; that takes root.

    \b
    penstock local partition 2                      off all brokers and etcd; clients still reach it
    penstock local partition 2 --from etcd1         off etcd only
    penstock local partition 2 --from 1 --one-way   what 2 sends does not reach 1
    penstock local partition --heal
    """
    networks = state.open_networks()
    if networks is None:
        raise Failure(
            "this cluster's brokers share one network, in which nothing can be cut",
            hint=f"Stop it, and start it as root with `penstock up --brokers {len(state.brokers)} --networks`.",
        )
    if heal:
        healed = None if member is None else state.member(member).name
        networks.heal(None if healed is None else [healed])
    elif member is None:
        raise click.UsageError("name the broker to cut off, or --heal")
    else:
        name = state.member(member).name
        chosen = [other if other == CLIENTS else state.member(other).name for other in others]
        networks.cut(name, *(chosen or (each for each in networks.names if each != name)), one_way=one_way)
    cuts = sorted(networks.cuts())
    if as_json:
        print_json([{"from": sender, "to": receiver} for sender, receiver in cuts])
        return ExitCode.OK
    if heal:
        click.echo("healed" if healed is None else f"{healed} is healed")
    for sender, receiver in cuts:
        click.echo(f"{sender} does not reach {receiver}")
    return ExitCode.OK
