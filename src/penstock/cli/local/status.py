"""`penstock local status`: which processes a local cluster has, what they do, and what does not reach whom."""

from pathlib import Path

import click

from penstock.cli.exits import ExitCode
from penstock.cli.local.options import cluster_option
from penstock.cli.local.state import BrokerState, ClusterState, EtcdState
from penstock.cli.output import json_option, print_json, print_table


@click.command()
@cluster_option
@json_option
def status(folder: Path, state: ClusterState, as_json: bool) -> ExitCode:
    """Show brokers and etcd of the cluster on this machine: pid, whether it runs, hangs or is down, and addresses."""
    networks = state.open_networks()
    cuts = [] if networks is None else networks.cuts()
    rows = [_row(folder, member, cuts) for member in state.members()]
    if as_json:
        print_json(rows)
        return ExitCode.OK
    columns = ["member", "state", "pid", "address", "log", *(["cannot reach"] if networks is not None else [])]
    print_table(columns, [[_cell(row[column.replace(" ", "_")]) for column in columns] for row in rows])
    return ExitCode.OK


def _row(folder: Path, member: BrokerState | EtcdState, cuts: list[tuple[str, str]]) -> dict[str, object]:
    process = member.process
    state = None if process is None else process.state
    if isinstance(member, BrokerState):
        address, log = member.address, folder / member.name / "broker.log"
    else:
        address, log = f"{member.host}:{member.client_port}", folder / "etcd" / member.name / "etcd.log"
    return {
        "member": member.name,
        "state": state or "down",
        "pid": process.pid if process is not None and state is not None else None,
        "address": address,
        "log": str(log),
        "cannot_reach": sorted(other for name, other in cuts if name == member.name),
    }


def _cell(value: object) -> object:
    return ", ".join(value) if isinstance(value, list) else value
